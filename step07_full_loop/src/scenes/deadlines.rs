//! Limits in time: what becomes of a duration that's passed on, and of a deadline.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step07_full_loop::{
    EventLoop, LoopResult, Result, Time, Timeout, VirtualClock, get_running_loop, sleep, timeout,
    timeout_at,
};

const LIMIT: Duration = Duration::from_secs(2);

scene!(
    a_duration_starts_over,
    "A request may take 2 s, and makes three calls of 1.5 s each. How long does it take?"
);
/// First each call gets a limit of 2 s. Then all of them share a deadline. The clock is virtual.
fn a_duration_starts_over(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.run(async move {
        let event_loop = get_running_loop()?;
        say!(t, "each call gets {LIMIT:?}");
        let began = event_loop.time();
        report(began, three_calls(|| timeout(LIMIT)).await, t)?;

        let began = event_loop.time();
        let deadline = began + LIMIT;
        say!(t, "they share a deadline");
        report(began, three_calls(|| Ok(timeout_at(deadline))).await, t)
    })?;
    Ok(())
}

async fn three_calls(limit: impl Fn() -> LoopResult<Timeout>) -> Result<&'static str> {
    for _ in 1..=3 {
        limit()?.run(sleep(Duration::from_millis(1500))).await?;
    }
    Ok("answered")
}

fn report(began: Time, outcome: Result<&'static str>, t: Transcript) -> Result<()> {
    let took = get_running_loop()?.time() - began;
    let outcome = outcome.map_or_else(|error| error.to_string(), str::to_owned);
    say!(t, "  after {took:?}: {outcome}");
    Ok(())
}
