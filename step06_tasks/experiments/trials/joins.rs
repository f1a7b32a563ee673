//! Trials of `join_all`: tasks that end in every way, and a task that waits for them and is
//! cancelled.

use std::cell::Cell;
use std::fmt;
use std::future::poll_fn;
use std::mem::take;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::task::Poll;

use scene::{Program, Random, Transcript, say, trial};
use step06_tasks::{Error, Future, ReadyQueue, Result, Task, join_all, yield_now};

const TASKS: usize = 5;

/// A task's action.
#[derive(Debug, Clone, Copy)]
enum Does {
    ReturnsAfter(usize),
    FailsAfter(usize),
    PanicsAfter(usize),
    /// Waits for its future and passes the outcome on.
    Waits,
    /// Waits for its future and then cleans up for this many turns before it passes the error on.
    CleansUp(usize),
    /// Waits for its future and ignores this many cancellations.
    Ignores(usize),
}

impl Does {
    fn random(random: &mut Random) -> Does {
        let turns = random.below(4);
        match random.below(12) {
            0..3 => Does::ReturnsAfter(turns),
            3 => Does::FailsAfter(turns),
            4 => Does::PanicsAfter(turns),
            5..8 => Does::Waits,
            8..11 => Does::CleansUp(turns),
            _ => Does::Ignores(1 + turns / 2),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Verb {
    CancelTheJoin,
    Cancel(usize),
    SetFuture(usize),
    RunReady,
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        match random.below(12) {
            0..2 => Verb::CancelTheJoin,
            2 => Verb::Cancel(random.below(TASKS)),
            3..5 => Verb::SetFuture(random.below(TASKS)),
            _ => Verb::RunReady,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::CancelTheJoin => f.write_str("the task that joins is cancelled"),
            Verb::Cancel(task) => write!(f, "task {task} is cancelled"),
            Verb::SetFuture(task) => write!(f, "the future of task {task} is set"),
            Verb::RunReady => f.write_str("one round"),
        }
    }
}

/// A task's coroutine. Says what it's told and when it ends.
async fn run(t: Transcript, number: usize, does: Does, future: Future<usize>) -> Result<usize> {
    let outcome = carry_out(t, number, does, future).await;
    say!(t, "  task {number} ends: {outcome:?}");
    outcome
}

async fn carry_out(
    t: Transcript,
    number: usize,
    does: Does,
    future: Future<usize>,
) -> Result<usize> {
    match does {
        Does::ReturnsAfter(turns) => {
            take_turns(turns).await?;
            Ok(number)
        }
        Does::FailsAfter(turns) => {
            take_turns(turns).await?;
            Err(Error::InvalidState("its own error"))
        }
        Does::PanicsAfter(turns) => {
            take_turns(turns).await?;
            // A panic!, but without its message on standard error.
            resume_unwind(Box::new("oh no"))
        }
        Does::Waits => future.await,
        Does::CleansUp(turns) => {
            let outcome = future.await;
            for turn in 0..turns {
                let told = yield_now().await;
                say!(t, "  task {number} cleans up, turn {turn}: {told:?}");
            }
            outcome
        }
        Does::Ignores(times) => {
            let mut cancelled = Err(Error::cancelled());
            for _ in 0..=times {
                cancelled = future.clone().await;
                if cancelled.is_ok() {
                    break;
                }
                say!(t, "  task {number} ignores {cancelled:?}");
                take_turns(1).await.ok();
            }
            cancelled.or(Ok(99))
        }
    }
}

async fn take_turns(turns: usize) -> Result<()> {
    for _ in 0..turns {
        yield_now().await?;
    }
    Ok(())
}

trial!(
    joins_of_any_tasks,
    100,
    "The wait ends when all tasks have ended, however they end and whichever task is cancelled meanwhile."
);
fn joins_of_any_tasks(program: &Program, t: Transcript) -> anyhow::Result<()> {
    // Last, so that a random program shows a mistake that any of them can show.
    if program.number() == 99 {
        asked_before_it_joins(t)?;
        asked_three_times(t)?;
        for turns in 0..2 {
            asked_when_one_has_failed(t, turns)?;
        }
    }
    let mut random = program.random();
    let count = random.below(TASKS + 1);
    let what: Vec<_> = (0..count).map(|number| (number, Does::random(&mut random))).collect();
    let rounds_before = if random.once_in(2) { random.below(4) } else { 0 };
    let what = program.verbs(what);
    let length = random.below(16);
    let verbs = program.verbs((0..length).map(|_| Verb::random(&mut random)));

    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(move |message| say!(t, "  reported: {message}"));
    let futures: Vec<Future<usize>> = (0..TASKS).map(|_| queue.create_future()).collect();
    let mut tasks: Vec<(usize, Task<usize>)> = Vec::new();
    for (number, does) in what {
        say!(t, "task {number}: {does:?}");
        let coroutine = run(t, number, does, futures[number].clone());
        tasks.push((number, queue.create_task(coroutine)));
    }
    for _ in 0..rounds_before {
        say!(t, "a round before the join begins");
        queue.run_ready();
    }
    let list = tasks.iter().map(|(_, task)| task.clone()).collect();
    let join = queue.create_task(async move {
        let joined = join_all(list).await;
        say!(t, "  join_all returns {joined:?}");
        let after = yield_now().await;
        say!(t, "  an await after that: {after:?}");
        joined
    });
    for (number, verb) in verbs.into_iter().enumerate() {
        say!(t, "{verb}");
        match verb {
            Verb::CancelTheJoin => {
                say!(t, "  {}", join.cancel_with(&format!("request {number}")));
            }
            Verb::Cancel(number) => {
                if let Some((_, task)) = tasks.iter().find(|(task, _)| *task == number) {
                    say!(t, "  {}", task.cancel());
                }
            }
            Verb::SetFuture(number) => say!(t, "  {}", futures[number].set_result(7).is_ok()),
            Verb::RunReady => drop(queue.run_ready()),
        }
    }
    finish(t, &queue, &futures, &tasks, &join)
}

/// A task is asked to end while it waits in code that doesn't check for requests, and then joins
/// a task that has ended.
fn asked_before_it_joins(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let ended = queue.create_task(async { Ok(1) });
    queue.run_until_idle()?;
    let join = queue.create_task(async move {
        let mut is_first = true;
        poll_fn(|context| {
            context.waker().wake_by_ref();
            if take(&mut is_first) { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
        say!(
            t,
            "a task that was asked to end joins an ended task: {:?}",
            join_all(vec![ended]).await
        );
        let after = yield_now().await;
        say!(t, "  its next await gets the request: {}", after.is_err());
        Ok(())
    });
    queue.run_ready();
    join.cancel();
    queue.run_until_idle()?;
    queue.clear();
    Ok(())
}

/// The task that joins is asked to end three times, and another task goes on each time.
fn asked_three_times(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let end = queue.create_future::<()>();
    let (ends, waits) = (end.clone(), queue.clone());
    let goes_on = queue.create_task(async move {
        for _ in 0..3 {
            let told = waits.create_future::<()>().await;
            say!(t, "  the task goes on, though it was told {told:?}");
        }
        ends.await
    });
    let join = queue.create_task(join_all(vec![goes_on]));
    queue.run_until_idle()?;
    for message in [None, Some("hurry"), None] {
        say!(t, "a join is cancelled, with the message {message:?}");
        match message {
            None => join.cancel(),
            Some(message) => join.cancel_with(message),
        };
        queue.run_until_idle()?;
        say!(t, "  the join ended while its task went on: {}", join.done());
    }
    // It's set already if the task never waited for it.
    let _ = end.set_result(());
    queue.run_until_idle()?;
    say!(t, "the task has ended, and the join: {:?}", join.result());
    queue.clear();
    Ok(())
}

/// One task has failed and another waits when the task that joins them is cancelled.
fn asked_when_one_has_failed(t: Transcript, turns: usize) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let is_reported = Rc::new(Cell::new(false));
    let report = Rc::clone(&is_reported);
    queue.set_exception_handler(move |_| report.set(true));
    let fails: Task<()> = queue.create_task(async move {
        take_turns(turns).await?;
        Err(Error::other("no such user"))
    });
    let waits = queue.create_task(queue.create_future());
    let join = queue.create_task(join_all(vec![fails, waits]));
    queue.run_until_idle()?;
    join.cancel();
    queue.run_until_idle()?;
    let when = if turns == 0 { "before the join" } else { "during the join" };
    say!(t, "a task has failed {when}, which is cancelled: {:?}", join.result());
    say!(t, "  the error of the task that failed {when} is reported: {}", is_reported.get());
    queue.clear();
    Ok(())
}

/// Sets all futures and reports how the tasks have ended.
fn finish(
    t: Transcript,
    queue: &ReadyQueue,
    futures: &[Future<usize>],
    tasks: &[(usize, Task<usize>)],
    join: &Task<Vec<Result<usize>>>,
) -> anyhow::Result<()> {
    say!(t, "the queue runs until nothing is ready");
    queue.run_until_idle()?;
    say!(t, "all futures are set");
    for future in futures {
        let _ = future.set_result(8);
    }
    queue.run_until_idle()?;
    for (number, task) in tasks {
        say!(t, "task {number}: {:?}; requests to end: {}", task.result(), task.cancelling());
    }
    say!(t, "the join: {:?}; requests to end: {}", join.result(), join.cancelling());
    say!(t, "tasks in the queue: {}; callbacks: {}", queue.task_count(), queue.run_ready());
    queue.clear();
    Ok(())
}
