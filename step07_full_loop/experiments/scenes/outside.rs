//! Events that reach a sleeping loop from outside: a thread's message, a signal.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use kit::Sleeper;
use kit::cost::Calls;
use scene::{Transcript, say, scene};
use step05_selfpipe::{SIGINT, SIGUSR1, SIGUSR2, raise};
use step07_full_loop::{
    Error, EventLoop, LoopError, LoopResult, Result, create_task, get_running_loop, run, sleep,
};

scene!(
    call_soon_threadsafe_from_a_thread,
    "A loop sleeps with no timeout. Can another thread reach it?"
);
/// Yes, although the loop has no timer and no reader and would sleep forever
/// (`without the thread, the loop would sleep: None`). The thread's `call_soon_threadsafe` puts the
/// callback into an inbox and then wakes the loop, which runs the callback on the loop's thread. In
/// the other order, the loop could wake up, find the inbox empty, and sleep again. A thread can't
/// know that a loop has been closed, so it gets an error:
/// `a callback for a closed loop: Event loop is closed`.
fn call_soon_threadsafe_from_a_thread(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    say!(t, "without the thread, the loop would sleep: {:?}", event_loop.select_timeout());

    let handle = event_loop.handle();
    let the_loops = thread::current().id();
    let say_there = move |line| {
        let is_there = thread::current().id() == the_loops;
        say!(t, "{line}{}", if is_there { "" } else { ", but on another thread" });
    };
    let thread = thread::spawn(move || {
        for line in ["  first callback from the thread", "  second callback from the thread"] {
            handle.call_soon_threadsafe(move || say_there(line))?;
        }
        handle.call_soon_threadsafe(move || {
            say_there("  the thread asks to stop");
            get_running_loop().map(|event_loop| event_loop.stop()).unwrap_or_default();
        })?;
        Ok::<_, LoopError>(handle)
    });
    event_loop.run_forever()?;
    let handle = thread.join().map_err(|_| anyhow!("the thread panicked"))??;
    event_loop.close()?;
    match handle.call_soon_threadsafe(|| {}) {
        Err(refusal) => say!(t, "a callback for a closed loop: {}", refusal),
        Ok(()) => say!(t, "a callback for a closed loop was accepted"),
    }
    Ok(())
}

scene!(
    wakes_through_an_eventfd,
    "A thread hands the loop a hundred callbacks, one at a time. How often does the loop read the descriptor that wakes it?"
);
/// Never, if the loop is woken through an eventfd. The loop registers the eventfd edge-triggered,
/// so the selector reports a new write even if the loop never reads, and the counter just grows.
/// tokio's runtime is woken in the same way. The pair is level-triggered. If the loop left the byte
/// in the pair, every wait would report the pair again, so the loop reads
/// `at least once per callback`.
fn wakes_through_an_eventfd(t: Transcript) -> anyhow::Result<()> {
    for (name, event_loop) in
        [("the pair", EventLoop::new()?), ("an eventfd", EventLoop::with_eventfd()?)]
    {
        let often = match reads_while_woken(&event_loop, 100)? {
            0 => "never",
            1..100 => "less than once per callback",
            100.. => "at least once per callback",
        };
        say!(t, "woken through {name}, the loop reads: {}", often);
    }
    Ok(())
}

/// Lets another thread schedule `times` callbacks and returns the number of reads that the loop
/// makes.
fn reads_while_woken(event_loop: &EventLoop, times: usize) -> anyhow::Result<u64> {
    let handle = event_loop.handle();
    let (has_run, next) = mpsc::channel();
    let thread = thread::spawn(move || {
        for _ in 0..times {
            let has_run = has_run.clone();
            handle.call_soon_threadsafe(move || has_run.send(()).unwrap_or_default())?;
            next.recv()?;
        }
        handle.call_soon_threadsafe(|| {
            get_running_loop().map(|event_loop| event_loop.stop()).unwrap_or_default();
        })?;
        anyhow::Ok(())
    });
    let (ran, calls) = Calls::of(|| event_loop.run_forever())?;
    ran?;
    thread.join().map_err(|_| anyhow!("the thread panicked"))??;
    event_loop.close()?;
    Ok(calls.reads)
}

scene!(
    two_ways_to_call_soon: order,
    "call_soon and call_soon_threadsafe alternate. In which order do their callbacks run?"
);
/// In the order in which they were scheduled: `4: call_soon_threadsafe, by another thread` runs
/// after 3 and before 5. Callbacks for `call_soon_threadsafe` wait in an inbox, and the loop
/// empties the inbox before it queues anything itself. So the order of the calls is the order of
/// the callbacks, if each call has returned before the next call begins. In asyncio the order is
/// the same, since all callbacks go straight into one queue.
fn two_ways_to_call_soon(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    schedule_six(t, &event_loop)?;
    let inner = event_loop.clone();
    event_loop.call_soon(move || {
        let scheduled = schedule_six(t, &inner);
        say!(
            t,
            "the same calls from a callback: {}",
            if scheduled.is_ok() { "scheduled" } else { "refused" }
        );
        let stopper = inner.clone();
        inner.call_soon(move || stopper.stop());
    });
    event_loop.run_forever()?;
    event_loop.close()?;
    Ok(())
}

fn schedule_six(t: Transcript, event_loop: &EventLoop) -> anyhow::Result<()> {
    let handle = event_loop.handle();
    event_loop.call_soon(move || say!(t, "1: call_soon"));
    handle.call_soon_threadsafe(move || say!(t, "2: call_soon_threadsafe"))?;
    event_loop.call_soon(move || say!(t, "3: call_soon"));
    let remote = handle.clone();
    let thread = thread::spawn(move || {
        remote.call_soon_threadsafe(move || say!(t, "4: call_soon_threadsafe, by another thread"))
    });
    thread.join().map_err(|_| anyhow!("the thread panicked"))??;
    event_loop.call_soon(move || say!(t, "5: call_soon"));
    handle.call_soon_threadsafe(move || say!(t, "6: call_soon_threadsafe"))?;
    Ok(())
}

scene!(
    signals_and_a_callback,
    "Two signals arrive before three callbacks are scheduled. In which order do the handlers and the callbacks run?"
);
/// The signals come first, but their handlers run last, in tick 3: step 05's handler only sets a
/// bit and writes a byte. In tick 2 the selector reports the pair, and one of the loop's own
/// callbacks drains the pair and queues the signals' handlers, which have to wait for the next tick
/// (`SIGUSR2's handler`). `call_soon_threadsafe` and `call_soon` queue their callbacks in tick 1,
/// so those run first. asyncio does the same.
fn signals_and_a_callback(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    event_loop.add_signal_handler(SIGUSR1, move || say!(t, "  SIGUSR1's handler"))?;
    event_loop.add_signal_handler(SIGUSR2, move || say!(t, "  SIGUSR2's handler"))?;
    let inner = event_loop.clone();
    count_ticks(t, &event_loop, 1, move || {
        raise(SIGUSR2)?;
        raise(SIGUSR1)?;
        inner.call_soon_threadsafe(move || say!(t, "  call_soon_threadsafe"))?;
        inner.call_soon(move || say!(t, "  call_soon"));
        inner.call_later(Duration::ZERO, move || say!(t, "  a timer that's due"));
        Ok(())
    });
    event_loop.run_forever()?;
    event_loop.close()?;
    Ok(())
}

/// Prints the number of each tick, calls `act` in the first tick, and stops the loop in the fourth.
fn count_ticks(
    t: Transcript,
    event_loop: &EventLoop,
    tick: u32,
    act: impl Fn() -> LoopResult<()> + 'static,
) {
    let next = event_loop.clone();
    event_loop.call_soon(move || {
        say!(t, "tick {tick}");
        let acted = if tick == 1 { act() } else { Ok(()) };
        if let Err(error) = acted {
            say!(t, "  fails: {}", error);
        }
        if tick == 4 {
            next.stop();
        } else {
            count_ticks(t, &next, tick + 1, act);
        }
    });
}

scene!(
    a_signal_while_the_loop_sleeps,
    "A signal arrives while a loop sleeps until a timer that's due in an hour. When does the signal's handler run?"
);
/// The handler runs at once and not in an hour. The kernel runs step 05's handler in the thread
/// that got the signal, which isn't the loop's. That handler sets the signal's bit and writes a
/// byte into the self-pipe. The byte wakes the loop, which finds the bit and calls your handler on
/// the loop's thread: `run_forever returns; the handler has run 1 time`. asyncio's loop is woken by
/// a byte, too.
fn a_signal_while_the_loop_sleeps(t: Transcript) -> anyhow::Result<()> {
    let sleeper = Sleeper::start(|| {
        let caught = run_until_a_signal();
        caught.map_or_else(|error| error.to_string(), |count| count.to_string())
    })?;
    sleeper.wait_until_asleep()?;
    say!(t, "the loop sleeps; SIGUSR1 arrives");
    raise(SIGUSR1)?;
    say!(t, "run_forever returns; the handler has run {} time", sleeper.join()?);
    Ok(())
}

fn run_until_a_signal() -> anyhow::Result<u32> {
    let event_loop = EventLoop::new()?;
    let (stopper, caught) = (event_loop.clone(), Rc::new(Cell::new(0)));
    let counted = Rc::clone(&caught);
    event_loop.add_signal_handler(SIGUSR1, move || {
        counted.set(counted.get() + 1);
        stopper.stop();
    })?;
    let stopper = event_loop.clone();
    event_loop.call_later(Duration::from_hours(1), move || stopper.stop());
    event_loop.run_forever()?;
    event_loop.close()?;
    Ok(caught.get())
}

scene!(run_and_ctrl_c: order, "Ctrl-C is pressed. What can main still do?");
/// SIGINT arrives while main sleeps; main has a background task.
fn run_and_ctrl_c(t: Transcript) -> anyhow::Result<()> {
    let outcome = run(async move {
        create_task(async move {
            let outcome = sleep(Duration::from_hours(1)).await;
            say!(t, "background: cancelled = {}", is_cancelled(&outcome));
            outcome
        })?;
        get_running_loop()?.call_soon(|| {
            let raised = raise(SIGINT);
            assert!(raised.is_ok(), "{raised:?}");
        });
        let outcome = sleep(Duration::from_hours(1)).await;
        say!(t, "main: cancelled = {}; cleans up", is_cancelled(&outcome));
        sleep(Duration::from_millis(1)).await?;
        say!(t, "main: has cleaned up");
        outcome
    });
    match outcome {
        Err(LoopError::Interrupted) => say!(t, "run: interrupted"),
        other => say!(t, "run: {:?}", other),
    }
    Ok(())
}

fn is_cancelled(outcome: &Result<()>) -> bool {
    matches!(outcome, Err(Error::Cancelled(_)))
}
