//! `Task`: what a program holds of a task.

use std::fmt;
use std::future::Future as Coroutine;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::future_state::Shared;
use crate::task::{Step, TaskBody};
use crate::{AnyTask, CallbackId, Error, Future, ReadyQueue, Result};

/// asyncio's `Task`. Awaiting it gives the coroutine's result; dropping it changes nothing, since
/// the queue holds the task until it ends. A task that awaits itself gets `InvalidState` at once;
/// asyncio raises a `RuntimeError` a round later.
pub struct Task<T: 'static> {
    body: Rc<TaskBody<T>>,
    /// The same task, as a future.
    future: Future<T>,
}

impl<T: 'static> Task<T> {
    pub(crate) fn new(body: Rc<TaskBody<T>>) -> Self {
        let future = Future::of(Rc::clone(&body) as Rc<dyn Shared<T>>);
        Task { body, future }
    }

    /// Returns the task as a future, for code that treats both alike.
    pub fn future(&self) -> Future<T> {
        self.future.clone()
    }

    pub(crate) fn queue(&self) -> &ReadyQueue {
        self.body.queue()
    }

    pub(crate) fn body(&self) -> &Rc<TaskBody<T>> {
        &self.body
    }

    /// Returns the task without the type of its result.
    pub fn any(&self) -> AnyTask {
        AnyTask::new(Rc::clone(&self.body) as Rc<dyn Step>)
    }

    /// Asks the task to end: the leaf it awaits yields `Err(Cancelled)` at its next resume. The
    /// task can clean up first, or ignore the request and continue. Returns false if it is done
    /// already.
    ///
    /// A leaf that doesn't call [`check_cancelled`](crate::check_cancelled) leaves the request to
    /// the next one that does. If the coroutine ends before it polls one, the task ends cancelled.
    pub fn cancel(&self) -> bool {
        self.any().cancel()
    }

    /// Asks the task to end, with a message that comes with the error. If what the task waits for
    /// has ended cancelled already, that one's message comes instead, as in asyncio: so the first of
    /// two requests to a task that sleeps has the message that arrives. (asyncio tells
    /// the message of a cancelled task only to the first that asks for its result; here all get it.)
    pub fn cancel_with(&self, message: &str) -> bool {
        self.any().cancel_with(message)
    }

    /// Returns how often the task was asked to end, less what was taken back; asyncio's `cancelling`.
    pub fn cancelling(&self) -> u32 {
        self.any().cancelling()
    }

    /// Takes one request back, and returns how many are left; asyncio's `uncancel`. A task that
    /// catches a cancellation and goes on says so with this. With the last request, a cancellation
    /// that hasn't been delivered is dropped, as in CPython since 3.13, unless it has ended a wait.
    pub fn uncancel(&self) -> u32 {
        self.any().uncancel()
    }

    /// Returns the task's name: the one that was set, or "Task-1" for the queue's first task. (asyncio
    /// counts the tasks of the process.)
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

    /// Returns the coroutine's error, or `None` if it has a result; see [`Future::exception`].
    pub fn exception(&self) -> Result<Option<Error>> {
        self.future.exception()
    }

    /// Schedules `callback` for when the task is done, or at once if it is.
    #[track_caller]
    pub fn add_done_callback(&self, callback: impl FnOnce(&Future<T>) + 'static) -> CallbackId {
        self.future.add_done_callback(callback)
    }

    /// Removes a callback that hasn't been scheduled yet; see [`Future::remove_done_callback`].
    pub fn remove_done_callback(&self, id: CallbackId) -> bool {
        self.future.remove_done_callback(id)
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
