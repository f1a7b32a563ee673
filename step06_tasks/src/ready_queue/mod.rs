//! The ready queue: the entries that run next, in the order in which they became ready.
//!
//! Everything that can run ends up here: callbacks and tasks that can continue. The queue never
//! waits and has no clock; step 07 puts the selector and the timers around it. The queue sees a
//! task only as an [`AnyTask`], which can be run, woken and dropped.
//!
//! | file | subject |
//! | --- | --- |
//! | `wakers.rs`, `current_queue.rs` | a task's wakers, for any thread and for its queue's own thread |
//! | `tasks.rs` | the tasks, in a table |
//! | `remote.rs` | messages from other threads, through the inbox of step 05 |
//! | `reporting.rs` | reports of a panic, or of an error that no caller gets |
//!
//! These invariants always hold:
//! 1. A task is in the queue at most once.
//! 2. While user code runs (a callback, a coroutine, a drop), nothing here is borrowed.
//! 3. Only the queue's own thread touches the queue; other threads go through the inbox.
//! 4. Callbacks scheduled on this thread and those from other threads run in a single order, the
//!    order of arrival; asyncio's `call_soon` and `call_soon_threadsafe` append to the same
//!    `_ready`. If there's a flood of messages, a tick takes only a batch of them. The other
//!    messages keep their order, but callbacks scheduled on this thread overtake them.

mod current_queue;
mod remote;
mod reporting;
mod tasks;
mod wakers;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::{fmt, io, mem};

use step05_selfpipe::{EventFd, Inbox};

use crate::observer::Observation;
use crate::step::take_step;
use crate::{Error, Handle, Observer, Ran, Runnable};

use current_queue::QueueId;
pub use current_queue::{Entered, LocalWaker};
use remote::BATCH;
pub(crate) use remote::Message;
pub use remote::{Drain, QueueHandle};
pub use reporting::ExceptionContext;
use reporting::ExceptionHandler;
use tasks::Tasks;
pub(crate) use wakers::TaskWaker;

/// The capacity that the queue keeps once it has grown that far.
const KEPT_ROOM: usize = 1024;

/// The callbacks and tasks that are ready to run. A clone is another handle to the same queue.
#[derive(Clone)]
pub struct ReadyQueue {
    // ANCHOR: shared
    pub(crate) shared: Rc<QueueBody>,
    // ANCHOR_END: shared
}

/// The state that all handles to a queue share.
pub(crate) struct QueueBody {
    // ANCHOR: id
    pub(crate) id: QueueId,
    // ANCHOR_END: id
    pub(crate) ready: RefCell<VecDeque<Runnable>>,
    /// The tasks that haven't ended.
    pub(crate) tasks: RefCell<Tasks>,
    /// The state of a waker that no task needs any more. A step whose waker wasn't cloned leaves
    /// the waker's state here for the next step, which saves an allocation and some atomic
    /// operations.
    pub(crate) spare_waker: Cell<Option<Arc<TaskWaker>>>,
    /// True while a task's step runs: the queue can't be entered, because a round inside that step
    /// couldn't run the task's next step.
    pub(crate) is_in_a_step: Cell<bool>,
    pub(crate) inbox: Inbox<Message>,
    /// The eventfd through which other threads wake the loop, if they don't use the inbox's pipe.
    pub(crate) counter: Option<EventFd>,
    pub(crate) handle: QueueHandle,
    /// The list that the inbox fills. It's kept between two takes so that its memory is reused.
    /// Messages beyond the limit of one tick move on to the backlog.
    pub(crate) messages: RefCell<Vec<Message>>,
    pub(crate) backlog: RefCell<VecDeque<Message>>,
    /// The number of messages that can still be queued before the loop takes the next batch.
    pub(crate) room: Cell<usize>,
    /// True if the loop hasn't seen the wake-up for messages that the queue has taken early or that
    /// are in the backlog.
    pub(crate) has_unseen_wakeup: Cell<bool>,
    /// `None` stands for the default handler.
    pub(crate) exception_handler: RefCell<Option<ExceptionHandler>>,
    pub(crate) observation: Observation,
    /// The rest of an interrupted round.
    left: RefCell<Vec<Runnable>>,
}

impl ReadyQueue {
    /// Makes an empty queue.
    ///
    /// # Errors
    ///
    /// Fails as [`Inbox::new`] does, for example if the process has no descriptors left.
    pub fn new() -> io::Result<Self> {
        Ok(ReadyQueue::of(Inbox::new()?, None))
    }

    /// Makes an empty queue that other threads wake through an eventfd, which is cheaper than the
    /// inbox's pipe. The loop also registers the [`counter`](ReadyQueue::counter), edge-triggered,
    /// and calls [`take_remote`](ReadyQueue::take_remote) with [`Drain::Nothing`] when the counter
    /// is ready.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](ReadyQueue::new) and [`EventFd::new`] do.
    pub fn with_eventfd() -> io::Result<Self> {
        Ok(ReadyQueue::of(Inbox::new()?, Some(EventFd::new()?)))
    }

    fn of(inbox: Inbox<Message>, counter: Option<EventFd>) -> Self {
        let sender = match &counter {
            Some(counter) => inbox.sender().through(counter.clone()),
            None => inbox.sender(),
        };
        let id = current_queue::next_id();
        let shared = QueueBody {
            id,
            ready: RefCell::default(),
            tasks: RefCell::default(),
            spare_waker: Cell::default(),
            is_in_a_step: Cell::default(),
            handle: QueueHandle::new(id, sender),
            inbox,
            counter,
            messages: RefCell::default(),
            backlog: RefCell::default(),
            room: Cell::new(BATCH),
            has_unseen_wakeup: Cell::default(),
            exception_handler: RefCell::default(),
            observation: Observation::default(),
            left: RefCell::default(),
        };
        let queue = ReadyQueue { shared: Rc::new(shared) };
        Observation::begin_if_asked(&queue);
        queue
    }

    /// Schedules a callback behind everything that's ready now; asyncio's `call_soon`.
    ///
    /// ```
    /// let queue = step06_tasks::ReadyQueue::new()?;
    /// queue.call_soon(|| println!("second"));
    /// println!("first");
    /// queue.run_ready();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn call_soon(&self, callback: impl FnOnce() + 'static) -> Handle {
        let handle = Handle::once(callback);
        self.push(handle.clone());
        handle
    }

    /// Puts a callback, a step of a task or a wake-up behind everything that's ready now. A step is
    /// queued only if its task hasn't ended and has no step in the queue.
    ///
    /// First queues the messages that other threads have sent, as many as the batch has room for,
    /// so that all entries run in the order of arrival. Checking for messages only reads an atomic.
    #[inline]
    pub fn push(&self, runnable: impl Into<Runnable>) {
        if !self.shared.inbox.is_empty() {
            self.take_ahead();
        }
        let runnable = runnable.into();
        if let Runnable::Step(task) = &runnable {
            let control = task.body.control();
            if control.ended.get() || control.queued.replace(true) {
                return;
            }
        }
        let mut ready = self.shared.ready.borrow_mut();
        // Capacity left over from a burst is released.
        if ready.is_empty() && ready.capacity() > KEPT_ROOM {
            ready.shrink_to(KEPT_ROOM);
        }
        ready.push_back(runnable);
    }

    // ANCHOR: run_ready
    /// Runs one round: all callbacks and tasks that are ready now, in order. Returns
    /// their number.
    ///
    /// Whatever they schedule waits for the next round, so a loop can check for
    /// input in between.
    /// - A cancelled callback is skipped but still included in the number
    ///   (`scheduled_in_a_round`).
    /// - A callback can use the queue: it can schedule others, schedule itself again, or
    ///   ask whether the queue is entered (`every_round_is_counted`).
    /// - If a callback calls [`clear`](ReadyQueue::clear), the rest of the round
    ///   doesn't run. The number may include the dropped entries, but it isn't 0
    ///   (`every_round_is_counted`).
    /// - The function itself takes no messages, so a message that another thread has
    ///   sent waits in the inbox (`what_is_sent_waits`).
    ///
    /// Free: whether something that's scheduled after a clear runs in this round.
    ///
    /// # Panics
    ///
    /// Panics if a task of this queue calls this function, even if nothing is ready or the
    /// queue is entered already (`every_round_is_counted`). A callback shouldn't call it
    /// either: asyncio's loop doesn't nest.
    pub fn run_ready(&self) -> usize {
        let _entered = self.enter();
        let todo = self.shared.ready.borrow().len();
        for _ in 0..todo {
            let next = self.shared.ready.borrow_mut().pop_front();
            if let Some(ready) = next {
                self.run(ready);
            }
        }
        todo
    }
    // ANCHOR_END: run_ready

    /// Runs rounds until no entry is ready and no message is left, or until a round is
    /// [interrupted](ReadyQueue::interrupt). The function is for a program without a loop.
    ///
    /// # Errors
    ///
    /// Fails as [`take_remote`](ReadyQueue::take_remote) does.
    ///
    /// # Panics
    ///
    /// Panics as [`enter`](ReadyQueue::enter) does.
    pub fn run_until_idle(&self) -> io::Result<()> {
        let _entered = self.enter();
        loop {
            // Taking messages costs a system call, and usually no message has arrived.
            if self.has_messages() || self.is_empty() {
                self.take_remote(Drain::Pipe)?;
            }
            let ran = self.run_ready();
            if self.resume() || (ran == 0 && self.is_empty()) {
                return Ok(());
            }
        }
    }

    // ANCHOR: run
    /// Runs one entry. A panic ends only that entry, not the loop.
    pub(crate) fn run(&self, ready: Runnable) {
        if self.shared.observation.is_wanted.get() {
            return self.run_observed(ready);
        }
        // Panics of callbacks and coroutines are caught at their calls. The outer
        // `catch_unwind` catches the panics of wakers and of the destructors of values that a
        // callback or a coroutine has held.
        let run = AssertUnwindSafe(|| match ready {
            Runnable::Callback(handle) => {
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| handle.run())) {
                    let context = ExceptionContext::new("Exception in callback");
                    self.report_caught(context.with_handle(handle), payload);
                }
            }
            Runnable::Step(task) => take_step(task),
            Runnable::Wake(waker) => waker.wake(),
        });
        if let Err(payload) = catch_unwind(run) {
            self.report_caught(ExceptionContext::new("Exception in callback"), payload);
        }
    }
    // ANCHOR_END: run

    /// Calls a function of the program. If the function panics, reports the panic with `message`. A
    /// panic ends only this call: when many wakers are called in a row, for example, a waker that
    /// panics doesn't stop the others.
    #[inline]
    pub fn run_reporting(&self, message: &str, call: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(call)) {
            self.report_caught(ExceptionContext::new(message), payload);
        }
    }

    #[cold]
    fn report_caught(&self, context: ExceptionContext, payload: Box<dyn Any + Send>) {
        self.call_exception_handler(&context.with_exception(Error::from_panic(payload)));
    }

    /// Drops a value and reports its destructor's panic, if any. When many values are dropped in
    /// separate calls, a bad destructor doesn't stop the others; two destructors that panic in one
    /// drop would end the process.
    pub fn discard<T>(&self, value: T) {
        self.run_reporting("Exception in a destructor", || drop(value));
    }

    /// Runs an entry and notifies the observers, but not of a cancelled callback or of the rest of
    /// an interrupted round, since neither runs.
    #[cold]
    fn run_observed(&self, ready: Runnable) {
        if self.is_interrupted() {
            return self.shared.left.borrow_mut().push(ready);
        }
        if matches!(&ready, Runnable::Callback(handle) if handle.cancelled()) {
            return;
        }
        let _observed = Observation::begin(self, ready.describe());
        self.run(ready);
    }

    /// Ends the round after the callback or the step that's running: the rest of the round and
    /// everything that's scheduled meanwhile wait until [`resume`](ReadyQueue::resume).
    /// [`run_ready`](ReadyQueue::run_ready) can be called before that, but it runs nothing.
    ///
    /// ```
    /// let queue = step06_tasks::ReadyQueue::new()?;
    /// let handle = queue.clone();
    /// queue.call_soon(move || handle.interrupt());
    /// queue.call_soon(|| println!("not now"));
    /// queue.run_ready();
    /// assert!(queue.resume());
    /// queue.run_ready();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn interrupt(&self) {
        // An interrupted queue looks like an observed queue, so `run` needs no second check:
        // `run_observed` gets the rest of the round and puts it aside.
        self.shared.observation.is_interrupted.set(true);
        self.shared.observation.update();
    }

    /// Returns true from [`interrupt`](ReadyQueue::interrupt) until
    /// [`resume`](ReadyQueue::resume).
    pub fn is_interrupted(&self) -> bool {
        self.shared.observation.is_interrupted.get()
    }

    /// Lets rounds run again; the next round begins with the rest of the interrupted one, in order.
    /// Returns false if the queue wasn't interrupted.
    pub fn resume(&self) -> bool {
        if !self.shared.observation.is_interrupted.take() {
            return false;
        }
        self.shared.observation.update();
        let mut ready = self.shared.ready.borrow_mut();
        let scheduled = mem::take(&mut *ready);
        ready.extend(self.shared.left.take());
        ready.extend(scheduled);
        true
    }

    /// Replaces the observer; `None` removes it. This doesn't affect the observer that
    /// [`observe_new_queues`](crate::observe_new_queues) has given the queue.
    pub fn set_observer(&self, observer: Option<Rc<dyn Observer>>) {
        self.shared.observation.set_observer(observer);
    }

    /// Returns true if no entry is ready and no message from another thread is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.shared.ready.borrow().is_empty() && !self.has_messages()
    }

    /// Returns true if the loop's next wait would return at once because of a message, even if the
    /// queue has taken the message since. The check makes no system call, so it can't detect a byte
    /// that a [`waker`](ReadyQueue::waker) has sent.
    #[inline]
    pub fn has_been_woken(&self) -> bool {
        !self.shared.inbox.is_empty() || self.shared.has_unseen_wakeup.get()
    }

    /// Returns true if a message still waits in the inbox or the backlog.
    #[inline]
    fn has_messages(&self) -> bool {
        !self.shared.inbox.is_empty() || !self.shared.backlog.borrow().is_empty()
    }

    /// Returns the entries that are ready to run, in order, for reports.
    pub fn ready(&self) -> Vec<Ran> {
        self.ready_behind(0)
    }

    /// Returns the ready entries from the index `first` on, for a report of the entries that were
    /// queued since the queue had `first` entries.
    pub fn ready_behind(&self, first: usize) -> Vec<Ran> {
        self.shared.ready.borrow().iter().skip(first).map(Runnable::describe).collect()
    }

    /// Returns the number of entries that are ready to run.
    pub fn ready_count(&self) -> usize {
        self.shared.ready.borrow().len()
    }

    /// Drops the queued callbacks and the tasks' coroutines without running them. A destructor's
    /// panic is reported, and the other destructors still run.
    ///
    /// A coroutine might hold the queue that holds the coroutine. So it isn't enough to drop the
    /// queue: the queue's loop has to clear it.
    pub fn clear(&self) {
        if self.has_messages() {
            // All messages, however many there are: they're dropped and not run.
            self.shared.room.set(usize::MAX);
            self.take_ahead();
            self.shared.room.set(BATCH);
        }
        self.resume();
        for runnable in self.shared.ready.take() {
            self.discard(runnable);
        }
        let tasks = self.shared.tasks.borrow().all();
        for task in tasks {
            task.body.abandon();
            self.discard(task);
        }
    }

    /// Clears the queue for good, as a loop does when it closes. A future that's finished after the
    /// close drops its callbacks, because no round would run them; in this case asyncio's
    /// `set_result` raises `RuntimeError`. Later messages from other threads are dropped, too.
    pub fn close(&self) {
        self.shared.handle.close();
        self.clear();
        // A destructor may have scheduled something, which has to be dropped as well.
        while !self.is_empty() {
            self.clear();
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.shared.handle.is_closed()
    }
}

impl fmt::Debug for ReadyQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ready = self.shared.ready.borrow().len();
        let sent = self.shared.backlog.borrow().len() + self.shared.inbox.len();
        f.debug_struct("ReadyQueue").field("ready", &ready).field("sent", &sent).finish()
    }
}
