//! Debug mode: which callback has held the loop?

use std::time::Duration;

use scene::{Transcript, say, scene};
use step07_full_loop::{EventLoop, LoopResult, VirtualClock, yield_now};

scene!(
    slow_steps_in_debug_mode,
    "Callbacks and a task block the loop, some of them for too long. Which of them does debug mode report?"
);
/// Debug mode reports every callback or step that takes 100 ms or more. So it doesn't report the 50
/// ms, or the 750 ms once the limit is a second. The first 500 ms went unnoticed because debug mode
/// was off. The loop measures each step and not the whole task, because a task that waits doesn't
/// hold the loop: `Executing <Task finished name='worker'> took 0.750 seconds`. asyncio's reports
/// are the same.
fn slow_steps_in_debug_mode(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    event_loop
        .set_exception_handler(move |context| say!(t, "  {}", without_place(&context.to_string())));
    let work = move |millis: u64| {
        say!(t, "{millis} ms of work");
        clock.advance(Duration::from_millis(millis));
    };
    let callback = |millis| {
        let work = work.clone();
        event_loop.call_soon(move || work(millis));
    };

    callback(500);
    tick(&event_loop)?;
    say!(t, "set_debug(true)");
    event_loop.set_debug(true);
    callback(50);
    callback(250);
    tick(&event_loop)?;

    let steps = work.clone();
    let task = event_loop.create_task(async move {
        steps(125);
        yield_now().await?;
        steps(50);
        yield_now().await?;
        steps(750);
        Ok(())
    });
    task.set_name("worker");
    event_loop.run_until_complete(task)?;

    say!(t, "slow_callback_duration = 1 s");
    event_loop.set_slow_callback_duration(Duration::from_secs(1));
    callback(750);
    callback(1500);
    tick(&event_loop)?;
    event_loop.close()?;
    Ok(())
}

/// Runs a single tick.
fn tick(event_loop: &EventLoop) -> LoopResult<()> {
    event_loop.stop();
    event_loop.run_forever()
}

fn without_place(message: &str) -> String {
    let Some((what, place)) = message.split_once(" created at ") else {
        return message.to_owned();
    };
    let rest = place.split_once('>').map_or("", |(_, rest)| rest);
    format!("{what}>{rest}")
}
