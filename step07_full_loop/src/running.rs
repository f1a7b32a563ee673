//! How a loop starts, stops and ends.

use std::cell::{Cell, RefCell};
use std::future::Future as Coroutine;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use step05_selfpipe::SIGINT;
use step06_tasks::{Entered, Result, Task};

use crate::event_loop::EventLoop;
use crate::{LoopError, LoopResult};

thread_local! {
    static CURRENT_LOOP: RefCell<Option<EventLoop>> = const { RefCell::new(None) };
}

/// Returns the loop that runs in this thread; asyncio's `get_running_loop`.
pub fn get_running_loop() -> LoopResult<EventLoop> {
    CURRENT_LOOP.with_borrow(Clone::clone).ok_or(LoopError::NoneIsRunning)
}

/// Makes a task on the loop that runs in this thread.
#[track_caller]
pub fn create_task<T: 'static>(
    coroutine: impl Coroutine<Output = Result<T>> + 'static,
) -> LoopResult<Task<T>> {
    Ok(get_running_loop()?.create_task(coroutine))
}

/// Makes a loop, runs `main` on it to its end, cancels all that is left, waits for the threads of its
/// pool, and closes the loop; asyncio's `run`.
///
/// SIGINT (Ctrl-C) cancels `main`, which can clean up; then `run` returns
/// [`LoopError::Interrupted`]. A second one ends the process.
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
    EventLoop::new()?.run(main)
}

impl EventLoop {
    /// Like the function [`run`], on this loop.
    #[track_caller]
    pub fn run<T: Clone + 'static>(
        &self,
        main: impl Coroutine<Output = Result<T>> + 'static,
    ) -> LoopResult<T> {
        self.check_may_run()?;
        let task = self.create_task(main);
        let interrupted = self.cancel_on_interrupt(&task)?;
        let result = self.run_until_done(&task);
        self.cancel_what_is_left()?;
        let threads_ended = self.wait_for_threads();
        self.close()?;
        threads_ended?;
        if interrupted.get() && task.cancelled() {
            return Err(LoopError::Interrupted);
        }
        result
    }

    /// Wraps a coroutine in a task, runs until it has ended, and returns its result; asyncio's
    /// `run_until_complete`.
    #[track_caller]
    pub fn run_until_complete<T: Clone + 'static>(
        &self,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> LoopResult<T> {
        self.check_may_run()?;
        let task = self.create_task(coroutine);
        self.run_until_done(&task)
    }

    // ANCHOR: run_until_done
    /// Runs until the task is done and the callbacks on its end have had their turn. So, as in
    /// asyncio, the loop runs one tick more after the task's last step.
    ///
    /// Returns the task's result, or its error as [`LoopError::Task`]. If the loop is stopped before
    /// the task is done, that's [`LoopError::StoppedEarly`]; the task goes on in the next run, and
    /// its end mustn't stop that one. If the task ends in the very tick in which the loop is
    /// stopped, the result counts. An error of the loop itself is handed up as it is.
    fn run_until_done<T: Clone + 'static>(&self, task: &Task<T>) -> LoopResult<T> {
        let waits = Rc::new(Cell::new(true));
        let (event_loop, still_waits) = (self.clone(), Rc::clone(&waits));
        task.add_done_callback(move |_| {
            // Futures can't remove a callback, so a flag: if the loop was stopped early, this one
            // must not stop the next run.
            if still_waits.get() {
                event_loop.stop();
            }
        });
        let ran = self.run_forever();
        waits.set(false);
        ran?;
        if !task.done() {
            return Err(LoopError::StoppedEarly);
        }
        task.result().map_err(LoopError::Task)
    }
    // ANCHOR_END: run_until_done

    /// Runs ticks until [`stop`](EventLoop::stop) is called.
    pub fn run_forever(&self) -> LoopResult<()> {
        self.check_may_run()?;
        let _running = RunGuard::start(self);
        loop {
            self.tick()?;
            if self.core.stopping.get() {
                return Ok(());
            }
        }
    }

    /// Stops the loop after the tick that runs now. If the loop does not run, its next run is a
    /// single tick that does not sleep.
    pub fn stop(&self) {
        self.core.stopping.set(true);
    }

    /// Closes the loop: drops all callbacks and tasks without running them. Closing it twice is fine.
    /// Fails with `CloseWhileRunning` if it runs.
    pub fn close(&self) -> LoopResult<()> {
        if self.is_running() {
            return Err(LoopError::CloseWhileRunning);
        }
        // Release, for the Acquire in LoopHandle::call_soon_threadsafe.
        self.core.closed.store(true, Ordering::Release);
        self.remove_all_signal_handlers();
        self.core.drop_executor();
        self.core.clear_trace();
        drop(self.core.timers.take());
        self.core.queue.clear();
        drop(self.core.selector.take());
        Ok(())
    }

    fn check_may_run(&self) -> LoopResult<()> {
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

    /// Lets SIGINT cancel the task. If another loop of the process handles the signals, SIGINT
    /// doesn't cancel it.
    fn cancel_on_interrupt<T: 'static>(&self, task: &Task<T>) -> std::io::Result<Rc<Cell<bool>>> {
        let interrupted = Rc::new(Cell::new(false));
        let (event_loop, task, flag) = (self.clone(), task.clone(), Rc::clone(&interrupted));
        let handler = move || {
            flag.set(true);
            task.cancel();
            // From here on the signal has its previous action again: a second SIGINT ends the
            // process.
            let _ = event_loop.remove_signal_handler(SIGINT);
        };
        match self.add_signal_handler(SIGINT, handler) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(interrupted),
        }
    }

    /// Cancels every task and runs until all have ended, each in its own way.
    fn cancel_what_is_left(&self) -> LoopResult<()> {
        let _running = RunGuard::start(self);
        self.core.queue.cancel_all_tasks();
        while self.core.queue.task_count() > 0 {
            self.tick()?;
        }
        Ok(())
    }

    /// Runs until the threads of the pool have ended, if there's a pool.
    fn wait_for_threads(&self) -> LoopResult<()> {
        if !self.has_executor() {
            return Ok(());
        }
        let event_loop = self.clone();
        let task = self.create_task(async move { event_loop.shutdown_default_executor().await });
        let _running = RunGuard::start(self);
        while !task.done() {
            self.tick()?;
        }
        task.result().map_err(LoopError::Task)
    }
}

/// A guard: the loop is the current loop of this thread for as long as the guard lives, even if a
/// callback's panic unwinds through it.
struct RunGuard<'a> {
    event_loop: &'a EventLoop,
    _entered: Entered,
}

impl<'a> RunGuard<'a> {
    fn start(event_loop: &'a EventLoop) -> Self {
        event_loop.core.running.set(true);
        CURRENT_LOOP.set(Some(event_loop.clone()));
        RunGuard { event_loop, _entered: event_loop.core.queue.enter() }
    }
}

impl Drop for RunGuard<'_> {
    fn drop(&mut self) {
        self.event_loop.core.running.set(false);
        self.event_loop.core.stopping.set(false);
        CURRENT_LOOP.set(None);
    }
}
