//! The remains of cancelled timers, and how long the heap keeps them.

use std::fs;
use std::iter;
use std::time::Duration;

use anyhow::Context;
use scene::{Transcript, say, scene};
use step04_timers::{Time, TimerHeap, TimerId};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);

scene!(
    one_of_three_cancelled,
    "One of three timers is cancelled. How many timers and how many heap entries are left?"
);
/// `after that:          2 waiting, 3 in the heap`: `cancel` takes only the payload, and the heap's
/// entry stays until it gets to the top or a sweep finds it. To remove the entry at once, `cancel`
/// would have to search for it. `cancel those three:  [None, None, None]`, because the heap never
/// uses an id twice, so an old id can't cancel `fourth`.
fn one_of_three_cancelled(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    let first = timers.push(Time::ZERO + SECOND, "first");
    let second = timers.push(Time::ZERO + 2 * SECOND, "second");
    let third = timers.push(Time::ZERO + 3 * SECOND, "third");
    count(t, "three are pushed:   ", &timers);
    say!(t, "cancel second:       {:?}", timers.cancel(second));
    say!(t, "cancel second again: {:?}", timers.cancel(second));
    count(t, "after that:         ", &timers);
    say!(t, "cancel first:        {:?}", timers.cancel(first));
    say!(t, "cancel third:        {:?}", timers.cancel(third));
    count(t, "all three cancelled:", &timers);

    let fourth = timers.push(Time::ZERO + SECOND, "fourth");
    let old = [first, second, third].map(|old| timers.cancel(old));
    say!(t, "fourth is pushed; the first three ids are tried again");
    say!(t, "cancel those three:  {:?}", old);
    say!(t, "cancel fourth:       {:?}", timers.cancel(fourth));
    Ok(())
}

scene!(
    a_hundred_thousand_cancelled,
    "100,000 timers are cancelled, the last one first. Does cancel have to search the heap?"
);
/// `all are cancelled: 0 waiting, 100000 in the heap`: no entry was removed, so none had to be
/// found. A timer's id leads straight to its payload, and `cancel` takes that. With a search for
/// each timer, 100,000 cancels would take 5 billion steps, and the runner would have stopped the
/// scene as busy.
fn a_hundred_thousand_cancelled(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    let handles: Vec<TimerId> = (0..100_000).map(|n| timers.push(Time::from_nanos(n), n)).collect();
    count(t, "all are pushed:   ", &timers);
    let mut values: Vec<u64> = Vec::new();
    for handle in handles.into_iter().rev() {
        values.extend(timers.cancel(handle));
    }
    count(t, "all are cancelled:", &timers);
    say!(t, "cancel returned:   {} values", values.len());
    let own = values.into_iter().rev().eq(0..100_000);
    say!(t, "  each belongs to: {}", if own { "its timer" } else { "another timer" });
    Ok(())
}

scene!(
    a_thousand_fired_timers,
    "A thousand timers fire, and later a thousand are cancelled. Which list grows: the heap or the slots?"
);
/// Sets a thousand timers and fires them, one after the other, while another timer waits. Then sets
/// and cancels a thousand timers. `sweep` is called after each thousand.
fn a_thousand_fired_timers(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    timers.push(Time::ZERO + HOUR, "in an hour");
    for _ in 0..1000 {
        timers.push(Time::ZERO, "now");
        timers.pop_due(Time::ZERO);
    }
    say!(t, "1000 have fired, 1 is waiting: heap {}, slots {}", timers.scheduled(), timers.slots());
    timers.sweep();
    say!(t, "  sweep:                       heap {}, slots {}", timers.scheduled(), timers.slots());
    for _ in 0..1000 {
        let timer = timers.push(Time::ZERO + HOUR, "in an hour");
        timers.cancel(timer);
    }
    say!(t, "1000 cancelled, 1 is waiting:  heap {}, slots {}", timers.scheduled(), timers.slots());
    timers.sweep();
    say!(t, "  sweep:                       heap {}, slots {}", timers.scheduled(), timers.slots());
    Ok(())
}

scene!(
    what_a_sweep_leaves,
    "99 of 100 timers are cancelled, then 99 of 101, 100 of 200, 101 of 200. In which cases is the heap swept?"
);
/// `99 cancelled of 100:  100 in the heap`: a heap of a hundred entries is too small to be worth a
/// sweep. With one more entry, the heap is swept: `99 cancelled of 101:  2 in the heap`. But a
/// sweep looks at every entry, so more than half of the entries have to be dead: 100 of 200 aren't
/// enough, but 101 are (`101 cancelled of 200: 99 in the heap`). asyncio has the same rule.
fn what_a_sweep_leaves(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    timers.push(Time::ZERO + HOUR, 1);
    let many: Vec<TimerId> = (0..99).map(|_| timers.push(Time::ZERO + 1000 * HOUR, 1000)).collect();
    cancel(&mut timers, &many);
    timers.sweep();
    say!(t, "99 cancelled of 100:  {} in the heap", timers.scheduled());
    timers.push(Time::ZERO + 2 * HOUR, 2);
    timers.sweep();
    say!(t, "99 cancelled of 101:  {} in the heap", timers.scheduled());

    // From 3 to 200 hours, each once, in a scattered order.
    let hours = (0..198).map(|n| 3 + n * 71 % 198);
    let more: Vec<TimerId> =
        hours.map(|hour| timers.push(Time::ZERO + hour * HOUR, hour)).collect();
    cancel(&mut timers, &more[..100]);
    timers.sweep();
    say!(t, "100 cancelled of 200: {} in the heap", timers.scheduled());
    cancel(&mut timers, &more[100..101]);
    timers.sweep();
    say!(t, "101 cancelled of 200: {} in the heap", timers.scheduled());

    let fired: Vec<u32> = iter::from_fn(|| timers.pop_due(Time::ZERO + 1000 * HOUR)).collect();
    let order = if fired.is_sorted() { "in order" } else { "out of order" };
    say!(t, "the rest fires:       {} timers, {}", fired.len(), order);
    Ok(())
}

fn cancel<T>(timers: &mut TimerHeap<T>, which: &[TimerId]) {
    for timer in which {
        timers.cancel(*timer);
    }
}

scene!(
    a_million_cancelled,
    "A million timers are made and cancelled. When are their entries and their memory freed?"
);
/// `500,000 one by one:   at most 1001 in the heap`: the loop calls `next_timeout` once per turn,
/// and `next_timeout` sweeps once more than half of over a hundred entries are dead. After the mass
/// cancel, `all are cancelled:  1 waiting, 500001 in the heap`, since `cancel` itself removes no
/// entry. The next sweep removes the dead entries and frees their memory. The live timer is
/// untouched.
fn a_million_cancelled(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    let other = timers.push(Time::ZERO + SECOND, "still live");
    let minute = Time::ZERO + 60 * SECOND;
    let mut most = 0;
    for _ in 0..500 {
        for _ in 0..1000 {
            let timeout = timers.push(minute, "timeout");
            timers.cancel(timeout);
        }
        most = most.max(timers.scheduled());
        // A loop calls this once per turn, before it sleeps.
        timers.next_timeout(Time::ZERO);
    }
    say!(t, "500,000 one by one:   at most {} in the heap", most);

    let before = resident_kib()?;
    let all: Vec<_> = (0..500_000).map(|_| timers.push(minute, "timeout")).collect();
    count(t, "500,000 at once:     ", &timers);
    cancel(&mut timers, &all);
    drop(all);
    count(t, "  all are cancelled: ", &timers);
    say!(t, "    memory:           {}", more_than(before)?);
    timers.next_timeout(Time::ZERO);
    count(t, "  next_timeout:      ", &timers);
    say!(t, "    memory:           {}", more_than(before)?);
    say!(t, "cancel the live timer: {:?}", timers.cancel(other));
    Ok(())
}

fn more_than(before: i64) -> anyhow::Result<&'static str> {
    let more = resident_kib()? - before;
    Ok(if more > 10 * 1024 {
        "more than 10 MiB more than before"
    } else {
        "at most 10 MiB more than before"
    })
}

/// Returns the memory that this process uses, in KiB. See `proc_pid_status(5)`.
fn resident_kib() -> anyhow::Result<i64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn count<T>(t: Transcript, when: &str, timers: &TimerHeap<T>) {
    say!(t, "{when} {} waiting, {} in the heap", timers.len(), timers.scheduled());
}
