//! Trials of `step`: tasks that wait for futures in any order, end in any way, and are asked to end.
//!
//! `cancel` is the next exercise, so the requests come from `Task::cancel_at_next_step`. What a late
//! request reaches is a future here, because a task would need `cancel`.

use scene::{Program, Transcript, trial};
use step06_tasks::Task;

use super::script::{Op, play};

trial!(
    steps_in_any_order,
    150,
    "Each step goes to the next unfinished future, and each end of a coroutine ends its task."
);
fn steps_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    const OF_A_TASK: &[Op] = &[
        Op::Yield,
        Op::AwaitFuture(0),
        Op::AwaitFuture(0),
        Op::AwaitLeaf,
        Op::AwaitTask(0),
        Op::SetFuture(0),
        Op::SetFuture(0),
        Op::Fail,
        Op::Panic,
    ];
    const OF_THE_PROGRAM: &[Op] = &[Op::SetFuture(0), Op::RunReady, Op::RunReady];
    let mut random = program.random();
    let verbs = (0..24).map(|_| Op::random(&mut random, OF_A_TASK, OF_THE_PROGRAM));
    let mut verbs = program.verbs(verbs);
    // In a few programs, so that it doesn't end most of them.
    if program.number().is_multiple_of(5) {
        verbs.extend(program.verbs([(Some(1), Op::Clear), (Some(1), Op::AwaitFuture(0))]));
    }
    play(t, verbs, |_: &Task<usize>| unreachable!("no task is cancelled here"))
}

trial!(
    requests_that_a_step_delivers,
    200,
    "A step delivers the request to end that it finds, and one that arrives while it runs."
);
fn requests_that_a_step_delivers(program: &Program, t: Transcript) -> anyhow::Result<()> {
    const OF_A_TASK: &[Op] = &[
        Op::Yield,
        Op::AwaitFuture(0),
        Op::AwaitFuture(0),
        Op::AwaitLeaf,
        Op::SetFuture(0),
        Op::Cancel(0),
        Op::Cancel(0),
        Op::Fail,
    ];
    const OF_THE_PROGRAM: &[Op] =
        &[Op::Cancel(0), Op::SetFuture(0), Op::RunReady, Op::RunReady, Op::RunReady];
    let mut random = program.random();
    let verbs = (0..16).map(|_| Op::random(&mut random, OF_A_TASK, OF_THE_PROGRAM));
    let verbs = program.verbs(verbs);
    play(t, verbs, |task: &Task<usize>| {
        if task.done() {
            return "it was done already".to_owned();
        }
        task.cancel_at_next_step();
        "asked".to_owned()
    })
}
