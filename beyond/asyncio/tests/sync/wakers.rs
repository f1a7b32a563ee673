//! A task's waker can run any code and use the very lock that wakes it. A lock stays with its
//! loop.

use std::cell::RefCell;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::common::error_without_a_loop;
use crate::support::{play, refusal};
use asyncio::{Condition, Event, EventLoop, Lock, Queue, Result, Semaphore, SyncError, run};
use kit::limit_time;

thread_local! {
    static ON_WAKE: RefCell<Option<Box<dyn Fn()>>> = const { RefCell::new(None) };
}

/// A waker that calls the function in `ON_WAKE`, and again when it's dropped.
struct Calls;

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        call();
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        call();
    }
}

fn call() {
    ON_WAKE.with_borrow(|call| call.iter().for_each(|call| call()));
}

/// Polls a wait once with a waker that calls this function and expects it to wait.
fn wait_with<F: Future<Output = Result<T>> + ?Sized, T>(
    wait: Pin<&mut F>,
    call: impl Fn() + 'static,
) {
    ON_WAKE.set(Some(Box::new(call)));
    let waker = Waker::from(Arc::new(Calls));
    assert!(matches!(wait.poll(&mut Context::from_waker(&waker)), Poll::Pending));
}

fn over() {
    let call = ON_WAKE.take();
    assert!(call.is_some());
    drop(call);
}

#[test]
fn a_waker_uses_the_lock() {
    play(async {
        let lock = Rc::new(Lock::new());
        lock.acquire().await?;
        let inner = Rc::clone(&lock);
        {
            let mut wait = pin!(lock.acquire());
            wait_with(wait.as_mut(), move || {
                let _refused = inner.release();
                let newcomer = pin!(inner.acquire()).poll(&mut Context::from_waker(Waker::noop()));
                assert!(newcomer.is_pending(), "it's the turn of the one that was woken");
            });
            lock.release()?;
            assert!(!lock.locked());
        }
        over();
        lock.acquire().await
    });
}

#[test]
fn a_waker_uses_the_semaphore() {
    play(async {
        let semaphore = Rc::new(Semaphore::new(0));
        let inner = Rc::clone(&semaphore);
        {
            let mut wait = pin!(semaphore.acquire());
            wait_with(wait.as_mut(), move || {
                assert!(inner.locked() || !inner.locked());
                inner.release();
            });
            semaphore.release();
        }
        over();
        assert!(!semaphore.locked());
        Ok(())
    });
}

#[test]
fn a_waker_uses_the_event() {
    play(async {
        let event = Rc::new(Event::new());
        let inner = Rc::clone(&event);
        let mut wait = pin!(event.wait());
        wait_with(wait.as_mut(), move || {
            inner.clear();
            inner.set();
        });
        event.set();
        assert!(event.is_set());
        over();
        Ok(())
    });
}

#[test]
fn a_waker_uses_the_queue() {
    play(async {
        let queue = Rc::new(Queue::new(0));
        let inner = Rc::clone(&queue);
        {
            let mut wait = pin!(queue.get());
            wait_with(wait.as_mut(), move || {
                let _taken = inner.get_nowait();
                inner.put_nowait(2).unwrap();
            });
            queue.put_nowait(1)?;
            assert_eq!((queue.qsize(), queue.get_nowait()?), (1, 2));
        }
        over();
        Ok(())
    });
}

#[test]
fn a_waker_uses_the_condition() {
    play(async {
        let condition = Rc::new(Condition::new());
        let inner = Rc::clone(&condition);
        let mut held = condition.hold().await?;
        let mut wait = pin!(held.wait());
        wait_with(wait.as_mut(), move || assert!(inner.locked()));
        let other = condition.hold().await?;
        other.notify_all()?;
        over();
        Ok(())
    });
}

/// A lock belongs to the loop of its first wait; asyncio's `test_ambiguous_loops`.
#[test]
fn a_lock_stays_with_its_loop() {
    limit_time();
    let (lock, queue) = (Rc::new(Lock::new()), Rc::new(Queue::<()>::new(0)));
    let first = EventLoop::new().unwrap();
    let wait = |lock: Rc<Lock>| async move {
        lock.acquire().await?;
        let task = crate::support::start(async move { lock.acquire().await });
        crate::support::ticks(1).await;
        task.cancel();
        task.await
    };
    let has_a_loop = |has: bool| format!("{lock:?}").contains(&format!("LoopBound({has})"));
    assert!(has_a_loop(false), "{lock:?}");
    let outcome = first.run_until_complete(wait(Rc::clone(&lock)));
    assert!(outcome.is_err(), "it's cancelled");
    assert!(has_a_loop(true), "{lock:?}");
    first.close().unwrap();
    lock.release().unwrap();
    let refused = run(async move {
        lock.acquire().await?;
        let refused = lock.acquire().await;
        assert_eq!(refused.as_ref().unwrap_err().to_string(), "bound to a different event loop");
        assert!(lock.locked());
        Ok(refusal(refused))
    });
    assert_eq!(refused.unwrap(), Some(SyncError::BoundToAnotherLoop));
    assert_eq!(error_without_a_loop(queue.get()).to_string(), "no running event loop");
}
