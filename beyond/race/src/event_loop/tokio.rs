//! tokio as a contestant: a `LocalSet` on a current-thread runtime with its I/O driver and its
//! timers.
//!
//! The main coroutine runs in `block_on`, and any tasks are spawned on the `LocalSet`. Possible
//! unfairness, against tokio: its wakers and timers are built for several threads. In its favour:
//! its timers are rounded up to the next millisecond, so its sleeps end at fewer distinct times.

use std::future::{Future as Coroutine, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, mpsc as std_mpsc};
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::runtime::Builder;
use tokio::sync::mpsc;
use tokio::task::{LocalSet, spawn_local, yield_now};
use tokio::time::{Instant, sleep, sleep_until};

use crate::event_loop::{ask, delay_of, sparse_delay_of};
use crate::measuring::{nanos_since, processor_time, wake_oneself};
use crate::tasks::Countdown;

const NEVER: Duration = Duration::from_hours(1);

pub(crate) fn yield_alone(count: u64) -> Result<u64> {
    timed(async move { spawn_local(yield_often(count)).await.expect("no panic") })
}

/// Yields through our own leaf future, because tokio's `yield_now` would check the I/O driver each
/// time.
async fn yield_often(count: u64) {
    for _ in 0..count {
        wake_oneself().await;
    }
}

pub(crate) fn timers_cancelled(count: u64) -> Result<u64> {
    timed(cancel_timers(count))
}

pub(crate) fn timers_cancelled_behind(count: u64) -> Result<u64> {
    timed(async move {
        let mut earlier = pin!(sleep(NEVER / 2));
        poll_once(earlier.as_mut()).await;
        cancel_timers(count).await;
    })
}

async fn cancel_timers(count: u64) {
    for number in 0..count {
        let mut timer = Box::pin(sleep(NEVER));
        poll_once(timer.as_mut()).await;
        drop(timer);
        if number % 1000 == 999 {
            yield_now().await;
        }
    }
}

/// Polls a timer once, which registers it.
async fn poll_once(mut timer: std::pin::Pin<&mut tokio::time::Sleep>) {
    poll_fn(|context| {
        assert!(timer.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
}

pub(crate) fn timers_firing(count: u64) -> Result<u64> {
    timed(async move {
        let (left, began) = (Countdown::of(count), Instant::now());
        for number in 0..count {
            let left = Rc::clone(&left);
            spawn_local(async move {
                sleep_until(began + delay_of(number)).await;
                left.arrive();
            });
        }
        left.all().await;
    })
}

pub(crate) fn tasks_sleeping(count: u64) -> Result<u64> {
    sleep_in_tasks(count, delay_of)
}

pub(crate) fn sparse_sleeps(count: u64) -> Result<u64> {
    sleep_in_tasks(count, sparse_delay_of)
}

/// Makes each task sleep once, as its first step.
fn sleep_in_tasks(count: u64, delay_of: fn(u64) -> Duration) -> Result<u64> {
    timed(async move {
        let left = Countdown::of(count);
        for number in 0..count {
            let left = Rc::clone(&left);
            spawn_local(async move {
                sleep(delay_of(number)).await;
                left.arrive();
            });
        }
        left.all().await;
    })
}

pub(crate) fn tasks_again(count: u64) -> Result<u64> {
    timed(async move {
        for _ in 0..2 {
            let tasks: Vec<_> = (0..count / 2).map(|_| spawn_local(async {})).collect();
            for task in tasks {
                task.await.expect("no panic");
            }
        }
    })
}

pub(crate) fn wake_from_thread(count: u64) -> Result<u64> {
    let (questions, asked) = std_mpsc::channel::<()>();
    let place = Arc::new(Mutex::new(None::<Waker>));
    let to_wake = Arc::clone(&place);
    let thread = thread::spawn(move || {
        for () in asked {
            let waker = to_wake.lock().expect("no panic").take();
            waker.expect("the task has left its waker").wake();
        }
    });
    let took = timed(async move {
        let asking = spawn_local(async move {
            for _ in 0..count {
                ask(&place, &questions).await;
            }
        });
        asking.await.expect("no panic");
    });
    thread.join().ok().context("the thread has ended")?;
    took
}

/// Makes one task send messages and another task receive them.
pub(crate) fn queue_of_one(count: u64) -> Result<u64> {
    timed(async move {
        let (sender, mut receiver) = mpsc::channel(1);
        let producer = spawn_local(async move {
            for item in 0..count {
                sender.send(item).await.expect("the receiver is there");
            }
        });
        let consumer = spawn_local(async move { while receiver.recv().await.is_some() {} });
        producer.await.expect("no panic");
        consumer.await.expect("no panic");
    })
}

fn timed(main: impl Coroutine<Output = ()>) -> Result<u64> {
    let began = processor_time();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, main);
    Ok(nanos_since(began))
}
