//! The coroutine of a task, with the verbs that only a task can carry out.

use std::panic::resume_unwind;
use std::rc::Rc;

use step06_tasks::{Error, Result, yield_now};

use crate::player::{Stage, shown};
use crate::program::{FUTURES, Kind, Policy, Verb};

/// The coroutine of a task.
pub(crate) async fn perform(stage: Rc<Stage>, task: usize) -> Result<usize> {
    let script = stage.program.tasks[task - FUTURES].clone();
    let policy = script.policy.unwrap_or(Policy::Pass);
    for (at, verb) in script.verbs.into_iter().enumerate() {
        let (who, kind) = (format!("task {task}.{at}"), verb.kind);
        if matches!(kind, Kind::Fail | Kind::Panic | Kind::RaiseCancelled | Kind::Return) {
            stage.say(&format!("{who}: {kind:?}"));
            return end(task, verb);
        }
        let Err(error) = act_in_task(&stage, &who, task, verb).await else { continue };
        stage.say(&format!("{who}: {kind:?} {} fails: {}", verb.object, shown(&error)));
        match policy {
            Policy::Swallow => {}
            Policy::Uncancel => drop(stage.uncancel(task)),
            Policy::Pass | Policy::CleanUp | Policy::Linger => {
                clean_up(&stage, &who, policy).await?;
                return Err(error);
            }
            Policy::Replace => return Err(Error::other(format!("instead of {kind:?}"))),
            Policy::Return => return Ok(100 + task),
        }
    }
    Ok(task)
}

fn end(task: usize, verb: Verb) -> Result<usize> {
    match verb.kind {
        Kind::Return => Ok(verb.number),
        Kind::RaiseCancelled => Err(Error::Cancelled(Some(format!("raised by {task}").into()))),
        Kind::Panic => resume_unwind(Box::new(format!("in {task}"))),
        _ => Err(Error::other(format!("failed in {task}"))),
    }
}

async fn act_in_task(stage: &Rc<Stage>, who: &str, task: usize, verb: Verb) -> Result<()> {
    match verb.kind {
        Kind::Yield => {
            yield_now().await?;
            stage.say(&format!("{who}: has yielded"));
        }
        Kind::Await if stage.object(verb.object).is_some() => {
            if verb.object == task {
                // asyncio refuses a task that awaits itself a round later than our queue does.
                yield_now().await?;
            }
            // A task that awaits itself as a future isn't refused.
            let way = if verb.object == task { 0 } else { verb.number };
            let result = wait(stage, verb.object, way).await?;
            stage.say(&format!("{who}: got {result} of {}", verb.object));
        }
        _ => stage.act(who, verb),
    }
    Ok(())
}

async fn clean_up(stage: &Rc<Stage>, who: &str, policy: Policy) -> Result<()> {
    let outcome = match policy {
        Policy::CleanUp => yield_now().await,
        Policy::Linger if stage.object(0).is_some() => wait(stage, 0, 0).await.map(drop),
        _ => Ok(()),
    };
    match &outcome {
        Ok(()) => stage.say(&format!("{who}: is clean")),
        Err(error) => stage.say(&format!("{who}: clean-up fails: {}", shown(error))),
    }
    outcome
}

/// Waits for the object's result. Meanwhile this holds a handle to it, like CPython's `await`.
async fn wait(stage: &Stage, object: usize, number: usize) -> Result<usize> {
    let awaited = stage.object(object).ok_or(Error::InvalidState("it's gone"))?;
    let outcome = awaited.clone().wait(number).await;
    if outcome.as_ref().is_err_and(Error::is_cancelled) && awaited.done() {
        // A task that's cancelled when the future is done already doesn't learn its error. asyncio
        // counts the error as retrieved; our queue reports it.
        drop(awaited.exception());
    }
    outcome
}
