//! The order inside a tick, and the callbacks that a tick leaves for the next tick.

use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step07_full_loop::{EventLoop, Result, VirtualClock, get_running_loop, yield_now};

scene!(order_in_a_tick, "call_later(0), call_soon and sleep(0): which runs first?");
/// A task makes a timer that is due at once and then two callbacks, and lets them run.
fn order_in_a_tick(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.create_task(main(t));
    event_loop.run_forever()?;

    say!(t, "timers made in the order 0.5, 0.2, 0.3:");
    for tenths in [5, 2, 3] {
        event_loop.call_later(tenths * Duration::from_millis(100), move || say!(t, "0.{tenths}"));
    }
    let stopper = event_loop.clone();
    event_loop.call_soon(move || say!(t, "soon"));
    event_loop.call_later(Duration::from_secs(1), move || stopper.stop());
    event_loop.run_forever()?;
    event_loop.close()?;
    Ok(())
}

async fn main(t: Transcript) -> Result<()> {
    let event_loop = get_running_loop()?;
    event_loop.call_later(Duration::ZERO, move || say!(t, "call_later(0)"));
    for name in ["call_soon, first", "call_soon, second"] {
        event_loop.call_soon(move || say!(t, "{name}"));
    }
    yield_now().await?;
    say!(t, "main goes on after sleep(0)");
    yield_now().await?;
    say!(t, "main goes on after another sleep(0)");
    event_loop.stop();
    Ok(())
}

scene!(
    self_scheduling_callback,
    "A callback reschedules itself every time it runs. Does a readable pipe's reader ever run?"
);
/// The reader runs in tick 3, the next tick after the byte was written, and so does the timer
/// (`the pipe's reader: stop()`, `the timer`). A tick runs only the entries that are in the queue
/// when its round begins, so the callback that the endless callback schedules has to wait for
/// another tick. In between, the loop looks at its descriptors and timers, however busy it is.
/// Without the counted round, the loop would never get that far. asyncio does the same.
fn self_scheduling_callback(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let (reader, writer) = pipe()?;
    let stopper = event_loop.clone();
    event_loop.add_reader(&reader, move || {
        say!(t, "  the pipe's reader: stop()");
        stopper.stop();
    })?;
    turn(1, event_loop.clone(), Rc::new(writer), t);

    event_loop.run_forever()?;
    say!(t, "remove_reader: {}", event_loop.remove_reader(&reader)?);
    say!(t, "remove_reader again: {}", event_loop.remove_reader(&reader)?);
    event_loop.close()?;
    Ok(())
}

fn turn(number: u32, event_loop: EventLoop, writer: Rc<OwnedFd>, t: Transcript) {
    let next = event_loop.clone();
    event_loop.call_soon(move || {
        say!(t, "tick {number}: the endless callback");
        if number == 2 {
            let written = write(&writer, b"!").is_ok();
            say!(
                t,
                "  the callback writes into the pipe: {}; it makes a timer that's due",
                written
            );
            next.call_later(Duration::ZERO, move || say!(t, "  the timer"));
        }
        turn(number + 1, next, writer, t);
    });
}

scene!(
    a_pipe_and_two_callbacks,
    "A pipe is readable before the loop runs, and a callback schedules another callback. What runs second?"
);
/// `the pipe's reader` runs second, before `the scheduled callback: stop()`. In the first tick the
/// loop has a callback to run, so it doesn't sleep, but it asks the selector all the same and
/// queues the reader behind that callback. The scheduled callback has to wait for the next tick. No
/// callback reads the byte, so the reader runs in every tick, as it would on asyncio.
fn a_pipe_and_two_callbacks(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let (reader, writer) = pipe()?;
    write(&writer, b"!")?;
    event_loop.add_reader(&reader, move || say!(t, "the pipe's reader"))?;
    let (next, stopper) = (event_loop.clone(), event_loop.clone());
    event_loop.call_soon(move || {
        say!(t, "the callback");
        next.call_soon(move || {
            say!(t, "the scheduled callback: stop()");
            stopper.stop();
        });
    });
    event_loop.run_forever()?;
    event_loop.close()?;
    Ok(())
}
