//! How a loop starts, stops and ends.

use std::cell::{Cell, RefCell};
use std::future::Future as Coroutine;
use std::rc::Rc;

use step06_tasks::{Entered, Future, Result, Task};

use crate::event_loop::EventLoop;
use crate::event_loop::ensure_future::Either;
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

impl EventLoop {
    /// Runs until a coroutine, a future or a task is done, and returns its result; asyncio's
    /// `run_until_complete`.
    ///
    /// Only a coroutine is wrapped in a task, and only if the loop can run. Fails with
    /// [`LoopError::WrongLoop`] if a future or a task belongs to another loop.
    #[track_caller]
    pub fn run_until_complete<T: Clone + 'static>(
        &self,
        coroutine: impl Coroutine<Output = Result<T>> + 'static,
    ) -> LoopResult<T> {
        self.check_may_run()?;
        match self.future_or_task(coroutine)? {
            Either::Future(future) => self.run_until_done(&future),
            Either::NewTask(task) => {
                // StoppedEarly says so, and then the caller has no handle to the task.
                task.any().expect_to_be_destroyed();
                self.run_until_done(&task.future())
            }
        }
    }

    // ANCHOR: run_until_done
    /// Runs until the task is done and the callbacks on its end have had their turn. So, as in
    /// asyncio, the loop runs one tick more after the task's last step.
    ///
    /// Returns the task's result, or its error as [`LoopError::Task`]. If the loop is stopped
    /// before the task is done, that's [`LoopError::StoppedEarly`]; the task goes on in the next
    /// run, and its end mustn't stop that one. If the task ends in the same tick in which something
    /// else stops the loop, it's done, so its result is returned. An error of the loop itself is
    /// handed up as it is.
    ///
    /// The task is known by its future, which can also be one without a task.
    pub(crate) fn run_until_done<T: Clone + 'static>(&self, task: &Future<T>) -> LoopResult<T> {
        let waits = Rc::new(Cell::new(true));
        let (event_loop, still_waits) = (self.clone(), Rc::clone(&waits));
        task.add_done_callback(move |_| {
            // If the loop was stopped early, this mustn't stop the next run. remove_done_callback
            // would come too late for a callback that's in the ready queue already.
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
