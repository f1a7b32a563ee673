//! A pool of threads: the number of threads, and the work that a cancellation can still stop.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use scene::{Transcript, say, scene};
use step07_full_loop::{
    Error, EventLoop, Future, Result, ThreadPool, create_task, get_running_loop, to_thread,
    yield_now,
};

use super::pool_of;

/// A message from work that has begun: its number, the name of its thread, and its gate.
type Begun = (u32, String, Sender<()>);

scene!(
    five_pieces_of_work: order,
    "Five pieces of work share two threads. When does the third begin?"
);
/// The third piece begins when the first is done. With two threads, the pool does two pieces of
/// work at once and keeps the others in a queue, from which a thread that's done takes the oldest
/// piece: `work 3 has begun, on loop-worker 0` comes after `work 1 is done`. So a piece of work
/// that waits keeps other work waiting, but not the loop, whose tasks only await futures.
fn five_pieces_of_work(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    event_loop.set_default_executor(ThreadPool::new(pool_of(2)));
    event_loop.run(async move {
        let event_loop = get_running_loop()?;
        let (tell, begun) = mpsc::channel();
        // Each of the two threads begins before the next work comes, so it's known which of them
        // has what.
        let first = event_loop.run_in_executor(gated(1, &tell));
        let mut open = vec![next(t, &begun)?];
        let second = event_loop.run_in_executor(gated(2, &tell));
        open.push(next(t, &begun)?);
        let others = (3..=5).map(|number| event_loop.run_in_executor(gated(number, &tell)));
        let others: Vec<_> = others.collect();
        for future in [first, second].into_iter().chain(others) {
            let (number, gate) = open.remove(0);
            say!(t, "gate {number} opens");
            gate.send(()).map_err(Error::other)?;
            say!(t, "work {} is done", future.await?);
            if number <= 3 {
                open.push(next(t, &begun)?);
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// Returns work that reports its beginning and waits for its gate.
fn gated(number: u32, tell: &Sender<Begun>) -> impl FnOnce() -> Result<u32> + Send + use<> {
    let tell = tell.clone();
    move || {
        let (open, gate) = mpsc::channel();
        let name = thread::current().name().unwrap_or_default().to_owned();
        tell.send((number, name, open)).map_err(Error::other)?;
        gate.recv().map_err(Error::other)?;
        Ok(number)
    }
}

/// Waits for the next work to begin. This blocks the loop, but the threads don't need the loop.
fn next(t: Transcript, begun: &Receiver<Begun>) -> Result<(u32, Sender<()>)> {
    let (number, thread, gate) = begun.recv().map_err(Error::other)?;
    say!(t, "work {number} has begun, on {}", thread);
    Ok((number, gate))
}

scene!(
    work_is_cancelled: order,
    "Work that waits for a thread is cancelled, and so is work that a thread has begun. Which of the two runs to its end?"
);
/// The first piece is done and the second never is, although both futures were pending and could be
/// cancelled (`cancel work 1: true, cancel work 2: true`). A thread can't be interrupted, so work
/// that has begun runs on, and its result is dropped: `the thread has done work 1`. No thread had
/// begun the second piece. Cancelling it drops the function, so there's no line for 2, and the
/// thread's next piece is 3.
fn work_is_cancelled(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    event_loop.set_default_executor(ThreadPool::new(pool_of(1)));
    event_loop.run(async move {
        let event_loop = get_running_loop()?;
        let (tell, begun) = mpsc::channel();
        let work = gated(1, &tell);
        let first = event_loop.run_in_executor(move || {
            let done = work();
            say!(t, "  the thread has done work 1");
            done
        });
        let second = event_loop.run_in_executor(move || {
            say!(t, "  the thread has done work 2");
            Ok(2)
        });
        let (_, gate) = next(t, &begun)?;
        say!(t, "cancel work 1: {}, cancel work 2: {}", first.cancel(), second.cancel());
        yield_now().await?;
        say!(t, "gate 1 opens");
        gate.send(()).map_err(Error::other)?;
        let third = to_thread(move || {
            say!(t, "  the thread has done work 3");
            Ok(3)
        });
        say!(t, "work 3 returns {}", third.await?);
        say!(t, "work 1 is {}, and work 2 is {}", state(&first), state(&second));
        Ok(())
    })?;
    Ok(())
}

fn state<T>(future: &Future<T>) -> &'static str {
    if future.cancelled() { "cancelled" } else { "done" }
}

scene!(
    a_task_that_waits_for_a_thread_is_cancelled: order,
    "A task awaits to_thread and is cancelled. Must it wait until the thread is done?"
);
/// The task needn't wait: the cancellation ends the future that it awaits, so
/// `the task has ended: cancelled = true` comes before `the thread is done`. But a thread can't be
/// interrupted in the middle of a function, so the function runs to its end, and its result is
/// dropped. `run` closes the loop only when the thread has ended: `run has waited for the thread`.
fn a_task_that_waits_for_a_thread_is_cancelled(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    event_loop.run(async move {
        let (tell, begun) = mpsc::channel();
        let work = gated(1, &tell);
        let task = create_task(to_thread(move || {
            let done = work();
            say!(t, "the thread is done");
            done
        }))?;
        yield_now().await?;
        let (_, gate) = next(t, &begun)?;
        task.cancel();
        let ended = task.await;
        say!(
            t,
            "the task has ended: cancelled = {}",
            ended.is_err_and(|error| error.is_cancelled())
        );
        gate.send(()).map_err(Error::other)?;
        Ok(())
    })?;
    say!(t, "run has waited for the thread");
    Ok(())
}
