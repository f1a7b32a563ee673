//! A trial of what can run inside `finish`: wakers and destructors, which can run any code.
//!
//! A waker has to be `Send`, and a future isn't. So the future that a waker or a destructor looks
//! at is in a thread-local variable.

use std::cell::RefCell;
use std::future::Future as _;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use kit::cost::{cpu_time_of, growth, within};
use scene::{Program, Transcript, say, trial};
use step06_tasks::for_trials::{end_with, run_uncounted};
use step06_tasks::{Error, Future, ReadyQueue};

thread_local! {
    static WATCHED: RefCell<Option<(Future<Asking>, Transcript)>> = const { RefCell::new(None) };
    /// Handles that wait. A handle that's dropped would give up its wait.
    static WAITERS: RefCell<Vec<Future<Asking>>> = const { RefCell::new(Vec::new()) };
}

/// A result whose destructor says in which state the future is.
#[derive(Debug, Clone)]
struct Asking(&'static str, Transcript);

impl Drop for Asking {
    fn drop(&mut self) {
        let Asking(name, t) = *self;
        // It fails if a page has left one behind until the thread ends, which is another fault.
        let watched = WATCHED.try_with(|watched| watched.borrow().clone());
        let Some((future, _)) = watched.ok().flatten() else {
            say!(t, "  {name} is dropped with the future");
            return;
        };
        say!(t, "  the destructor of {name} {}", look_at(&future));
        future.add_done_callback(move |_| say!(t, "  a callback that a destructor added"));
    }
}

/// Says in which state a waker or a destructor finds the future.
fn look_at(future: &Future<Asking>) -> &'static str {
    match (future.done(), future.cancelled()) {
        (false, _) => "finds the future pending",
        (true, false) => "finds the future done",
        (true, true) => "finds the future cancelled",
    }
}

/// A waker's use of the future when the waker is called.
#[derive(Debug, Clone, Copy)]
enum Use {
    PollAgain,
    AddDoneCallback,
    Cancel,
    Fail,
    Panic,
}

struct UsesTheFuture(Use);

impl Wake for UsesTheFuture {
    fn wake(self: Arc<Self>) {
        let Some((future, t)) = WATCHED.with_borrow(Clone::clone) else { return };
        let found = look_at(&future);
        let did = match self.0 {
            Use::PollAgain => format!("polls: ready = {}", poll(&future, Waker::noop())),
            Use::AddDoneCallback => {
                future.add_done_callback(move |_| say!(t, "  a callback that a waker added"));
                "adds a callback".to_owned()
            }
            Use::Cancel => format!("cancels: {}", future.cancel()),
            Use::Fail => {
                let failed = future.set_exception(Error::other("too late"));
                format!("sets an error: ok = {}", failed.is_ok())
            }
            Use::Panic => {
                say!(t, "  a waker {found} and panics");
                // A panic!, but without its message on standard error.
                resume_unwind(Box::new("oh no"))
            }
        };
        say!(t, "  a waker {found} and {did}");
    }
}

/// Polls a new handle and returns true if the future was ready.
fn poll(future: &Future<Asking>, waker: &Waker) -> bool {
    let mut handle = future.clone();
    // What it returns has a destructor that asks; it's the same for everybody.
    let polled = Pin::new(&mut handle).poll(&mut Context::from_waker(waker));
    WAITERS.with_borrow_mut(|waiters| waiters.push(handle));
    polled.is_ready()
}

/// Ends a task without its step, which is a later exercise.
fn end_of_a_task() -> anyhow::Result<String> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let task = queue.create_task(async { Ok(1) });
    let ended = end_with(&task, Ok(7));
    let result = task.result();
    queue.clear();
    Ok(format!("its future is finished: {}; its result: {result:?}", ended.is_ok()))
}

/// An action on the future: a way to wait for it or to finish it.
#[derive(Debug, Clone, Copy)]
enum Verb {
    AddDoneCallback,
    Wait(Use),
    SetResult(&'static str),
    SetException,
    Cancel,
}

trial!(
    what_runs_inside_a_finish,
    24,
    "A waker or the destructor of a refused outcome finds the future done and can use it."
);
fn what_runs_inside_a_finish(program: &Program, t: Transcript) -> anyhow::Result<()> {
    if program.number() == 0 {
        let cost = cost_of_many()?;
        say!(
            t,
            "CPU time of set_result with 8000 callbacks, as a multiple of the time with 500: {cost}"
        );
        say!(t, "a task whose last step has returned 7: {}", end_of_a_task()?);
    }
    let uses = [Use::PollAgain, Use::AddDoneCallback, Use::Cancel, Use::Fail, Use::Panic];
    let ends = [Verb::SetResult("a result"), Verb::SetException, Verb::Cancel];
    let mut random = program.random();
    let waits = (0..4).map(|_| match random.below(4) {
        0 => Verb::AddDoneCallback,
        _ => Verb::Wait(random.choose(&uses)),
    });
    let mut verbs: Vec<Verb> = waits.collect();
    verbs.push(ends[program.number() as usize % ends.len()]);
    verbs.extend([Verb::SetResult("a refused result"), Verb::SetException, Verb::Cancel]);
    let verbs = program.verbs(verbs);

    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(move |message| say!(t, "  reported: {message}"));
    let future = queue.create_future();
    WATCHED.set(Some((future.clone(), t)));
    for verb in verbs {
        say!(t, "{verb:?}");
        match verb {
            Verb::AddDoneCallback => {
                future.add_done_callback(move |_| say!(t, "  a callback runs"));
            }
            Verb::Wait(how) => {
                let ready = poll(&future, &Waker::from(Arc::new(UsesTheFuture(how))));
                say!(t, "  ready: {ready}");
            }
            Verb::SetResult(name) => {
                say!(t, "  ok: {}", future.set_result(Asking(name, t)).is_ok());
            }
            Verb::SetException => {
                say!(t, "  ok: {}", future.set_exception(Error::other("no such user")).is_ok());
            }
            Verb::Cancel => say!(t, "  {}", future.cancel()),
        }
    }
    say!(t, "the queue runs until nothing is ready");
    run_uncounted(&queue);
    say!(t, "the last handle is dropped");
    WATCHED.take();
    WAITERS.take();
    drop(future);
    Ok(())
}

/// Measures what finishing costs when many wait.
fn cost_of_many() -> anyhow::Result<String> {
    let queue = ReadyQueue::new()?;
    let grows = growth((500, 8000), |count| {
        let future = queue.create_future();
        for _ in 0..count {
            future.add_done_callback(|_| {});
        }
        let finished = cpu_time_of(|| future.set_result(()));
        queue.clear();
        finished.map_or(Duration::MAX, |(_, time)| time)
    });
    // Half of what a cost in proportion to the square would grow by is 128.
    Ok(within(grows.round(), 80.0))
}
