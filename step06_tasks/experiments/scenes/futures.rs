//! The queue and the future: which callbacks run, and when.

use scene::{Transcript, say, scene};
use step06_tasks::ReadyQueue;

scene!(
    scheduled_in_a_round: order,
    "A callback schedules another callback. Do both run in the same round?"
);
/// `third` has to wait for round 2, because a round runs as many entries as were in the queue when
/// it began. If it lasted until the queue was empty, a callback that schedules itself would keep it
/// going forever, and the loop would never get back to `epoll_wait`. The cancelled callback keeps
/// its place and is skipped, so round 1 counts one more than you see: `entries taken from the
/// queue: 3`. asyncio counts a round's entries first, too.
fn scheduled_in_a_round(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let inner_queue = queue.clone();
    queue.call_soon(move || {
        say!(t, "  first; it schedules the third");
        inner_queue.call_soon(move || say!(t, "  third"));
    });
    queue.call_soon(move || say!(t, "  second"));
    let cancelled = queue.call_soon(move || say!(t, "  cancelled"));
    cancelled.cancel();

    for round in 1..=3 {
        say!(t, "round {round}");
        let taken = queue.run_ready();
        say!(t, "  entries taken from the queue: {}", taken);
    }
    Ok(())
}

scene!(callbacks_of_a_future: order, "Which callbacks run inside set_result?");
/// Two callbacks wait for a future, whose result is set in the middle of other work.
fn callbacks_of_a_future(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let future = queue.create_future();
    for name in ["first", "second"] {
        future.add_done_callback(move |future| say!(t, "{name} gets: {:?}", future.result()));
    }
    say!(t, "the future is done: {}", future.done());
    say!(t, "set_result(42): ok = {}", future.set_result(42).is_ok());
    say!(t, "after set_result, the future is done: {}", future.done());
    say!(t, "set_result(43): ok = {}", future.set_result(43).is_ok());
    say!(t, "cancel(): {}", future.cancel());
    say!(t, "one round of the queue");
    queue.run_ready();
    say!(t, "another callback is added");
    future.add_done_callback(move |future| say!(t, "late gets: {:?}", future.result()));
    say!(t, "another round");
    queue.run_ready();
    Ok(())
}
