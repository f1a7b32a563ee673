//! The cost of a poll(2), which depends on the ready descriptor's place in the list.

use std::os::fd::AsFd;
use std::time::Duration;

use kit::cost::cpu_time_of;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};

scene!(
    ready_first_or_last,
    "One of 801 descriptors is ready. Is poll(2) cheaper if that descriptor is first in the list?"
);
/// Compares CPU times, which leave out other work on this machine. In the list, 800 entries are
/// for one silent pipe.
fn ready_first_or_last(t: Transcript) -> anyhow::Result<()> {
    let (silent, _silent_writer) = pipe()?;
    let (ready, writer) = pipe()?;
    write(&writer, b"x")?;
    let mut first = vec![PollFd::from_borrowed_fd(silent.as_fd(), PollFlags::IN); 801];
    let mut last = first.clone();
    first[0] = PollFd::from_borrowed_fd(ready.as_fd(), PollFlags::IN);
    last[800] = first[0].clone();

    say!(t, "CPU time of poll(2) with the ready descriptor last in the list, compared with first");
    let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
    for (timeout, name) in [(None, "forever:"), (Some(&zero), "zero:")] {
        let [first, last] = medians([&mut first, &mut last], timeout)?;
        let compared = if last > 2 * first { "more than" } else { "at most" };
        say!(t, "  timeout {name:<9} {} twice as much", compared);
    }
    Ok(())
}

/// Returns the median of the CPU times of 101 waits with each list, in turn, so that other work on
/// the machine affects both lists alike. The shortest time wouldn't do: when a thread is preempted,
/// its clock can miss some of the CPU time that the thread has used.
fn medians(
    mut lists: [&mut Vec<PollFd<'_>>; 2],
    timeout: Option<&Timespec>,
) -> anyhow::Result<[Duration; 2]> {
    let mut costs = [Vec::new(), Vec::new()];
    for _ in 0..101 {
        for (list, costs) in lists.iter_mut().zip(&mut costs) {
            let (found, cost) = cpu_time_of(|| poll(list, timeout))?;
            found?;
            costs.push(cost);
        }
    }
    Ok(costs.map(|mut costs| {
        costs.sort_unstable();
        costs[50]
    }))
}
