//! `timeout`: a block of code with a time limit. `wait_for`: one result, with a time limit.
//!
//! When the time is up, the deadline cancels the task. So when the block ends with a cancellation,
//! the deadline has to determine whether its own request caused the cancellation.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future as Coroutine;
use std::rc::Rc;
use std::time::Duration;

use step04_timers::Time;
use step06_tasks::{AnyTask, Error, Future, Handle, Result, current_task};

use crate::{EventLoop, LoopResult, TimerHandle, get_running_loop};

/// Limits the block of [`run`](Timeout::run) to `delay` from now; asyncio's `timeout`. With `None`,
/// there's no limit.
///
/// # Errors
///
/// Fails if no loop runs in this thread.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use asyncio::{TimeoutError, run, sleep, timeout};
/// run(async {
///     let ended = timeout(Duration::from_millis(1))?.run(sleep(Duration::from_hours(1))).await;
///     assert!(ended.is_err_and(|error| TimeoutError::is(&error)));
///     Ok(())
/// })?;
/// # Ok::<(), asyncio::LoopError>(())
/// ```
pub fn timeout(delay: impl Into<Option<Duration>>) -> LoopResult<Timeout> {
    let now = get_running_loop()?.time();
    Ok(timeout_at(delay.into().map(|delay| now + delay)))
}

/// Does what [`timeout`] does but takes a point in time on the loop's clock instead of a delay. If
/// several blocks share a time limit, give all of them the same deadline rather than a duration.
pub fn timeout_at(when: impl Into<Option<Time>>) -> Timeout {
    Timeout { deadline: Rc::new(Deadline::new(when.into())) }
}

/// A time limit for one block of code, made by [`timeout`] or [`timeout_at`]. A clone is another
/// handle to the same limit.
///
/// In asyncio, a limit is a context manager: `async with timeout(1) as scope:`. Rust has no context
/// managers, so the block is a coroutine and `scope` a variable.
///
/// ```
/// use std::time::Duration;
/// use asyncio::{get_running_loop, run, sleep, timeout};
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
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Timeout {
    deadline: Rc<Deadline>,
}

impl Timeout {
    /// Runs the block in the task that awaits this call. When the time is up, the task is
    /// cancelled: the block's wait yields `Cancelled`, and the block can clean up. If the block
    /// then ends with that error, the call fails with [`TimeoutError`](crate::TimeoutError)
    /// instead.
    ///
    /// Any other outcome of the block is returned as it is, even if it's late. A cancellation by an
    /// outer limit or by another task is returned, too, even if it comes at the moment of the
    /// deadline. If the deadline has already passed, the block still runs up to its first wait.
    ///
    /// # Errors
    ///
    /// Fails with [`TimeoutError`](crate::TimeoutError) as described, with the block's own error,
    /// and with `InvalidState` if the limit was used before, or if the call is awaited outside a
    /// task.
    pub async fn run<T>(&self, block: impl Coroutine<Output = Result<T>>) -> Result<T> {
        let entered = self.deadline.enter()?;
        let outcome = block.await;
        entered.exit(outcome)
    }

    /// Returns the deadline on the loop's clock, or `None` if no deadline is set.
    pub fn when(&self) -> Option<Time> {
        self.deadline.when()
    }

    /// Sets a new deadline or, if `when` is `None`, removes the deadline.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidState` if the block hasn't begun, has ended, or is being cancelled
    /// because its time was up. Also fails if `when` is a time and no loop runs in this thread.
    pub fn reschedule(&self, when: impl Into<Option<Time>>) -> Result<()> {
        self.deadline.reschedule(when.into())
    }

    /// Returns true if the limit has cancelled the task because the time was up before the block
    /// ended. A block that runs past the deadline without waiting isn't cancelled, so the result is
    /// false.
    pub fn expired(&self) -> bool {
        self.deadline.expired()
    }
}

// ANCHOR: deadline
#[derive(Debug)]
struct Deadline {
    when: Cell<Option<Time>>,
    state: Cell<State>,
    /// The task that runs the block, until the block has ended.
    task: RefCell<Option<AnyTask>>,
    alarm: RefCell<Option<DeadlineTimer>>,
}
// ANCHOR_END: deadline

// ANCHOR: state
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The block hasn't begun. Next: `Active`.
    Created,
    /// The block runs. If there's a deadline, the alarm is set. Next: `Expiring` or `Finished`.
    Active,
    /// The time was up, and the task was cancelled, but the block hasn't ended yet. Next:
    /// `Expired`.
    Expiring,
    /// The block has ended after the time was up and the task was cancelled.
    Expired,
    /// The block has ended, and the limit didn't cancel the task.
    Finished,
}
// ANCHOR_END: state

/// The callback that cancels the task. It runs at the deadline or, if the deadline has already
/// passed, in the next tick.
#[derive(Debug)]
enum DeadlineTimer {
    Soon(Handle),
    At(TimerHandle),
}

impl Deadline {
    pub(crate) fn new(when: Option<Time>) -> Self {
        Deadline {
            when: Cell::new(when),
            state: Cell::new(State::Created),
            task: RefCell::default(),
            alarm: RefCell::default(),
        }
    }

    pub(crate) fn when(&self) -> Option<Time> {
        self.when.get()
    }

    fn expired(&self) -> bool {
        matches!(self.state.get(), State::Expiring | State::Expired)
    }

    /// Begins the block; asyncio's `__aenter__`.
    pub(crate) fn enter(self: &Rc<Self>) -> Result<EnteredTimeout> {
        if self.state.get() != State::Created {
            return Err(Error::InvalidState("Timeout has already been entered"));
        }
        let task = current_task();
        let task = task.ok_or(Error::InvalidState("Timeout should be used inside a task"))?;
        let alarm = self.alarm(self.when())?;
        self.alarm.replace(alarm);
        self.task.replace(Some(task.clone()));
        self.state.set(State::Active);
        Ok(EnteredTimeout { deadline: Rc::clone(self), cancelling: task.cancelling(), task })
    }

    fn reschedule(self: &Rc<Self>, when: Option<Time>) -> Result<()> {
        self.check_is_active()?;
        // Without a running loop, the deadline stays as it is.
        let alarm = self.alarm(when)?;
        self.cancel_alarm();
        self.when.set(when);
        self.alarm.replace(alarm);
        Ok(())
    }

    fn check_is_active(&self) -> Result<()> {
        Err(Error::InvalidState(match self.state.get() {
            State::Active => return Ok(()),
            State::Created => "Timeout has not been entered",
            State::Expiring => "Cannot change state of expiring Timeout",
            State::Expired => "Cannot change state of expired Timeout",
            State::Finished => "Cannot change state of finished Timeout",
        }))
    }

    fn alarm(self: &Rc<Self>, when: Option<Time>) -> Result<Option<DeadlineTimer>> {
        let Some(when) = when else { return Ok(None) };
        let event_loop = get_running_loop()?;
        // Weak, because the deadline holds the alarm.
        let weak = Rc::downgrade(self);
        let expire = move || {
            if let Some(deadline) = weak.upgrade() {
                deadline.expire();
            }
        };
        Ok(Some(if when <= event_loop.time() {
            DeadlineTimer::Soon(event_loop.call_soon(expire))
        } else {
            DeadlineTimer::At(event_loop.call_at(when, expire))
        }))
    }

    /// Cancels the task; asyncio's `_on_timeout`.
    fn expire(&self) {
        let task = self.task.borrow().clone();
        if let Some(task) = task {
            self.state.set(State::Expiring);
            task.cancel();
        }
    }

    // ANCHOR: cancel_alarm
    fn cancel_alarm(&self) {
        let alarm = self.alarm.take();
        match alarm {
            Some(DeadlineTimer::Soon(handle)) => handle.cancel(),
            Some(DeadlineTimer::At(timer)) => timer.cancel(),
            None => {}
        }
    }
    // ANCHOR_END: cancel_alarm
}

// ANCHOR: entered
/// A guard for a running block. If the guard is dropped before the block has ended, its destructor
/// ends the block.
struct EnteredTimeout {
    deadline: Rc<Deadline>,
    task: AnyTask,
    /// The number of requests to end that the task had before the block began.
    cancelling: u32,
}

impl EnteredTimeout {
    /// Ends the block; asyncio's `__aexit__`. A cancellation becomes a `TimeoutError` if the
    /// deadline has asked the task to end and, without that request, the task has no more requests
    /// than before the block.
    pub(crate) fn exit<T>(self, outcome: Result<T>) -> Result<T> {
        let is_last = self.end_block();
        match outcome {
            Err(error) if error.is_cancelled() && is_last => Err(TimeoutError.into()),
            outcome => outcome,
        }
    }

    // ANCHOR: end_block
    /// Ends the block. When the call returns, no alarm is set, the deadline holds no task, and the
    /// state says how the block has ended. If the limit has asked the task to end, that request has
    /// been taken back. Returns true if the limit made such a request and, without it, the task has
    /// no more requests to end than before the block.
    ///
    /// - A request that the task had before the block began doesn't count (`limits_in_time`).
    /// - A request by an outer limit counts, even in the same tick (`nested_timeouts`), and so does
    ///   a request by any other code (`a_timeout_and_a_cancellation`).
    /// - `exit` calls this method, and then the guard's destructor calls it again. The second call
    ///   changes nothing and returns false (`limits_in_time`).
    /// - A panic, a callback or other code can drop the block at any moment, even after its task
    ///   has ended. All of the above holds in that case, too (`limits_in_time`).
    ///
    /// Not checked: an alarm that the next tick would call is cancelled, too. If it weren't, it
    /// would find no task and do nothing.
    fn end_block(&self) -> bool {
        self.deadline.cancel_alarm();
        self.deadline.task.take();
        match self.deadline.state.get() {
            State::Expiring => {
                self.deadline.state.set(State::Expired);
                self.task.uncancel() <= self.cancelling
            }
            State::Active => {
                self.deadline.state.set(State::Finished);
                false
            }
            State::Created | State::Expired | State::Finished => false,
        }
    }
    // ANCHOR_END: end_block
}

impl Drop for EnteredTimeout {
    fn drop(&mut self) {
        self.end_block();
    }
}
// ANCHOR_END: entered

/// Waits for a coroutine, a future or a task, which is cancelled if it takes longer than `limit`;
/// asyncio's `wait_for` since 3.12.
///
/// When the time is up, the coroutine, future or task is cancelled, and once it has ended, this
/// call fails with [`TimeoutError`](crate::TimeoutError). If it ends with a result or another error
/// instead, the call returns that outcome. Cancelling the task that awaits this call also cancels
/// the coroutine, future or task. To protect it in both cases, [`shield`](crate::shield) it.
///
/// If the limit is zero, a coroutine isn't even started. For a future or a task that's already
/// done, the call still returns the outcome.
///
/// # Errors
///
/// Fails with [`TimeoutError`](crate::TimeoutError) when the time is up, with the coroutine's own
/// error, and with `Cancelled` if the task is cancelled. Also fails if no loop runs in this thread.
/// If the limit is zero, also fails as [`ensure_future`](crate::ensure_future) does. With another
/// limit or none, fails with `InvalidState` if the call is awaited outside a task.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use asyncio::{run, sleep, wait_for};
/// let hour = Duration::from_hours(1);
/// let ended = run(async move { wait_for(sleep(hour), Duration::from_millis(1)).await });
/// assert_eq!(ended.unwrap_err().to_string(), "timed out");
/// ```
pub async fn wait_for<T: Clone + 'static>(
    coroutine: impl Coroutine<Output = Result<T>> + 'static,
    limit: impl Into<Option<Duration>>,
) -> Result<T> {
    let limit = limit.into();
    if limit.is_some_and(|limit| limit.is_zero()) {
        return cancel_at_once(coroutine).await;
    }
    timeout(limit)?.run(coroutine).await
}

async fn cancel_at_once<T: Clone + 'static>(
    coroutine: impl Coroutine<Output = Result<T>> + 'static,
) -> Result<T> {
    let event_loop = get_running_loop()?;
    let future = event_loop.ensure_future(coroutine)?;
    if future.done() {
        return future.result();
    }
    cancel_and_wait(&event_loop, &future).await?;
    future.result().map_err(|error| if error.is_cancelled() { TimeoutError.into() } else { error })
}

/// Cancels a future or a task and waits until it has ended. Cancelling this call ends only the
/// wait.
async fn cancel_and_wait<T: 'static>(event_loop: &EventLoop, future: &Future<T>) -> Result<()> {
    let waiter = event_loop.create_future();
    let release = waiter.clone();
    future.add_done_callback(move |_| {
        // The waiter is already done if the waiting task was cancelled.
        let _ = release.set_result(());
    });
    future.cancel();
    waiter.await
}

/// The error of an expired time limit; asyncio's `TimeoutError`. A wait that runs out of time fails
/// with an [`Error::Other`] that contains this error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeoutError;

impl TimeoutError {
    /// Returns true if the error is a `TimeoutError`.
    ///
    /// ```
    /// use asyncio::{Error, TimeoutError};
    /// assert!(TimeoutError::is(&Error::from(TimeoutError)));
    /// assert!(!TimeoutError::is(&Error::cancelled()));
    /// ```
    pub fn is(error: &Error) -> bool {
        matches!(error, Error::Other(other) if other.is::<TimeoutError>())
    }
}

impl fmt::Display for TimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("timed out")
    }
}

impl std::error::Error for TimeoutError {}

impl From<TimeoutError> for Error {
    fn from(error: TimeoutError) -> Self {
        Error::other(error)
    }
}
