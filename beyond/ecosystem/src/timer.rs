//! hyper's timers. hyper wants them `Send` and `Sync`, and the loop's own timers are neither. So
//! the loop's thread keeps them in a table that's attached to the loop, and the future for hyper is
//! only a key of that table.
//!
//! hyper makes a timer for each request and drops nearly all of them long before their time. So the
//! whole table shares a single timer of the loop, for the nearest deadline.

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

/// The timers of the loop that runs in this thread, for hyper and for any code that needs a sleep
/// that's `Send`, such as a handler of axum's.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoopTimer;

/// A sleep that's `Send` and `Sync`, because it's only the key of a timer that its loop owns.
///
/// It can be sent anywhere and dropped anywhere. But it only ends on its own loop: polling it on
/// another thread, or on another loop, panics. It doesn't notice that its task is cancelled; the
/// next wait of the loop notices that, or [`cancellable`](crate::cancellable).
#[derive(Debug)]
pub struct LoopSleep {
    home: LoopHandle,
    /// The number of its loop's table.
    table: u64,
    key: Key,
}

/// The time at which a sleep ends, and its number, since several can end at the same time.
type Key = (Time, u64);

impl LoopTimer {
    /// Starts a sleep on the loop that runs in this thread. Panics if no loop runs.
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
        // Before the table is borrowed: a waker's clone can run anybody's code, too.
        let own = context.waker().clone();
        let mut waiting = timers.waiting.borrow_mut();
        let Some(waker) = waiting.get_mut(&self.key) else {
            // The table doesn't have the sleep any more, so it's over.
            return Poll::Ready(());
        };
        // The last poll counts: the sleep may have moved to another task.
        let before = waker.replace(own);
        drop(waiting);
        // The table isn't borrowed any more: dropping a waker can run anybody's code.
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
        // We're on another thread, or the loop doesn't run. This fails if the loop is closed, and
        // then the timer is gone, too.
        let _ = self.home.call_soon_threadsafe(move || {
            if let Some(timers) = Timers::of(table) {
                timers.forget(key);
            }
        });
    }
}

/// A loop's table of the sleeps that aren't over, by the time of their end.
struct Timers {
    id: u64,
    made: Cell<u64>,
    waiting: RefCell<BTreeMap<Key, Option<Waker>>>,
    /// The loop's timer, for the first of the sleeps or earlier. `None` if there are no sleeps.
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
    /// Returns a table if it belongs to the loop that runs in this thread.
    fn of(id: u64) -> Option<Rc<Timers>> {
        let event_loop: EventLoop = get_running_loop().ok()?;
        Some(event_loop.attached::<Timers>()).filter(|timers| timers.id == id)
    }

    /// Sets the alarm for the first sleep, unless an alarm rings by then anyway.
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

    /// Ends the sleeps whose time has come. There may be none, if those sleeps were dropped.
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
