//! Trials of what can run inside a poll: the clone and the destructor of a waker, which can be any
//! code.
//!
//! A waker has to be `Send`, and a future isn't. So the future that a waker uses is in a
//! thread-local variable.

use std::cell::{Cell, RefCell};
use std::future::Future as _;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::thread;

use kit::{WakerCall, anybodys_waker};
use scene::{Program, Transcript, say, trial};
use step06_tasks::for_trials::{give_outcome, run_uncounted, schedule_all};
use step06_tasks::{Error, Future, ReadyQueue};

thread_local! {
    static USED: RefCell<Option<Future<usize>>> = const { RefCell::new(None) };
    /// The number of times a waker was woken.
    static WAKES: Cell<u32> = const { Cell::new(0) };
}

/// The wakers' action when they're cloned, woken or dropped.
fn use_the_future(_: WakerCall) {
    let future = USED.with_borrow(Clone::clone);
    // A second panic would end the process before the first one is reported.
    if let Some(future) = future.filter(|_| !thread::panicking()) {
        let callback = future.add_done_callback(|_| {});
        future.remove_done_callback(callback);
    }
}

trial!(
    what_runs_inside_a_poll,
    1,
    "A waker can use the future while a poll clones that waker or drops the previous one."
);
fn what_runs_inside_a_poll(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for polls in program.verbs([2, 1]) {
        say!(t, "polls of one handle: {polls}; its wakers use the future");
        let queue = ReadyQueue::new()?;
        let mut future = queue.create_future();
        USED.set(Some(future.clone()));
        for _ in 0..polls {
            let waker = anybodys_waker(use_the_future);
            let polled = Pin::new(&mut future).poll(&mut Context::from_waker(&waker));
            say!(t, "  {polled:?}");
        }
        USED.take();
    }
    Ok(())
}

/// Finishes the future when the waker is cloned.
fn finish_the_future(call: WakerCall) {
    end_the_future(call, Ok(7));
}

/// Finishes the future with an error when the waker is cloned.
fn fail_the_future(call: WakerCall) {
    end_the_future(call, Err(Error::other("no such user")));
}

fn end_the_future(call: WakerCall, outcome: step06_tasks::Result<usize>) {
    match call {
        WakerCall::Wake => WAKES.set(WAKES.get() + 1),
        WakerCall::Drop => {}
        WakerCall::Clone => {
            let future = USED.with_borrow(Clone::clone);
            // A second panic would end the process before the first one is reported.
            if let Some(future) = future.filter(|future| !thread::panicking() && !future.done()) {
                give_outcome(&future, outcome);
                schedule_all(&future);
            }
        }
    }
}

trial!(
    a_clone_finishes_the_future,
    1,
    "If cloning a waker finishes the future, the poll returns the result or the waker is called, and no entry is left."
);
fn a_clone_finishes_the_future(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for (polls_before, fails) in program.verbs([(0, false), (1, false), (0, true), (1, true)]) {
        let ends = if fails { "fails" } else { "has a result" };
        say!(t, "earlier polls of the handle: {polls_before}; the future {ends}");
        let queue = ReadyQueue::new()?;
        let is_reported = Rc::new(Cell::new(false));
        let report = Rc::clone(&is_reported);
        queue.set_exception_handler(move |_| report.set(true));
        let mut future = queue.create_future();
        for _ in 0..polls_before {
            let polled = Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop()));
            say!(t, "  {polled:?}");
        }
        USED.set(Some(future.clone()));
        WAKES.set(0);
        let waker = anybodys_waker(if fails { fail_the_future } else { finish_the_future });
        let polled = Pin::new(&mut future).poll(&mut Context::from_waker(&waker));
        run_uncounted(&queue);
        let is_told = polled.is_ready() || WAKES.get() > 0;
        say!(t, "  the poll returns the result or the waker is called: {is_told}");
        WAKES.set(0);
        schedule_all(&future);
        say!(t, "  the finished future still has an entry: {}", WAKES.get() > 0);
        USED.take();
        let polled = match polled {
            // A right body can leave the result to the next poll, which the waker asks for.
            Poll::Pending => Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())),
            polled @ Poll::Ready(_) => polled,
        };
        say!(t, "  {:?}", polled.map_err(|error| error.to_string()));
        drop(future);
        say!(t, "  reported when the last handle is dropped: {}", is_reported.get());
    }
    Ok(())
}
