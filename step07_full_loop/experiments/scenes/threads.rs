//! Blocking work: in the loop, and on another thread.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step07_full_loop::{
    Error, EventLoop, Future, Result, ThreadPool, VirtualClock, create_task, get_running_loop, run,
    to_thread, yield_now,
};

use super::pool_of;

/// The time for which the function that blocks the loop waits. The gate stays closed, no matter how
/// long the function waits.
const IN_VAIN: Duration = Duration::from_millis(20);

scene!(
    a_blocking_call: order,
    "A function blocks until another task has opened a gate. Does that task run in time?"
);
/// The same function is called twice: by a task itself, and on a thread.
fn a_blocking_call(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        say!(t, "called in the loop");
        let gate = opened_by_another_task(t)?;
        say!(t, "  the function returns: {}", wait_for(gate, IN_VAIN));
        yield_now().await?;
        say!(t, "called by to_thread");
        let gate = opened_by_another_task(t)?;
        let outcome = to_thread(move || Ok(wait_for(gate, Duration::MAX))).await?;
        say!(t, "  the function returns: {}", outcome);
        Ok(())
    })?;
    Ok(())
}

fn opened_by_another_task(t: Transcript) -> Result<mpsc::Receiver<()>> {
    let (open, gate) = mpsc::channel();
    create_task(async move {
        let is_waiting = open.send(()).is_ok();
        if is_waiting {
            say!(t, "  another task gets its turn and opens the gate");
        } else {
            say!(t, "  another task gets its turn, but it's too late");
        }
        Ok(())
    })?;
    Ok(gate)
}

fn wait_for(gate: mpsc::Receiver<()>, patience: Duration) -> &'static str {
    match gate.recv_timeout(patience) {
        Ok(()) => "the gate is open",
        Err(_) => "the gate is still closed",
    }
}

scene!(
    a_thread_finishes_a_future: order,
    "A thread sends the result of a future. When is the future done, and when does the task that awaits it go on?"
);
/// Right after the thread has sent its outcome, the future is still pending
/// (`the future is pending`). A thread mustn't touch the future, so the outcome is in a cell that
/// both threads share, and a callback in the loop's inbox will fetch it. The loop empties the inbox
/// before it queues anything itself, so the future is done in tick 3:
/// `a callback scheduled later; the future is done`. The task that awaits the future runs a tick
/// later, as always.
fn a_thread_finishes_a_future(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let (future, completer) = event_loop.create_remote_future();
    let (_never, late) = event_loop.create_remote_future::<()>();
    event_loop.create_task(wait_and_stop(t, future.clone()));
    count_ticks(t, event_loop.clone(), 1);
    let inner = event_loop.clone();
    event_loop.call_soon(move || {
        inner.clone().call_soon(move || {
            let sent = thread::spawn(move || completer.complete(Ok("hello"))).join();
            say!(t, "  a thread has sent the result: {}", sent.is_ok());
            say!(t, "  the future is {}", state(future.done()));
            inner.call_soon(move || {
                say!(t, "  a callback scheduled later; the future is {}", state(future.done()));
            });
        });
    });
    event_loop.run_forever()?;
    event_loop.close()?;
    match thread::spawn(move || late.complete(Ok(()))).join() {
        Ok(Err(refusal)) => say!(t, "a result that arrives too late: {}", refusal),
        _ => say!(t, "a result that arrives too late was accepted"),
    }
    Ok(())
}

async fn wait_and_stop(t: Transcript, future: Future<&'static str>) -> Result<()> {
    say!(t, "  the task waits");
    future.clone().add_done_callback(move |_| say!(t, "  a callback of the future"));
    say!(t, "  the task goes on: {}", future.await?);
    get_running_loop()?.stop();
    Ok(())
}

fn count_ticks(t: Transcript, event_loop: EventLoop, tick: u32) {
    let next = event_loop.clone();
    event_loop.call_soon(move || {
        say!(t, "tick {tick}");
        if tick == 9 {
            return next.stop();
        }
        count_ticks(t, next, tick + 1);
    });
}

scene!(
    a_threads_result_and_a_callback: order,
    "A thread sends a result while a callback runs. What runs first: the future's callback or a callback scheduled after that?"
);
/// Callback A runs first and finds the future done (`callback A, scheduled after that; the future
/// is done`). Before the loop queues A, it takes the threads' messages, so the message with the
/// result comes before A in the queue. When its turn comes, the message finishes the future, whose
/// callback is then queued behind A. A schedules B, which comes behind that callback. If a callback
/// of the loop itself had finished the future at that moment, the order would be the same.
fn a_threads_result_and_a_callback(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    event_loop.set_default_executor(ThreadPool::new(pool_of(1)));
    let inner = event_loop.clone();
    event_loop.call_soon(move || {
        let (tell, begun) = mpsc::channel();
        let first = inner.run_in_executor(|| Ok(()));
        first.add_done_callback(move |_| say!(t, "the future's callback"));
        inner.run_in_executor(move || tell.send(()).map_err(Error::other));
        say!(
            t,
            "the thread has sent its first result: {}; the future is {}",
            begun.recv().is_ok(),
            state(first.done())
        );
        let stopper = inner.clone();
        inner.call_soon(move || {
            say!(t, "callback A, scheduled after that; the future is {}", state(first.done()));
            stopper.clone().call_soon(move || {
                say!(t, "callback B, scheduled by A");
                stopper.stop();
            });
        });
    });
    event_loop.run_forever()?;
    event_loop.run(async { Ok(()) })?;
    Ok(())
}

fn state(is_done: bool) -> &'static str {
    if is_done { "done" } else { "pending" }
}

scene!(a_panic_in_a_thread, "Work panics on a thread. What else does the panic affect?");
/// The panic affects only the task that awaits the work: the pool's thread catches the panic and
/// sends it to the loop as the work's outcome (`panics: Err(Panicked("oh no"))`). The thread
/// survives and does the next two pieces of work. There's no other thread in the pool:
/// `succeeds: "loop-worker 0"`.
fn a_panic_in_a_thread(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    event_loop.set_default_executor(ThreadPool::new(pool_of(1)));
    event_loop.run(async move {
        // A panic!, but without its message on standard error.
        let panics = || std::panic::resume_unwind(Box::new("oh no"));
        say!(t, "panics: {:?}", to_thread::<()>(panics).await);
        let fails = || Err(std::io::Error::from(std::io::ErrorKind::NotFound).into());
        say!(t, "fails: {:?}", to_thread::<()>(fails).await.map_err(|error| error.to_string()));
        let name = || Ok(thread::current().name().unwrap_or_default().to_owned());
        say!(t, "succeeds: {:?}", to_thread(name).await?);
        Ok(())
    })?;
    Ok(())
}

scene!(
    a_busy_thread_at_the_end: order,
    "main returns while a thread is busy. Does run return at once, and can callbacks still run?"
);
/// `main` has ended, but `run` waits for the pool's threads, and the loop runs meanwhile, so `a
/// timer opens the gate` that the thread waits for. If `run` blocked the loop to join the thread,
/// both would wait forever. The pool takes no new work by then: `more work: Executor shutdown has
/// been called`. So `run returns` comes last. asyncio does the same.
fn a_busy_thread_at_the_end(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let inner = event_loop.clone();
    event_loop.run(async move {
        let event_loop = get_running_loop()?;
        let (open, gate) = mpsc::channel();
        event_loop.run_in_executor(move || {
            let opened = gate.recv().is_ok();
            say!(t, "the thread: the gate is open: {}", opened);
            Ok(())
        });
        event_loop.call_later(Duration::from_millis(10), move || {
            say!(t, "a timer opens the gate");
            let refused = inner.run_in_executor(|| Ok(()));
            say!(t, "more work: {}", refusal(&refused.exception()));
            let is_waiting = open.send(()).is_ok();
            assert!(is_waiting, "the thread waits for the gate");
        });
        say!(t, "main returns");
        Ok(())
    })?;
    say!(t, "run returns");
    Ok(())
}

fn refusal(exception: &Result<Option<Error>>) -> String {
    match exception {
        Ok(Some(error)) => error.to_string(),
        other => format!("{other:?}"),
    }
}
