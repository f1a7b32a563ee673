//! Trials of `step`: tasks that wait for futures in any order, end in any way, and are asked to
//! end.
//!
//! `cancel` is a later exercise, so the requests come from `for_trials.rs`. A late request always
//! reaches a future here, because for a task it would need `cancel`.

use std::cell::RefCell;
use std::future::Future as _;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use kit::cost::within;
use kit::memory::Memory;
use scene::{Program, Transcript, say, trial};
use step06_tasks::for_trials::{cancel_at_next_step, cancel_the_running_task};
use step06_tasks::{Error, Future, ReadyQueue, Task, yield_now};

use super::ops::{Mix, Op};
use super::script::play;

trial!(
    steps_in_any_order,
    150,
    "Each step goes to the next unfinished future, and each end of a coroutine ends its task."
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
    play(t, MIX.verbs(program), |_: &Task<usize>| unreachable!("no task is cancelled here"))
}

trial!(
    requests_that_a_step_delivers,
    200,
    "A step delivers the request to end that it finds, and one that arrives while it runs."
);
fn requests_that_a_step_delivers(program: &Program, t: Transcript) -> anyhow::Result<()> {
    const MIX: Mix = Mix {
        length: 16,
        of_a_task: &[
            Op::Yield,
            Op::AwaitFuture(0),
            Op::AwaitFuture(0),
            Op::AwaitLeaf,
            Op::AwaitForeign,
            Op::GiveUpFuture(0),
            Op::KeepFuture(0),
            Op::SetFuture(0),
            Op::Cancel(0),
            Op::Cancel(0),
            Op::Fail,
        ],
        of_the_program: &[
            Op::Cancel(0),
            Op::SetFuture(0),
            Op::RunReady,
            Op::RunReady,
            Op::RunReady,
        ],
        every: 1,
        at_the_end: &[],
    };
    play(t, MIX.verbs(program), |task: &Task<usize>| {
        if task.done() {
            return "it was done already".to_owned();
        }
        cancel_at_next_step(task, "enough");
        "asked".to_owned()
    })
}

/// How a coroutine ends.
#[derive(Debug, Clone, Copy)]
enum End {
    CancelledBeforeItBegins,
    CancelledWhileItWaits,
    Returns,
    Fails,
    Panics,
    /// It clears the queue, and then waits for a future.
    ClearsTheQueue,
    /// It cancels its own task and waits for a future. Delivering that late cancellation calls
    /// another waker of the same future, which clears the queue.
    AWakerClearsTheQueue,
}

/// What the destructor of something that a coroutine owns does.
#[derive(Debug, Clone, Copy)]
enum Act {
    ClearTheQueue,
    CallSoon,
    SetFuture,
}

/// Something that a coroutine owns.
struct Owned(Transcript, ReadyQueue, Future<usize>, Act);

impl Drop for Owned {
    fn drop(&mut self) {
        let Owned(t, queue, future, act) = self;
        let t = *t;
        match act {
            Act::ClearTheQueue => queue.clear(),
            Act::CallSoon => drop(queue.call_soon(move || say!(t, "  its callback runs"))),
            Act::SetFuture => say!(t, "  it sets the future: {}", future.set_result(1).is_ok()),
        }
    }
}

trial!(
    destructors_use_the_queue,
    1,
    "What a coroutine owns can use the queue when it's dropped, however the coroutine has ended."
);
fn destructors_use_the_queue(program: &Program, t: Transcript) -> anyhow::Result<()> {
    use Act::{CallSoon, ClearTheQueue, SetFuture};
    use End::{CancelledBeforeItBegins, CancelledWhileItWaits, Fails, Panics, Returns};
    let ends = [CancelledBeforeItBegins, CancelledWhileItWaits, Returns, Fails, Panics];
    let all =
        ends.into_iter().flat_map(|end| [ClearTheQueue, CallSoon, SetFuture].map(|act| (end, act)));
    for (end, act) in program.verbs(all) {
        say!(t, "the coroutine: {end:?}; a destructor: {act:?}");
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
                Fails => Err(Error::other("no such user")),
                // A panic!, but without its message on standard error.
                Panics => resume_unwind(Box::new("oh no")),
                _ => Ok(1),
            }
        });
        for round in 1..=4 {
            let cancelled_before = if matches!(end, CancelledBeforeItBegins) { 1 } else { 2 };
            let is_cancelled = matches!(end, CancelledBeforeItBegins | CancelledWhileItWaits);
            if is_cancelled && round == cancelled_before {
                cancel_at_next_step(&task, "enough");
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
    "When a task has ended and its handles are gone, so is all its memory, however it has ended."
);
fn what_a_task_leaves(program: &Program, t: Transcript) -> anyhow::Result<()> {
    use End::{AWakerClearsTheQueue, CancelledBeforeItBegins, CancelledWhileItWaits};
    use End::{ClearsTheQueue, Fails, Panics, Returns};
    let cleared = [ClearsTheQueue, AWakerClearsTheQueue];
    let ends = [CancelledBeforeItBegins, CancelledWhileItWaits, Returns, Fails, Panics];
    for end in program.verbs(ends.into_iter().chain(cleared)) {
        let queue = ReadyQueue::new()?;
        let _entered = queue.enter();
        queue.set_exception_handler(|_| {});
        // The first tasks leave the memory of the queue's lists.
        live_and_end(&queue, end);
        let ((), memory) = Memory::of(|| live_and_end(&queue, end));
        say!(t, "16 tasks, {end:?}: bytes left: {}", within(memory.in_use, 0));
    }
    Ok(())
}

fn live_and_end(queue: &ReadyQueue, end: End) {
    let tasks: Vec<Task<usize>> =
        (0..16).map(|_| queue.create_task(come_to(queue.clone(), end))).collect();
    QUEUE.set(Some(queue.clone()));
    for round in 0..3 {
        match (end, round) {
            (End::CancelledBeforeItBegins, 0) | (End::CancelledWhileItWaits, 1) => {
                for task in &tasks {
                    cancel_at_next_step(task, "enough");
                }
            }
            _ => {}
        }
        queue.run_ready();
    }
    QUEUE.take();
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
            cancel_the_running_task();
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
