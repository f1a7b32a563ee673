//! How a loop starts, stops and ends.

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step07_full_loop::{EventLoop, LoopResult, get_running_loop};

scene!(stop_finishes_the_tick, "Does stop() keep the callbacks that are ready from running?");
/// `stop()` is called by the first of two callbacks, and before a run in which a pipe is readable.
fn stop_finishes_the_tick(t: Transcript) -> anyhow::Result<()> {
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
    say!(t, "both runs are over");
    event_loop.remove_reader(&reader)?;
    event_loop.close()?;
    Ok(())
}

scene!(one_loop_at_a_time, "Which calls does a loop refuse?");
/// Runs a loop inside another one and inside itself, stops it too early, and uses it after it's
/// closed.
fn one_loop_at_a_time(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    say!(t, "outside: {}", refusal(get_running_loop().map(drop)));
    let answer = event_loop.run_until_complete(async move {
        let running = get_running_loop()?;
        say!(t, "inside: is_running() = {}", running.is_running());
        say!(t, "the loop in itself: {}", refusal(running.run_forever()));
        let other = EventLoop::new()?;
        say!(t, "another in this one: {}", refusal(other.run_forever()));
        other.close()?;
        say!(t, "close() from inside: {}", refusal(running.close()));
        Ok(42)
    })?;
    say!(t, "run_until_complete gave {answer}");

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

fn refusal(outcome: LoopResult<()>) -> String {
    outcome.err().map_or("no error".to_owned(), |error| error.to_string())
}
