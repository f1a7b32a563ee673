//! A task: a future that drives a coroutine.
//!
//! The coroutine is passive: it only runs inside a poll. The task polls it a step at a time. Each
//! step but the last runs up to the next future that isn't done, leaves the task's id or waker
//! there and returns. When that future is done, it uses the id or waker to put the task into the
//! ready queue again.
//!
//! `any_task.rs` has a table of the states of a task, and `cancelling.rs` has a table of the states
//! of a request to end. A task consists of two allocations: its body and its coroutine. While other
//! code holds the task's waker, the waker's state is a third allocation, because other threads can
//! hold a waker for longer than the task exists.

use std::cell::RefCell;
use std::fmt;
use std::future::Future as Coroutine;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::any_task::{AnyTaskBody, Awaited, Control};
use crate::cancelling;
use crate::future::{FutureBody, FutureState};
use crate::{AnyTask, Error, ExceptionContext, Future, ReadyQueue, Result, Runnable};

impl ReadyQueue {
    /// Wraps a coroutine in a task and schedules its first step; asyncio's `create_task`.
    /// None of the coroutine's code runs yet.
    #[track_caller]
    pub fn create_task<T: 'static>(
        &self,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> Task<T> {
        let mut tasks = self.shared.tasks.borrow_mut();
        let task = Task::new(Rc::new(TaskBody {
            state: FutureState::new(self.clone()),
            control: Control::new(tasks.next(), self.clone(), Location::caller()),
            coroutine: RefCell::new(Some(Box::pin(coroutine))),
        }));
        tasks.insert(task.any());
        drop(tasks);
        self.push(Runnable::Step(task.any()));
        task
    }
}

// ANCHOR: task_body
/// The state that the queue and all handles to a task share.
pub(crate) struct TaskBody<T: 'static> {
    state: FutureState<T>,
    control: Control,
    /// The coroutine for the next step to poll. A task that has ended has none.
    coroutine: RefCell<Option<PinnedCoroutine<T>>>,
}
// ANCHOR_END: task_body

const UNRETRIEVED: &str = "Task exception was never retrieved";

type PinnedCoroutine<T> = Pin<Box<dyn Coroutine<Output = Result<T>>>>;

impl<T: 'static> TaskBody<T> {
    fn any(self: &Rc<Self>) -> AnyTask {
        AnyTask { body: Rc::clone(self) as Rc<dyn AnyTaskBody> }
    }

    fn report(&self, context: ExceptionContext) {
        self.state.queue.call_exception_handler(&context.with_control(&self.control));
    }

    // ANCHOR: end_task
    /// Ends the task. If no leaf has consumed a cancellation, the task ends cancelled, unless the
    /// coroutine has failed with another error.
    fn finish(self: &Rc<Self>, result: Result<T>) {
        let result = match self.control.take_cancellation() {
            Some(cancelled) => result.and(Err(cancelled)),
            None => result,
        };
        self.control.end();
        self.state.queue.forget_task(self.control.id);
        let future = Future::of(Rc::clone(self) as Rc<dyn FutureBody<T>>);
        // A task ends once, and no other code can finish its future.
        let _ = future.finish(result);
    }
    // ANCHOR_END: end_task
}

impl<T: 'static> AnyTaskBody for TaskBody<T> {
    fn control(&self) -> &Control {
        &self.control
    }

    // ANCHOR: step
    /// Polls the coroutine once, with the task's waker; asyncio's `Task.__step`. If
    /// the coroutine ends, the task ends with the coroutine's result, or after a panic
    /// with an error from [`Error::panicked`]. If the coroutine waits, it's kept for the
    /// next step.
    /// - If the task is woken while the coroutine runs, it takes another step
    ///   (`does_await_switch`), but only one, even if it's woken again before that
    ///   step (`steps_in_any_order`).
    /// - A future of the task's own queue can wake the task without a message, if the
    ///   waker was made from `waker_state()` (`steps_in_any_order`).
    /// - If the task has ended since it was queued, nothing happens
    ///   (`steps_in_any_order`).
    /// - The coroutine, or the destructor of something that it owns, can use its own
    ///   task and the queue (`steps_in_any_order`, `destructors_use_the_queue`).
    /// - If the coroutine clears the queue and then waits, clearing has ended its
    ///   task, so drop the coroutine (`what_a_task_leaves`). If it returns
    ///   instead, the task has its result all the same (`steps_in_any_order`).
    ///
    /// Free: whether you drop the coroutine before its task is done or after, and
    /// what happens if its destructor panics.
    fn step(self: Rc<Self>) {
        let Some(mut coroutine) = self.coroutine.take() else {
            return;
        };
        self.control.queued.set(false);
        let waker = Waker::from(self.control.waker_state());
        let mut context = Context::from_waker(&waker);
        let poll = AssertUnwindSafe(|| coroutine.as_mut().poll(&mut context));
        match catch_unwind(poll) {
            // Clearing the queue has dropped all coroutines that were in their places.
            Ok(Poll::Pending) if self.control.ended.get() => drop(coroutine),
            Ok(Poll::Pending) => drop(self.coroutine.replace(Some(coroutine))),
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(panic) => self.finish(Err(Error::panicked(&*panic))),
        }
    }
    // ANCHOR_END: step

    // ANCHOR: deliver
    /// Delivers a request to end that arrived when the task wasn't waiting. `take_step`
    /// calls `deliver` instead of the first step if the request arrived before that
    /// step, and after any step in which the task was asked to end but hasn't ended.
    /// - If the coroutine hasn't begun, the task ends cancelled. None of the coroutine's
    ///   code runs, and everything that the coroutine owns is dropped
    ///   (`cancelled_before_it_began`, `cancelled_in_any_order`,
    ///   `what_a_cancelled_task_leaves`).
    /// - The request causes one error, with its message, even if the task waits for
    ///   something that never happens. If the target of the wait can be cancelled, the
    ///   request reaches it at once, even if the task was woken during its step;
    ///   otherwise the task's next step gets the error (`cancelled_in_any_order`).
    /// - If the task is asked again while that target is being cancelled, that's a new
    ///   request (`cancelled_in_any_order`).
    /// - Values that the coroutine owns can use the queue when they're dropped, and even
    ///   panic: the task ends all the same
    ///   (`destructors_of_cancelled_tasks_use_the_queue`).
    ///
    /// Free: whether the coroutine is dropped before its task is done or after.
    fn deliver(self: Rc<Self>) {
        let control = &self.control;
        let message = control.cancel_message();
        if !control.started.get() {
            let coroutine = self.coroutine.take();
            self.finish(Err(Error::Cancelled(message)));
            drop(coroutine);
        } else if let Some(inner) = control.pass_on() {
            control.must_cancel.set(false);
            inner.cancel(message);
        } else {
            control.wake_for_delivery();
        }
    }
    // ANCHOR_END: deliver

    fn abandon(&self) {
        self.state.queue.discard(self.coroutine.take());
        if self.control.ended.get() {
            // A destructor has cleared the queue meanwhile.
            return;
        }
        self.control.end();
        self.state.queue.forget_task(self.control.id);
        if !self.control.is_known_to_be_pending.get() {
            self.report(ExceptionContext::new("Task was destroyed but it is pending!"));
        }
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

    fn cancel(self: Rc<Self>, message: Option<Arc<str>>) -> bool {
        self.state.give_up_report();
        cancelling::cancel(self, message.as_ref())
    }

    fn as_task(&self) -> Option<&Control> {
        Some(&self.control)
    }
}

impl<T: 'static> FutureBody<T> for TaskBody<T> {
    fn state(&self) -> &FutureState<T> {
        &self.state
    }
}

impl<T: 'static> Drop for TaskBody<T> {
    fn drop(&mut self) {
        if let Some(error) = self.state.take_unretrieved() {
            self.report(ExceptionContext::new(UNRETRIEVED).with_exception(error));
        }
    }
}

/// asyncio's `Task`: a [`Future`] with a coroutine behind it. Awaiting a task yields the
/// coroutine's result. Dropping the handles doesn't stop the coroutine, since the queue holds the
/// task until its end. A task that awaits itself gets `InvalidState` at once; asyncio raises a
/// `RuntimeError` a round later.
///
/// As in asyncio, whatever a future can do, a task can do too, except that its outcome comes from
/// its coroutine alone. Cancelling a task only asks it to end: in the next step, the leaf that the
/// task awaits yields `Err(Cancelled)`, and the task can clean up before it ends, or ignore the
/// request and continue. A task that hasn't begun ends without running.
///
/// A leaf that doesn't call [`check_cancelled`](crate::check_cancelled) leaves the request to the
/// next leaf that calls it. If the coroutine polls no such leaf before its end, the task ends
/// cancelled, unless the coroutine fails with another error. If a request arrives when the wait has
/// already been ended by a cancellation, the error carries that cancellation's message, as in
/// asyncio. So a task that gets two requests during one sleep sees the first message. In asyncio,
/// only the first caller that asks for a cancelled task's result gets the message; here all callers
/// get it.
pub struct Task<T: 'static> {
    pub(crate) body: Rc<TaskBody<T>>,
    /// The same task, as a future.
    future: Future<T>,
}

impl<T: 'static> Task<T> {
    pub(crate) fn new(body: Rc<TaskBody<T>>) -> Self {
        let future = Future::of(Rc::clone(&body) as Rc<dyn FutureBody<T>>);
        Task { body, future }
    }

    /// Returns the task as a future, for code that treats tasks and futures alike.
    pub fn future(&self) -> Future<T> {
        self.future.clone()
    }

    pub(crate) fn queue(&self) -> &ReadyQueue {
        &self.body.state.queue
    }

    /// Returns the task without the type of its result.
    pub fn any(&self) -> AnyTask {
        self.body.any()
    }

    /// Returns the number of requests to end that haven't been taken back; asyncio's `cancelling`.
    pub fn cancelling(&self) -> u32 {
        self.any().cancelling()
    }

    /// Takes one request back and returns how many are left; asyncio's `uncancel`. A task that
    /// catches a cancellation and continues should call `uncancel`. Taking back the last request
    /// drops a cancellation that hasn't been delivered, as in CPython since 3.13, unless that
    /// cancellation has ended a wait.
    pub fn uncancel(&self) -> u32 {
        self.any().uncancel()
    }

    /// Returns the name that was set, or a default: "Task-1" for the queue's first task. asyncio
    /// numbers the tasks of the whole process.
    pub fn name(&self) -> String {
        self.any().name()
    }

    /// Names the task, for reports.
    pub fn set_name(&self, name: &str) {
        self.any().set_name(name);
    }

    /// Returns the place in the program that created the task.
    pub fn created_at(&self) -> &'static Location<'static> {
        self.any().created_at()
    }

    /// Returns the coroutine's result.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidState` if the task has no outcome, and with the task's error if the task
    /// has failed or was cancelled.
    pub fn result(&self) -> Result<T>
    where
        T: Clone,
    {
        self.future.result()
    }
}

impl<T: 'static> Deref for Task<T> {
    type Target = Future<T>;

    fn deref(&self) -> &Future<T> {
        &self.future
    }
}

impl<T: Clone + 'static> Coroutine for Task<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        Pin::new(&mut self.future).poll(context)
    }
}

impl<T: 'static> Clone for Task<T> {
    fn clone(&self) -> Self {
        Task::new(Rc::clone(&self.body))
    }
}

impl<T: 'static> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Task").field(&self.future).finish()
    }
}
