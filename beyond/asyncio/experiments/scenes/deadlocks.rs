//! Locks whose holders can't get to their release.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use asyncio::{Lock, Result, create_task, run, yield_now};
use scene::{Transcript, say, scene};

scene!(
    two_locks_in_two_orders: order,
    "One task takes lock a and then b, and another takes b and then a. Do both tasks end?"
);
/// The first task has a and waits for b, while the second has b and waits for a: `a thousand ticks
/// later, the tasks are done: false, false`. That's a deadlock, and it's quiet, because no error is
/// reported. Here a cancellation ends it, since the second task releases b as it ends. The cure is
/// for both tasks to take their locks in the same order: then a task that's waiting for `a` holds
/// no lock that the other task could need. The same cure works in asyncio.
fn two_locks_in_two_orders(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let (a, b) = (Named::new("a"), Named::new("b"));
        let first = create_task(take_both(t, "first", a.clone(), b.clone()))?;
        let second = create_task(take_both(t, "second", b.clone(), a.clone()))?;
        for _ in 0..1000 {
            yield_now().await?;
        }
        say!(t, "a thousand ticks later, the tasks are done: {}, {}", first.done(), second.done());
        say!(t, "the second task is cancelled");
        second.cancel();
        first.await?;
        say!(t, "both tasks lock in the same order:");
        let first = create_task(take_both(t, "first", a.clone(), b.clone()))?;
        let second = create_task(take_both(t, "second", a, b))?;
        first.await?;
        second.await
    })?;
    Ok(())
}

#[derive(Clone)]
struct Named {
    name: &'static str,
    lock: Rc<Lock>,
}

impl Named {
    fn new(name: &'static str) -> Self {
        Named { name, lock: Rc::new(Lock::new()) }
    }
}

async fn take_both(t: Transcript, who: &'static str, one: Named, other: Named) -> Result<()> {
    let _one = one.lock.hold().await?;
    say!(t, "  the {who} task holds lock {}", one.name);
    yield_now().await?;
    let _other = other.lock.hold().await?;
    say!(t, "  the {who} task holds locks {} and {}", one.name, other.name);
    Ok(())
}

scene!(
    a_threads_lock_in_a_coroutine: order,
    "A task holds a lock for two ticks: first a thread's lock, then a task's. Does another task get the lock?"
);
/// Waiting for a thread's lock blocks the thread, and with it the loop and the task that would
/// release the lock: `the other task gets the lock: false, after 0 ticks`. Without the limit of
/// 50 ms, the thread would hang forever. A task's lock is awaited, so the loop keeps running, the
/// holder gets to its release, and `the other task gets the lock: true, after 3 ticks`. It's the
/// same in Python, with `threading.Lock` and `asyncio.Lock`.
fn a_threads_lock_in_a_coroutine(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let ticks = Rc::new(Cell::new(0));
        let counter = create_task(count(Rc::clone(&ticks)))?;

        let lock = Rc::new(ThreadLock::default());
        let holder = create_task(hold_the_threads(Rc::clone(&lock), t))?;
        yield_now().await?;
        let before = ticks.get();
        let got = lock.acquire(Duration::from_millis(50));
        say!(t, "  the other task gets the lock: {}, after {} ticks", got, ticks.get() - before);
        holder.await?;

        let lock = Rc::new(Lock::new());
        let holder = create_task(hold_the_tasks(Rc::clone(&lock), t))?;
        yield_now().await?;
        let before = ticks.get();
        let got = lock.acquire().await.is_ok();
        say!(t, "  the other task gets the lock: {}, after {} ticks", got, ticks.get() - before);
        holder.await?;
        counter.cancel();
        Ok(())
    })?;
    Ok(())
}

async fn count(ticks: Rc<Cell<u32>>) -> Result<()> {
    loop {
        ticks.set(ticks.get() + 1);
        yield_now().await?;
    }
}

async fn hold_the_threads(lock: Rc<ThreadLock>, t: Transcript) -> Result<()> {
    lock.acquire(Duration::ZERO);
    say!(t, "a task holds a thread's lock");
    yield_now().await?;
    yield_now().await?;
    say!(t, "  the task releases the lock");
    lock.release();
    Ok(())
}

async fn hold_the_tasks(lock: Rc<Lock>, t: Transcript) -> Result<()> {
    let _held = lock.hold().await?;
    say!(t, "a task holds a task's lock");
    yield_now().await?;
    yield_now().await?;
    say!(t, "  the task releases the lock");
    Ok(())
}

/// A lock for threads, with a limit on the wait; Python's `threading.Lock`.
#[derive(Default)]
struct ThreadLock {
    is_locked: Mutex<bool>,
    released: Condvar,
}

impl ThreadLock {
    /// Blocks the thread, for that long at most. Returns true if it has the lock.
    fn acquire(&self, timeout: Duration) -> bool {
        let is_locked = self.is_locked.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.released.wait_timeout_while(is_locked, timeout, |is_locked| *is_locked);
        let (mut is_locked, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !std::mem::replace(&mut *is_locked, true)
    }

    fn release(&self) {
        *self.is_locked.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.released.notify_one();
    }
}
