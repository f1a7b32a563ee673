//! The event loop: its parts, and the functions that hand work to it.
//!
//! A loop owns a poller, a heap of timers, and the ready queue, through which all work passes;
//! other threads and signals wake the loop through that queue. Most of the loop's methods are in
//! the files of this folder. `threads/` runs work on other threads, and `trace/` records the loop's
//! ticks.
//!
//! | file | contents |
//! | --- | --- |
//! | `running.rs`, `closing.rs` | the loop's start, stop and end |
//! | `tick.rs` | one tick, and the selector that it sleeps in |
//! | `readers.rs`, `signals.rs` | callbacks of descriptors and of signals |
//! | `timers.rs` | timed callbacks and sleeping tasks: `call_later`, `call_at`, `sleep` |
//! | `async_fd.rs`, `waiters.rs` | descriptors for tasks, their readiness, and the tasks that wait for them |
//! | `debug.rs` | reports of errors and slow callbacks; counts of tasks, timers and descriptors |
//!
//! When a task waits for a time, a descriptor or another thread, a tick finds the event that ends
//! the wait:
//!
//! | the end of the wait | found by | put into the queue | the task's step runs |
//! | --- | --- | --- | --- |
//! | the timer of a [`sleep`] | `queue_due_timers` | a wake-up (`Runnable::Wake`), which queues the step when it's run | in the next tick |
//! | an event on an [`AsyncFd`] | `becomes_ready` | the step itself (`Runnable::Step`) | in this tick |
//! | a wake-up by another thread | `handle_wakeup` | the step itself | in this tick |
//! | another thread's callback, which finishes a future | `handle_wakeup` | the callback (`Runnable::Callback`), which queues the step when it's run | in the next tick |
//!
//! If the queue has an eventfd, `process_event` itself takes the other threads' messages, in place
//! of `handle_wakeup`.

mod async_fd;
mod closing;
mod debug;
mod readers;
mod running;
mod signals;
mod tick;
mod timers;
mod waiters;

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use step03_selector::ReadyEvent;
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap};
use step06_tasks::{
    CancelOverride, Future, Handle, QueueHandle, ReadyQueue, Result, Runnable, Task,
};

use self::closing::Attached;
use self::debug::DebugMode;
use self::signals::SignalHandlers;
use self::tick::Poller;
use crate::sockets::ScratchBuffer;
use crate::threads::{DefaultExecutor, RemoteFutures};
use crate::trace::Trace;
use crate::{LoopError, LoopResult};

pub use self::async_fd::AsyncFd;
pub use self::closing::ClosesWithTheLoop;
pub use self::debug::{Holdings, Waiting};
pub use self::running::{
    Either, create_task, ensure_future, forget_running_loop, get_running_loop,
};
pub(crate) use self::tick::Source;
pub use self::timers::{TimerHandle, sleep};

/// An event loop with asyncio's semantics, for one thread on Linux.
///
/// A clone is another handle to the same loop; a callback or a coroutine can keep a clone. Close
/// the loop when your program is done with it. A loop closes itself when its last handle is
/// dropped, which can't happen while the loop's own callbacks or coroutines hold a handle.
/// [`Runner`](crate::Runner) closes its loop for you.
///
/// Where a loop's methods return an error, asyncio raises an exception. Handing work to a closed
/// loop is a mistake in the program and panics, whereas asyncio raises `RuntimeError`. But
/// `call_soon_threadsafe` and the methods that run the loop return an error.
///
/// Only a loop's own thread can use the loop. In debug mode, a running asyncio loop raises an error
/// if another thread calls `call_soon`; here such a call doesn't compile: the loop isn't `Send`.
///
/// ```compile_fail,E0277
/// let event_loop = step07_full_loop::EventLoop::new()?;
/// std::thread::spawn(move || {
///     event_loop.call_soon(|| println!("on which thread?"));
/// });
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
///
/// Other threads use a [`handle`](EventLoop::handle).
#[derive(Clone)]
pub struct EventLoop {
    pub(crate) core: Rc<Core>,
}

pub(crate) struct Core {
    pub(crate) queue: ReadyQueue,
    /// `None` once the loop is closed.
    pub(crate) poller: RefCell<Option<Poller>>,
    pub(crate) timers: RefCell<TimerHeap<Runnable>>,
    /// All timers that were due by this time have been queued.
    pub(crate) timers_queued_until: Cell<Time>,
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) signal_handlers: RefCell<SignalHandlers>,
    pub(crate) executor: RefCell<DefaultExecutor>,
    pub(crate) debug: DebugMode,
    pub(crate) trace: Trace,
    pub(crate) remote_futures: RefCell<RemoteFutures>,
    /// The list that each select fills. Between two ticks it's empty and only keeps its memory.
    pub(crate) events: RefCell<Vec<ReadyEvent<Source>>>,
    pub(crate) scratch: ScratchBuffer,
    attached: Attached,
    /// A duplicate of the selector's descriptor, for other loops that wait for this loop.
    outside: OnceCell<OwnedFd>,
    pub(crate) running: Cell<bool>,
    pub(crate) stopping: Cell<bool>,
    pub(crate) closed: Arc<AtomicBool>,
}

impl EventLoop {
    /// Makes a loop on the monotonic clock.
    ///
    /// # Errors
    ///
    /// Fails if no descriptor is left for the loop's selector and queue, or if the file for the
    /// loop's trace can't be opened.
    pub fn new() -> LoopResult<Self> {
        EventLoop::with_clock(MonotonicClock::new())
    }

    /// Makes a loop on another clock; on a `VirtualClock`, timers take no real time.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](EventLoop::new) does.
    pub fn with_clock(clock: impl Clock + 'static) -> LoopResult<Self> {
        EventLoop::with_queue(ReadyQueue::new()?, clock)
    }

    /// Makes a loop that other threads wake through an eventfd instead of the self-pipe, as in
    /// tokio. Signals still come through the pipe.
    ///
    /// A wake-up then costs less: a write to the eventfd is cheaper than one to the self-pipe's
    /// socket, and the loop reads nothing, because the eventfd is registered edge-triggered. The
    /// loop needs one more descriptor.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](EventLoop::new) does.
    ///
    /// # Examples
    ///
    /// ```
    /// use step07_full_loop::{EventLoop, to_thread};
    /// let answer = EventLoop::with_eventfd()?.run(async { to_thread(|| Ok(6 * 7)).await })?;
    /// assert_eq!(answer, 42);
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn with_eventfd() -> LoopResult<Self> {
        EventLoop::with_queue(ReadyQueue::with_eventfd()?, MonotonicClock::new())
    }

    /// Makes a loop with a clock and a queue, which can already hold work. A task that the queue
    /// itself is running can't run the loop: the run panics, as [`ReadyQueue::enter`] does.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](EventLoop::new) does.
    pub fn with_queue(queue: ReadyQueue, clock: impl Clock + 'static) -> LoopResult<Self> {
        let poller = Poller::new(&queue)?;
        let core = Core {
            queue,
            poller: RefCell::new(Some(poller)),
            timers: RefCell::default(),
            timers_queued_until: Cell::default(),
            clock: Box::new(clock),
            signal_handlers: RefCell::default(),
            executor: RefCell::default(),
            debug: DebugMode::default(),
            trace: Trace::default(),
            remote_futures: RefCell::default(),
            events: RefCell::default(),
            scratch: ScratchBuffer::default(),
            attached: Attached::default(),
            outside: OnceCell::new(),
            running: Cell::new(false),
            stopping: Cell::new(false),
            closed: Arc::default(),
        };
        let event_loop = EventLoop { core: Rc::new(core) };
        event_loop.trace_if_asked()?;
        event_loop.tell_if_asked();
        Ok(event_loop)
    }

    /// Schedules a callback for the next tick, or for the current tick if that tick hasn't begun to
    /// run the queue's entries.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    #[track_caller]
    pub fn call_soon(&self, callback: impl FnOnce() + 'static) -> Handle {
        self.assert_open_to("call_soon");
        self.core.queue.call_soon(callback)
    }

    /// Makes a pending future.
    pub fn create_future<T: 'static>(&self) -> Future<T> {
        self.core.queue.create_future()
    }

    /// Makes a pending future that overrides the effect of cancelling it; asyncio's `gather`
    /// returns such a future.
    pub fn create_future_with<T: 'static>(
        &self,
        on_cancel: impl CancelOverride + 'static,
    ) -> Future<T> {
        self.core.queue.create_future_with(on_cancel)
    }

    /// Wraps a coroutine in a task and schedules the task's first step as
    /// [`call_soon`](EventLoop::call_soon) schedules a callback.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    #[track_caller]
    pub fn create_task<T: 'static>(
        &self,
        coroutine: impl std::future::Future<Output = Result<T>> + 'static,
    ) -> Task<T> {
        self.assert_open_to("create_task");
        self.core.queue.create_task(coroutine)
    }

    /// Schedules a callback as [`call_soon`](EventLoop::call_soon) does and wakes the loop; see
    /// [`LoopHandle::call_soon_threadsafe`]. Other threads need a [`handle`](EventLoop::handle),
    /// because a loop stays on its own thread.
    ///
    /// # Errors
    ///
    /// Fails with [`LoopError::Closed`] if the loop is closed.
    #[track_caller]
    pub fn call_soon_threadsafe(&self, callback: impl FnOnce() + Send + 'static) -> LoopResult<()> {
        self.handle().call_soon_threadsafe(callback)
    }

    /// Returns a handle for other threads.
    pub fn handle(&self) -> LoopHandle {
        LoopHandle { queue: self.core.queue.handle(), closed: Arc::clone(&self.core.closed) }
    }

    /// Returns the loop's identity, which differs from that of every other loop.
    pub fn id(&self) -> LoopId {
        LoopId(Rc::downgrade(&self.core))
    }

    /// Returns true if the loop is running.
    pub fn is_running(&self) -> bool {
        self.core.running.get()
    }

    /// Returns true if the loop was closed.
    pub fn is_closed(&self) -> bool {
        // Only handles on other threads need the order; see LoopHandle.
        self.core.closed.load(Ordering::Acquire)
    }

    /// Drops a value, whose destructor can do anything with the loop. If the destructor panics, the
    /// panic goes to the exception handler.
    pub fn discard<T>(&self, value: T) {
        self.core.queue.discard(value);
    }

    /// Calls a function of the program. If the function panics, reports the panic with `message`. A
    /// panic ends only this call: when many wakers are called in a row, for example, a waker that
    /// panics doesn't stop the others.
    pub fn run_reporting(&self, message: &str, call: impl FnOnce()) {
        self.core.queue.run_reporting(message, call);
    }

    /// Panics if the loop is closed, with a message that names the refused function.
    #[track_caller]
    pub(crate) fn assert_open_to(&self, asked: &str) {
        assert!(!self.is_closed(), "{asked}: {}", LoopError::Closed);
    }
}

impl AsFd for EventLoop {
    /// Returns a descriptor that's readable while a tick would find an event: a ready descriptor, a
    /// message from another thread or a signal. So a loop of another kind, such as a GUI toolkit's,
    /// can wait for this loop along with its own descriptors and then run a tick of this loop:
    /// [`stop`](EventLoop::stop), then [`run_forever`](EventLoop::run_forever). The other loop also
    /// has to run a tick when this loop's [`select_timeout`](EventLoop::select_timeout) is over,
    /// which no descriptor reports.
    ///
    /// The first call duplicates the selector's descriptor. The duplicate is closed when the loop's
    /// last handle is dropped.
    ///
    /// # Panics
    ///
    /// Panics in the first call if the loop is closed or the process has no descriptor left.
    fn as_fd(&self) -> BorrowedFd<'_> {
        let duplicate = || {
            self.assert_open_to("as_fd");
            let poller = self.poller();
            let duplicate = poller.selector.as_fd().try_clone_to_owned();
            duplicate.unwrap_or_else(|error| panic!("dup the selector's descriptor: {error}"))
        };
        self.core.outside.get_or_init(duplicate).as_fd()
    }
}

/// Hands callbacks to the loop from any thread. A clone is another handle to the same loop.
#[derive(Debug, Clone)]
pub struct LoopHandle {
    queue: QueueHandle,
    closed: Arc<AtomicBool>,
}

impl LoopHandle {
    /// Schedules a callback on the loop's thread and wakes the loop if it sleeps. Unless messages
    /// flood the loop, the callback runs after the callbacks that `call_soon` scheduled before it
    /// and ahead of those scheduled later.
    ///
    /// The callback is queued first and the loop is woken second, so the loop can't find its inbox
    /// empty and fall asleep in between.
    ///
    /// # Errors
    ///
    /// Fails with [`LoopError::Closed`] if the loop is closed.
    #[track_caller]
    pub fn call_soon_threadsafe(&self, callback: impl FnOnce() + Send + 'static) -> LoopResult<()> {
        // Acquire, for the Release of close(): a refused thread sees everything before the close.
        if self.closed.load(Ordering::Acquire) {
            return Err(LoopError::Closed);
        }
        self.queue.call_soon_threadsafe(callback);
        Ok(())
    }
}

/// A loop's identity, which doesn't keep the loop alive. All handles of a loop have equal
/// identities. No other loop has an equal identity while a copy of this identity exists.
#[derive(Clone)]
pub struct LoopId(Weak<Core>);

impl LoopId {
    /// Returns the loop, if a handle to it still exists.
    pub fn event_loop(&self) -> Option<EventLoop> {
        self.0.upgrade().map(|core| EventLoop { core })
    }
}

impl PartialEq for LoopId {
    fn eq(&self, other: &Self) -> bool {
        Weak::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for LoopId {}

impl fmt::Debug for LoopId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LoopId").field(&self.0.as_ptr()).finish()
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
