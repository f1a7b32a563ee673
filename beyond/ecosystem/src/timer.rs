//! hyper's timers. hyper requires them to be `Send` and `Sync`, and the loop's own timers are
//! neither. So the loop's thread keeps hyper's timers in a table that's attached to the loop, and
//! the future that hyper gets is only a key into that table.
//!
//! hyper makes a timer for each request and drops nearly all of these timers long before they're
//! due. So the whole table shares one of the loop's timers, which is set for the earliest deadline
//! or for the even earlier deadline of a timer that was dropped.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use asyncio::{
    ClosesWithTheLoop, EventLoop, LoopHandle, ReadyQueue, Time, TimerHandle, get_running_loop,
};
use hyper::rt::{Sleep, Timer};

/// The timers of the loop that's running on this thread, for hyper and for any code that needs a
/// sleep that's `Send`, such as one of axum's handlers.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoopTimer;

/// A sleep that's `Send` and `Sync`, because it's only the key of a timer that its loop owns.
///
/// It can be sent to any thread and dropped there. But it ends only on its own loop: polling it on
/// another thread or another loop, or while no loop is running, panics. The sleep doesn't notice
/// that its task is cancelled; the task's next wait on the loop does, and so does
/// [`cancellable`](crate::cancellable).
#[derive(Debug)]
pub struct LoopSleep {
    home: LoopHandle,
    /// The number of the table that the loop keeps.
    table: u64,
    key: Key,
}

/// The time at which a sleep ends, plus a number, since several sleeps can end at the same time.
type Key = (Time, u64);

impl LoopTimer {
    /// Starts a sleep on the loop that's running on this thread. Panics if no loop is running.
    pub fn sleep(self, delay: Duration) -> LoopSleep {
        let event_loop = get_running_loop().expect("a sleep begins on its loop");
        let timers = event_loop.attached::<Timers>();
        let key = (event_loop.time() + delay, timers.made.replace(timers.made.get() + 1));
        timers.waiting.borrow_mut().insert(key, None);
        timers.ring_at_the_first(&event_loop);
        LoopSleep { home: event_loop.handle(), table: timers.id, key }
    }
}

impl Timer for LoopTimer {
    fn sleep(&self, delay: Duration) -> Pin<Box<dyn Sleep>> {
        Box::pin(LoopTimer::sleep(*self, delay))
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Timer::sleep(self, deadline.saturating_duration_since(Instant::now()))
    }
}

impl Sleep for LoopSleep {}

impl Future for LoopSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let timers = Timers::of(self.table).expect("a sleep ends on the loop on which it began");
        // Clone the waker before the table is borrowed: cloning a waker can run any code, too.
        let own = context.waker().clone();
        let mut waiting = timers.waiting.borrow_mut();
        let Some(waker) = waiting.get_mut(&self.key) else {
            // The table no longer contains the sleep, so the sleep is over.
            return Poll::Ready(());
        };
        // Only the latest waker counts: the sleep may have moved to another task.
        let before = waker.replace(own);
        drop(waiting);
        // The table is no longer borrowed, since dropping a waker can run any code.
        drop(before);
        Poll::Pending
    }
}

impl Drop for LoopSleep {
    fn drop(&mut self) {
        let (table, key) = (self.table, self.key);
        if let Some(timers) = Timers::of(table) {
            return timers.forget(key);
        }
        // We're on another thread, or the loop isn't running. This call fails if the loop is
        // closed, and in that case the timer is gone too.
        let _ = self.home.call_soon_threadsafe(move || {
            if let Some(timers) = Timers::of(table) {
                timers.forget(key);
            }
        });
    }
}

/// A loop's table of unfinished sleeps, sorted by the times at which they end.
struct Timers {
    id: u64,
    made: Cell<u64>,
    waiting: RefCell<BTreeMap<Key, Option<Waker>>>,
    /// The loop's timer, set for the first of the sleeps or for an earlier time. `None` if there
    /// are no sleeps.
    alarm: RefCell<Option<TimerHandle>>,
}

impl Default for Timers {
    fn default() -> Self {
        static TABLES: AtomicU64 = AtomicU64::new(0);
        Timers {
            id: TABLES.fetch_add(1, Ordering::Relaxed),
            made: Cell::default(),
            waiting: RefCell::default(),
            alarm: RefCell::default(),
        }
    }
}

impl Timers {
    /// Returns the table with this number if it belongs to the loop that's running on this thread.
    fn of(id: u64) -> Option<Rc<Timers>> {
        let event_loop: EventLoop = get_running_loop().ok()?;
        Some(event_loop.attached::<Timers>()).filter(|timers| timers.id == id)
    }

    /// Sets the alarm for the first sleep, unless the alarm is already set for that time or
    /// earlier.
    fn ring_at_the_first(self: &Rc<Self>, event_loop: &EventLoop) {
        let Some((when, _)) = self.waiting.borrow().keys().next().copied() else { return };
        if self.alarm.borrow().as_ref().is_some_and(|alarm| alarm.when() <= when) {
            return;
        }
        let (timers, ringing) = (Rc::clone(self), event_loop.clone());
        let alarm = event_loop.call_at(when, move || timers.ring(&ringing));
        if let Some(before) = self.alarm.replace(Some(alarm)) {
            before.cancel();
        }
    }

    /// Ends the sleeps that are due. There may be none, because a sleep can be dropped before it's
    /// due.
    fn ring(self: &Rc<Self>, event_loop: &EventLoop) {
        let now = event_loop.time();
        self.alarm.take();
        let later = self.waiting.borrow_mut().split_off(&(now, u64::MAX));
        let over = self.waiting.replace(later);
        self.ring_at_the_first(event_loop);
        for waker in over.into_values().flatten() {
            event_loop.run_reporting("Exception in a waker", || waker.wake());
        }
    }

    fn forget(&self, key: Key) {
        let mut waiting = self.waiting.borrow_mut();
        let forgotten = waiting.remove(&key);
        if waiting.is_empty()
            && let Some(alarm) = self.alarm.take()
        {
            alarm.cancel();
        }
        drop(waiting);
        drop(forgotten);
    }
}

impl ClosesWithTheLoop for Timers {
    fn close(&self, queue: &ReadyQueue) {
        self.alarm.take();
        for waker in self.waiting.take().into_values() {
            queue.discard(waker);
        }
    }
}
