//! One future for whatever can be awaited: a coroutine gets a task, a future or a task stays as it
//! is.
//!
//! A task that only awaits another one costs a tick more, and has a name and an end of its own. So
//! where asyncio takes either kind, it wraps only a coroutine.

use std::any::Any;
use std::future::Future as Coroutine;

use step06_tasks::{Future, Result, Task};

use crate::event_loop::EventLoop;
use crate::event_loop::running::get_running_loop;
use crate::{LoopError, LoopResult};

/// What can be awaited, as the loop knows it.
pub(crate) enum Either<T: 'static> {
    /// It was a future or a task before.
    Future(Future<T>),
    /// It was a coroutine.
    NewTask(Task<T>),
}

/// Wraps a coroutine in a task of the loop that runs in this thread, and returns a [`Future`] or a
/// [`Task`] as it is; asyncio's `ensure_future`.
///
/// What comes back is a future in either case; cancelling it asks its task to end, if it has one.
/// Fails with [`LoopError::WrongLoop`] if it belongs to another loop.
///
/// ```
/// use step07_full_loop::{create_task, ensure_future, run};
/// let answer = run(async {
///     let task = create_task(async { Ok(42) })?;
///     ensure_future(task)?.await
/// })?;
/// assert_eq!(answer, 42);
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[track_caller]
pub fn ensure_future<T: 'static>(
    coroutine: impl Coroutine<Output = Result<T>> + 'static,
) -> LoopResult<Future<T>> {
    get_running_loop()?.ensure_future(coroutine)
}

impl EventLoop {
    /// Like the function [`ensure_future`], on this loop.
    #[track_caller]
    pub fn ensure_future<T: 'static>(
        &self,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> LoopResult<Future<T>> {
        Ok(match self.future_or_task(coroutine)? {
            Either::Future(future) => future,
            Either::NewTask(task) => task.future(),
        })
    }

    #[track_caller]
    pub(crate) fn future_or_task<T: 'static>(
        &self,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> LoopResult<Either<T>> {
        let awaited: &dyn Any = &coroutine;
        let future = awaited.downcast_ref::<Future<T>>().cloned();
        let future = future.or_else(|| awaited.downcast_ref::<Task<T>>().map(Task::future));
        match future {
            None => Ok(Either::NewTask(self.create_task(coroutine))),
            Some(future) if future.belongs_to(&self.core.queue) => Ok(Either::Future(future)),
            Some(_) => Err(LoopError::WrongLoop),
        }
    }
}
