//! Trials of `cancel`: tasks that are cancelled by each other, by themselves and from outside.

use scene::{Program, Transcript, trial};
use step06_tasks::Task;

use super::script::{Op, play};

trial!(
    cancelled_in_any_order,
    300,
    "Whenever a task is asked to end, the request counts and reaches the place where it waits."
);
fn cancelled_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    const OF_A_TASK: &[Op] = &[
        Op::Yield,
        Op::AwaitFuture(0),
        Op::AwaitFuture(0),
        Op::AwaitLeaf,
        Op::AwaitTask(0),
        Op::AwaitTask(0),
        Op::SetFuture(0),
        Op::Cancel(0),
        Op::Fail,
    ];
    const OF_THE_PROGRAM: &[Op] = &[
        Op::Cancel(0),
        Op::Cancel(0),
        Op::Cancel(0),
        Op::SetFuture(0),
        Op::RunReady,
        Op::RunReady,
        Op::RunReady,
    ];
    let mut random = program.random();
    let verbs = (0..20).map(|_| Op::random(&mut random, OF_A_TASK, OF_THE_PROGRAM));
    let mut verbs = program.verbs(verbs);
    if program.number().is_multiple_of(4) {
        verbs.extend(program.verbs([(None, Op::CancelAll), (None, Op::RunReady)]));
    }
    play(t, verbs, |task: &Task<usize>| format!("cancel() = {}", task.cancel()))
}
