//! `wait` waits until the first future is done, until one has failed, or until all are done.
//! `as_completed` returns results in the order in which they arrive.

use std::cell::{Cell, RefCell};
use std::future::Future as Coroutine;
use std::rc::Rc;
use std::time::Duration;

use step06_tasks::{CallbackId, Error, Future, Result, Task};

use crate::waiting::TimeoutError;
use crate::{EventLoop, LoopResult, Queue, TimerHandle, get_running_loop};

/// The condition on which [`wait`] returns, unless the timeout is reached first; asyncio's
/// `FIRST_COMPLETED`, `FIRST_EXCEPTION` and `ALL_COMPLETED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReturnWhen {
    /// As soon as one future is done, in whatever way.
    FirstCompleted,
    /// As soon as one future has failed, or all are done. A cancellation isn't a failure.
    FirstException,
    /// When all futures are done.
    #[default]
    AllCompleted,
}

/// Waits for futures or tasks and returns those that are done and those that are pending, both in
/// the order of the arguments; asyncio's `wait`, which returns two sets. In a set, a future that's
/// given twice counts once.
///
/// `wait` never cancels a future, even if the time is up or the wait itself is cancelled. Reaching
/// the timeout isn't an error. `wait` returns futures, not results, so ask each finished future for
/// its result. To wait for a coroutine, make it a task first, as in asyncio since 3.11.
///
/// # Errors
///
/// Fails if no futures are given, or if no loop runs in this thread. Fails with `Cancelled` if the
/// task is cancelled.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use asyncio::{ReturnWhen, create_task, run, sleep, wait};
/// run(async {
///     let quick = create_task(sleep(Duration::ZERO))?;
///     let slow = create_task(sleep(Duration::from_hours(1)))?;
///     let (done, pending) = wait([quick, slow], None, ReturnWhen::FirstCompleted).await?;
///     assert_eq!((done.len(), pending.len()), (1, 1));
///     Ok(())
/// })?;
/// # Ok::<(), asyncio::LoopError>(())
/// ```
pub async fn wait<F: FutureLike>(
    futures: impl IntoIterator<Item = F>,
    timeout: impl Into<Option<Duration>>,
    return_when: ReturnWhen,
) -> Result<(Vec<F>, Vec<F>)> {
    let futures: Vec<F> = futures.into_iter().collect();
    if futures.is_empty() {
        return Err(Error::other("Set of Tasks/Futures is empty."));
    }
    let event_loop = get_running_loop()?;
    let watch = Watch::start(&event_loop, &futures, timeout.into(), return_when);
    watch.waiter.clone().await?;
    drop(watch);
    Ok(futures.into_iter().partition(|future| future.as_future().done()))
}

/// A guard that removes the timer and the futures' done callbacks when the wait is over, cancelled
/// or dropped.
struct Watch<T: 'static> {
    waiter: Future<()>,
    timer: Rc<RefCell<Option<TimerHandle>>>,
    callbacks: Vec<(Future<T>, CallbackId)>,
}

impl<T: 'static> Watch<T> {
    fn start(
        event_loop: &EventLoop,
        futures: &[impl FutureLike<Output = T>],
        timeout: Option<Duration>,
        return_when: ReturnWhen,
    ) -> Self {
        let waiter = event_loop.create_future();
        let timer = timeout.map(|timeout| {
            let waiter = waiter.clone();
            event_loop.call_later(timeout, move || release(&waiter))
        });
        let timer = Rc::new(RefCell::new(timer));
        let left = Cell::new(futures.len());
        let ends =
            Rc::new(Ends { waiter: waiter.clone(), timer: Rc::clone(&timer), left, return_when });
        let callbacks = futures.iter().map(|future| {
            let (future, ends) = (future.as_future(), Rc::clone(&ends));
            let id = future.add_done_callback(move |future| ends.one_is_done(future));
            (future, id)
        });
        Watch { waiter, timer, callbacks: callbacks.collect() }
    }
}

impl<T: 'static> Drop for Watch<T> {
    fn drop(&mut self) {
        cancel(&self.timer);
        for (future, id) in &self.callbacks {
            future.remove_done_callback(*id);
        }
    }
}

/// The state that the callbacks share.
struct Ends {
    waiter: Future<()>,
    timer: Rc<RefCell<Option<TimerHandle>>>,
    left: Cell<usize>,
    return_when: ReturnWhen,
}

impl Ends {
    fn one_is_done<T: 'static>(&self, future: &Future<T>) {
        self.left.set(self.left.get() - 1);
        let is_over = self.left.get() == 0
            || match self.return_when {
                ReturnWhen::FirstCompleted => true,
                ReturnWhen::FirstException => matches!(future.exception(), Ok(Some(_))),
                ReturnWhen::AllCompleted => false,
            };
        if is_over {
            cancel(&self.timer);
            release(&self.waiter);
        }
    }
}

fn release(waiter: &Future<()>) {
    // The waiter is already done if another future or the timer was faster, or if the waiting task
    // was cancelled.
    let _ = waiter.set_result(());
}

fn cancel(timer: &RefCell<Option<TimerHandle>>) {
    let timer = timer.take();
    if let Some(timer) = timer {
        timer.cancel();
    }
}

/// A future or a task; asyncio's `isfuture`. A coroutine is neither, because it doesn't run until
/// it's awaited or becomes a task.
pub trait FutureLike: Clone + 'static {
    /// The type of the result.
    type Output: 'static;
    /// Returns the future or the task as a future.
    fn as_future(&self) -> Future<Self::Output>;
}

impl<T: 'static> FutureLike for Future<T> {
    type Output = T;

    fn as_future(&self) -> Future<T> {
        self.clone()
    }
}

impl<T: 'static> FutureLike for Task<T> {
    type Output = T;

    fn as_future(&self) -> Future<T> {
        self.future()
    }
}

/// Runs coroutines at the same time, each as a task, and returns an iterator that yields one
/// coroutine per argument: the first to be awaited returns the first result, and so on; asyncio's
/// `as_completed`. A future or a task among the arguments is awaited directly, without a new task.
///
/// If you stop iterating early, no task is cancelled. When the time is up, each missing result is a
/// [`TimeoutError`], and the tasks run on. Besides the timeout, takes the same arguments as
/// [`gather`](crate::gather). Since 3.13, asyncio also lets you iterate with `async for`, which
/// yields the tasks and futures themselves. Here, if you have to know which coroutine a result
/// comes from, let each coroutine return a name with its result. asyncio makes a set of the
/// arguments, so a future that's given twice counts only once there.
///
/// # Errors
///
/// Fails as [`gather`](crate::gather) does.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use asyncio::{as_completed, run, sleep};
///
/// async fn sleep_sort(number: u64) -> asyncio::Result<u64> {
///     sleep(Duration::from_millis(10 * number)).await?;
///     Ok(number)
/// }
///
/// let sorted = run(async {
///     let mut sorted = Vec::new();
///     for next in as_completed([3, 1, 2].map(sleep_sort), None)? {
///         sorted.push(next.await?);
///     }
///     Ok(sorted)
/// })?;
/// assert_eq!(sorted, [1, 2, 3]);
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[track_caller]
pub fn as_completed<C, T>(
    coroutines: impl IntoIterator<Item = C>,
    timeout: impl Into<Option<Duration>>,
) -> LoopResult<impl ExactSizeIterator<Item = impl Coroutine<Output = Result<T>>>>
where
    C: Coroutine<Output = Result<T>> + 'static,
    T: Clone + 'static,
{
    let event_loop = get_running_loop()?;
    let mut futures = Vec::new();
    for coroutine in coroutines {
        futures.push(event_loop.ensure_future(coroutine)?);
    }
    let results = Rc::new(Results::new(futures.len()));
    for future in &futures {
        let results = Rc::clone(&results);
        future.add_done_callback(move |future| results.one_is_done(future));
    }
    if let Some(timeout) = timeout.into().filter(|_| !futures.is_empty()) {
        results.set_timer(&event_loop, timeout);
    }
    Ok((0..futures.len()).map(move |_| next(Rc::clone(&results))))
}

/// Waits for the next result. The first task that waits gets the first result.
async fn next<T: Clone + 'static>(results: Rc<Results<T>>) -> Result<T> {
    match results.came.get().await? {
        Came::Done(future) => future.result(),
        Came::TimedOut => Err(TimeoutError.into()),
    }
}

/// A queue, as in asyncio, of the results that have arrived and that no task has taken yet.
struct Results<T: 'static> {
    came: Queue<Came<T>>,
    /// The number of results that are still to come.
    left: Cell<usize>,
    timer: RefCell<Option<TimerHandle>>,
}

enum Came<T: 'static> {
    Done(Future<T>),
    TimedOut,
}

impl<T: Clone + 'static> Results<T> {
    fn new(count: usize) -> Self {
        Results { came: Queue::new(0), left: Cell::new(count), timer: RefCell::default() }
    }

    fn set_timer(self: &Rc<Self>, event_loop: &EventLoop, timeout: Duration) {
        let weak = Rc::downgrade(self);
        let timer = event_loop.call_later(timeout, move || {
            if let Some(results) = weak.upgrade() {
                results.time_is_up();
            }
        });
        self.timer.replace(Some(timer));
    }

    fn one_is_done(&self, future: &Future<T>) {
        if self.left.get() == 0 {
            // The time was already up.
            return;
        }
        self.left.set(self.left.get() - 1);
        self.put(Came::Done(future.clone()));
        if self.left.get() == 0
            && let Some(timer) = self.timer.take()
        {
            timer.cancel();
        }
    }

    fn time_is_up(&self) {
        for _ in 0..self.left.replace(0) {
            self.put(Came::TimedOut);
        }
    }

    fn put(&self, came: Came<T>) {
        // The queue has room for any number of results and is never shut down.
        let _ = self.came.put_nowait(came);
    }
}
