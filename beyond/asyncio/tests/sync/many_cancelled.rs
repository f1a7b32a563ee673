//! Many tasks wait for one object, and all waits are given up: each costs as much as if there were
//! few waits, in whatever order they end.

use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use crate::support::{barrier_of, play, poll_once, start, ticks};
use asyncio::{Condition, Event, Lock, Queue, Result, Semaphore, Task};
use kit::cost::{cpu_time_of, growth};

type Waiting = Pin<Box<dyn Future<Output = Result<()>>>>;

/// Makes the object that tasks wait for and returns a function that makes a wait.
type Thing = fn() -> Box<dyn Fn() -> Waiting>;

fn lock() -> Box<dyn Fn() -> Waiting> {
    let lock = Rc::new(Lock::new());
    let holder = Rc::clone(&lock);
    start(async move { holder.acquire().await });
    Box::new(move || {
        let lock = Rc::clone(&lock);
        Box::pin(async move { lock.acquire().await })
    })
}

fn semaphore() -> Box<dyn Fn() -> Waiting> {
    let semaphore = Rc::new(Semaphore::new(0));
    Box::new(move || {
        let semaphore = Rc::clone(&semaphore);
        Box::pin(async move { semaphore.acquire().await })
    })
}

fn event() -> Box<dyn Fn() -> Waiting> {
    let event = Rc::new(Event::new());
    Box::new(move || {
        let event = Rc::clone(&event);
        Box::pin(async move { event.wait().await })
    })
}

fn condition() -> Box<dyn Fn() -> Waiting> {
    let condition = Rc::new(Condition::new());
    Box::new(move || {
        let condition = Rc::clone(&condition);
        Box::pin(async move { condition.hold().await?.wait().await })
    })
}

fn queue_of_items() -> Box<dyn Fn() -> Waiting> {
    let queue = Rc::new(Queue::<()>::new(0));
    Box::new(move || {
        let queue = Rc::clone(&queue);
        Box::pin(async move { queue.get().await })
    })
}

fn queue_with_room() -> Box<dyn Fn() -> Waiting> {
    let queue = Rc::new(Queue::new(1));
    queue.put_nowait(()).unwrap();
    Box::new(move || {
        let queue = Rc::clone(&queue);
        Box::pin(async move { queue.put(()).await })
    })
}

fn queue_that_is_joined() -> Box<dyn Fn() -> Waiting> {
    let queue = Rc::new(Queue::new(0));
    queue.put_nowait(()).unwrap();
    Box::new(move || {
        let queue = Rc::clone(&queue);
        Box::pin(async move { queue.join().await })
    })
}

fn barrier() -> Box<dyn Fn() -> Waiting> {
    let barrier = barrier_of(usize::MAX);
    Box::new(move || {
        let barrier = Rc::clone(&barrier);
        Box::pin(async move { barrier.wait().await.map(drop) })
    })
}

const THINGS: [(&str, Thing); 8] = [
    ("lock", lock),
    ("semaphore", semaphore),
    ("event", event),
    ("condition", condition),
    ("queue, get", queue_of_items),
    ("queue, put", queue_with_room),
    ("queue, join", queue_that_is_joined),
    ("barrier", barrier),
];

/// Begins this many waits and gives them up in any order.
fn cost(count: usize, thing: Thing) -> Duration {
    let give_all_up = || {
        play(async move {
            let wait = thing();
            ticks(1).await;
            let mut waits: Vec<_> = (0..count).map(|_| wait()).collect();
            for wait in &mut waits {
                assert!(poll_once(wait.as_mut()).await.is_pending());
            }
            fastrand::Rng::with_seed(7).shuffle(&mut waits);
            drop(waits);
            Ok(())
        });
    };
    cpu_time_of(give_all_up).unwrap().1
}

#[test]
fn waits_that_are_given_up_in_any_order_cost_as_much_each_as_if_they_were_few() {
    for (name, thing) in THINGS {
        let grows = growth((1000, 16_000), |count| cost(count, thing));
        assert!(grows < 45.0, "{name}: by a factor of {grows}");
    }
}

/// Cancelled tasks that haven't run since block no other task and are looked at once.
#[test]
fn whoever_comes_after_many_that_are_cancelled_does_not_look_at_them_all() {
    let cost = |count: usize| {
        let come_after = || {
            play(async move {
                let (lock, semaphore) = (Rc::new(Lock::new()), Rc::new(Semaphore::new(1)));
                lock.acquire().await?;
                semaphore.acquire().await?;
                let mut tasks = Vec::new();
                for _ in 0..count {
                    let (lock, semaphore) = (Rc::clone(&lock), Rc::clone(&semaphore));
                    tasks.push(start(async move { lock.acquire().await }));
                    tasks.push(start(async move { semaphore.acquire().await }));
                }
                ticks(1).await;
                assert!(tasks.iter().all(|task: &Task<()>| task.cancel()));
                lock.release()?;
                semaphore.release();
                for _ in 0..count {
                    drop(lock.hold().await?);
                    drop(semaphore.hold().await?);
                }
                Ok(())
            });
        };
        cpu_time_of(come_after).unwrap().1
    };
    let grows = growth((500, 8000), cost);
    assert!(grows < 50.0, "by a factor of {grows}");
}
