//! `timeout`: a block of code with a limit in time.

use std::future::Future as Coroutine;
use std::rc::Rc;
use std::time::Duration;

use step04_timers::Time;
use step06_tasks::Result;

use crate::LoopResult;
use crate::event_loop::get_running_loop;
use crate::waiting::deadline::Deadline;

/// Limits what [`run`](Timeout::run) runs to `delay` from now, or doesn't limit it with `None`;
/// asyncio's `timeout`. Fails if no loop runs in this thread.
///
/// ```
/// use std::time::Duration;
/// use step07_full_loop::{TimeoutError, run, sleep, timeout};
/// run(async {
///     let ended = timeout(Duration::from_millis(1))?.run(sleep(Duration::from_hours(1))).await;
///     assert!(ended.is_err_and(|error| TimeoutError::is(&error)));
///     Ok(())
/// })?;
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub fn timeout(delay: impl Into<Option<Duration>>) -> LoopResult<Timeout> {
    let now = get_running_loop()?.time();
    Ok(timeout_at(delay.into().map(|delay| now + delay)))
}

/// Like [`timeout`], with a moment of the loop's time. Several blocks can share a deadline that was
/// worked out once: so pass deadlines on, not durations.
pub fn timeout_at(when: impl Into<Option<Time>>) -> Timeout {
    Timeout { deadline: Rc::new(Deadline::new(when.into())) }
}

/// A limit in time for one block of code, which [`timeout`] makes. A clone is another handle to the
/// same limit: the block can hold one.
///
/// In asyncio, it's a context manager: `async with timeout(1) as scope:`. Rust has none, so the block
/// is a coroutine, and `scope` a variable.
///
/// ```
/// use std::time::Duration;
/// use step07_full_loop::{get_running_loop, run, sleep, timeout};
/// run(async {
///     let scope = timeout(Duration::from_millis(1))?;
///     scope
///         .run(async {
///             let later = get_running_loop()?.time() + Duration::from_hours(1);
///             scope.reschedule(later)?;
///             sleep(Duration::from_millis(2)).await
///         })
///         .await?;
///     assert!(!scope.expired());
///     Ok(())
/// })?;
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Timeout {
    deadline: Rc<Deadline>,
}

impl Timeout {
    /// Runs the block in the task that awaits this. When the time is up, the task is cancelled: what
    /// the block waits for yields `Cancelled`, and the block can clean up. If it then ends with that
    /// error, this fails with [`TimeoutError`](crate::TimeoutError) instead.
    ///
    /// Everything else that the block returns comes out as it is, even if it's late. So does a
    /// cancellation that isn't this limit's own: of an outer limit, or by another task, even at the
    /// same moment. If the deadline is over already, the block still runs up to its first wait.
    ///
    /// Fails with `InvalidState` if it was used before, or outside a task.
    pub async fn run<T>(&self, block: impl Coroutine<Output = Result<T>>) -> Result<T> {
        let entered = self.deadline.enter()?;
        let outcome = block.await;
        entered.exit(outcome)
    }

    /// Returns the deadline on the loop's clock, or `None` if there's none.
    pub fn when(&self) -> Option<Time> {
        self.deadline.when()
    }

    /// Sets another deadline, or none. Fails with `InvalidState` if the block hasn't begun, or if it
    /// has ended or is being cancelled because its time was up.
    pub fn reschedule(&self, when: impl Into<Option<Time>>) -> Result<()> {
        self.deadline.reschedule(when.into())
    }

    /// Returns true if the time was up before the block had ended.
    pub fn expired(&self) -> bool {
        self.deadline.expired()
    }
}
