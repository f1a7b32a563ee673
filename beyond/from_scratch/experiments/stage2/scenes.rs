//! Scenes in which threads wake the loop: while it works, while it sleeps, and just before it
//! sleeps.

use std::cell::Cell;
use std::future::poll_fn;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::mpsc;
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use from_scratch::{block_on, spawn};
use kit::{Sleeper, before_each_wait, stay_apart};
use scene::{Transcript, say, scene};

use crate::idle::{Idle, say_used};
use crate::waiting::{Gate, times, yield_now};
use crate::watch::{self, watched};

scene!(
    a_thread_wakes,
    "A task waits for another thread. Is the task woken, and how often is it polled?"
);
/// The task is woken, no matter what the loop is doing at that moment, and it's polled once for the
/// wake. The future of `block_on` is woken in the same way.
fn a_thread_wakes(t: Transcript) -> anyhow::Result<()> {
    watch::begin_with_threads();
    let (for_main, for_task) = (Gate::default(), Gate::default());
    let threads = [for_main.opened_by_a_thread(), for_task.opened_by_a_thread()];
    block_on(watched("main", async {
        let task = spawn(watched("the task", async move { for_task.passed().await }));
        for_main.passed().await;
        let _ = task.await;
    }));
    for thread in threads {
        anyhow::ensure!(thread.join().is_ok(), "a thread of the scene panicked");
    }
    say!(
        t,
        "main and the task have both been woken; the task was polled {}",
        times(watch::polls("the task"))
    );
    for complaint in watch::complaints() {
        say!(t, "{complaint}");
    }
    Ok(())
}

scene!(
    woken_just_before_it_waits,
    "The loop has found no work and is about to wait when another thread wakes a task. Does the \
     loop wait?"
);
/// The loop doesn't wait, or not for long. The kernel has stopped the loop's thread as it enters a
/// call that can wait or that only checks for events. Another thread wakes the task before the call
/// continues, unless the wake needs a lock that the loop holds. The loop may already have found no
/// woken task, so the wake has to leave a note that ends the wait.
fn woken_just_before_it_waits(t: Transcript) -> anyhow::Result<()> {
    for at in ["the loop's first call", "the loop's first call that waits"] {
        for waits_first in [false, true] {
            let gate = Gate::default();
            let outside = gate.clone();
            let (told, heard) = mpsc::channel();
            before_each_wait(
                move || {
                    block_on(async move {
                        if waits_first {
                            // The task has waited before, and another task woke it.
                            yield_now().await;
                        }
                        let waiting = spawn(async move { gate.passed().await });
                        let _ = waiting.await;
                    });
                },
                move |is_a_wait| {
                    // Once the gate is open, no task waits there.
                    if outside.waiting() > 0 && (is_a_wait || at == "the loop's first call") {
                        let _ = told.send(open_or_wait(&outside));
                    }
                },
            )?;
            heard.recv()??;
            let before = if waits_first { ", after a turn that was given up" } else { "" };
            say!(t, "woken at {at}{before}, the task runs on");
        }
    }
    Ok(())
}

/// Opens a gate on a separate thread and waits until the gate is open or the thread is asleep: a
/// loop may check for work while it holds a lock that a wake also needs.
fn open_or_wait(gate: &Gate) -> anyhow::Result<()> {
    let gate = gate.clone();
    let waker = Sleeper::start(move || {
        gate.open();
        String::new()
    })?;
    waker.wait_until_asleep()
}

scene!(
    twenty_thousand_hand_overs,
    "A task and a thread take turns 20,000 times, or for two seconds. Does each of them get all its turns?"
);
/// The task, the thread and the future of `block_on` get all their turns. The thread wakes the task
/// at many different moments: while the loop polls the task, while it checks for more work, and
/// while it falls asleep. For that purpose the thread itself stays awake, on another CPU if there
/// is one, and so it finds even the gap between two locks.
fn twenty_thousand_hand_overs(t: Transcript) -> anyhow::Result<()> {
    const ROUNDS: usize = 20_000;
    // A loop may take its time: with a slow loop, there are fewer hand-overs.
    const LONGEST: Duration = Duration::from_secs(2);
    const LEAST: usize = 100;
    let (asks, asked) = mpsc::channel::<Gate>();
    let thread = thread::spawn(move || {
        stay_apart(1);
        let mut count = 0;
        while let Some(gate) = next_without_sleep(&asked) {
            if count % 4 > 0 {
                // When this call returns, the loop is on its way from the task's poll to its own
                // sleep.
                let _ = spin_until(|| (gate.waiting() > 0).then_some(()));
            }
            // Open the gate at different points on that way, a few nanoseconds apart.
            for _ in 0..count % 503 {
                std::hint::black_box(());
            }
            gate.open();
            count += 1;
        }
        count
    });
    stay_apart(0);
    watch::begin_with_threads();
    let rounds = block_on(watched("main", async move {
        let began = Instant::now();
        let of_the_task = asks.clone();
        let task = spawn(async move {
            let mut rounds = 0;
            while rounds < ROUNDS && (rounds < LEAST || began.elapsed() < LONGEST) {
                rounds += hand_over(&of_the_task).await;
            }
            rounds
        });
        let mut rounds = task.await.unwrap_or(0);
        for _ in 0..LEAST {
            rounds += hand_over(&asks).await;
        }
        rounds
    }));
    let count = thread.join().unwrap_or(0);
    if rounds == count && rounds > LEAST {
        say!(t, "the task, main and the thread had all their turns");
    } else {
        say!(t, "the task and main had {rounds} turns, the thread {count}");
    }
    for complaint in watch::complaints() {
        say!(t, "{complaint}");
    }
    Ok(())
}

/// Returns the next gate. If this thread slept until it was asked, it would arrive when the loop
/// was already asleep, so it stays awake for longer than a loop usually takes.
fn next_without_sleep(asked: &mpsc::Receiver<Gate>) -> Option<Gate> {
    spin_until(|| asked.try_recv().ok()).or_else(|| asked.recv().ok())
}

/// Checks for a value without going to sleep, until the value is there or we've checked many times.
fn spin_until<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    const MOST_LOOKS: usize = 10_000;
    (0..MOST_LOOKS).find_map(|_| {
        std::hint::spin_loop();
        look()
    })
}

/// Asks the thread to open a gate, and waits at that gate.
async fn hand_over(asks: &mpsc::Sender<Gate>) -> usize {
    let gate = Gate::default();
    if asks.send(gate.clone()).is_err() {
        return 0;
    }
    gate.passed().await;
    1
}

scene!(nothing_to_do_for_a_while, "For 300 ms the loop has nothing to do. What does it do?");
/// All of the loop's threads sleep: at most 10 ms of processor time and at most five waits. It
/// makes no difference whether a task has ended before.
fn nothing_to_do_for_a_while(t: Transcript) -> anyhow::Result<()> {
    // The thread that measures sleeps once.
    const OWN: i64 = 1;
    for (meanwhile, has_ended) in [
        ("a task waits for another thread", false),
        ("a task waits after another task's end", true),
    ] {
        let gate = Gate::default();
        let outside = gate.clone();
        let (begins, begun) = mpsc::channel::<Idle>();
        let clock = thread::spawn(move || {
            let idle = begun.recv()?;
            thread::sleep(Duration::from_millis(300));
            let used = idle.used();
            // Measure first, so that the loop's work on the wake isn't included.
            outside.open();
            anyhow::Ok(used?)
        });
        block_on(async move {
            let task = spawn(async move { gate.passed().await });
            if has_ended {
                let _ = spawn(yield_now()).await;
            }
            begins.send(Idle::begin().await?)?;
            let _ = task.await;
            anyhow::Ok(())
        })?;
        let used = clock.join().map_err(|_| anyhow::anyhow!("a thread of the scene panicked"))?;
        say_used(t, meanwhile, used?, OWN);
    }
    Ok(())
}

scene!(
    a_thread_and_a_busy_task,
    "A task always has something to do. Can a thread still wake another task?"
);
/// The wake gets through: the loop handles wakes from threads between two turns of the busy task,
/// or soon after.
fn a_thread_and_a_busy_task(t: Transcript) -> anyhow::Result<()> {
    let gate = Gate::default();
    let thread = gate.opened_by_a_thread();
    block_on(async move {
        let is_through = Rc::new(Cell::new(false));
        let seen = Rc::clone(&is_through);
        let busy = spawn(async move {
            while !seen.get() {
                yield_now().await;
            }
        });
        gate.passed().await;
        is_through.set(true);
        let _ = busy.await;
    });
    anyhow::ensure!(thread.join().is_ok(), "a thread of the scene panicked");
    say!(t, "the thread wakes the other task");
    Ok(())
}

scene!(
    more_wakes_than_a_pipe_holds,
    "In one turn, a task is woken more often than a pipe has room for bytes. Does it run on?"
);
/// The task runs on: a wake doesn't wait for anything, no matter how many wakes the loop hasn't
/// noticed yet. If each wake wrote a byte to a pipe, the pipe would fill up. Then a write that
/// blocks would wait for a reader, which is the loop, whose own thread is writing.
fn more_wakes_than_a_pipe_holds(t: Transcript) -> anyhow::Result<()> {
    let wakes = room_in_a_pipe()? + 1;
    let task = block_on(async move {
        let mut is_woken = false;
        let task = spawn(poll_fn(move |context| {
            if is_woken {
                return Poll::Ready(());
            }
            for _ in 0..wakes {
                context.waker().wake_by_ref();
            }
            is_woken = true;
            Poll::Pending
        }));
        task.await
    });
    if task.is_ok() {
        say!(t, "the task runs on");
    }
    Ok(())
}

/// Returns the number of bytes for which a pipe has room, up to a limit: the default depends on the
/// size of a page.
fn room_in_a_pipe() -> io::Result<usize> {
    const MOST: usize = 128 * 1024;
    let (_reader, mut writer) = io::pipe()?;
    rustix::io::ioctl_fionbio(&writer, true)?;
    let mut room = 0;
    while room < MOST
        && let Ok(count) = writer.write(&[0; 4096])
    {
        room += count;
    }
    Ok(room)
}
