//! A future: a place for a result that will come, and the callbacks and tasks that wait for it.
//!
//! It is pending, done or cancelled, and leaves pending once. It runs nothing: finishing it only
//! schedules the callbacks and tasks that wait. None of their code runs inside `set_result`, so
//! finishing a future is safe anywhere.
//!
//! Rust's own `std::future::Future` is something else: anything that can be polled, including a
//! coroutine. This struct implements that trait, so it can be awaited.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::control::Cancel;
use crate::delivery::Wait;
use crate::{Error, ReadyQueue, Result, check_cancelled};

/// asyncio's `Future`. A clone is another handle to the same future, and each task that awaits it
/// gets a clone of the result.
pub struct Future<T> {
    core: Rc<Core<T>>,
    /// The wait of the task that has polled this handle.
    wait: Option<Wait>,
}

struct Core<T> {
    queue: ReadyQueue,
    outcome: RefCell<Option<Result<T>>>,
    callbacks: RefCell<Vec<Callback<T>>>,
    retrieved: Cell<bool>,
}

type DoneCallback<T> = Box<dyn FnOnce(&Future<T>)>;

enum Callback<T> {
    Call(DoneCallback<T>),
    Wake(Waker),
}

impl<T> Callback<T> {
    fn wakes(&self, other: &Waker) -> bool {
        matches!(self, Callback::Wake(waker) if waker.will_wake(other))
    }
}

impl<T: 'static> Future<T> {
    pub(crate) fn new(queue: ReadyQueue) -> Self {
        let core = Core {
            queue,
            outcome: RefCell::new(None),
            callbacks: RefCell::default(),
            retrieved: Cell::new(false),
        };
        Future { core: Rc::new(core), wait: None }
    }

    /// Returns true if it has a result or an error, or is cancelled.
    pub fn done(&self) -> bool {
        self.core.done()
    }

    /// Returns true if it was cancelled.
    pub fn cancelled(&self) -> bool {
        self.core.cancelled()
    }

    /// Sets the result, and schedules the callbacks and tasks that wait. Fails with `InvalidState`
    /// if the future is done already.
    pub fn set_result(&self, result: T) -> Result<()> {
        self.core.finish(Ok(result))
    }

    /// Sets an error instead of a result; asyncio's `set_exception`.
    pub fn set_exception(&self, error: Error) -> Result<()> {
        self.core.finish(Err(error))
    }

    /// Cancels it: the tasks that wait get `Err(Cancelled)`. Returns false if it is done already.
    pub fn cancel(&self) -> bool {
        Rc::clone(&self.core).cancel()
    }

    /// Schedules `callback` for when the future is done, or at once if it is. It is never called
    /// from within this function.
    pub fn add_done_callback(&self, callback: impl FnOnce(&Future<T>) + 'static) {
        let callback = Callback::Call(Box::new(callback));
        if self.done() {
            self.core.schedule(vec![callback]);
        } else {
            self.core.callbacks.borrow_mut().push(callback);
        }
    }

    /// Returns the result. Fails with `InvalidState` if the future isn't done yet.
    pub fn result(&self) -> Result<T>
    where
        T: Clone,
    {
        let outcome = self.core.outcome.borrow();
        // Who asks too early gets an error of their own, and not this future's.
        self.core.retrieved.set(outcome.is_some());
        outcome.clone().unwrap_or(Err(Error::InvalidState("the result is not set")))
    }

    /// Sets the outcome of a task's coroutine.
    pub(crate) fn settle(&self, outcome: Result<T>) {
        // A task ends once, and nothing else can finish its future.
        let _ = self.core.finish(outcome);
    }

    /// Polls as an await of `target`: cancelling the task that waits cancels `target`.
    pub(crate) fn poll_as(
        &mut self,
        target: Rc<dyn Cancel>,
        context: &Context<'_>,
    ) -> Poll<Result<T>>
    where
        T: Clone,
    {
        check_cancelled()?;
        if self.done() {
            return Poll::Ready(self.result());
        }
        // The old one ends first, because it would end the new one with it.
        self.wait = None;
        self.wait = Wait::begin(target);
        let mut callbacks = self.core.callbacks.borrow_mut();
        let waker = context.waker();
        if !callbacks.iter().any(|callback| callback.wakes(waker)) {
            callbacks.push(Callback::Wake(waker.clone()));
        }
        Poll::Pending
    }
}

impl<T: 'static> Core<T> {
    // ANCHOR: finish
    /// Ends the pending state. Schedules the waiting callbacks and tasks, in the order in which they
    /// were added, and runs none of them.
    ///
    /// If the future is done already, it keeps its outcome and fails with `InvalidState`, with a
    /// text of your choice.
    ///
    /// A waker can be anybody's code, and so can the destructor of an outcome that's refused. When
    /// they run, the future is done, and they can use it. The cost is proportional to the number of
    /// those that wait.
    fn finish(self: &Rc<Self>, outcome: Result<T>) -> Result<()> {
        if self.outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.outcome.borrow_mut() = Some(outcome);
        let callbacks = self.callbacks.take();
        self.schedule(callbacks);
        Ok(())
    }
    // ANCHOR_END: finish

    fn schedule(self: &Rc<Self>, callbacks: Vec<Callback<T>>) {
        for callback in callbacks {
            match callback {
                Callback::Wake(waker) => waker.wake(),
                Callback::Call(callback) => {
                    let future = Future { core: Rc::clone(self), wait: None };
                    self.queue.call_soon(move || callback(&future));
                }
            }
        }
    }
}

impl<T: 'static> Cancel for Core<T> {
    fn cancel(self: Rc<Self>) -> bool {
        self.finish(Err(Error::Cancelled)).is_ok()
    }

    fn done(&self) -> bool {
        self.outcome.borrow().is_some()
    }

    fn cancelled(&self) -> bool {
        matches!(&*self.outcome.borrow(), Some(Err(Error::Cancelled)))
    }
}

impl<T: Clone + 'static> std::future::Future for Future<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let target = Rc::clone(&self.core);
        self.poll_as(target, context)
    }
}

/// Reports an exception that was never retrieved.
impl<T> Drop for Core<T> {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.outcome.get_mut()
            && !error.is_cancelled()
            && !self.retrieved.get()
        {
            let message = format!("Future exception was never retrieved: {error}");
            self.queue.report(&message);
        }
    }
}

impl<T> Clone for Future<T> {
    fn clone(&self) -> Self {
        Future { core: Rc::clone(&self.core), wait: None }
    }
}

impl<T> fmt::Debug for Future<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &*self.core.outcome.borrow() {
            None => "pending",
            Some(Err(Error::Cancelled)) => "cancelled",
            Some(_) => "done",
        };
        f.debug_tuple("Future").field(&state).finish()
    }
}
