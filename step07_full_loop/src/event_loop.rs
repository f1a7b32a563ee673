//! The event loop: what it owns, and how work is handed to it.
//!
//! It owns four things, one from each layer: a selector, a heap of timers, a self-pipe, and the
//! ready queue in which everything ends. `tick.rs` is what it does with them; `running.rs` is how
//! it starts and stops.

use std::cell::{Cell, RefCell, RefMut};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use step03_selector::{EpollSelector, Interest, ReadyEvent, Selector};
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, TimerId};
use step05_selfpipe::SelfPipe;
use step06_tasks::{Future, Handle, ReadyQueue, Result, Task};

use crate::LoopError;
use crate::handle::LoopHandle;
use crate::readers::Source;
use crate::signals::SignalHandlers;

/// An event loop with asyncio's meaning, for one thread of Linux.
///
/// Cloning gives another name for the same loop; a callback or a coroutine may keep one. The loop
/// lives until [`close`](EventLoop::close).
///
/// What its methods refuse with an error asyncio refuses too. Handing work to a closed loop is a
/// mistake in the program, and panics, where asyncio raises `RuntimeError`.
#[derive(Clone)]
pub struct EventLoop {
    pub(crate) core: Rc<Core>,
}

pub(crate) struct Core {
    pub(crate) queue: ReadyQueue,
    /// Gone once the loop is closed.
    pub(crate) selector: RefCell<Option<EpollSelector<Source>>>,
    pub(crate) timers: RefCell<TimerHeap<Handle>>,
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) self_pipe: SelfPipe,
    pub(crate) signal_handlers: RefCell<SignalHandlers>,
    /// The room for what one select brings; kept from tick to tick.
    pub(crate) events: RefCell<Vec<ReadyEvent<Source>>>,
    pub(crate) running: Cell<bool>,
    pub(crate) stopping: Cell<bool>,
    pub(crate) closed: Arc<AtomicBool>,
}

impl EventLoop {
    /// A loop on the monotonic clock.
    pub fn new() -> std::result::Result<Self, LoopError> {
        EventLoop::with_clock(MonotonicClock::new())
    }

    /// A loop that goes by another clock; on a `VirtualClock` no timer makes anybody wait.
    pub fn with_clock(clock: impl Clock + 'static) -> std::result::Result<Self, LoopError> {
        let self_pipe = SelfPipe::new()?;
        let mut selector = EpollSelector::new()?;
        selector.register(&self_pipe, Interest::READABLE, Source::SelfPipe)?;
        let core = Core {
            queue: ReadyQueue::new(),
            selector: RefCell::new(Some(selector)),
            timers: RefCell::default(),
            clock: Box::new(clock),
            self_pipe,
            signal_handlers: RefCell::default(),
            events: RefCell::default(),
            running: Cell::new(false),
            stopping: Cell::new(false),
            closed: Arc::default(),
        };
        let waker = core.self_pipe.waker();
        core.queue.on_remote_message(move || waker.wake());
        Ok(EventLoop { core: Rc::new(core) })
    }

    /// The loop's own time, from which deadlines are counted.
    pub fn time(&self) -> Time {
        self.core.clock.now()
    }

    /// Schedules a callback for the next tick, or for this one if it has not run its callbacks yet.
    pub fn call_soon(&self, callback: impl FnOnce() + 'static) -> Handle {
        self.assert_open();
        self.core.queue.call_soon(callback)
    }

    /// Schedules a callback for when `delay` is over: never before, and as soon after as the loop
    /// gets to it.
    pub fn call_later(&self, delay: Duration, callback: impl FnOnce() + 'static) -> TimerHandle {
        self.call_at(self.time() + delay, callback)
    }

    /// Schedules a callback for a moment of the loop's time. Equal moments keep their order, which
    /// asyncio does not promise.
    pub fn call_at(&self, when: Time, callback: impl FnOnce() + 'static) -> TimerHandle {
        self.assert_open();
        let handle = Handle::once(callback);
        let id = self.core.timers.borrow_mut().push(when, handle.clone());
        TimerHandle { handle, when, id, event_loop: self.clone() }
    }

    /// A future that nobody has finished yet.
    pub fn create_future<T: 'static>(&self) -> Future<T> {
        self.core.queue.create_future()
    }

    /// Wraps a coroutine in a task. Its first step runs in the next tick.
    pub fn create_task<T: 'static>(
        &self,
        coroutine: impl std::future::Future<Output = Result<T>> + 'static,
    ) -> Task<T> {
        self.assert_open();
        self.core.queue.create_task(coroutine)
    }

    /// The loop's face for other threads.
    pub fn handle(&self) -> LoopHandle {
        LoopHandle::new(self.core.queue.handle(), Arc::clone(&self.core.closed))
    }

    /// Replaces what happens with an error that no one else can be told: a callback that panicked,
    /// a task's error that nobody retrieved. The default prints it on standard error.
    pub fn set_exception_handler(&self, handler: impl Fn(&str) + 'static) {
        self.core.queue.set_exception_handler(handler);
    }

    /// Whether the loop runs now.
    pub fn is_running(&self) -> bool {
        self.core.running.get()
    }

    /// Whether the loop was closed.
    pub fn is_closed(&self) -> bool {
        self.core.closed.load(Ordering::Acquire)
    }

    /// The selector. No foreign code may run while it is borrowed.
    pub(crate) fn selector(&self) -> RefMut<'_, EpollSelector<Source>> {
        self.assert_open();
        RefMut::map(self.core.selector.borrow_mut(), |selector| {
            selector.as_mut().expect("an open loop has a selector")
        })
    }

    fn assert_open(&self) {
        assert!(!self.is_closed(), "{}", LoopError::Closed);
    }
}

impl fmt::Debug for EventLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventLoop")
            .field("running", &self.is_running())
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

/// A callback that waits for its time; asyncio's `TimerHandle`.
#[derive(Debug, Clone)]
pub struct TimerHandle {
    handle: Handle,
    when: Time,
    id: TimerId,
    event_loop: EventLoop,
}

impl TimerHandle {
    /// Sees to it that the callback does not run, whether it still waits for its time or is ready
    /// already.
    pub fn cancel(&self) {
        self.handle.cancel();
        let timer = self.event_loop.core.timers.borrow_mut().cancel(self.id);
        drop(timer);
    }

    /// Whether [`cancel`](TimerHandle::cancel) was called.
    pub fn cancelled(&self) -> bool {
        self.handle.cancelled()
    }

    /// The moment it is due, on the loop's clock.
    pub fn when(&self) -> Time {
        self.when
    }
}
