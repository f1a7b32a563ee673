//! What reaches a sleeping loop from outside: a thread, a signal.

use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use scene::{Transcript, say, scene};
use step05_selfpipe::{SIGINT, raise};
use step07_full_loop::{
    Error, EventLoop, LoopError, Result, create_task, get_running_loop, run, sleep,
};

thread_local! {
    static TRANSCRIPT: std::cell::RefCell<Option<Transcript>> = const {
        std::cell::RefCell::new(None)
    };
}

fn say_on_this_thread(line: &str) {
    let heard = TRANSCRIPT.with_borrow(|t| t.as_ref().map(|t| t.say(line)).is_some());
    assert!(heard, "{line}, but on another thread");
}

scene!(call_soon_threadsafe_from_a_thread, "A loop sleeps for ever; can a thread reach it?");
/// A loop without timers and readers sleeps. A thread hands it three callbacks; the last stops it.
fn call_soon_threadsafe_from_a_thread(t: Transcript) -> anyhow::Result<()> {
    TRANSCRIPT.set(Some(t.clone()));
    let event_loop = EventLoop::new()?;
    say!(t, "without the thread it would sleep: {:?}", event_loop.select_timeout());

    let handle = event_loop.handle();
    let thread = thread::spawn(move || {
        for line in ["  first from the thread", "  second from the thread"] {
            handle.call_soon_threadsafe(move || say_on_this_thread(line))?;
        }
        handle.call_soon_threadsafe(|| {
            say_on_this_thread("  the thread asks to stop");
            get_running_loop().map(|event_loop| event_loop.stop()).unwrap_or_default();
        })?;
        Ok::<_, LoopError>(handle)
    });
    event_loop.run_forever()?;
    let handle = thread.join().map_err(|_| anyhow!("the thread panicked"))??;
    event_loop.close()?;
    match handle.call_soon_threadsafe(|| {}) {
        Err(refusal) => say!(t, "a word to a closed loop: {refusal}"),
        Ok(()) => say!(t, "a word to a closed loop was taken"),
    }
    Ok(())
}

scene!(run_and_ctrl_c, "Ctrl-C arrives: what may main still do?");
/// SIGINT arrives while main sleeps; main has a background task.
fn run_and_ctrl_c(t: Transcript) -> anyhow::Result<()> {
    let inner_t = t.clone();
    let outcome = run(async move {
        let background_t = inner_t.clone();
        create_task(async move {
            let outcome = sleep(Duration::from_hours(1)).await;
            say!(background_t, "background: cancelled = {}", is_cancelled(&outcome));
            outcome
        })?;
        get_running_loop()?.call_soon(|| {
            let raised = raise(SIGINT);
            assert!(raised.is_ok(), "{raised:?}");
        });
        let outcome = sleep(Duration::from_hours(1)).await;
        say!(inner_t, "main: cancelled = {}; cleans up", is_cancelled(&outcome));
        sleep(Duration::from_millis(1)).await?;
        say!(inner_t, "main: has cleaned up");
        outcome
    });
    match outcome {
        Err(LoopError::Interrupted) => say!(t, "run: interrupted"),
        other => say!(t, "run: {other:?}"),
    }
    Ok(())
}

fn is_cancelled(outcome: &Result<()>) -> bool {
    matches!(outcome, Err(Error::Cancelled))
}
