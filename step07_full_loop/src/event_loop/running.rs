//! Starting and stopping a loop, and running it until a coroutine, a future or a task is done. A
//! coroutine is wrapped in a task first, whereas a future or a task is used as is. Wrapping a task
//! in a second task can cost one more tick, and the second task would have its own name and its
//! own end.

use std::any::Any;
use std::cell::RefCell;
use std::future::Future as Coroutine;
use std::rc::Rc;

use step06_tasks::{Entered, Future, Result, Task};

use crate::event_loop::EventLoop;
use crate::{LoopError, LoopResult};

thread_local! {
    static CURRENT_LOOP: RefCell<Option<EventLoop>> = const { RefCell::new(None) };
}

/// Returns the loop running in this thread; asyncio's `get_running_loop`.
///
/// # Errors
///
/// Fails with [`LoopError::NoneIsRunning`] if no loop is running in this thread.
pub fn get_running_loop() -> LoopResult<EventLoop> {
    CURRENT_LOOP.with_borrow(Clone::clone).ok_or(LoopError::NoneIsRunning)
}

/// Lets this thread run a loop although another loop is running in it. Call this function in the
/// child after `fork(2)` if the child's only thread was running its parent's loop. The child has to
/// make its own loops and leave its parent's loop alone. Since Python 3.12, asyncio does the same
/// through `os.register_at_fork`.
pub fn forget_running_loop() {
    let before = CURRENT_LOOP.take();
    // When nothing is borrowed any more: the loop can own anything.
    drop(before);
}

/// Makes a task on the loop running in this thread.
///
/// # Errors
///
/// Fails with [`LoopError::NoneIsRunning`] if no loop is running in this thread.
#[track_caller]
pub fn create_task<T: 'static>(
    coroutine: impl Coroutine<Output = Result<T>> + 'static,
) -> LoopResult<Task<T>> {
    Ok(get_running_loop()?.create_task(coroutine))
}

impl EventLoop {
    /// Runs until a coroutine, a future or a task is done and returns its result; asyncio's
    /// `run_until_complete`.
    ///
    /// Only a coroutine is wrapped in a task, and only if the loop can run.
    ///
    /// # Errors
    ///
    /// Fails with [`LoopError::Task`] if the coroutine, future or task fails, with
    /// [`LoopError::StoppedEarly`] if the loop is stopped first, with [`LoopError::WrongLoop`] if a
    /// future or a task belongs to another loop, and as [`run_forever`](EventLoop::run_forever)
    /// does.
    #[track_caller]
    pub fn run_until_complete<T: Clone + 'static>(
        &self,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> LoopResult<T> {
        self.check_may_run()?;
        match self.future_or_task(coroutine)? {
            Either::Future(future) => self.run_until_done(&future),
            Either::NewTask(task) => {
                // If the run is stopped early, its error is report enough.
                task.any().expect_to_be_destroyed();
                self.run_until_done(&task.future())
            }
        }
    }

    // ANCHOR: run_until_done
    /// Runs until the task is done and the callbacks on its end have run. So, as in asyncio, the
    /// loop runs one more tick after the task's last step. Returns the task's result, or its error
    /// as [`LoopError::Task`].
    ///
    /// The corner cases, all in `runs_until_done`:
    ///
    /// - If the loop is stopped before the task is done, the call fails with
    ///   [`LoopError::StoppedEarly`]. The task continues in the next run, and its end mustn't stop
    ///   that run.
    /// - If the task ends in the same tick in which other code stops the loop, the task is done, so
    ///   its outcome is returned.
    /// - If the loop itself fails, the loop's error is returned as it is. If the task has failed,
    ///   too, the task's error is left for the exception handler.
    /// - No matter how the run ends, even if it fails, the task keeps no callback that keeps the
    ///   loop alive, and nothing that's left of this run stops the next one.
    ///
    /// `task` is the task's future; it can also be a future that belongs to no task.
    pub(crate) fn run_until_done<T: Clone + 'static>(&self, task: &Future<T>) -> LoopResult<T> {
        use std::cell::Cell;

        let waits = Rc::new(Cell::new(true));
        let (event_loop, still_waits) = (self.clone(), Rc::clone(&waits));
        let callback = task.add_done_callback(move |_| {
            // This mustn't stop the next run. Once it's in the ready queue, remove_done_callback
            // comes too late.
            if still_waits.get() {
                event_loop.stop();
            }
        });
        let ran = self.run_forever();
        waits.set(false);
        task.remove_done_callback(callback);
        ran?;
        if !task.done() {
            return Err(LoopError::StoppedEarly);
        }
        task.result().map_err(LoopError::Task)
    }
    // ANCHOR_END: run_until_done

    /// Runs ticks until [`stop`](EventLoop::stop) is called.
    ///
    /// # Errors
    ///
    /// Fails with [`LoopError::Closed`] if the loop is closed, with [`LoopError::AlreadyRunning`]
    /// if it is running, with [`LoopError::AnotherIsRunning`] if another loop is running in this
    /// thread, and with [`LoopError::Io`] if the loop's own wait, or the drain of its pipe, fails.
    pub fn run_forever(&self) -> LoopResult<()> {
        self.check_may_run()?;
        let _running = RunGuard::start(self);
        loop {
            if self.core.trace.is_on.get() {
                self.traced_tick()?;
            } else {
                self.run_once()?;
            }
            if self.core.stopping.get() {
                return Ok(());
            }
        }
    }

    /// Stops the loop after the current tick. If the loop isn't running, its next run is a single
    /// tick that doesn't sleep.
    pub fn stop(&self) {
        self.core.stopping.set(true);
    }

    /// Stops the loop at once: the callback or step that's running now is the last. The next run
    /// begins with the rest of this round and everything else that's scheduled, in order. If the
    /// loop isn't running, its next run runs no callbacks and no steps.
    ///
    /// The function is for a host that has to leave the run, such as another loop in which this
    /// loop is nested, or another language with an exception to pass on. In asyncio,
    /// `KeyboardInterrupt` leaves `run_forever` in the same way.
    ///
    /// ```
    /// let event_loop = step07_full_loop::EventLoop::new()?;
    /// let handle = event_loop.clone();
    /// event_loop.call_soon(move || handle.interrupt());
    /// event_loop.call_soon(|| println!("in the next run"));
    /// event_loop.run_forever()?;
    /// event_loop.stop();
    /// event_loop.run_forever()?;
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn interrupt(&self) {
        self.core.stopping.set(true);
        self.core.queue.interrupt();
    }

    pub(crate) fn check_may_run(&self) -> LoopResult<()> {
        if self.is_closed() {
            Err(LoopError::Closed)
        } else if self.is_running() {
            Err(LoopError::AlreadyRunning)
        } else if get_running_loop().is_ok() {
            Err(LoopError::AnotherIsRunning)
        } else {
            Ok(())
        }
    }
}

/// A guard that makes the loop the current loop of this thread until the guard is dropped, even if
/// a panic drops it.
struct RunGuard<'a> {
    event_loop: &'a EventLoop,
    _entered: Entered,
}

impl<'a> RunGuard<'a> {
    fn start(event_loop: &'a EventLoop) -> Self {
        // First, since entering can panic; at that point nothing has begun.
        let entered = event_loop.core.queue.enter();
        event_loop.core.running.set(true);
        CURRENT_LOOP.set(Some(event_loop.clone()));
        RunGuard { event_loop, _entered: entered }
    }
}

impl Drop for RunGuard<'_> {
    fn drop(&mut self) {
        self.event_loop.core.running.set(false);
        self.event_loop.core.stopping.set(false);
        self.event_loop.core.queue.resume();
        CURRENT_LOOP.set(None);
    }
}

/// An existing future or task, or a coroutine's new task; see [`EventLoop::future_or_task`].
#[derive(Debug)]
pub enum Either<T: 'static> {
    /// The future or task that was passed in.
    Future(Future<T>),
    /// A new task for a coroutine.
    NewTask(Task<T>),
}

/// Wraps a coroutine in a task of the loop running in this thread and returns the task's future.
/// Given a [`Future`], returns it as it is; given a [`Task`], returns that task's future. asyncio's
/// `ensure_future`.
///
/// Cancelling the returned future asks its task, if any, to end.
///
/// # Errors
///
/// Fails with [`LoopError::NoneIsRunning`] if no loop is running in this thread, and with
/// [`LoopError::WrongLoop`] if a future or a task belongs to another loop.
///
/// # Examples
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
    /// Does what the function [`ensure_future`] does, on this loop.
    ///
    /// # Errors
    ///
    /// Fails with [`LoopError::WrongLoop`] if a future or a task belongs to another loop.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed and a coroutine needs a task.
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

    /// Wraps a coroutine in a new task. Given a future, returns it as it is; given a task, returns
    /// that task's future. The variant tells the caller whether the task is new.
    ///
    /// # Errors
    ///
    /// Fails with [`LoopError::WrongLoop`] if a future or a task belongs to another loop.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed and a coroutine needs a task.
    #[track_caller]
    pub fn future_or_task<T: 'static>(
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
