//! The start, the stop and the end of a loop.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step07_full_loop::{EventLoop, Future, LoopResult, Result, get_running_loop, sleep};

scene!(stop_in_a_tick, "Does stop() keep the callbacks that are ready from running?");
/// It doesn't: `run_forever` checks after each tick whether `stop()` was called, so callbacks that
/// are ready in this tick still run (`second, ready before the stop`). `third, scheduled by first`
/// belongs to the next tick and has to wait for another run. That run is a single tick, because
/// `stop()` was called before it, but a complete tick: it asks the selector, too, and calls the
/// pipe's reader. asyncio does the same.
fn stop_in_a_tick(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let stopper = event_loop.clone();
    event_loop.call_soon(move || {
        say!(t, "first: stop()");
        stopper.stop();
        stopper.call_soon(move || say!(t, "third, scheduled by first"));
    });
    event_loop.call_soon(move || say!(t, "second, ready before the stop"));

    say!(t, "run_forever");
    event_loop.run_forever()?;
    let (reader, writer) = pipe()?;
    write(&writer, b"!")?;
    event_loop.add_reader(&reader, move || say!(t, "the reader of a pipe with a byte"))?;
    say!(t, "stop() before run_forever");
    event_loop.stop();
    event_loop.run_forever()?;
    say!(t, "both runs have ended");
    event_loop.remove_reader(&reader)?;
    event_loop.close()?;
    Ok(())
}

scene!(one_loop_at_a_time, "Which calls does a loop refuse?");
/// A loop refuses to run on a thread on which another loop is running, because it would keep the
/// thread until it stops, while the outer loop's tasks stand still:
/// `another loop, run here: Cannot run the event loop while another loop is running`.
/// `run_until_complete` owes you a result, so it fails if it's stopped before there's a result:
/// `stopped early: Event loop stopped before Future completed.` The texts are asyncio's, word for
/// word. Closing a loop twice isn't an error.
fn one_loop_at_a_time(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    say!(t, "outside: {}", refusal(get_running_loop().map(drop)));
    let answer = event_loop.run_until_complete(async move {
        let running = get_running_loop()?;
        say!(t, "inside: is_running() = {}", running.is_running());
        say!(t, "this loop, run again: {}", refusal(running.run_forever()));
        let other = EventLoop::new()?;
        say!(t, "another loop, run here: {}", refusal(other.run_forever()));
        other.close()?;
        say!(t, "close() from inside: {}", refusal(running.close()));
        Ok(42)
    })?;
    say!(t, "run_until_complete returned {}", answer);

    let stopper = event_loop.clone();
    event_loop.call_soon(move || stopper.stop());
    let never = event_loop.create_future::<()>();
    say!(t, "stopped early: {}", refusal(event_loop.run_until_complete(never)));

    event_loop.set_exception_handler(|_| {});
    event_loop.close()?;
    say!(t, "close() twice: {}", refusal(event_loop.close()));
    say!(t, "is_closed() = {}", event_loop.is_closed());
    say!(t, "run after close: {}", refusal(event_loop.run_forever()));
    Ok(())
}

scene!(
    ticks_of_run_until_complete,
    "How many ticks does run_until_complete take for a finished future, for a task and for a coroutine?"
);
/// A future that's done takes one tick: the callback that stops the loop is queued at once and runs
/// in the first tick. A task needs a tick for its step, and its callback runs in the next tick:
/// `a task: the task's result, ticks: 2`. A coroutine is wrapped in a task, and awaiting a future
/// that's done costs it no tick. asyncio needs the same numbers of ticks.
fn ticks_of_run_until_complete(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let ticks = Rc::new(Cell::new(0));
    count_ticks(event_loop.clone(), Rc::clone(&ticks));
    let future = event_loop.create_future();
    future.set_result("the future's result")?;
    let result = event_loop.run_until_complete(future.clone())?;
    say!(t, "a future: {result}, ticks: {}", ticks.replace(0));
    let task = event_loop.create_task(async { Ok("the task's result") });
    let result = event_loop.run_until_complete(task)?;
    say!(t, "a task: {result}, ticks: {}", ticks.replace(0));
    let result = event_loop.run_until_complete(wait_for(future.clone()))?;
    say!(t, "a coroutine that awaits the future: {result}, ticks: {}", ticks.replace(0));
    let other = EventLoop::new()?;
    say!(t, "another loop: {}", refusal(other.run_until_complete(future).map(drop)));
    other.close()?;
    event_loop.close()?;
    Ok(())
}

scene!(
    stopped_in_the_middle: order,
    "run_until_complete runs a coroutine that stops the loop and then sleeps. What happens to the \
     coroutine?"
);
/// `stop()` ends the run, whatever the run was waiting for: `a task: Event loop stopped before
/// Future completed.` The task is still there and continues in the next run. For the coroutine,
/// `run_until_complete` has made a task that you have no handle to, so you can't wait for its end.
/// Its loss isn't reported, since you already got the error. The third task is dropped when the
/// loop closes, and its loss is reported: `reported: Task was destroyed but it is pending!`
fn stopped_in_the_middle(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    event_loop.set_exception_handler(move |report| say!(t, "  reported: {}", report));
    let task = event_loop.create_task(stop_and_go_on(t));
    say!(t, "a task: {}", refusal(event_loop.run_until_complete(task.clone())));
    say!(t, "  is done: {}", task.done());
    say!(t, "again: {}", refusal(event_loop.run_until_complete(task)));
    say!(t, "a coroutine: {}", refusal(event_loop.run_until_complete(stop_and_go_on(t))));
    event_loop.create_task(stop_and_go_on(t));
    say!(t, "close");
    event_loop.close()?;
    Ok(())
}

scene!(
    a_stop_in_the_last_tick,
    "A task ends in the tick in which a callback stops the loop. How many ticks does the next run take?"
);
/// The next run takes its ten ticks. When the first run is over, the callback that was meant to
/// stop it is still in the queue, but that callback sees that its own run is over and stops
/// nothing. In CPython, the next run takes one tick of its ten: `run_until_complete` removes its
/// callback from the future, but by then the callback is in the queue, so it stops the next run
/// (3.11 to 3.13).
fn a_stop_in_the_last_tick(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let stopper = event_loop.clone();
    event_loop.call_soon(move || stopper.stop());
    let answer = event_loop.run_until_complete(async { Ok("done") })?;
    say!(t, "run_until_complete: {answer}");
    let ticks = Rc::new(Cell::new(0));
    count_to_ten(event_loop.clone(), Rc::clone(&ticks));
    event_loop.run_forever()?;
    say!(t, "the next run_forever: {} of 10 ticks", ticks.get());
    event_loop.close()?;
    Ok(())
}

fn count_to_ten(event_loop: EventLoop, ticks: Rc<Cell<u32>>) {
    event_loop.clone().call_soon(move || {
        ticks.set(ticks.get() + 1);
        if ticks.get() == 10 {
            event_loop.stop();
        } else {
            count_to_ten(event_loop, ticks);
        }
    });
}

async fn stop_and_go_on(t: Transcript) -> Result<()> {
    get_running_loop()?.stop();
    sleep(Duration::from_millis(1)).await?;
    say!(t, "  the coroutine goes on after stop() and a sleep");
    Ok(())
}

async fn wait_for<T: Clone>(future: Future<T>) -> Result<T> {
    future.await
}

fn count_ticks(event_loop: EventLoop, ticks: Rc<Cell<u32>>) {
    let next = event_loop.clone();
    event_loop.call_soon(move || {
        ticks.set(ticks.get() + 1);
        count_ticks(next, ticks);
    });
}

fn refusal(outcome: LoopResult<()>) -> String {
    outcome.err().map_or("no error".to_owned(), |error| error.to_string())
}
