//! Runners: the code that `run` puts around your main coroutine, from the loop's first task to the
//! loop's close; asyncio's `runners.py`.
//!
//! A loop that's only closed drops its tasks in the middle of their work. A runner asks the tasks
//! to end first and runs the loop until all have ended: each task that has begun gets `Cancelled`
//! and can clean up. While a runner runs its main, the first SIGINT asks the main to end, unless
//! the signal is ignored or already handled, or another loop in the process handles signals.

use std::cell::Cell;
use std::future::Future as Coroutine;
use std::io;
use std::rc::{Rc, Weak};

use step04_timers::Clock;
use step05_selfpipe::{SIGINT, has_default_action};
use step06_tasks::{AnyTask, ExceptionContext, Handle, Result, yield_now};

use crate::event_loop::{EventLoop, get_running_loop};
use crate::{LoopError, LoopResult};

/// Makes a loop, runs `main` to its end, cancels all remaining tasks, waits for the threads of the
/// loop's pool, and closes the loop; asyncio's `run`.
///
/// SIGINT (Ctrl-C) cancels `main`, which can clean up; if `main` ends cancelled, `run` returns
/// [`LoopError::Interrupted`]. Once the loop has handled the first SIGINT, another one ends the
/// process. If SIGINT is ignored, as in a background job of a shell script, if other code handles
/// SIGINT, or if another loop in the process handles signals, `run` leaves SIGINT alone. To run
/// several main coroutines on one loop, use a [`Runner`].
///
/// # Errors
///
/// Fails with [`LoopError::AnotherIsRunning`] if a loop is running in this thread, and as
/// [`EventLoop::new`], [`Runner::run`] and [`Runner::close`] do.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// let answer = step07_full_loop::run(async {
///     step07_full_loop::sleep(Duration::from_millis(1)).await?;
///     Ok(42)
/// })?;
/// assert_eq!(answer, 42);
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[track_caller]
pub fn run<T: Clone + 'static>(
    main: impl Coroutine<Output = Result<T>> + 'static,
) -> LoopResult<T> {
    if get_running_loop().is_ok() {
        return Err(LoopError::AnotherIsRunning);
    }
    Runner::new()?.run_and_close(main)
}

/// Runs one main coroutine after another on the same loop and closes the loop at the end;
/// asyncio's `Runner`.
///
/// A task that hasn't ended when a main ends keeps running during the next main.
/// [`close`](Runner::close) cancels the remaining tasks; dropping a runner calls `close`, too.
///
/// ```
/// use step07_full_loop::{Runner, create_task};
/// let runner = Runner::new()?;
/// let task = runner.run(async { Ok(create_task(async { Ok("from the first main") })?) })?;
/// assert_eq!(runner.run(task)?, "from the first main");
/// runner.close()?;
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[derive(Debug)]
pub struct Runner {
    event_loop: EventLoop,
    is_closed: Cell<bool>,
}

impl Runner {
    /// Makes a runner with a loop on the monotonic clock.
    ///
    /// # Errors
    ///
    /// Fails as [`EventLoop::new`] does.
    pub fn new() -> LoopResult<Self> {
        Ok(Runner::of(EventLoop::new()?))
    }

    /// Makes a runner with a loop on another clock.
    ///
    /// # Errors
    ///
    /// Fails as [`EventLoop::new`] does.
    pub fn with_clock(clock: impl Clock + 'static) -> LoopResult<Self> {
        Ok(Runner::of(EventLoop::with_clock(clock)?))
    }

    /// Makes a runner for an existing loop, which the runner will close. asyncio's `Runner` takes a
    /// `loop_factory` instead.
    pub fn of(event_loop: EventLoop) -> Self {
        Runner { event_loop, is_closed: Cell::new(false) }
    }

    /// Returns the runner's loop.
    pub fn get_loop(&self) -> &EventLoop {
        &self.event_loop
    }

    /// Runs a coroutine as a task until the task ends and returns the task's result.
    ///
    /// SIGINT cancels that task. If the task then ends cancelled and no other code has cancelled
    /// it, `run` returns [`LoopError::Interrupted`]. SIGINTs that arrive before the loop has
    /// handled the first count as one. By handling it, the loop restores the signal's default
    /// action, so a later SIGINT ends the process, as does a SIGINT after the return of `run`.
    ///
    /// All of that holds only if SIGINT has its default action when `run` is called and no other
    /// loop in the process handles signals. A handler that the loop or other code has set is kept,
    /// and an ignored signal stays ignored. asyncio's runner replaces SIGINT's handler only if the
    /// handler is Python's own.
    ///
    /// # Errors
    ///
    /// Fails with [`LoopError::Task`] if `main` fails, with [`LoopError::Interrupted`] after
    /// SIGINT, with [`LoopError::StoppedEarly`] if the loop is stopped before `main` ends, with
    /// [`LoopError::RunnerClosed`] if the runner is closed, and as [`EventLoop::run_forever`] does.
    /// Also fails if the kernel refuses to set a handler for SIGINT.
    #[track_caller]
    pub fn run<T: Clone + 'static>(
        &self,
        main: impl Coroutine<Output = Result<T>> + 'static,
    ) -> LoopResult<T> {
        if self.is_closed.get() {
            return Err(LoopError::RunnerClosed);
        }
        self.event_loop.check_may_run()?;
        let task = self.event_loop.create_task(main);
        let interrupt = Interrupt::cancels(&self.event_loop, task.any())?;
        let result = self.event_loop.run_until_done(&task.future());
        let is_cancelled = matches!(&result, Err(LoopError::Task(error)) if error.is_cancelled());
        // If another request is left, the caller gets the cancellation itself, as in asyncio.
        if is_cancelled && interrupt.has_arrived() && task.uncancel() == 0 {
            return Err(LoopError::Interrupted);
        }
        result
    }

    // ANCHOR: runner_close
    /// Cancels all remaining tasks, runs the loop until they and the threads of the loop's pool
    /// have ended, and closes the loop. Closing a runner twice is fine.
    ///
    /// Meanwhile, unless it's stopped, the loop runs four ticks or more, runs pending callbacks,
    /// and handles all messages that other threads sent before this call. Everything else that the
    /// loop holds is dropped. asyncio runs the loop once for asynchronous generators, which stable
    /// Rust doesn't have, and once for the pool; each of these runs takes two ticks or more.
    ///
    /// A task that's made meanwhile isn't waited for: if it hasn't ended, it's dropped with the
    /// loop. If a task fails instead of ending cancelled, its error goes to the exception handler.
    ///
    /// # Errors
    ///
    /// Fails with [`LoopError::CloseWhileRunning`] if the loop is running. After any other error,
    /// the loop is closed anyway. `close` fails with [`LoopError::AnotherIsRunning`] if another
    /// loop is running in this thread, with [`LoopError::StoppedEarly`] if a task or a callback
    /// stops the loop too early, with [`LoopError::Io`] as `run_forever` does, and with
    /// [`LoopError::Task`] as [`EventLoop::shutdown_default_executor`] does.
    pub fn close(&self) -> LoopResult<()> {
        if self.event_loop.is_closed() {
            return Ok(());
        }
        if self.event_loop.is_running() {
            return Err(LoopError::CloseWhileRunning);
        }
        let left = self.event_loop.core.queue.all_tasks();
        let tasks_ended = if left.is_empty() { Ok(()) } else { self.event_loop.end_tasks(left) };
        let callbacks_ran = self.event_loop.run_what_was_sent();
        let threads_ended = self.event_loop.wait_for_threads();
        self.event_loop.close()?;
        self.is_closed.set(true);
        tasks_ended.and(callbacks_ran).and(threads_ended)
    }
    // ANCHOR_END: runner_close

    #[track_caller]
    fn run_and_close<T: Clone + 'static>(
        &self,
        main: impl Coroutine<Output = Result<T>> + 'static,
    ) -> LoopResult<T> {
        let result = self.run(main);
        match (result, self.close()) {
            (Ok(result), closed) => closed.map(|()| result),
            (Err(error), Ok(())) => Err(error),
            // Returns the main's error, since the close may have failed because of it.
            (Err(error), Err(closing)) => {
                self.report_unclosed(closing);
                Err(error)
            }
        }
    }

    fn report_unclosed(&self, error: LoopError) {
        let context = ExceptionContext::new("The runner's loop couldn't be closed");
        self.event_loop.call_exception_handler(&context.with_exception(error.into()));
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            self.report_unclosed(error);
        }
    }
}

impl EventLoop {
    /// Does what the function [`run`] does, on this loop.
    ///
    /// # Errors
    ///
    /// Fails as [`Runner::run`] and [`Runner::close`] do.
    #[track_caller]
    pub fn run<T: Clone + 'static>(
        &self,
        main: impl Coroutine<Output = Result<T>> + 'static,
    ) -> LoopResult<T> {
        self.check_may_run()?;
        Runner::of(self.clone()).run_and_close(main)
    }

    // ANCHOR: end_tasks
    /// Asks these tasks to end and runs the loop until all of them have ended; asyncio's
    /// `_cancel_all_tasks`. There's at least one task, and none has ended yet.
    ///
    /// - Each task is asked by one call of `cancel`, whatever it was asked before: it can have
    ///   swallowed an earlier request. The clean-ups overlap from the first tick on, so one can
    ///   wait for the end of another task (`tasks_that_are_left`).
    /// - A task can clean up for as long as it likes (`tasks_that_are_left`). A task that's made
    ///   meanwhile is neither asked nor waited for (`a_task_begun_in_a_cleanup`).
    /// - Cancelling a task can run any code of the target that the task waits for. If that code
    ///   panics, the panic is reported as an "Exception in a cancellation", and the other tasks
    ///   are still asked (`tasks_that_are_left`).
    /// - When all have ended, the exception handler gets a report of each task that has failed
    ///   instead of ending cancelled: the error, the task and the message
    ///   `unhandled exception during run() shutdown` (`tasks_that_are_left`).
    /// - If a task is left when the loop has stopped, the call fails with
    ///   [`LoopError::StoppedEarly`], and only then. If the loop itself fails, even after all have
    ///   ended, the call fails with the loop's error. In both cases each task reports its own error
    ///   when it's dropped, so no callback on a task's end may keep that task alive
    ///   (`tasks_that_are_left`).
    /// - The loop runs again after this call, and a callback that this call has added doesn't stop
    ///   that run (`tasks_that_are_left`).
    ///
    /// Free: how many ticks the call takes, and in which order the tasks are asked and reported.
    fn end_tasks(&self, tasks: Vec<AnyTask>) -> LoopResult<()> {
        for task in &tasks {
            self.run_reporting("Exception in a cancellation", || {
                task.cancel();
            });
        }
        let all_ended = self.create_future();
        let left = Rc::new(Cell::new(tasks.len()));
        for task in &tasks {
            let (left, all_ended) = (Rc::clone(&left), all_ended.clone());
            task.add_done_callback(move || {
                left.set(left.get() - 1);
                if left.get() == 0 {
                    // Nothing else finishes it.
                    let _ = all_ended.set_result(());
                }
            });
        }
        match self.run_until_complete(all_ended) {
            // The last task has stopped the loop in its last step: its callback hasn't run yet.
            Err(LoopError::StoppedEarly) if tasks.iter().all(AnyTask::done) => {}
            outcome => outcome?,
        }
        for task in tasks {
            if let Ok(Some(error)) = task.exception() {
                let context = ExceptionContext::new("unhandled exception during run() shutdown");
                self.call_exception_handler(&context.with_exception(error).with_task(&task));
            }
        }
        Ok(())
    }
    // ANCHOR_END: end_tasks

    /// Runs the loop until it has handled all messages sent so far, one batch of them per tick.
    fn run_what_was_sent(&self) -> LoopResult<()> {
        let batches = self.core.queue.batches_left();
        self.run_to_its_end(async move {
            for _ in 0..batches {
                yield_now().await?;
            }
            Ok(())
        })
    }

    /// Runs the loop until the threads of its pool, if any, have ended.
    fn wait_for_threads(&self) -> LoopResult<()> {
        let event_loop = self.clone();
        self.run_to_its_end(async move { event_loop.shutdown_default_executor().await })
    }

    fn run_to_its_end(
        &self,
        last: impl Coroutine<Output = Result<()>> + 'static,
    ) -> LoopResult<()> {
        self.run_until_done(&self.create_task(last).future())
    }
}

/// A guard that makes SIGINT cancel a task. Its drop restores the signal's previous action.
struct Interrupt {
    event_loop: EventLoop,
    has_arrived: Rc<Cell<bool>>,
    /// Points to no handle while this guard's handler isn't set, for example because other code
    /// handles the signal.
    handle: Weak<Handle>,
}

impl Interrupt {
    /// Lets SIGINT cancel the task, unless the signal has an action other than its default: the
    /// loop or other code already handles the signal, or the signal is ignored. Also does nothing
    /// if another loop in the process handles signals.
    fn cancels(event_loop: &EventLoop, task: AnyTask) -> io::Result<Self> {
        let has_arrived = Rc::new(Cell::new(false));
        let interrupt = |handle| Interrupt {
            event_loop: event_loop.clone(),
            has_arrived: Rc::clone(&has_arrived),
            handle,
        };
        if event_loop.handles_signal(SIGINT) || !has_default_action(SIGINT)? {
            return Ok(interrupt(Weak::new()));
        }
        let (inner, arrived) = (event_loop.clone(), Rc::clone(&has_arrived));
        let handle = Rc::new_cyclic(|handle| {
            let handle = Weak::clone(handle);
            Handle::repeating(move || {
                arrived.set(true);
                task.cancel();
                // From here on the signal has its previous action again: a second SIGINT ends the
                // process.
                remove(&inner, &handle);
            })
        });
        let weak = Rc::downgrade(&handle);
        match event_loop.set_signal_handler(SIGINT, handle) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(interrupt(weak)),
        }
    }

    /// Returns true if SIGINT has arrived and this guard has cancelled the task.
    fn has_arrived(&self) -> bool {
        self.has_arrived.get()
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        remove(&self.event_loop, &self.handle);
    }
}

/// Restores the signal's previous action, unless this handler was never set or has already been
/// removed or replaced.
fn remove(event_loop: &EventLoop, handle: &Weak<Handle>) {
    if handle.strong_count() > 0 {
        // The handler was set, so this shouldn't fail, and neither caller can return an error.
        let _ = event_loop.remove_signal_handler(SIGINT);
    }
}
