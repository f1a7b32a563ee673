//! A task: a future that drives a coroutine.
//!
//! The coroutine is passive; it runs when it is polled. The task polls it a step at a time:
//! each step goes on to the next future that is not done, leaves the task's waker there, and
//! returns. When that future is done, the waker puts the task into the ready queue again.
//!
//! `control.rs` has a table of the states of a task, and `cancelling.rs` one of a request to end. A
//! task consists of two allocations: the one below and its coroutine. While something holds its
//! waker, that's a third, because other threads can hold it for longer than the task exists.

use std::cell::RefCell;
use std::future::Future as Coroutine;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::cancelling::{self, Awaited};
use crate::control::Control;
use crate::current_task;
use crate::future_state::{Shared, State};
use crate::tasks::TaskId;
use crate::{Error, ExceptionContext, Future, ReadyQueue, Result};

/// The operations that the queue needs of a task, whatever the type of its result.
pub(crate) trait Step: Awaited {
    /// Resumes the coroutine to its next unfinished future.
    fn step(self: Rc<Self>);
    /// Drops the coroutine without running it.
    fn abandon(&self);
    fn control(&self) -> &Control;
    fn exception(self: Rc<Self>) -> Result<Option<Error>>;
    fn add_done_callback(self: Rc<Self>, callback: Box<dyn FnOnce()>);
}

/// What the queue and all handles to a task share.
pub(crate) struct TaskBody<T: 'static> {
    state: State<T>,
    control: Control,
    /// Gone while a step is running, and once the task has ended.
    coroutine: RefCell<Option<PinnedCoroutine<T>>>,
}

const UNRETRIEVED: &str = "Task exception was never retrieved";

type PinnedCoroutine<T> = Pin<Box<dyn Coroutine<Output = Result<T>>>>;
type Resumed<T> = std::thread::Result<Poll<Result<T>>>;

impl<T: 'static> TaskBody<T> {
    pub(crate) fn new(
        queue: ReadyQueue,
        id: TaskId,
        number: u32,
        created_at: &'static Location<'static>,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> Rc<Self> {
        let control = Control::new(id, queue.clone(), number, created_at);
        let coroutine = RefCell::new(Some(Box::pin(coroutine) as PinnedCoroutine<T>));
        Rc::new(TaskBody { state: State::new(queue), control, coroutine })
    }

    pub(crate) fn queue(&self) -> &ReadyQueue {
        &self.state.queue
    }

    /// Returns the error of a cancellation that came before the first step. Later steps have none.
    fn cancelled_before_its_first_step(&self) -> Option<Error> {
        if self.control.started.replace(true) { None } else { self.control.take_cancellation() }
    }

    /// Polls the coroutine as the current task. No cell but the waker's is borrowed meanwhile, because
    /// the coroutine might cancel its own task, or await it.
    fn resume(
        self: &Rc<Self>,
        coroutine: Pin<&mut dyn Coroutine<Output = Result<T>>>,
    ) -> Resumed<T> {
        self.control.begin_delivery();
        self.control.with_waker(|waker| {
            let mut context = Context::from_waker(waker);
            current_task::with_current(Rc::clone(self) as Rc<dyn Step>, || {
                catch_unwind(AssertUnwindSafe(|| coroutine.poll(&mut context)))
            })
        })
    }

    fn report(&self, context: ExceptionContext) {
        self.state.queue.call_exception_handler(&context.with_control(&self.control));
    }

    /// Ends the task. If a cancellation is still pending, it ends cancelled, unless it has an error of
    /// its own.
    fn finish(self: &Rc<Self>, result: Result<T>) {
        let result = match self.control.take_cancellation() {
            Some(cancelled) => result.and(Err(cancelled)),
            None => result,
        };
        self.control.end();
        self.state.queue.forget_task(self.control.id);
        let future = Future::of(Rc::clone(self) as Rc<dyn Shared<T>>);
        // A task ends once, and nothing else can finish its future.
        let _ = future.finish(result);
    }
}

impl<T: 'static> Step for TaskBody<T> {
    // ANCHOR: step
    /// Resumes the coroutine once, to its next unfinished future; asyncio's `Task.__step`.
    ///
    /// A wake-up that arrives during the resume isn't lost, but queues the task again. If the
    /// coroutine ends, by a panic too, so does the task, with its result or with
    /// [`Error::Panicked`]. If it waits, and was cancelled during the resume, what it waits for is
    /// told now. Of a coroutine that was cancelled before its first step, nothing runs.
    ///
    /// The coroutine can do anything with its task and the queue, even clear the queue. That ends its
    /// own task, too: `ended` is true then, and if it waits, it's dropped. Anybody's waker can do the
    /// same while what it waits for is told. Whether the coroutine is dropped before its task is done
    /// or after is up to you. (Not checked: what a panic of its destructor leads to.)
    fn step(self: Rc<Self>) {
        let Some(mut coroutine) = self.coroutine.take() else {
            return;
        };
        self.control.begin_step();
        if let Some(cancelled) = self.cancelled_before_its_first_step() {
            return self.finish(Err(cancelled));
        }
        match self.resume(coroutine.as_mut()) {
            // It has cleared the queue, which drops what's in the cell: it came too late for that.
            Ok(Poll::Pending) if self.control.ended.get() => drop(coroutine),
            Ok(Poll::Pending) => {
                self.coroutine.replace(Some(coroutine));
                self.control.deliver_late_cancel();
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(panic) => self.finish(Err(Error::panicked(&*panic))),
        }
    }
    // ANCHOR_END: step

    fn abandon(&self) {
        self.state.queue.discard(self.coroutine.take());
        if self.control.ended.get() {
            // A destructor has cleared the queue itself.
            return;
        }
        self.control.end();
        self.state.queue.forget_task(self.control.id);
        if !self.control.is_destroyed_silently() {
            self.report(ExceptionContext::new("Task was destroyed but it is pending!"));
        }
    }

    fn control(&self) -> &Control {
        &self.control
    }

    fn exception(self: Rc<Self>) -> Result<Option<Error>> {
        Future::of(self).exception()
    }

    fn add_done_callback(self: Rc<Self>, callback: Box<dyn FnOnce()>) {
        Future::of(self).add_done_callback(|_| callback());
    }
}

impl<T: 'static> Awaited for TaskBody<T> {
    fn done(&self) -> bool {
        self.control.ended.get()
    }

    fn cancellation(&self) -> Option<Error> {
        self.state.cancellation()
    }

    fn as_task(&self) -> Option<&Control> {
        Some(&self.control)
    }

    fn cancel(self: Rc<Self>, message: Option<Arc<str>>) -> bool {
        self.state.give_up_report();
        cancelling::cancel(self, message.as_ref())
    }
}

impl<T: 'static> Shared<T> for TaskBody<T> {
    fn state(&self) -> &State<T> {
        &self.state
    }
}

impl<T: 'static> Drop for TaskBody<T> {
    fn drop(&mut self) {
        if let Some(error) = self.state.take_unretrieved() {
            self.report(ExceptionContext::new(UNRETRIEVED).with_exception(error));
        }
        if let Some(waker) = self.control.take_waker() {
            self.state.queue.keep_waker(waker);
        }
    }
}
