//! A task: a future that drives a coroutine.
//!
//! The coroutine is passive; it runs when it is polled. The task polls it a step at a time:
//! each step goes on to the next future that is not done, leaves the task's waker there, and
//! returns. When that future is done, the waker puts the task into the ready queue again.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future as Coroutine;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::control::{Cancel, Control};
use crate::delivery;
use crate::tasks::{Step, TaskId};
use crate::{Error, Future, ReadyQueue, Result};

/// asyncio's `Task`. Awaiting it gives the coroutine's result; dropping it changes nothing, since
/// the queue holds the task until it ends.
pub struct Task<T> {
    future: Future<T>,
    control: Rc<Control>,
}

type PinnedCoroutine<T> = Pin<Box<dyn Coroutine<Output = Result<T>>>>;

/// The part of a task that the queue holds.
struct TaskBody<T> {
    queue: ReadyQueue,
    coroutine: RefCell<Option<PinnedCoroutine<T>>>,
    started: Cell<bool>,
    future: Future<T>,
    control: Rc<Control>,
}

impl<T: 'static> Task<T> {
    pub(crate) fn new(
        queue: ReadyQueue,
        id: TaskId,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> (Self, Rc<dyn Step>) {
        let control = Rc::new(Control::new(id, queue.handle()));
        let future = queue.create_future();
        let task = Task { future: future.clone(), control: Rc::clone(&control) };
        let coroutine = RefCell::new(Some(Box::pin(coroutine) as PinnedCoroutine<T>));
        let body = TaskBody { queue, coroutine, started: Cell::new(false), future, control };
        (task, Rc::new(body))
    }

    /// Asks the task to end: the leaf it awaits yields `Err(Cancelled)` at its next resume. The
    /// task can clean up first, or ignore the request and continue. Returns false if it is done
    /// already.
    ///
    /// A leaf that doesn't call [`check_cancelled`](crate::check_cancelled) leaves the request to
    /// the next one that does. If the coroutine ends before it polls one, the task ends cancelled.
    pub fn cancel(&self) -> bool {
        Rc::clone(&self.control).cancel()
    }

    /// Makes the task's next step deliver a cancellation, whatever it waits for.
    ///
    /// The trials of `step` use it, because `step` is written before `cancel`.
    #[doc(hidden)]
    pub fn cancel_at_next_step(&self) {
        self.control.cancel_at_next_step();
    }

    /// Returns how often the task was asked to end; asyncio's `cancelling`.
    pub fn cancelling(&self) -> u32 {
        self.control.requests.get()
    }

    /// Returns true if the coroutine has ended.
    pub fn done(&self) -> bool {
        self.future.done()
    }

    /// Returns true if the coroutine has ended by being cancelled.
    pub fn cancelled(&self) -> bool {
        self.future.cancelled()
    }

    /// Returns the coroutine's result. Fails with `InvalidState` if it hasn't ended yet.
    pub fn result(&self) -> Result<T>
    where
        T: Clone,
    {
        self.future.result()
    }

    /// Schedules `callback` for when the task is done, or at once if it is.
    pub fn add_done_callback(&self, callback: impl FnOnce(&Future<T>) + 'static) {
        self.future.add_done_callback(callback);
    }
}

impl<T: 'static> Step for TaskBody<T> {
    // ANCHOR: step
    /// Resumes the coroutine once, to its next unfinished future; asyncio's `Task.__step`.
    ///
    /// A wake-up that arrives during the resume isn't lost, but queues the task again. If the
    /// coroutine ends, by a panic too, so does the task, with its result or with
    /// [`Error::Panicked`]. If it waits, and was cancelled during the resume, what it waits for is
    /// told now. Of a coroutine that was cancelled before its first step, nothing runs. The
    /// coroutine can do anything with its task and the queue, even clear the queue. It can be dropped
    /// before its task is done or after. (Not checked: what a panic of its destructor leads to.)
    fn step(&self) {
        let Some(mut coroutine) = self.coroutine.take() else {
            return;
        };
        self.control.begin_step();
        if self.is_cancelled_before_its_first_step() {
            return self.finish(Err(Error::Cancelled));
        }
        match self.resume(coroutine.as_mut()) {
            Ok(Poll::Pending) => {
                *self.coroutine.borrow_mut() = Some(coroutine);
                self.control.deliver_late_cancel();
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(panic) => self.finish(Err(Error::panicked(&*panic))),
        }
    }
    // ANCHOR_END: step

    fn cancel(&self) -> bool {
        Rc::clone(&self.control).cancel()
    }

    fn abandon(&self) {
        drop(self.coroutine.take());
        self.control.end(false);
        self.queue.forget_task(self.control.id);
        self.queue.report("Task was destroyed but it is pending!");
    }
}

type Resumed<T> = std::thread::Result<Poll<Result<T>>>;

impl<T: 'static> TaskBody<T> {
    fn is_cancelled_before_its_first_step(&self) -> bool {
        !self.started.replace(true) && self.control.take_cancellation()
    }

    /// Polls the coroutine as the current task. No cell is borrowed meanwhile, because the
    /// coroutine might cancel its own task, or await it.
    fn resume(&self, coroutine: Pin<&mut dyn Coroutine<Output = Result<T>>>) -> Resumed<T> {
        let mut context = Context::from_waker(&self.control.waker);
        delivery::with_current(&self.control, || {
            catch_unwind(AssertUnwindSafe(|| coroutine.poll(&mut context)))
        })
    }

    /// Ends the task. If a cancellation is still pending, it ends cancelled, unless it has an error of
    /// its own.
    fn finish(&self, result: Result<T>) {
        let is_pending = self.control.take_cancellation();
        let result = if is_pending { result.and(Err(Error::Cancelled)) } else { result };
        self.control.end(result.as_ref().is_err_and(Error::is_cancelled));
        self.queue.forget_task(self.control.id);
        self.future.settle(result);
    }
}

impl<T: Clone + 'static> Coroutine for Task<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if self.control.is_current() {
            return Poll::Ready(Err(Error::InvalidState("a task cannot await itself")));
        }
        let target = Rc::clone(&self.control);
        self.future.poll_as(target, context)
    }
}

impl<T> Clone for Task<T> {
    fn clone(&self) -> Self {
        Task { future: self.future.clone(), control: Rc::clone(&self.control) }
    }
}

impl<T> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Task").field(&self.future).finish()
    }
}
