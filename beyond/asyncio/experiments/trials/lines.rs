//! Tasks that wait in a line, each of which can be cancelled, or lose its wait, at any moment: what
//! the trials of permits, locks and queues share.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use asyncio::{EventLoop, LoopResult, Result, Task, VirtualClock, current_task, yield_now};
use scene::{Transcript, say};

/// A wait that ends with a few words about what the task got.
pub(super) type Wait = Pin<Box<dyn Future<Output = Result<String>>>>;

/// A loop, and the tasks that wait in it.
pub(super) struct Line {
    t: Transcript,
    event_loop: EventLoop,
    waits: RefCell<BTreeMap<usize, Waiting>>,
}

struct Waiting {
    task: Task<()>,
    /// `None` once the wait is over or was dropped.
    wait: Rc<RefCell<Option<Wait>>>,
}

impl Line {
    pub(super) fn new(t: Transcript) -> LoopResult<Rc<Self>> {
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        event_loop.set_exception_handler(move |message| say!(t, "  reported: {message}"));
        Ok(Rc::new(Line { t, event_loop, waits: RefCell::default() }))
    }

    pub(super) fn event_loop(&self) -> &EventLoop {
        &self.event_loop
    }

    /// Runs a coroutine to its end, before the line begins.
    pub(super) fn run(
        &self,
        coroutine: impl Future<Output = Result<()>> + 'static,
    ) -> LoopResult<()> {
        self.event_loop.run_until_complete(coroutine)
    }

    /// Starts a task that waits, from the next tick on.
    pub(super) fn begin(&self, number: usize, asks_for: &'static str, wait: Wait) {
        let (t, wait) = (self.t, Rc::new(RefCell::new(Some(wait))));
        let polled = Rc::clone(&wait);
        let task = self.event_loop.create_task(async move {
            say!(t, "  task {number} calls {asks_for}");
            let outcome = poll_fn(|context| match polled.borrow_mut().as_mut() {
                Some(wait) => wait.as_mut().poll(context),
                None => Poll::Ready(Ok("goes on without its wait".to_owned())),
            });
            let outcome = outcome.await;
            polled.take();
            say!(t, "  task {number}: {}", said(outcome));
            Ok(())
        });
        self.waits.borrow_mut().insert(number, Waiting { task, wait });
    }

    /// Cancels a task, if it was started.
    pub(super) fn cancel(&self, number: usize) -> Option<String> {
        let task = self.waits.borrow().get(&number)?.task.clone();
        Some(task.cancel().to_string())
    }

    /// Drops what a task waits for, if it's still waiting.
    pub(super) fn drop_wait(&self, number: usize) -> Option<String> {
        let (task, wait) = {
            let waits = self.waits.borrow();
            let waiting = waits.get(&number)?;
            (waiting.task.clone(), waiting.wait.take()?)
        };
        drop(wait);
        // So that it has one more turn.
        task.cancel();
        Some("done".to_owned())
    }

    /// Performs the act now, or in a callback of the next tick.
    pub(super) fn perform(&self, soon: bool, act: impl FnOnce() + 'static) {
        if soon {
            self.event_loop.call_soon(act);
        } else {
            act();
        }
    }

    pub(super) fn tick(&self) -> LoopResult<()> {
        say!(self.t, "one tick");
        self.event_loop.stop();
        self.event_loop.run_forever()
    }

    /// Returns the tasks that are still waiting.
    pub(super) fn waiting(&self) -> Vec<usize> {
        let waits = self.waits.borrow();
        waits
            .iter()
            .filter(|(_, waiting)| !waiting.task.done())
            .map(|(number, _)| *number)
            .collect()
    }

    /// Ends the waits that are left.
    pub(super) fn close(&self) -> LoopResult<()> {
        for number in self.waiting() {
            self.cancel(number);
        }
        for _ in 0..2 {
            self.tick()?;
        }
        self.event_loop.close()
    }
}

fn said(outcome: Result<String>) -> String {
    outcome.unwrap_or_else(|error| error.to_string())
}

/// Begins a wait as soon as something wakes its task, before the task hears of a cancellation.
pub(super) fn once_woken(wait: Wait) -> Wait {
    let mut is_woken = false;
    Box::pin(async move {
        // This isn't what takes a cancellation, so the task hears of it later.
        let woken = poll_fn(|_| {
            if mem::replace(&mut is_woken, true) { Poll::Ready(()) } else { Poll::Pending }
        });
        woken.await;
        wait.await
    })
}

/// Begins a wait after its task has heard that it's cancelled, as a task that cleans up can do.
pub(super) fn to_clean_up(wait: Wait) -> Wait {
    Box::pin(async {
        current_task().map(|task| task.cancel());
        // It fails with `Cancelled`.
        let _ = yield_now().await;
        wait.await
    })
}

/// How a task that was woken ends its own wait.
#[derive(Debug, Clone, Copy)]
pub(super) enum Leaves {
    Drops,
    Panics,
}

/// A wait that its own task ends when the task is woken, instead of going on with the wait.
pub(super) fn left_once_woken(mut wait: Wait, leaves: Leaves) -> Wait {
    let mut is_woken = false;
    Box::pin(async move {
        let outcome = poll_fn(|context| {
            if mem::replace(&mut is_woken, true) {
                return Poll::Ready(None);
            }
            wait.as_mut().poll(context).map(Some)
        });
        match (outcome.await, leaves) {
            (Some(outcome), _) => outcome,
            (None, Leaves::Drops) => {
                drop(wait);
                Ok("has dropped its wait".to_owned())
            }
            (None, Leaves::Panics) => {
                let unwound = catch_unwind(AssertUnwindSafe(|| {
                    let _dropped_by_the_panic = wait;
                    resume_unwind(Box::new("the task panics"))
                }));
                unwound.or(Ok("has panicked".to_owned()))
            }
        }
    })
}

/// Polls a wait once, where no loop runs, and drops it.
pub(super) fn poll_outside(mut wait: Wait) -> String {
    poll_once(&mut wait, &mut Context::from_waker(Waker::noop()))
}

/// Polls a wait once, in a loop of its own, and drops it.
pub(super) fn poll_elsewhere(mut wait: Wait) -> LoopResult<String> {
    let another = EventLoop::with_clock(VirtualClock::new())?;
    let said = another.run_until_complete(async move {
        poll_fn(|context| Poll::Ready(Ok(poll_once(&mut wait, context)))).await
    });
    another.close()?;
    said
}

fn poll_once(wait: &mut Wait, context: &mut Context<'_>) -> String {
    match wait.as_mut().poll(context) {
        Poll::Ready(outcome) => said(outcome),
        Poll::Pending => "would wait".to_owned(),
    }
}
