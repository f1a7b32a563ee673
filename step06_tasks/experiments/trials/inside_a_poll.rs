//! A trial of what can run inside a poll: the clone and the destructor of a waker, which can be any
//! code.
//!
//! A waker has to be `Send`, and a future isn't. So the future that a waker uses is in a
//! thread-local variable.

use std::cell::{Cell, RefCell};
use std::future::Future as _;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::thread;

use kit::anybodys_waker;
use scene::{Program, Transcript, say, trial};
use step06_tasks::for_trials::{give_outcome, run_uncounted, schedule_all};
use step06_tasks::{Future, ReadyQueue};

thread_local! {
    static USED: RefCell<Option<Future<usize>>> = const { RefCell::new(None) };
    /// The number of times a waker was cloned, woken or dropped.
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// The wakers' actions when they're cloned and when they're dropped.
fn use_the_future() {
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
fn finish_the_future() {
    CALLS.set(CALLS.get() + 1);
    let future = USED.with_borrow(Clone::clone);
    if let Some(future) = future.filter(|future| !thread::panicking() && !future.done()) {
        give_outcome(&future, Ok(7));
        schedule_all(&future);
    }
}

trial!(
    a_clone_finishes_the_future,
    1,
    "If cloning a waker finishes the future, the poll returns the result or the waker is called."
);
fn a_clone_finishes_the_future(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for polls_before in program.verbs([0, 1]) {
        say!(t, "earlier polls of the handle: {polls_before}");
        let queue = ReadyQueue::new()?;
        let mut future = queue.create_future();
        for _ in 0..polls_before {
            let polled = Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop()));
            say!(t, "  {polled:?}");
        }
        USED.set(Some(future.clone()));
        CALLS.set(0);
        // A drop would count as a call.
        let waker = ManuallyDrop::new(anybodys_waker(finish_the_future));
        let polled = Pin::new(&mut future).poll(&mut Context::from_waker(&waker));
        run_uncounted(&queue);
        let is_told = polled.is_ready() || CALLS.get() > 1;
        say!(
            t,
            "  the poll returns the result or the waker is called: {is_told}; {:?}",
            future.result()
        );
        USED.take();
        // Only now: dropping a waker that the future has left is another call.
        drop(future);
    }
    Ok(())
}
