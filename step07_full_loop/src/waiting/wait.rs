//! `wait`: until the first, until the first error, or until all.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use step06_tasks::{CallbackId, Error, Future, Result};

use crate::TimerHandle;
use crate::event_loop::{EventLoop, get_running_loop};
use crate::waiting::FutureLike;

/// When [`wait`] returns, unless its time is up earlier; asyncio's `FIRST_COMPLETED`,
/// `FIRST_EXCEPTION` and `ALL_COMPLETED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReturnWhen {
    /// As soon as one is done, in whatever way.
    FirstCompleted,
    /// As soon as one has failed, or all are done. A cancellation isn't a failure.
    FirstException,
    /// When all are done.
    #[default]
    AllCompleted,
}

/// Waits for futures or tasks, and returns those that are done and those that are pending, both in
/// the order of the arguments; asyncio's `wait`, which returns two sets. (So there, a future that's
/// given twice counts once.)
///
/// It never cancels anything: not when the time is up, which isn't an error, and not when it is
/// cancelled itself. It retrieves no results either: ask those that are done. Fails if there's
/// nothing to wait for. A coroutine needs a task first, as in asyncio since 3.11.
///
/// ```
/// use std::time::Duration;
/// use step07_full_loop::{ReturnWhen, create_task, run, sleep, wait};
/// run(async {
///     let quick = create_task(sleep(Duration::ZERO))?;
///     let slow = create_task(sleep(Duration::from_hours(1)))?;
///     let (done, pending) = wait([quick, slow], None, ReturnWhen::FirstCompleted).await?;
///     assert_eq!((done.len(), pending.len()), (1, 1));
///     Ok(())
/// })?;
/// # Ok::<(), step07_full_loop::LoopError>(())
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

/// A guard: the callbacks on the ends of the futures, and the timer. Dropping it removes them, when
/// the wait is over, is cancelled, or is dropped.
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

/// What the callbacks share.
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
    // It's done already if another end was first, or if the task that waits was cancelled.
    let _ = waiter.set_result(());
}

fn cancel(timer: &RefCell<Option<TimerHandle>>) {
    let timer = timer.take();
    if let Some(timer) = timer {
        timer.cancel();
    }
}
