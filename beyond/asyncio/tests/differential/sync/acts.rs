//! The actions of a task on the objects on stage.

use std::rc::Rc;

use asyncio::{QueueItems, QueueOf, Result};

use super::objects::AnyQueue;
use super::player::{Stage, turns};
use super::program::{Action, Op};

pub(crate) async fn act(stage: &Rc<Stage>, whose: &str, action: Action) -> Result<()> {
    if action.soon {
        let (inner, whose) = (Rc::clone(stage), whose.to_owned());
        stage.event_loop.call_soon(move || match act_now(&inner, &whose, action) {
            Ok(()) => inner.say(format!("{whose} done, soon")),
            Err(error) => inner.say(format!("{whose} failed, soon: {error}")),
        });
        return Ok(());
    }
    let Action { op, which, count, .. } = action;
    match op {
        Op::Yield => turns(count).await,
        Op::Acquire => stage.locks[which].acquire().await,
        Op::With => {
            let held = stage.locks[which].hold().await?;
            stage.say(format!("{whose} in"));
            let outcome = turns(count).await;
            if outcome.is_err() && stage.locks[which].locked() {
                // The guard releases it, as `?` drops it.
                return outcome;
            }
            held.release().and(outcome)
        }
        Op::EventWait => stage.events[which].wait().await,
        Op::SemaphoreAcquire => stage.semaphores[which].acquire().await,
        Op::SemaphoreWith => {
            let held = stage.semaphores[which].hold().await?;
            stage.say(format!("{whose} in"));
            let outcome = turns(count).await;
            held.release().and(outcome)
        }
        Op::Put | Op::Get | Op::QueueJoin => match which {
            2 => use_queue(stage, whose, action, &stage.lifo).await,
            3 => use_queue(stage, whose, action, &stage.priority).await,
            _ => use_queue(stage, whose, action, &stage.queues[which]).await,
        },
        Op::BarrierWait => {
            let index = stage.barriers[which].wait().await?;
            // Once a wait was cancelled, two of three tasks can have the same index in CPython.
            if stage.barriers[which].parties() == 2 {
                stage.say(format!("{whose} {index}"));
            }
            Ok(())
        }
        Op::BarrierReset => stage.barriers[which].reset().await,
        Op::BarrierAbort => stage.barriers[which].abort().await,
        op if op.needs_no_await() => act_now(stage, whose, action),
        _ => use_condition(stage, whose, action).await,
    }
}

async fn use_queue<I: QueueItems<usize>>(
    stage: &Stage,
    whose: &str,
    action: Action,
    queue: &QueueOf<usize, I>,
) -> Result<()> {
    match action.op {
        Op::Put => queue.put(action.count).await,
        Op::Get => {
            let item = queue.get().await?;
            stage.say(format!("{whose} {item}"));
            Ok(())
        }
        _ => queue.join().await,
    }
}

/// As in Python, an error at the end of the block replaces the error that has ended the block.
async fn use_condition(stage: &Stage, whose: &str, action: Action) -> Result<()> {
    let Action { op, which, count, .. } = action;
    let mut held = stage.conditions[which].hold().await?;
    let outcome = async {
        match op {
            Op::ConditionWait => {
                stage.say(format!("{whose} in"));
                held.wait().await?;
                stage.say(format!("{whose} notified"));
                turns(count).await
            }
            Op::ConditionWaitFor => {
                let is_high = || {
                    let level = stage.level.get();
                    stage.say(format!("{whose} is it {count}? {level}"));
                    level >= count
                };
                held.wait_for(is_high).await
            }
            Op::ConditionNotify => {
                held.notify(count)?;
                stage.say(format!("{whose} in"));
                turns(count % 2).await
            }
            _ => {
                stage.level.set(stage.level.get() + 1);
                turns(count % 2).await?;
                held.notify_all()
            }
        }
    };
    let outcome = outcome.await;
    held.release().and(outcome)
}

/// The actions that need no await.
fn act_now(stage: &Stage, whose: &str, action: Action) -> Result<()> {
    let Action { op, which, count, .. } = action;
    let queue: &dyn AnyQueue = match which {
        2 => &stage.lifo,
        3 => &stage.priority,
        _ => &stage.queues[which % 2],
    };
    match op {
        Op::Cancel => {
            let task = stage.tasks.borrow()[which].clone();
            stage.say(format!("{whose} {which}: {}", task.cancel()));
        }
        Op::Release => stage.locks[which].release()?,
        Op::EventSet => stage.events[which].set(),
        Op::EventClear => stage.events[which].clear(),
        Op::SemaphoreRelease => stage.semaphores[which].release()?,
        Op::PutNowait => queue.put_nowait(count)?,
        Op::GetNowait => {
            let item = queue.get_nowait()?;
            stage.say(format!("{whose} {item}"));
        }
        Op::TaskDone => queue.task_done()?,
        Op::Shutdown => queue.shutdown(count == 0),
        Op::Look => stage.look(whose),
        op => unreachable!("{op:?} needs an await"),
    }
    Ok(())
}
