//! A wait that's dropped before it's over, as by a timeout: no item, permit or lock is lost, and
//! the next task gets it. asyncio knows only cancelled waits.

use std::num::NonZero;
use std::pin::pin;
use std::rc::Rc;

use crate::support::{Log, play, poll_once, start, ticks};
use asyncio::{
    Barrier, Condition, Event, EventLoop, Lock, Queue, Result, Semaphore, create_task, yield_now,
};

/// The state of a wait when it's dropped.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Waiting,
    Woken,
}

const BOTH: [When; 2] = [When::Waiting, When::Woken];

#[test]
fn a_lock() {
    for when in BOTH {
        play(async move {
            let (lock, log) = (Rc::new(Lock::new()), Log::default());
            lock.acquire().await?;
            let mut dropped = Box::pin(lock.acquire());
            assert!(poll_once(dropped.as_mut()).await.is_pending());
            let (inner, said) = (Rc::clone(&lock), log.clone());
            let next = start(async move {
                inner.acquire().await?;
                said.say(1);
                Ok(())
            });
            ticks(1).await;
            if when == When::Woken {
                lock.release()?;
            }
            drop(dropped);
            if when == When::Waiting {
                lock.release()?;
            }
            next.await?;
            log.assert_is(&[1]);
            Ok(())
        });
    }
}

#[test]
fn a_semaphore() {
    for when in BOTH {
        play(async move {
            let semaphore = Rc::new(Semaphore::new(0));
            let mut dropped = Box::pin(semaphore.acquire());
            assert!(poll_once(dropped.as_mut()).await.is_pending());
            if when == When::Woken {
                semaphore.release();
            }
            drop(dropped);
            if when == When::Waiting {
                semaphore.release();
            }
            assert!(!semaphore.locked());
            semaphore.acquire().await
        });
    }
}

#[test]
fn an_event() {
    play(async {
        let event = Event::new();
        let mut dropped = Box::pin(event.wait());
        assert!(poll_once(dropped.as_mut()).await.is_pending());
        drop(dropped);
        event.set();
        event.wait().await
    });
}

/// The guard of a condition doesn't release a lock that another task has taken by then.
#[test]
fn a_condition() {
    for when in BOTH {
        play(async move {
            let (condition, log) = (Rc::new(Condition::new()), Log::default());
            let mut dropped = Box::pin(wait(&condition));
            assert!(poll_once(dropped.as_mut()).await.is_pending());
            let (inner, said) = (Rc::clone(&condition), log.clone());
            let next = start(async move {
                wait(&inner).await?;
                said.say(1);
                Ok(())
            });
            ticks(1).await;
            let held = condition.hold().await?;
            if when == When::Woken {
                held.notify(1)?;
            }
            drop(dropped);
            assert!(condition.locked());
            if when == When::Waiting {
                held.notify(1)?;
            }
            held.release()?;
            ticks(2).await;
            log.assert_is(&[1]);
            next.await
        });
    }
}

async fn wait(condition: &Condition) -> Result<()> {
    condition.hold().await?.wait().await
}

/// The wait is dropped while it waits for the lock: the notification goes on, and the lock stays
/// with its holder.
#[test]
fn a_condition_that_waits_for_its_lock() {
    play(async {
        let condition = Rc::new(Condition::new());
        let mut dropped = Box::pin(wait(&condition));
        assert!(poll_once(dropped.as_mut()).await.is_pending());
        let inner = Rc::clone(&condition);
        let next = start(async move { wait(&inner).await });
        ticks(1).await;
        let held = condition.hold().await?;
        held.notify(1)?;
        assert!(poll_once(dropped.as_mut()).await.is_pending());
        drop(dropped);
        assert!(condition.locked());
        held.release()?;
        next.await?;
        assert!(!condition.locked());
        Ok(())
    });
}

#[test]
fn a_getter() {
    for when in BOTH {
        play(async move {
            let queue = Rc::new(Queue::new(0));
            let mut dropped = Box::pin(queue.get());
            assert!(poll_once(dropped.as_mut()).await.is_pending());
            let inner = Rc::clone(&queue);
            let next = start(async move { inner.get().await });
            ticks(1).await;
            if when == When::Woken {
                queue.put_nowait(1)?;
            }
            drop(dropped);
            if when == When::Waiting {
                queue.put_nowait(1)?;
            }
            assert_eq!(next.await?, 1);
            Ok(())
        });
    }
}

#[test]
fn a_putter() {
    for when in BOTH {
        play(async move {
            let queue = Rc::new(Queue::new(1));
            queue.put_nowait(0)?;
            let mut dropped = Box::pin(queue.put(1));
            assert!(poll_once(dropped.as_mut()).await.is_pending());
            let inner = Rc::clone(&queue);
            let next = start(async move { inner.put(2).await });
            ticks(1).await;
            if when == When::Woken {
                queue.get_nowait()?;
            }
            drop(dropped);
            if when == When::Waiting {
                queue.get_nowait()?;
            }
            next.await?;
            assert_eq!((queue.get_nowait()?, queue.qsize()), (2, 0));
            Ok(())
        });
    }
}

#[test]
fn a_task_inside_a_barrier() {
    play(async {
        let barrier = Rc::new(Barrier::new(NonZero::new(2).unwrap()));
        let mut dropped = Box::pin(barrier.wait());
        assert!(poll_once(dropped.as_mut()).await.is_pending());
        assert_eq!(barrier.n_waiting(), 1);
        drop(dropped);
        assert_eq!(barrier.n_waiting(), 0);
        let inner = Rc::clone(&barrier);
        let other = start(async move { inner.wait().await });
        assert_eq!((barrier.wait().await?, other.await?), (0, 1));
        Ok(())
    });
}

/// A loop that's closed drops the coroutines that are still waiting.
#[test]
fn a_loop_closes_while_tasks_wait() {
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_exception_handler(|_| {});
    let (lock, condition) = (Rc::new(Lock::new()), Rc::new(Condition::new()));
    let (locked, waited_for) = (Rc::clone(&lock), Rc::clone(&condition));
    let main = async move {
        for _ in 0..3 {
            let (locked, waited_for) = (Rc::clone(&locked), Rc::clone(&waited_for));
            create_task(async move {
                let mut held = waited_for.hold().await?;
                let ended = held.wait().await;
                drop(held);
                ended
            })?;
            create_task(async move {
                let _held = locked.hold().await?;
                Event::new().wait().await
            })?;
        }
        yield_now().await
    };
    event_loop.run_until_complete(main).unwrap();
    assert!(lock.locked());
    event_loop.close().unwrap();
    drop(event_loop);
    assert!(!lock.locked() && !condition.locked());
    assert_eq!((Rc::strong_count(&lock), Rc::strong_count(&condition)), (1, 1));
}

/// One task waits for two locks at a time and is cancelled: neither lock is lost.
#[test]
fn two_waits_of_one_task() {
    play(async {
        let (first, second) = (Rc::new(Lock::new()), Rc::new(Lock::new()));
        first.acquire().await?;
        second.acquire().await?;
        let (one, two) = (Rc::clone(&first), Rc::clone(&second));
        let task = start(async move {
            let mut both = (pin!(one.acquire()), pin!(two.acquire()));
            loop {
                let polled = (poll_once(both.0.as_mut()).await, poll_once(both.1.as_mut()).await);
                if polled.0.is_ready() || polled.1.is_ready() {
                    return Ok(());
                }
                Event::new().wait().await?;
            }
        });
        ticks(1).await;
        first.release()?;
        second.release()?;
        task.cancel();
        ticks(2).await;
        assert!(task.cancelled());
        assert!(!first.locked() && !second.locked());
        first.acquire().await?;
        second.acquire().await
    });
}
