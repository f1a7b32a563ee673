//! Limits in time and in number: what a duration is worth, and what a full queue does.

use std::rc::Rc;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step07_full_loop::{
    EventLoop, LoopResult, Queue, Result, Time, Timeout, VirtualClock, create_task,
    get_running_loop, sleep, timeout, timeout_at,
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

scene!(
    a_full_queue_holds_its_producer,
    "A producer has five items, and the consumer takes one per second. When is each item put?"
);
/// The queue has room for any number first, and then for two.
fn a_full_queue_holds_its_producer(t: Transcript) -> anyhow::Result<()> {
    for maxsize in [0, 2] {
        say!(t, "maxsize = {maxsize}");
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        event_loop.run(async move {
            let queue = Rc::new(Queue::new(maxsize));
            let consumer = create_task(consume(Rc::clone(&queue)))?;
            for item in 1..=5 {
                queue.put(item).await?;
                let now = get_running_loop()?.time();
                say!(t, "  {now}: put {item}, {} in the queue", queue.qsize());
            }
            consumer.await
        })?;
    }
    Ok(())
}

async fn consume(queue: Rc<Queue<u32>>) -> Result<()> {
    for _ in 1..=5 {
        sleep(Duration::from_secs(1)).await?;
        queue.get().await?;
    }
    Ok(())
}
