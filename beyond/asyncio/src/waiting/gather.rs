//! `gather`: one future for many results. `shield`: a future that stops a cancellation.

use std::cell::{Cell, RefCell};
use std::future::Future as Coroutine;
use std::rc::{Rc, Weak};

use step06_tasks::{CancelOverride, Error, Future, Result, WeakFuture};

use crate::{Either, EventLoop, LoopResult, get_running_loop};

/// Runs coroutines at the same time, each as a task, and returns a future for all their results, in
/// the order of the arguments; asyncio's `gather`. A future or a task among the arguments is
/// awaited directly, without a new task.
///
/// The arguments' futures and tasks are the *children*. The first error of a child becomes the
/// outcome at once, whereas a call of [`TaskGroup::run`](crate::TaskGroup::run) returns only when
/// all members have ended. The other children aren't cancelled: they run on, but the loop doesn't
/// report their errors. Cancelling the returned future, or a task that awaits it, cancels all
/// children that haven't ended. If a child then ends with an error, such as `Cancelled`, that error
/// is the outcome at once; otherwise the future fails with `Cancelled` when all have ended. If the
/// outcome is a child's cancellation, the returned future is [`cancelled`](Future::cancelled) as
/// well; in asyncio it has failed with a `CancelledError`.
///
/// All arguments have the same type, because an iterator has one item type. For coroutines of
/// different types, use [`ensure_future`](crate::ensure_future) on each; for different result
/// types, use a task group.
///
/// # Errors
///
/// Fails if no loop runs in this thread, and with [`WrongLoop`](crate::LoopError::WrongLoop) if a
/// future or a task belongs to another loop.
///
/// # Examples
///
/// ```
/// use asyncio::{gather, run};
/// let square = |number| async move { Ok(number * number) };
/// let squares = run(async move { gather((1..=3).map(square))?.await })?;
/// assert_eq!(squares, [1, 4, 9]);
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[track_caller]
pub fn gather<C, T>(coroutines: impl IntoIterator<Item = C>) -> LoopResult<Future<Vec<T>>>
where
    C: Coroutine<Output = Result<T>> + 'static,
    T: Clone + 'static,
{
    let all = |children: &[Future<T>]| children.iter().map(Future::result).collect();
    start(coroutines, Errors::EndTheGathering, all)
}

/// Does what [`gather`] does but collects errors like results, so it always waits for all children;
/// asyncio's `gather(…, return_exceptions=True)`, which returns a list of results and exceptions.
/// The future fails only if you cancel the future itself or a task that awaits it.
///
/// If the returned future is dropped while it's pending, the errors are no longer collected but are
/// reported like any task's errors. In asyncio the children keep that future alive until they've
/// ended, so the errors are collected anyway. Here, the future owns the children, so references
/// from the children to the future would form a cycle.
///
/// # Errors
///
/// Fails as [`gather`] does.
///
/// # Examples
///
/// ```
/// use asyncio::{Error, gather_return_exceptions, run};
/// let tries = [Ok(1), Err(Error::other("no such user"))];
/// let results = run(async {
///     gather_return_exceptions(tries.into_iter().map(std::future::ready))?.await
/// })?;
/// assert!(results[0].is_ok() && results[1].is_err());
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[track_caller]
pub fn gather_return_exceptions<C, T>(
    coroutines: impl IntoIterator<Item = C>,
) -> LoopResult<Future<Vec<Result<T>>>>
where
    C: Coroutine<Output = Result<T>> + 'static,
    T: Clone + 'static,
{
    let all = |children: &[Future<T>]| Ok(children.iter().map(Future::result).collect());
    start(coroutines, Errors::AreResults, all)
}

/// The effect of a child's error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Errors {
    EndTheGathering,
    AreResults,
}

type Collect<T, R> = fn(&[Future<T>]) -> Result<R>;

// ANCHOR: gathering
/// The state that the children's done callbacks share. It holds the children and the outer future
/// weakly: a child that never ends keeps its callback, which mustn't keep the child alive.
struct Gathering<T: 'static, R: 'static> {
    outer: WeakFuture<R>,
    children: Weak<Children<T>>,
    errors: Errors,
    collect: Collect<T, R>,
    left: Cell<usize>,
    is_over: Cell<bool>,
}
// ANCHOR_END: gathering

#[track_caller]
fn start<C, T, R>(
    coroutines: impl IntoIterator<Item = C>,
    errors: Errors,
    collect: Collect<T, R>,
) -> LoopResult<Future<R>>
where
    C: Coroutine<Output = Result<T>> + 'static,
    T: Clone + 'static,
{
    let event_loop = get_running_loop()?;
    let coroutines = coroutines.into_iter();
    let mut futures = Vec::with_capacity(coroutines.size_hint().0);
    for coroutine in coroutines {
        futures.push(child(&event_loop, coroutine)?);
    }
    let children = Rc::new(Children::new(futures));
    let outer = event_loop.create_future_with(Rc::clone(&children));
    let gathering = Rc::new(Gathering {
        outer: outer.downgrade(),
        children: Rc::downgrade(&children),
        errors,
        collect,
        left: Cell::new(children.futures().len()),
        is_over: Cell::new(false),
    });
    gathering.watch(&children);
    if children.futures().is_empty() {
        gathering.finish(collect(&[]));
    }
    Ok(outer)
}

#[track_caller]
fn child<T: 'static>(
    event_loop: &EventLoop,
    coroutine: impl Coroutine<Output = Result<T>> + 'static,
) -> LoopResult<Future<T>> {
    Ok(match event_loop.future_or_task(coroutine)? {
        Either::Future(future) => future,
        Either::NewTask(task) => {
            // The caller has no handle to the task and so can't make sure that it ends.
            task.any().expect_to_be_destroyed();
            task.future()
        }
    })
}

impl<T: Clone + 'static, R: 'static> Gathering<T, R> {
    /// Adds a callback to each pending child. For a child that has already ended, calls
    /// `child_is_done` at once, as CPython has done since 3.12.
    fn watch(self: &Rc<Self>, children: &Children<T>) {
        for child in children.futures().iter().filter(|child| !child.done()) {
            let gathering = Rc::clone(self);
            child.add_done_callback(move |child| {
                // If the outer future was dropped first, the loop reports a child's error itself.
                if gathering.is_over.get() || gathering.outer.upgrade().is_some() {
                    gathering.child_is_done(child);
                }
            });
        }
        for child in children.futures().iter().filter(|child| child.done()) {
            self.child_is_done(child);
        }
    }

    // ANCHOR: child_is_done
    /// Notes that a child has ended and finishes the gathering as soon as its outcome is certain.
    /// The outcome is certain when the last child has ended or, unless errors count as results, as
    /// soon as a child has failed.
    ///
    /// - Each child's end is a call of its own. A gathering that no error ends is over in the last
    ///   call, even if all children are done before it (`gatherings`).
    /// - A child's cancellation is an error, too (`gatherings`).
    /// - If a request to cancel has reached the children, the outcome is the request's error once
    ///   the last child has ended, whatever the children have returned (`gatherings`).
    /// - When the gathering is over, a late error counts as retrieved, and the loop doesn't report
    ///   it (`an_error_nobody_sees`). The gathering is over once this method has called `finish`. A
    ///   caller that finishes the outer future itself changes nothing about that (`gatherings`).
    /// - An error that still waits to be collected doesn't count as retrieved: if the caller drops
    ///   the outer future first, the loop reports that error. Once the last child has ended, all
    ///   errors have been collected, even after a request to cancel (`gatherings`).
    /// - A future that's passed to `gather` twice counts as two children, and its end counts twice
    ///   (`gatherings`).
    fn child_is_done(&self, child: &Future<T>) {
        self.left.set(self.left.get() - 1);
        if self.is_over.get() {
            // No task asks for this child's error any more, and the loop isn't to report it either.
            let _ = child.exception();
            return;
        }
        if self.errors == Errors::EndTheGathering
            && let Some(error) = error_of(child)
        {
            return self.finish(Err(error));
        }
        if self.left.get() == 0
            && let Some(children) = self.children.upgrade()
        {
            let results = (self.collect)(children.futures());
            self.finish(children.cancelled().map_or(results, Err));
        }
    }
    // ANCHOR_END: child_is_done

    // ANCHOR: children
    fn finish(&self, outcome: Result<R>) {
        if let Some(outer) = self.outer.upgrade() {
            self.is_over.set(true);
            // The caller may have finished the returned future itself.
            let _ = match outcome {
                Ok(results) => outer.set_result(results),
                Err(error) => outer.set_exception(error),
            };
        }
    }
}

/// Returns the error of a future that's done. A cancellation is an error, too.
fn error_of<T: 'static>(future: &Future<T>) -> Option<Error> {
    future.exception().unwrap_or_else(Some)
}

/// The futures that are gathered, in the order of the arguments. The future that `gather` returns
/// owns them.
struct Children<T: 'static> {
    futures: Vec<Future<T>>,
    /// The last request to cancel that reached at least one child.
    cancelled: RefCell<Option<Error>>,
}
// ANCHOR_END: children

impl<T: 'static> Children<T> {
    pub(crate) fn new(futures: Vec<Future<T>>) -> Self {
        Children { futures, cancelled: RefCell::default() }
    }

    pub(crate) fn futures(&self) -> &[Future<T>] {
        &self.futures
    }

    /// Returns the error of the last request to cancel that reached a child, if any.
    pub(crate) fn cancelled(&self) -> Option<Error> {
        self.cancelled.borrow().clone()
    }
}

/// asyncio's `_GatheringFuture.cancel`: the returned future only passes a request to cancel on to
/// the children. It ends later, when a child's end makes the outcome certain.
impl<T: 'static> CancelOverride for Children<T> {
    fn can_cancel(&self) -> bool {
        self.futures.iter().any(Future::can_be_cancelled)
    }

    fn cancel(&self, message: Option<&str>) {
        let mut is_any_cancelled = false;
        for child in &self.futures {
            is_any_cancelled |= match message {
                Some(message) => child.cancel_with(message),
                None => child.cancel(),
            };
        }
        if is_any_cancelled {
            self.cancelled.replace(Some(Error::Cancelled(message.map(Into::into))));
        }
    }
}

/// Returns a future with the outcome of a coroutine, a task or a future; asyncio's `shield`.
/// Cancelling the returned future doesn't cancel the inner future. A coroutine first becomes a
/// task.
///
/// So a task that awaits a shield can be cancelled while the shielded work runs on. If the work
/// fails after that, the loop reports the error, unless other code retrieves it from the inner
/// future. If the inner future is cancelled directly, the shield is cancelled, too.
///
/// # Errors
///
/// Fails as [`ensure_future`](crate::ensure_future) does.
///
/// # Examples
///
/// ```
/// use asyncio::{create_task, run, shield, yield_now};
/// let saved = run(async {
///     let save = create_task(async {
///         yield_now().await?;
///         Ok("saved")
///     })?;
///     let shielded = shield(save.clone())?;
///     shielded.cancel();
///     assert!(shielded.await.is_err());
///     save.await
/// })?;
/// assert_eq!(saved, "saved");
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[track_caller]
pub fn shield<T: Clone + 'static>(
    coroutine: impl Coroutine<Output = Result<T>> + 'static,
) -> LoopResult<Future<T>> {
    let event_loop = get_running_loop()?;
    let inner = event_loop.ensure_future(coroutine)?;
    if inner.done() {
        return Ok(inner);
    }
    let outer = event_loop.create_future();
    // Weak, because the outer future holds the inner one, which has this callback.
    let weak = outer.downgrade();
    let id = inner.add_done_callback(move |inner| {
        if let Some(outer) = weak.upgrade() {
            hand_on(inner, &outer);
        }
    });
    outer.add_done_callback(move |_| {
        inner.remove_done_callback(id);
    });
    Ok(outer)
}

fn hand_on<T: Clone + 'static>(inner: &Future<T>, outer: &Future<T>) {
    // If both have ended in the same tick, the outer future is already done, because it was
    // cancelled. Then the inner future's error isn't reported, as in asyncio.
    let _ = match inner.result() {
        Ok(result) => outer.set_result(result),
        Err(error) => outer.set_exception(error),
    };
}
