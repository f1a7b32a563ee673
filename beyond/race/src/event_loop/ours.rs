//! Step 07's loop as a contestant.
//!
//! Possible unfairness, in our favour: except in the loads with sleeping tasks, our timers call a
//! function, whereas tokio's wake a task. Against us: our loop catches panics twice around each
//! callback and each step of a task, whereas tokio catches them once per step.

use std::future::Future as Coroutine;
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::task::Waker;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use asyncio::{Error, EventLoop, Queue, create_task, get_running_loop, run, sleep, yield_now};

use crate::event_loop::{ask, delay_of, sparse_delay_of};
use crate::measuring::{nanos_since, processor_time};
use crate::tasks::Countdown;

/// A delay so long that its timer never fires.
const NEVER: Duration = Duration::from_hours(1);

pub(crate) fn yield_alone(count: u64) -> Result<u64> {
    timed(async move {
        for _ in 0..count {
            yield_now().await?;
        }
        Ok(())
    })
}

pub(crate) fn timers_cancelled(count: u64) -> Result<u64> {
    timed(async move { cancel_timers(&get_running_loop()?, count).await })
}

pub(crate) fn timers_cancelled_behind(count: u64) -> Result<u64> {
    timed(async move {
        let event_loop = get_running_loop()?;
        let earlier = event_loop.call_later(NEVER / 2, || {});
        cancel_timers(&event_loop, count).await?;
        earlier.cancel();
        Ok(())
    })
}

/// Makes and cancels timers and yields to the loop after every thousand timers.
async fn cancel_timers(event_loop: &EventLoop, count: u64) -> asyncio::Result<()> {
    for number in 0..count {
        event_loop.call_later(NEVER, || {}).cancel();
        if number % 1000 == 999 {
            yield_now().await?;
        }
    }
    Ok(())
}

pub(crate) fn timers_firing(count: u64) -> Result<u64> {
    timed(async move {
        let event_loop = get_running_loop()?;
        let (left, began) = (Countdown::of(count), event_loop.time());
        for number in 0..count {
            let left = Rc::clone(&left);
            event_loop.call_at(began + delay_of(number), move || left.arrive());
        }
        left.all().await;
        Ok(())
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
            create_task(async move {
                sleep(delay_of(number)).await?;
                left.arrive();
                Ok(())
            })?;
        }
        left.all().await;
        Ok(())
    })
}

pub(crate) fn tasks_again(count: u64) -> Result<u64> {
    timed(async move {
        for _ in 0..2 {
            let tasks = (0..count / 2).map(|_| create_task(async { Ok(()) }));
            let tasks = tasks.collect::<Result<Vec<_>, _>>()?;
            for task in tasks {
                task.await?;
            }
        }
        Ok(())
    })
}

pub(crate) fn wake_from_thread(count: u64) -> Result<u64> {
    wake_from_thread_on(&EventLoop::new()?, count)
}

pub(crate) fn wake_through_eventfd(count: u64) -> Result<u64> {
    wake_from_thread_on(&EventLoop::with_eventfd()?, count)
}

fn wake_from_thread_on(event_loop: &EventLoop, count: u64) -> Result<u64> {
    let (questions, asked) = mpsc::channel::<()>();
    let place = Arc::new(std::sync::Mutex::new(None::<Waker>));
    let to_wake = Arc::clone(&place);
    let thread = thread::spawn(move || {
        for () in asked {
            let waker = to_wake.lock().expect("no panic").take();
            waker.expect("the task has left its waker").wake();
        }
    });
    let took = timed_on(event_loop, async move {
        for _ in 0..count {
            ask(&place, &questions).await;
        }
        Ok(())
    });
    thread.join().ok().context("the thread has ended")?;
    took
}

/// Makes one task put items into a queue and another task get them.
pub(crate) fn queue_of_one(count: u64) -> Result<u64> {
    timed(async move {
        let queue = Rc::new(Queue::new(1));
        let putting = Rc::clone(&queue);
        let producer = create_task(async move {
            for item in 0..count {
                putting.put(item).await?;
            }
            Ok(())
        })?;
        for _ in 0..count {
            queue.get().await?;
        }
        producer.await
    })
}

fn timed(main: impl Coroutine<Output = Result<(), Error>> + 'static) -> Result<u64> {
    let began = processor_time();
    run(main)?;
    Ok(nanos_since(began))
}

fn timed_on(
    event_loop: &EventLoop,
    main: impl Coroutine<Output = Result<(), Error>> + 'static,
) -> Result<u64> {
    let began = processor_time();
    event_loop.run(main)?;
    Ok(nanos_since(began))
}
