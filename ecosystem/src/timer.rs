//! hyper's timers. hyper wants them `Send` and `Sync`, and what the loop has is neither. So the timer
//! stays with the loop, in a table that's attached to it, and the future that's handed out is its
//! number.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use asyncio::{
    ClosesWithTheLoop, EventLoop, LoopHandle, ReadyQueue, TimerHandle, get_running_loop,
};
use hyper::rt::{Sleep, Timer};

/// The timers of the loop that runs in this thread, for hyper and for any code that needs a sleep
/// that's `Send`, such as a handler of axum's.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoopTimer;

/// A sleep that's `Send` and `Sync`, because it's only the number of a timer that its loop owns.
///
/// It can be sent anywhere and dropped anywhere. But it ends on its own loop only: polling it on
/// another thread, or on another loop, panics. It doesn't notice that its task is cancelled; that's left
/// to the next wait that does, or to [`cancellable`](crate::cancellable).
#[derive(Debug)]
pub struct LoopSleep {
    home: LoopHandle,
    /// Which loop's table it's in.
    table: u64,
    number: u64,
}

impl LoopTimer {
    /// Starts a sleep on the loop that runs in this thread. Panics if none does.
    pub fn sleep(self, delay: Duration) -> LoopSleep {
        let event_loop = get_running_loop().expect("a sleep begins on its loop");
        let timers = event_loop.attached::<Timers>();
        let number = timers.made.get();
        timers.made.set(number + 1);
        let table = Rc::clone(&timers);
        let timer = event_loop.call_later(delay, move || table.fire(number));
        timers.waiting.borrow_mut().insert(number, Waiting { timer, waker: None });
        LoopSleep { home: event_loop.handle(), table: timers.id, number }
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
        let mut waiting = timers.waiting.borrow_mut();
        let Some(Waiting { waker, .. }) = waiting.get_mut(&self.number) else {
            // It isn't in the table any more, so it has fired.
            return Poll::Ready(());
        };
        // The last poll counts: the sleep can have moved to another task.
        let before = waker.replace(context.waker().clone());
        drop(waiting);
        drop(before);
        Poll::Pending
    }
}

impl Drop for LoopSleep {
    fn drop(&mut self) {
        let (table, number) = (self.table, self.number);
        if let Some(timers) = Timers::of(table) {
            return timers.forget(number);
        }
        // On another thread, or while the loop doesn't run. It fails if the loop is closed, and then
        // there's no timer.
        let _ = self.home.call_soon_threadsafe(move || {
            if let Some(timers) = Timers::of(table) {
                timers.forget(number);
            }
        });
    }
}

/// A loop's table of the sleeps that haven't ended.
struct Timers {
    id: u64,
    made: Cell<u64>,
    waiting: RefCell<HashMap<u64, Waiting>>,
}

struct Waiting {
    timer: TimerHandle,
    waker: Option<Waker>,
}

impl Default for Timers {
    fn default() -> Self {
        static TABLES: AtomicU64 = AtomicU64::new(0);
        Timers {
            id: TABLES.fetch_add(1, Ordering::Relaxed),
            made: Cell::default(),
            waiting: RefCell::default(),
        }
    }
}

impl Timers {
    /// Returns a table if it's the one of the loop that runs in this thread.
    fn of(id: u64) -> Option<Rc<Timers>> {
        let event_loop: EventLoop = get_running_loop().ok()?;
        Some(event_loop.attached::<Timers>()).filter(|timers| timers.id == id)
    }

    fn fire(&self, number: u64) {
        let fired = self.waiting.borrow_mut().remove(&number);
        if let Some(waker) = fired.and_then(|waiting| waiting.waker) {
            waker.wake();
        }
    }

    fn forget(&self, number: u64) {
        let forgotten = self.waiting.borrow_mut().remove(&number);
        if let Some(Waiting { timer, .. }) = &forgotten {
            timer.cancel();
        }
        // The table isn't borrowed any more: a waker can be anybody's code.
        drop(forgotten);
    }
}

impl ClosesWithTheLoop for Timers {
    fn close(&self, queue: &ReadyQueue) {
        for waiting in self.waiting.take().into_values() {
            queue.discard(waiting);
        }
    }
}
