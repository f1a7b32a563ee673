//! Trials of `step`, in which tasks wait for futures in any order and end in any way, and of
//! `deliver`, in which they're cancelled.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::{Future as _, poll_fn};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use kit::cost::within;
use kit::memory::Memory;
use scene::{Program, Transcript, say, trial};
use step06_tasks::{Error, Future, ReadyQueue, Task, current_task, yield_now};

use super::ops::{Mix, Op};
use super::script::play;

trial!(
    steps_in_any_order,
    150,
    "Each step runs to the next unfinished future, and when a coroutine ends, its task ends with it."
);
fn steps_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    const MIX: Mix = Mix {
        length: 24,
        of_a_task: &[
            Op::Yield,
            Op::AwaitFuture(0),
            Op::AwaitFuture(0),
            Op::AwaitLeaf,
            Op::AwaitForeign,
            Op::WakeItself,
            Op::AwaitTask(0),
            Op::SetFuture(0),
            Op::SetFuture(0),
            Op::Fail,
            Op::Panic,
        ],
        of_the_program: &[Op::SetFuture(0), Op::RunReady, Op::RunReady],
        every: 5,
        at_the_end: &[(Some(1), Op::Clear), (Some(1), Op::AwaitFuture(0))],
    };
    if program.number() == 0 {
        let queue = ReadyQueue::new()?;
        let future = queue.create_future::<u8>();
        let task = queue.create_task(future.clone());
        queue.run_ready();
        let _ = future.set_result(7);
        say!(t, "a future is set on the queue's thread between two rounds; the queue: {queue:?}");
        queue.run_until_idle()?;
        say!(t, "the task that waited for the future: {:?}", task.result());
        woken_in_its_poll_and_after_it(t)?;
    }
    play(t, MIX.verbs(program), |_: &Task<usize>| unreachable!("no task is cancelled here"))
}

/// Counts the steps of a task that's woken while it's polled, and again before its next step.
fn woken_in_its_poll_and_after_it(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let _entered = queue.enter();
    let (polls, waker) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(None)));
    let (counter, left) = (Rc::clone(&polls), Rc::clone(&waker));
    let task: Task<()> = queue.create_task(poll_fn(move |context| {
        counter.set(counter.get() + 1);
        if counter.get() == 1 {
            context.waker().wake_by_ref();
        }
        left.set(Some(context.waker().clone()));
        Poll::Pending
    }));
    queue.run_ready();
    for which in [
        "a task that's woken once in its first step, and then woken twice",
        "then woken twice more",
    ] {
        if let Some(waker) = waker.take() {
            waker.wake_by_ref();
            waker.wake_by_ref();
        }
        queue.run_ready();
        say!(t, "{which}: {} steps", polls.get());
    }
    queue.clear();
    drop((task, waker));
    Ok(())
}

/// The ways in which a coroutine can end.
#[derive(Debug, Clone, Copy)]
enum End {
    CancelledBeforeItBegins,
    CancelledWhileItWaits,
    Returns,
    Fails,
    Panics,
    /// Returns, and owns a handle to its own task.
    ReturnsAndOwnsItself,
    /// Panics, and owns a handle to its own task.
    PanicsAndOwnsItself,
    /// It clears the queue and then waits for a future.
    ClearsTheQueue,
    /// It cancels its own task and waits for a future. Delivering that late cancellation calls
    /// another waker of the same future, which clears the queue.
    AWakerClearsTheQueue,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            End::CancelledBeforeItBegins => "is cancelled before it begins",
            End::CancelledWhileItWaits => "is cancelled while it waits",
            End::Returns => "returns",
            End::Fails => "fails",
            End::Panics => "panics",
            End::ReturnsAndOwnsItself => "owns its own task and returns",
            End::PanicsAndOwnsItself => "owns its own task and panics",
            End::ClearsTheQueue => "clears the queue and then waits",
            End::AWakerClearsTheQueue => "cancels its own task, and a waker clears the queue",
        })
    }
}

impl End {
    /// Returns true if the task is cancelled before this round. It begins in round 0.
    fn is_cancelled_before(self, round: usize) -> bool {
        match self {
            End::CancelledBeforeItBegins => round == 0,
            End::CancelledWhileItWaits => round == 1,
            _ => false,
        }
    }
}

/// The action of a destructor of something that a coroutine owns.
#[derive(Debug, Clone, Copy)]
enum Act {
    ClearTheQueue,
    CallSoon,
    SetFuture,
    Panic,
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Act::ClearTheQueue => "clears the queue",
            Act::CallSoon => "schedules a callback",
            Act::SetFuture => "sets a future",
            Act::Panic => "panics",
        })
    }
}

/// Something that a coroutine owns.
struct Owned(Transcript, ReadyQueue, Future<usize>, Act);

impl Drop for Owned {
    fn drop(&mut self) {
        let Owned(t, queue, future, act) = self;
        let t = *t;
        match act {
            Act::ClearTheQueue => queue.clear(),
            Act::CallSoon => {
                drop(queue.call_soon(move || say!(t, "  the destructor's callback runs")));
            }
            Act::SetFuture => {
                say!(t, "  the destructor sets the future: {}", future.set_result(1).is_ok());
            }
            // A panic!, but without its message on standard error.
            Act::Panic => resume_unwind(Box::new("oh no")),
        }
    }
}

trial!(
    destructors_use_the_queue,
    1,
    "A value that a coroutine owns can use the queue when it's dropped, however the coroutine has ended."
);
fn destructors_use_the_queue(program: &Program, t: Transcript) -> anyhow::Result<()> {
    drop_in_each_way(program, t, all_acts(&[End::Returns, End::Fails, End::Panics]))
}

trial!(
    destructors_of_cancelled_tasks_use_the_queue,
    1,
    "A value that a coroutine owns can use the queue or panic when it's dropped after its task was cancelled."
);
fn destructors_of_cancelled_tasks_use_the_queue(
    program: &Program,
    t: Transcript,
) -> anyhow::Result<()> {
    let mut all = all_acts(&[End::CancelledBeforeItBegins, End::CancelledWhileItWaits]);
    all.push((End::CancelledBeforeItBegins, Act::Panic));
    drop_in_each_way(program, t, all)
}

/// Returns each of these ends with each act that doesn't panic.
fn all_acts(ends: &[End]) -> Vec<(End, Act)> {
    let acts = [Act::ClearTheQueue, Act::CallSoon, Act::SetFuture];
    ends.iter().flat_map(|end| acts.map(|act| (*end, act))).collect()
}

fn drop_in_each_way(program: &Program, t: Transcript, all: Vec<(End, Act)>) -> anyhow::Result<()> {
    for (end, act) in program.verbs(all) {
        say!(t, "the coroutine {end}; a destructor {act}");
        let queue = ReadyQueue::new()?;
        let _entered = queue.enter();
        // Whether a task is pending when its coroutine is dropped can differ.
        queue.set_exception_handler(|_| {});
        let future = queue.create_future();
        let owned = Owned(t, queue.clone(), future, act);
        let task = queue.create_task(async move {
            let _owned = owned;
            yield_now().await?;
            match end {
                End::Fails => Err(Error::other("no such user")),
                // A panic!, but without its message on standard error.
                End::Panics => resume_unwind(Box::new("oh no")),
                _ => Ok(1),
            }
        });
        for round in 0..4 {
            if end.is_cancelled_before(round) {
                task.cancel_with("enough");
            }
            queue.run_ready();
        }
        say!(t, "  done: {}, {:?}", task.done(), task.result());
        queue.clear();
    }
    Ok(())
}

trial!(
    what_a_task_leaves,
    1,
    "When a task has ended and its handles are dropped, all its memory is freed, however the task has ended."
);
fn what_a_task_leaves(program: &Program, t: Transcript) -> anyhow::Result<()> {
    use End::{ClearsTheQueue, Fails, Panics, PanicsAndOwnsItself, Returns, ReturnsAndOwnsItself};
    let ends = [Returns, Fails, Panics, ReturnsAndOwnsItself, PanicsAndOwnsItself, ClearsTheQueue];
    leave(program, t, &ends)
}

trial!(
    what_a_cancelled_task_leaves,
    1,
    "When a task has been cancelled and its handles are dropped, all its memory is freed."
);
fn what_a_cancelled_task_leaves(program: &Program, t: Transcript) -> anyhow::Result<()> {
    use End::{AWakerClearsTheQueue, CancelledBeforeItBegins, CancelledWhileItWaits};
    leave(program, t, &[CancelledBeforeItBegins, CancelledWhileItWaits, AWakerClearsTheQueue])
}

fn leave(program: &Program, t: Transcript, ends: &[End]) -> anyhow::Result<()> {
    for end in program.verbs(ends.iter().copied()) {
        let queue = ReadyQueue::new()?;
        let _entered = queue.enter();
        queue.set_exception_handler(|_| {});
        // The first tasks leave the memory of the queue's lists.
        live_and_end(&queue, end);
        let ((), memory) = Memory::of(|| live_and_end(&queue, end));
        say!(t, "each of 16 coroutines {end}: bytes left: {}", within(memory.in_use, 0));
    }
    Ok(())
}

fn live_and_end(queue: &ReadyQueue, end: End) {
    let create = |_| match end {
        End::ReturnsAndOwnsItself | End::PanicsAndOwnsItself => create_owner_of_itself(queue, end),
        _ => queue.create_task(come_to(queue.clone(), end)),
    };
    let tasks: Vec<Task<usize>> = (0..16).map(create).collect();
    QUEUE.set(Some(queue.clone()));
    for round in 0..3 {
        if end.is_cancelled_before(round) {
            for task in &tasks {
                task.cancel_with("enough");
            }
        }
        queue.run_ready();
    }
    QUEUE.take();
}

fn create_owner_of_itself(queue: &ReadyQueue, end: End) -> Task<usize> {
    let owned = Rc::new(RefCell::new(None));
    let owned_by_it = Rc::clone(&owned);
    let task = queue.create_task(poll_fn(move |_| {
        let _owned = &owned_by_it;
        match end {
            End::PanicsAndOwnsItself => resume_unwind(Box::new("oh no")),
            _ => Poll::Ready(Ok(1)),
        }
    }));
    owned.replace(Some(task.clone()));
    task
}

async fn come_to(queue: ReadyQueue, end: End) -> step06_tasks::Result<usize> {
    yield_now().await?;
    match end {
        End::Fails => Err(Error::other("no such user")),
        // A panic!, but without its message on standard error.
        End::Panics => resume_unwind(Box::new("oh no")),
        End::ClearsTheQueue => {
            queue.clear();
            queue.create_future().await
        }
        End::AWakerClearsTheQueue => {
            let future = queue.create_future();
            let waker = Waker::from(Arc::new(ClearsTheQueue));
            let mut first = future.clone();
            // It's pending, and so there's nothing to look at.
            let _ = Pin::new(&mut first).poll(&mut Context::from_waker(&waker));
            if let Some(running) = current_task() {
                running.cancel();
            }
            future.await
        }
        _ => Ok(1),
    }
}

thread_local! {
    /// For a waker, which has to be `Send`.
    static QUEUE: RefCell<Option<ReadyQueue>> = const { RefCell::new(None) };
}

struct ClearsTheQueue;

impl Wake for ClearsTheQueue {
    fn wake(self: Arc<Self>) {
        if let Some(queue) = QUEUE.take() {
            queue.clear();
        }
    }
}
