//! The loads. Each load runs as the main coroutine of a new runtime and returns the nanoseconds of
//! processor time that its work took.

use std::cell::RefCell;
use std::rc::Rc;

use step06_tasks::Result;

use crate::measuring::{nanos_since, processor_time};
use crate::tasks::runtime::{Countdown, Runtime};

/// The number of tasks in a batch, which all exist at the same time.
pub(crate) const BATCH: u64 = 1000;

/// Spawns a task and joins it, over and over.
pub(crate) async fn spawn_then_await<R: Runtime>(runtime: R, count: u64) -> Result<u64> {
    let (began, mut sum) = (processor_time(), 0);
    for number in 0..count {
        sum += R::join(runtime.spawn(async move { Ok(number) })).await;
    }
    assert_eq!(sum, sum_below(count));
    Ok(nanos_since(began))
}

/// Spawns a batch of tasks and then joins them one by one.
pub(crate) async fn spawn_and_join<R: Runtime>(runtime: R, count: u64) -> Result<u64> {
    let (began, mut sum) = (processor_time(), 0);
    for _ in 0..count / BATCH {
        let spawn = |number| runtime.spawn(async move { Ok(number) });
        let tasks: Vec<R::Task> = (0..BATCH).map(spawn).collect();
        for task in tasks {
            sum += R::join(task).await;
        }
    }
    assert_eq!(sum, sum_below(BATCH) * (count / BATCH));
    Ok(nanos_since(began))
}

/// Makes a batch of tasks yield in turn, again and again.
pub(crate) async fn yield_in_turn<R: Runtime>(runtime: R, count: u64) -> Result<u64> {
    let (began, mut turns) = (processor_time(), 0);
    let tasks: Vec<R::Task> =
        (0..BATCH).map(|_| runtime.spawn(yield_often::<R>(count / BATCH))).collect();
    for task in tasks {
        turns += R::join(task).await;
    }
    assert_eq!(turns, count);
    Ok(nanos_since(began))
}

async fn yield_often<R: Runtime>(turns: u64) -> Result<u64> {
    for _ in 0..turns {
        R::yield_now().await?;
    }
    Ok(turns)
}

/// Sends messages to another task through a channel that holds one message.
pub(crate) async fn channel_of_one<R: Runtime>(runtime: R, count: u64) -> Result<u64> {
    let (mut send, receive) = runtime.channel_of_one();
    let began = processor_time();
    let receiver = runtime.spawn(receive_all(receive, count));
    let sender = runtime.spawn(async move {
        for message in 0..count {
            send(message).await;
        }
        Ok(count)
    });
    assert_eq!(R::join(sender).await, count);
    assert_eq!(R::join(receiver).await, sum_below(count));
    Ok(nanos_since(began))
}

async fn receive_all(mut receive: impl AsyncFnMut() -> u64, count: u64) -> Result<u64> {
    let mut sum = 0;
    for _ in 0..count {
        sum += receive().await;
    }
    Ok(sum)
}

/// Sends each message through a new channel to a task that's waiting for it.
pub(crate) async fn one_message<R: Runtime>(runtime: R, count: u64) -> Result<u64> {
    let (began, mut sum) = (processor_time(), 0);
    let waiting: Rc<RefCell<Option<R::Sender>>> = Rc::default();
    let leaving = Rc::clone(&waiting);
    let asking = runtime.clone();
    let receiver = runtime.spawn(async move {
        for _ in 0..count {
            let (sender, receive) = asking.one_message();
            leaving.replace(Some(sender));
            sum += receive.await;
        }
        Ok(sum)
    });
    for number in 0..count {
        let sender = loop {
            match waiting.take() {
                Some(sender) => break sender,
                None => R::yield_now().await?,
            }
        };
        R::send(sender, number);
    }
    assert_eq!(R::join(receiver).await, sum_below(count));
    Ok(nanos_since(began))
}

/// Cancels waiting tasks and joins each of them. The measurement leaves out the time until all
/// tasks of a batch have been spawned and are waiting.
pub(crate) async fn cancel<R: Runtime>(runtime: R, count: u64) -> Result<u64> {
    let mut took = 0;
    for _ in 0..count / BATCH {
        let arrivals = Countdown::of(BATCH);
        let tasks: Vec<R::Waiting> =
            (0..BATCH).map(|_| runtime.spawn_waiting(arrivals.clone())).collect();
        arrivals.all().await;
        let began = processor_time();
        for task in tasks {
            assert!(R::cancel(task).await, "a task ended, but not cancelled");
        }
        took += nanos_since(began);
    }
    Ok(took)
}

fn sum_below(count: u64) -> u64 {
    (0..count).sum()
}
