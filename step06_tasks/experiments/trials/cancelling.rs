//! Trials of `cancel`: tasks that are cancelled by each other, by themselves and from outside.

use scene::{Program, Transcript, trial};
use step06_tasks::Task;

use super::ops::{Mix, Op};
use super::script::play;

trial!(
    cancelled_in_any_order,
    200,
    "Whenever a task is asked to end, the request counts and reaches the place where it waits."
);
fn cancelled_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    const MIX: Mix = Mix {
        length: 22,
        of_a_task: &[
            Op::Yield,
            Op::AwaitFuture(0),
            Op::AwaitFuture(0),
            Op::AwaitLeaf,
            Op::AwaitForeign,
            Op::AwaitTask(0),
            Op::AwaitTask(0),
            Op::GiveUpFuture(0),
            Op::GiveUpTask(0),
            Op::KeepFuture(0),
            Op::SetFuture(0),
            Op::Cancel(0),
            Op::CancelWith(0, 0),
            Op::Uncancel(0),
            Op::Fail,
        ],
        of_the_program: &[
            Op::Cancel(0),
            Op::CancelWith(0, 0),
            Op::CancelWith(0, 0),
            Op::Uncancel(0),
            Op::SetFuture(0),
            Op::RunReady,
            Op::RunReady,
            Op::RunReady,
        ],
        every: 4,
        // C passes its own request on to A, which ignores it.
        at_the_end: &[
            (Some(0), Op::AwaitLeaf),
            (Some(2), Op::Cancel(2)),
            (Some(2), Op::AwaitTask(0)),
            (None, Op::CancelAll),
            (None, Op::RunReady),
        ],
    };
    play(t, MIX.verbs(program), |task: &Task<usize>| format!("cancel() = {}", task.cancel()))
}
