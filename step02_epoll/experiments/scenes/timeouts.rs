//! The duration of a wait.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::{Duration, Instant};

use scene::{Transcript, say, scene};
use step01_fd::{check, pipe, write};
use step02_epoll::{Epoll, Events, Interest, Poll, Trigger};

use super::returned;
use kit::objects::own;
use kit::{Sleeper, count_signals};

scene!(
    whole_milliseconds,
    "A wait counts in whole milliseconds. What do 200 µs, 1.999 ms and Duration::MAX turn into?"
);
/// `waits until a 200 µs timer is due: 1`, because our layer rounds 200 µs up to a millisecond.
/// Rounded down, the timeout would be 0, and the loop would spin until its timer is due.
/// `Duration::MAX` doesn't fit into the kernel's integer, so it becomes the longest timeout that
/// fits, just under 25 days. A signal ends that wait and the wait without a timeout, and neither
/// fails: `returned 0 events`.
fn whole_milliseconds(t: Transcript) -> anyhow::Result<()> {
    let mut poll = Poll::new();
    let mut events = Events::with_capacity(1);

    let due = Instant::now() + Duration::from_micros(200);
    let mut waits = 0;
    loop {
        poll.wait(&mut events, Some(due.saturating_duration_since(Instant::now())))?;
        waits += 1;
        if Instant::now() >= due {
            break;
        }
    }
    say!(t, "waits until a 200 µs timer is due: {}", waits);

    for (name, micros) in [("200 µs", 200), ("1.001 ms", 1001), ("1.999 ms", 1999)] {
        let asked = Duration::from_micros(micros);
        let started = Instant::now();
        poll.wait(&mut events, Some(asked))?;
        let early = if started.elapsed() < asked { "early" } else { "not early" };
        say!(t, "timeout {name:<14} {}", early);
    }

    poll.wait(&mut events, Some(Duration::ZERO))?;
    say!(t, "timeout zero           {}", returned(events.len()));

    count_signals()?;
    say!(t, "timeout Duration::MAX  {}", until_a_signal(Some(Duration::MAX), poll_wait)?);
    say!(t, "no timeout             {}", until_a_signal(None, poll_wait)?);
    Ok(())
}

scene!(
    what_ends_a_wait,
    "Which of these end a wait, and with how many events: a timeout, 5 bytes, a signal?"
);
/// `timeout 1 hour  asleep until a signal arrives, returned 0 events`: when a signal's handler has
/// run, the kernel ends the wait with `EINTR`, because the handler may have left work for the loop.
/// Our `wait` then returns an empty list and no error, as after a timeout. Only the 5 bytes are an
/// event. `timeout 200 µs  0 of 20 waits early`, since our `wait` rounds up to a whole millisecond.
fn what_ends_a_wait(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let mut events = Events::with_capacity(1);
    let short = Duration::from_micros(200);
    let mut early = 0;
    for _ in 0..20 {
        let started = Instant::now();
        epoll.wait(&mut events, Some(short))?;
        early += u32::from(started.elapsed() < short);
    }
    say!(t, "timeout 200 µs  {} of 20 waits early", early);
    epoll.wait(&mut events, Some(Duration::ZERO))?;
    say!(t, "timeout zero    {}", returned(events.len()));

    let (reader, writer) = pipe()?;
    epoll.add(&reader, 7, Interest::READABLE, Trigger::Level)?;
    let sleeper = Sleeper::start(move || match epoll.wait(&mut events, None) {
        Ok(()) => returned(events.len()),
        Err(error) => error.to_string(),
    })?;
    sleeper.wait_until_asleep()?;
    let slept = if sleeper.is_finished() { "did not sleep" } else { "asleep until 5 bytes arrive" };
    write(&writer, b"hello")?;
    say!(t, "no timeout      {}, {}", slept, sleeper.join()?);

    count_signals()?;
    say!(t, "no timeout      {}", until_a_signal(None, epoll_wait)?);
    say!(t, "timeout 1 hour  {}", until_a_signal(Some(Duration::from_hours(1)), epoll_wait)?);
    Ok(())
}

/// Waits in another thread and sends that thread a signal once it's asleep.
fn until_a_signal(
    timeout: Option<Duration>,
    wait: fn(Option<Duration>) -> io::Result<usize>,
) -> anyhow::Result<String> {
    let sleeper = Sleeper::start(move || match wait(timeout) {
        Ok(count) => returned(count),
        Err(error) => error.to_string(),
    })?;
    sleeper.wait_until_asleep()?;
    if sleeper.is_finished() {
        return Ok(format!("did not sleep, {}", sleeper.join()?));
    }
    Ok(format!("asleep until a signal arrives, {}", sleeper.interrupted()?))
}

fn epoll_wait(timeout: Option<Duration>) -> io::Result<usize> {
    let mut events = Events::with_capacity(1);
    Epoll::new()?.wait(&mut events, timeout)?;
    Ok(events.len())
}

fn poll_wait(timeout: Option<Duration>) -> io::Result<usize> {
    let mut events = Events::with_capacity(1);
    Poll::new().wait(&mut events, timeout)?;
    Ok(events.len())
}

scene!(
    timeout_resolution,
    "Can a wait end after 200 µs if its timeout is in milliseconds, or only if the timeout is in nanoseconds?"
);
/// `epoll_wait, 1 ms:     1 ms or more`: `epoll_wait` counts in milliseconds, so 200 µs become
/// either 0, which doesn't sleep at all, or 1 ms. `epoll_pwait2, 200 µs: 200 µs to 1 ms`, since
/// that call takes nanoseconds (Linux 5.11). Most loops don't need it. Rounding up delays a timer
/// by less than a millisecond and often lets several timers share a wake-up.
fn timeout_resolution(t: Transcript) -> anyhow::Result<()> {
    let asked = Duration::from_micros(200);
    let whole = Duration::from_millis(1);
    let class = |shortest| match shortest {
        time if time < asked => "under 200 µs",
        time if time < whole => "200 µs to 1 ms",
        _ => "1 ms or more",
    };
    say!(t, "the shortest of many waits");
    let zero = shortest(1000, asked, |epoll| bare_epoll_wait(epoll, 0))?;
    say!(t, "  epoll_wait, 0 ms:     {}", class(zero));
    let one = shortest(20, whole, |epoll| bare_epoll_wait(epoll, 1))?;
    say!(t, "  epoll_wait, 1 ms:     {}", class(one));
    let nanos = shortest(1000, whole, |epoll| bare_epoll_pwait2(epoll, 200_000))?;
    say!(t, "  epoll_pwait2, 200 µs: {}", class(nanos));
    Ok(())
}

/// Returns the shortest of at most `waits` waits and stops early at a wait shorter than `enough`. A
/// busy machine can delay many waits but not all of them.
fn shortest(
    waits: u32,
    enough: Duration,
    wait: fn(BorrowedFd<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Duration> {
    // SAFETY: epoll_create1 takes an integer and touches no memory of ours.
    let epoll = own("epoll_create1", unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
    let mut shortest = Duration::MAX;
    for _ in 0..waits {
        let started = Instant::now();
        wait(epoll.as_fd())?;
        shortest = shortest.min(started.elapsed());
        if shortest < enough {
            break;
        }
    }
    Ok(shortest)
}

fn bare_epoll_wait(epoll: BorrowedFd<'_>, milliseconds: libc::c_int) -> anyhow::Result<()> {
    let mut room = libc::epoll_event { events: 0, u64: 0 };
    // SAFETY: the kernel writes at most one event, and there is room for one.
    let got = unsafe { libc::epoll_wait(epoll.as_raw_fd(), &raw mut room, 1, milliseconds) };
    check(got, || "epoll_wait".to_string())?;
    Ok(())
}

fn bare_epoll_pwait2(epoll: BorrowedFd<'_>, nanoseconds: i64) -> anyhow::Result<()> {
    let mut room = libc::epoll_event { events: 0, u64: 0 };
    let timeout = [0_i64, nanoseconds];
    let no_mask = std::ptr::null::<libc::c_void>();
    // SAFETY: the kernel writes at most one event into `room`, reads two 64-bit numbers (seconds
    // and nanoseconds) from `timeout` and is given no mask.
    let got = unsafe {
        libc::syscall(
            libc::SYS_epoll_pwait2,
            epoll.as_raw_fd(),
            &raw mut room,
            1,
            timeout.as_ptr(),
            no_mask,
            0_usize,
        )
    };
    check(i32::try_from(got)?, || "epoll_pwait2".to_string())?;
    Ok(())
}
