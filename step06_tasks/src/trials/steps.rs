//! Trials of `step`: tasks that wait for futures in any order, end in any way, and are asked to end.
//!
//! `cancel` is the next exercise, so the requests come from `Task::cancel_at_next_step`. What a late
//! request reaches is a future here, because a task would need `cancel`.

use scene::{Program, Transcript, trial};
use step06_tasks::Task;

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
        task.cancel_at_next_step();
        "asked".to_owned()
    })
}
