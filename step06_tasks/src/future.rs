//! A future: a place for a result that arrives later, and a list of callbacks to schedule when the
//! future is done.
//!
//! A future starts out pending and is finished once and for good: with a result, an error or a
//! cancellation. Finishing a future schedules the callbacks and tasks that wait for it and calls
//! the wakers that other code has left. No callback or step runs inside `set_result`, so code can
//! finish a future at any point of a callback or a step.
//!
//! Rust's own `std::future::Future` is a trait for everything that can be polled, including
//! coroutines. The struct [`Future`] implements that trait, so a future can be awaited.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::any_task::{Awaited, Control};
use crate::callbacks::{Callback, CallbackId, Callbacks, DoneCallback};
use crate::step::{ask_current, check_cancelled, current_task};
use crate::{AnyTask, Error, ExceptionContext, ReadyQueue, Result};

// ANCHOR: handle
/// asyncio's `Future`. A clone is another handle to the same future, and each task that awaits the
/// future gets a clone of the result.
///
/// An error that no code has retrieved is reported when the last handle is dropped, unless `cancel`
/// was called on the failed future and isn't overridden.
pub struct Future<T: 'static> {
    pub(crate) shared: Rc<dyn FutureBody<T>>,
    /// This handle's entry in the future's list of callbacks, if the handle waits.
    entry: Option<CallbackId>,
    /// The task that polls this handle. A request to end the task is passed on to the future.
    waiting: Option<WaitingTask>,
}
// ANCHOR_END: handle

/// A task and the future that it waits for.
struct WaitingTask {
    task: AnyTask,
    future: *const (),
}

impl Drop for WaitingTask {
    /// Notes that cancelling the task no longer cancels the future: the wait is over or given up,
    /// or the handle is being polled again, perhaps by another task.
    fn drop(&mut self) {
        self.task.body.control().stop_waiting_for(self.future);
    }
}

impl ReadyQueue {
    /// Makes a pending future; asyncio's `loop.create_future`.
    pub fn create_future<T: 'static>(&self) -> Future<T> {
        Future::of(Rc::new(FutureState::new(self.clone())))
    }
}

impl<T: 'static> Future<T> {
    /// Makes a handle to a future or a task.
    pub(crate) fn of(shared: Rc<dyn FutureBody<T>>) -> Self {
        Future { shared, entry: None, waiting: None }
    }

    fn state(&self) -> &FutureState<T> {
        self.shared.state()
    }

    /// Returns true if anything else refers to the future: another handle, a task's wait or
    /// request, or the queue, if it holds the future's task. Otherwise, no other code awaits it.
    pub fn is_shared(&self) -> bool {
        Rc::strong_count(&self.shared) > 1
    }

    /// Returns true if the future's callbacks go to this queue. asyncio's code compares
    /// the future's `get_loop()` with the loop.
    pub fn belongs_to(&self, queue: &ReadyQueue) -> bool {
        self.state().queue.shared.id == queue.shared.id
    }

    /// Returns true if the future has a result or an error, if it's cancelled, or if it belongs to
    /// a task that ended because its queue was cleared.
    pub fn done(&self) -> bool {
        self.shared.done()
    }

    /// Returns true if the future is done and its outcome is [`Error::Cancelled`].
    pub fn cancelled(&self) -> bool {
        self.shared.cancelled()
    }

    /// Sets the result and schedules the callbacks and tasks that wait.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidState` if the future is already done or belongs to a task.
    pub fn set_result(&self, result: T) -> Result<()> {
        self.check_belongs_to_no_task()?;
        self.finish(Ok(result))
    }

    /// Sets an error instead of a result; asyncio's `set_exception`. With [`Error::Cancelled`], the
    /// future is cancelled. In asyncio the future isn't cancelled, but the tasks that await it get
    /// the `CancelledError` just the same.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidState` if the future is already done or belongs to a task.
    pub fn set_exception(&self, error: Error) -> Result<()> {
        self.check_belongs_to_no_task()?;
        self.finish(Err(error))
    }

    /// Fails if the future belongs to a task: as in asyncio, a task's result comes from its
    /// coroutine alone.
    fn check_belongs_to_no_task(&self) -> Result<()> {
        match self.shared.as_task() {
            Some(_) => Err(Error::InvalidState("only its coroutine can finish a task")),
            None => Ok(()),
        }
    }

    /// Cancels the future: the tasks that wait get `Err(Cancelled)`. Returns false if the future is
    /// already done. If the future belongs to a task, asks the task to end instead. If the future
    /// has a [`CancelOverride`](crate::CancelOverride), the override decides what happens.
    pub fn cancel(&self) -> bool {
        Rc::clone(&self.shared).cancel(None)
    }

    /// Cancels the future with a message, which the resulting error contains.
    pub fn cancel_with(&self, message: &str) -> bool {
        Rc::clone(&self.shared).cancel(Some(Arc::from(message)))
    }

    // ANCHOR: finish
    /// Finishes the future and schedules the callbacks and tasks that wait, in the
    /// order in which they were added. It runs none of them.
    /// - A future that has an outcome keeps it, and the call fails with
    ///   `InvalidState` and a text of your choice. If the outcome is an error, such a
    ///   call doesn't retrieve it (`four_ends_of_a_future`, `a_future_is_finished_once`).
    /// - A waker and the destructor of a refused outcome can run any code during the
    ///   call. That code finds the future done and can use the future. If a waker
    ///   panics, the panic is reported, as `schedule` does it, and whatever waits behind
    ///   the waker is scheduled all the same (`what_runs_inside_a_finish`).
    /// - If the future belongs to a task, that task has ended by now
    ///   (`what_runs_inside_a_finish`).
    /// - Sixteen times as many callbacks take about sixteen times as long, not 256
    ///   times (`what_runs_inside_a_finish`).
    pub(crate) fn finish(&self, outcome: Result<T>) -> Result<()> {
        let state = self.state();
        if state.outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        state.outcome.replace(Some(outcome));
        let callbacks = state.callbacks.take();
        self.schedule(callbacks);
        Ok(())
    }
    // ANCHOR_END: finish

    // ANCHOR: schedule
    #[inline]
    pub(crate) fn schedule(&self, callbacks: Callbacks<Rc<dyn FutureBody<T>>>) {
        match callbacks {
            // Nearly always there's one callback at most. If it went through the iterator below,
            // awaiting a future would take 2 to 4 % more instructions.
            Callbacks::None => {}
            Callbacks::One(only) => self.schedule_one(only.callback),
            many @ Callbacks::Many(_) => {
                many.drain().for_each(|callback| self.schedule_one(callback));
            }
        }
    }
    // ANCHOR_END: schedule

    #[inline]
    fn schedule_one(&self, callback: Callback<Rc<dyn FutureBody<T>>>) {
        let queue = &self.state().queue;
        match callback {
            Callback::Task(id) => queue.wake(id),
            // The waker can run any code. If it panics, the other entries are still scheduled.
            Callback::Waker(waker) => queue.run_reporting("Exception in a waker", || waker.wake()),
            Callback::Call(callback) if queue.is_closed() => queue.discard(callback),
            Callback::Call(callback) => {
                queue.push(callback.into_handle(Rc::clone(&self.shared)));
            }
        }
    }

    /// Registers `callback`, which is scheduled when the future is done, or at once if the future
    /// is already done. This function itself never calls `callback`. Returns an id for
    /// [`remove_done_callback`](Future::remove_done_callback).
    #[track_caller]
    pub fn add_done_callback(&self, callback: impl FnOnce(&Future<T>) + 'static) -> CallbackId {
        let callback =
            Callback::Call(DoneCallback::new(move |shared| callback(&Future::of(shared))));
        let id = self.state().callbacks.borrow_mut().add(callback);
        if self.done() {
            let callbacks = self.state().callbacks.take();
            self.schedule(callbacks);
        }
        id
    }

    /// Removes the callback with this id from the future's list. Returns false if the list has no
    /// such callback, for example because the callback has been scheduled. asyncio compares
    /// functions, not ids, and returns the number of removed callbacks.
    pub fn remove_done_callback(&self, id: CallbackId) -> bool {
        // In a statement of its own, so that the callback's values are dropped when the list is no
        // longer borrowed.
        let removed = self.state().callbacks.borrow_mut().remove(id);
        removed.is_some()
    }

    /// Returns the result.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidState` if the future has no outcome, and with the future's error if the
    /// outcome is an error.
    pub fn result(&self) -> Result<T>
    where
        T: Clone,
    {
        let outcome = self.state().outcome.borrow();
        // Asking for the result too early is the caller's mistake and retrieves nothing.
        self.state().retrieved.set(outcome.is_some());
        outcome.clone().unwrap_or(Err(Error::InvalidState("the result is not set")))
    }

    /// Returns the error, or `None` if there's a result.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidState` if the future has no outcome, and with `Cancelled` if the future
    /// was cancelled.
    pub fn exception(&self) -> Result<Option<Error>> {
        let outcome = self.state().outcome.borrow();
        self.state().retrieved.set(outcome.is_some());
        match &*outcome {
            None => Err(Error::InvalidState("the exception is not set")),
            Some(Ok(_)) => Ok(None),
            Some(Err(error)) if error.is_cancelled() => Err(error.clone()),
            Some(Err(error)) => Ok(Some(error.clone())),
        }
    }

    // ANCHOR: poll_result
    /// Returns the result if the future is done. Otherwise returns `Pending`, and the
    /// waker is called when the future is done; asyncio's `Future.__await__`.
    /// - If the same handle is polled again, perhaps with another waker, it still has
    ///   one entry in the list of callbacks, in the same place, with the new waker
    ///   (`who_waits_for_a_future`, `a_handle_is_polled_a_thousand_times`). Another
    ///   handle has its own entry.
    /// - A task of the future's own queue is woken through its id, without a message;
    ///   `callback_for` sees to that (`polls_in_any_order`).
    /// - A task whose queue was cleared while it was queued or waiting is done and never
    ///   gets an outcome, so polling it fails as `result()` does (`polls_in_any_order`).
    /// - Cloning a waker, or dropping one, can run any code, which may use this
    ///   future (`what_runs_inside_a_poll`). If cloning the waker finishes the future,
    ///   the poll returns the result or has the waker called. The finished future keeps
    ///   no waker, which might own it (`a_clone_finishes_the_future`).
    /// - An error that a poll returns counts as retrieved (`polls_in_any_order`,
    ///   `a_clone_finishes_the_future`).
    fn poll_result(&mut self, context: &Context<'_>) -> Poll<Result<T>>
    where
        T: Clone,
    {
        if self.done() {
            return Poll::Ready(self.result());
        }
        let callback = self.callback_for(context.waker());
        // If cloning the waker has finished the future, no code would schedule this callback.
        if self.done() {
            return Poll::Ready(self.result());
        }
        let mut replaced = None;
        let mut callbacks = self.shared.state().callbacks.borrow_mut();
        match self.entry {
            Some(entry) => replaced = Some(callbacks.replace(entry, callback)),
            None => self.entry = Some(callbacks.add(callback)),
        }
        // The old waker's destructor can run any code.
        drop(callbacks);
        drop(replaced);
        Poll::Pending
    }
    // ANCHOR_END: poll_result

    // ANCHOR: callback_for
    /// Makes the callback that wakes the code that polls this future: through the task's id for a
    /// task of the future's own queue, otherwise through a clone of `waker`.
    fn callback_for(&self, waker: &Waker) -> Callback<Rc<dyn FutureBody<T>>> {
        let id = ask_current(|task| {
            let control = task.body.control();
            let is_it = control.is_woken_by(waker) && self.belongs_to(&control.queue);
            is_it.then_some(control.id)
        });
        id.map_or_else(|| Callback::Waker(waker.clone()), Callback::Task)
    }
    // ANCHOR_END: callback_for

    /// Notes that the running task, if any, waits for this future, so that cancelling the task
    /// cancels the future.
    fn begin_wait(&mut self) {
        // First, because dropping the old value notes that its task has stopped waiting.
        self.waiting = None;
        self.waiting = current_task().map(|task| {
            let before = task.body.control().waits_for.replace(Some(Rc::clone(&self.shared) as _));
            drop(before);
            WaitingTask { task, future: Rc::as_ptr(&self.shared).cast() }
        });
    }
}

impl<T: Clone + 'static> std::future::Future for Future<T> {
    type Output = Result<T>;

    // ANCHOR: poll_future
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if self.shared.as_task().is_some_and(Control::is_current) {
            return Poll::Ready(Err(Error::InvalidState("a task cannot await itself")));
        }
        check_cancelled()?;
        let polled = self.poll_result(context);
        if polled.is_pending() {
            self.begin_wait();
        } else {
            (self.entry, self.waiting) = (None, None);
        }
        polled
    }
    // ANCHOR_END: poll_future
}

impl<T: 'static> Drop for Future<T> {
    /// Ends this handle's wait, if any: removes the handle's entry from the future's list of
    /// callbacks.
    fn drop(&mut self) {
        if let Some(entry) = self.entry {
            self.remove_done_callback(entry);
        }
    }
}

impl<T: 'static> Clone for Future<T> {
    fn clone(&self) -> Self {
        Future::of(Rc::clone(&self.shared))
    }
}

impl<T: 'static> fmt::Debug for Future<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match (self.done(), self.cancelled()) {
            (false, _) => "pending",
            (true, true) => "cancelled",
            (true, false) => "done",
        };
        f.debug_tuple("Future").field(&state).finish()
    }
}

/// Gives access to the state that all handles to a future share. The handles to a task also share
/// its control and its coroutine.
pub(crate) trait FutureBody<T: 'static>: Awaited {
    fn state(&self) -> &FutureState<T>;
}

// ANCHOR: state
/// The state of a future.
pub(crate) struct FutureState<T: 'static> {
    pub(crate) queue: ReadyQueue,
    pub(crate) outcome: RefCell<Option<Result<T>>>,
    pub(crate) callbacks: RefCell<Callbacks<Rc<dyn FutureBody<T>>>>,
    /// True if an error needn't be reported, because code has read the outcome or has called
    /// `cancel` on the finished future.
    pub(crate) retrieved: Cell<bool>,
}
// ANCHOR_END: state

impl<T: 'static> FutureState<T> {
    pub(crate) fn new(queue: ReadyQueue) -> Self {
        FutureState {
            queue,
            outcome: RefCell::new(None),
            callbacks: RefCell::default(),
            retrieved: Cell::new(false),
        }
    }

    pub(crate) fn done(&self) -> bool {
        self.outcome.borrow().is_some()
    }

    pub(crate) fn cancellation(&self) -> Option<Error> {
        let outcome = self.outcome.borrow();
        outcome.as_ref()?.as_ref().err().filter(|error| error.is_cancelled()).cloned()
    }

    /// If the future is done, notes that its error needn't be reported. As in asyncio, code that
    /// cancels a finished future has lost interest in the outcome.
    pub(crate) fn give_up_report(&self) {
        self.retrieved.set(self.done());
    }

    /// Returns an error that was never retrieved, for a report, and counts it as retrieved from now
    /// on. asyncio counts an error as retrieved when the task that awaits the future is woken, even
    /// if that task is cancelled first and never sees the error. Here such an error is reported.
    pub(crate) fn take_unretrieved(&mut self) -> Option<Error> {
        let error = self.outcome.get_mut().as_ref()?.as_ref().err()?;
        let is_lost = !error.is_cancelled() && !self.retrieved.replace(true);
        is_lost.then(|| error.clone())
    }
}

/// A future that belongs to no task: only `FutureState` is shared.
impl<T: 'static> FutureBody<T> for FutureState<T> {
    fn state(&self) -> &FutureState<T> {
        self
    }
}

impl<T: 'static> Drop for FutureState<T> {
    fn drop(&mut self) {
        if let Some(error) = self.take_unretrieved() {
            let context = ExceptionContext::new("Future exception was never retrieved");
            self.queue.call_exception_handler(&context.with_exception(error));
        }
    }
}

impl<T: 'static> Awaited for FutureState<T> {
    #[inline]
    fn done(&self) -> bool {
        self.done()
    }

    fn cancellation(&self) -> Option<Error> {
        self.cancellation()
    }

    fn cancelled(&self) -> bool {
        matches!(&*self.outcome.borrow(), Some(Err(error)) if error.is_cancelled())
    }

    fn cancel(self: Rc<Self>, message: Option<Arc<str>>) -> bool {
        self.give_up_report();
        Future::of(self).finish(Err(Error::Cancelled(message))).is_ok()
    }
}

/// A handle that doesn't keep the future alive. If a future `outer` holds a future `inner`, and a
/// callback on `inner` finishes `outer`, the callback needs such a handle to `outer` to avoid a
/// reference cycle.
pub struct WeakFuture<T: 'static> {
    shared: Weak<dyn FutureBody<T>>,
}

impl<T: 'static> Future<T> {
    /// Returns a handle that doesn't keep the future alive.
    ///
    /// ```
    /// let queue = step06_tasks::ReadyQueue::new()?;
    /// let future = queue.create_future::<()>();
    /// let weak = future.downgrade();
    /// assert!(weak.upgrade().is_some());
    /// drop(future);
    /// assert!(weak.upgrade().is_none());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn downgrade(&self) -> WeakFuture<T> {
        WeakFuture { shared: Rc::downgrade(&self.shared) }
    }
}

impl<T: 'static> WeakFuture<T> {
    /// Returns the future, if another handle to it still exists.
    pub fn upgrade(&self) -> Option<Future<T>> {
        self.shared.upgrade().map(Future::of)
    }
}

impl<T: 'static> fmt::Debug for WeakFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WeakFuture").field(&self.upgrade()).finish()
    }
}
