//! Scenes about sleeps: when they end, which tasks they wake, and what a sleep leaves behind when
//! no task waits for it any more.

use std::cell::Cell;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use from_scratch::{JoinHandle, block_on, sleep, spawn};
use kit::memory::Memory;
use scene::{Transcript, say, scene};

use crate::idle::Idle;
use crate::waiting::{Gate, yield_now};
use crate::watch::{self, watched};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

scene!(sleeps_of_several_tasks, "Three tasks sleep for 60, 20 and 40 ms. Do all wake up?");
/// All three tasks wake up, and none of them early. If two sleeps are due, the loop chooses which
/// task runs first.
fn sleeps_of_several_tasks(t: Transcript) -> anyhow::Result<()> {
    watch::begin_with_threads();
    let slept = block_on(watched("main", async {
        let names = ["the sleep of 60 ms", "the sleep of 20 ms", "the sleep of 40 ms"];
        let sleepers: Vec<_> = names
            .into_iter()
            .zip([60, 20, 40])
            .map(|(name, length)| {
                spawn(watched(name, async move {
                    let began = Instant::now();
                    sleep(ms(length)).await;
                    (name, began.elapsed() >= ms(length))
                }))
            })
            .collect();
        let mut slept = Vec::new();
        for sleeper in sleepers {
            slept.extend(sleeper.await);
        }
        slept
    }));
    for (name, is_late_enough) in slept {
        say!(t, "{name} ends{}", if is_late_enough { "" } else { " early" });
    }
    for complaint in watch::complaints() {
        say!(t, "{complaint}");
    }
    Ok(())
}

scene!(never_early, "Does a sleep ever end early?");
/// A sleep never ends early, no matter how short or odd it is. A sleep of zero length may end at
/// its first poll, but it does end.
fn never_early(t: Transcript) -> anyhow::Result<()> {
    let lengths = [0, 1, 999, 1000, 1001, 1999, 2500, 4999, 10_001].map(Duration::from_micros);
    let early = block_on(async move {
        let mut early = Vec::new();
        for _ in 0..5 {
            for length in lengths {
                let began = Instant::now();
                sleep(length).await;
                let took = began.elapsed();
                if took < length {
                    early.push(format!("a sleep of {length:?} ends early, after {took:?}"));
                }
            }
        }
        early
    });
    match early.first() {
        None => say!(t, "no sleep ends early"),
        Some(early) => say!(t, "{early}"),
    }
    Ok(())
}

scene!(a_sleep_and_nothing_else, "One task sleeps for 300 ms. What does the loop do?");
/// The loop also sleeps until the deadline: at most 10 ms of processor time and at most five waits.
fn a_sleep_and_nothing_else(t: Transcript) -> anyhow::Result<()> {
    block_on(async {
        let idle = Idle::begin().await?;
        let _ = spawn(sleep(ms(300))).await;
        idle.say(t, "until the deadline")
    })
}

scene!(
    a_sleep_beside_a_busy_task,
    "A task always has something to do. Does another task's sleep end?"
);
/// The sleep ends: the loop checks the time even if there's always a task to poll.
fn a_sleep_beside_a_busy_task(t: Transcript) -> anyhow::Result<()> {
    watch::begin_with_threads();
    block_on(watched("main", async {
        let is_over = Rc::new(Cell::new(false));
        let seen = Rc::clone(&is_over);
        let busy = spawn(watched("the busy task", async move {
            while !seen.get() {
                yield_now().await;
            }
        }));
        sleep(ms(20)).await;
        is_over.set(true);
        let _ = busy.await;
    }));
    say!(t, "the other task's sleep ends");
    for complaint in watch::complaints() {
        say!(t, "{complaint}");
    }
    Ok(())
}

scene!(
    a_sleep_beside_a_thread,
    "The loop sleeps until a deadline that's an hour away. Can a thread still wake the loop, and does a shorter sleep still end?"
);
/// The answer to both questions is yes. The thread's wake ends the wait, and the next wait lasts
/// until the nearest deadline.
fn a_sleep_beside_a_thread(t: Transcript) -> anyhow::Result<()> {
    let thread = block_on(async move {
        drop(spawn(sleep(Duration::from_hours(1))));
        // A loop can have a thread for its sleeps: by now, that thread waits for the hour to end.
        Idle::begin().await?;
        let gate = Gate::default();
        let thread = gate.opened_by_a_thread();
        gate.passed().await;
        say!(t, "the thread has woken a task");
        sleep(ms(5)).await;
        say!(t, "a sleep of 5 ms has ended");
        io::Result::Ok(thread)
    })?;
    anyhow::ensure!(thread.join().is_ok(), "a thread of the scene panicked");
    Ok(())
}

scene!(sleeps_that_are_dropped, "A sleep is dropped before it ends. What's left of it?");
/// Nothing is left of a dropped sleep: no memory, and no deadline that would cut the loop's later
/// sleeps short. Its task isn't woken, either. Here each of 40,000 sleeps of an hour is polled once
/// and dropped. Then the same happens to a sleep of 20 ms, whose task waits for something else.
fn sleeps_that_are_dropped(t: Transcript) -> anyhow::Result<()> {
    watch::begin_with_threads();
    let (kept, wakes) = block_on(watched("main", async {
        drop_some(20_000, Duration::from_hours(1)).await;
        let before = Memory::in_use_by_all_threads();
        drop_some(20_000, Duration::from_hours(1)).await;
        let after = Memory::in_use_by_all_threads();
        let wakes = watch::wakes("main");
        drop_some(1, ms(20)).await;
        sleep(ms(40)).await;
        (after - before, watch::wakes("main") - wakes)
    }));
    // Up to 4 KiB is no leak, because a list may have grown one last time.
    say!(t, "memory: {}", if kept <= 4096 { "none" } else { "kept for each sleep" });
    say!(t, "main's wakes until its own sleep is over: {wakes}");
    Ok(())
}

async fn drop_some(count: usize, length: Duration) {
    for number in 0..count {
        if number % 100 == 99 {
            // This gives a loop a chance to clear out entries that it has only marked.
            yield_now().await;
        }
        let mut sleep = pin!(sleep(length));
        poll_fn(|context| {
            let _ = sleep.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
    }
}

scene!(
    a_sleep_changes_hands,
    "One task polls a sleep, and another task awaits it. Which task is woken?"
);
/// The task that polled the sleep last is woken; an additional poll doesn't end the sleep. A sleep
/// of the longest possible `Duration` doesn't disturb the others.
fn a_sleep_changes_hands(t: Transcript) -> anyhow::Result<()> {
    watch::begin_with_threads();
    let took = block_on(watched("main", async {
        drop(spawn(watched("the endless sleeper", sleep(Duration::MAX))));
        let began = Instant::now();
        let mut nap = Box::pin(sleep(ms(100)));
        // If the machine stood still for so long that the sleep is over, it mustn't be polled
        // again.
        let mut is_over = nap.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        poll_fn(|context| {
            is_over = is_over || nap.as_mut().poll(context).is_ready();
            Poll::Ready(())
        })
        .await;
        if !is_over {
            let _ = spawn(watched("the new owner", nap)).await;
        }
        began.elapsed()
    }));
    say!(t, "the new owner is woken{}", if took < ms(100) { ", but too early" } else { "" });
    for complaint in watch::complaints() {
        say!(t, "{complaint}");
    }
    Ok(())
}

scene!(ten_thousand_sleepers, "Ten thousand tasks sleep for up to 100 ms. Do all wake up?");
/// All sleepers wake up, and none of them before its time. It pays to store the sleeps in such a
/// way that the loop finds the next sleep without checking all of them.
fn ten_thousand_sleepers(t: Transcript) -> anyhow::Result<()> {
    let late_enough = block_on(async {
        let sleepers: Vec<_> = (0..10_000_u64)
            .map(|number| {
                // The lengths are spread out and in no particular order.
                let length = Duration::from_micros(number * 7919 % 10_000 * 10);
                spawn(async move {
                    let began = Instant::now();
                    sleep(length).await;
                    began.elapsed() >= length
                })
            })
            .collect();
        count_late_enough(sleepers).await
    });
    say!(t, "{late_enough} tasks have slept for long enough");
    Ok(())
}

scene!(
    two_thousand_sleeps_until_noon,
    "Two thousand tasks sleep until the same moment. Do all wake up?"
);
/// All sleepers wake up. So many deadlines that lie so close together are hardly all different, not
/// even in nanoseconds: a deadline alone doesn't tell two sleeps apart.
fn two_thousand_sleeps_until_noon(t: Transcript) -> anyhow::Result<()> {
    let late_enough = block_on(async {
        let noon = Instant::now() + ms(100);
        let sleepers: Vec<_> = (0..2000)
            .map(|_| {
                spawn(async move {
                    sleep(noon.saturating_duration_since(Instant::now())).await;
                    Instant::now() >= noon
                })
            })
            .collect();
        count_late_enough(sleepers).await
    });
    say!(t, "{late_enough} tasks have slept for long enough");
    Ok(())
}

/// Waits for all sleepers and returns how many of them say that they've slept for long enough.
async fn count_late_enough(sleepers: Vec<JoinHandle<bool>>) -> usize {
    let mut late_enough = 0;
    for sleeper in sleepers {
        late_enough += usize::from(sleeper.await.unwrap_or(false));
    }
    late_enough
}
