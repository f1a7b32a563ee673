//! Plays a program on our loop. `player.py` does the same, line by line.

use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    Error, EventLoop, ExceptionGroup, Future, Result, ReturnWhen, TaskGroup, VirtualClock,
    as_completed, current_task, gather, gather_return_exceptions, shield, sleep, timeout, wait,
    wait_for,
};

use super::program::{Action, Kind, Program, TASKS, WhenCancelled};
use super::stage::Stage;

const MODES: [ReturnWhen; 3] =
    [ReturnWhen::FirstCompleted, ReturnWhen::FirstException, ReturnWhen::AllCompleted];
const REFUSALS: [&str; 4] =
    ["has not been entered", "has already been entered", "is finished", "is shutting down"];

/// A place in a script: the number of the task and the number of its action.
#[derive(Clone, Copy)]
struct Place(usize, usize);

/// Returns the lines that the program prints.
pub(crate) fn play(program: &Program) -> Vec<String> {
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    event_loop.set_exception_handler(|_| {});
    let stage = Rc::new(Stage::new(program, &event_loop));
    event_loop.run_until_complete(direct(Rc::clone(&stage))).unwrap();
    event_loop.close().unwrap();
    stage.lines.take()
}

/// Starts the first task, waits until no task runs any more, then ends the tasks that are left.
async fn direct(stage: Rc<Stage>) -> Result<()> {
    stage.spawn(0);
    sleep(Duration::from_secs(1000)).await?;
    let count = stage.program.scripts.len();
    for round in 0..10 {
        for number in 0..count {
            let task = stage.task(number);
            if let Some(task) = task.filter(|task| !task.done()) {
                stage.say(format!("round {round}: {number} is left, cancel {}", task.cancel()));
            }
        }
        sleep(Duration::from_secs(1000)).await?;
    }
    for number in 0..count {
        if let Some(task) = stage.task(number) {
            let outcome = if task.done() { outcome(&task.result()) } else { "pending".to_owned() };
            stage.say(format!("{number}: {outcome}, asked {}", task.cancelling()));
        }
    }
    Ok(())
}

pub(crate) async fn perform(stage: Rc<Stage>, number: usize) -> Result<usize> {
    let end = stage.program.scripts[number].actions.len();
    stage.block(number, 0, end).await?;
    Ok(number)
}

pub(crate) async fn perform_block(
    stage: Rc<Stage>,
    number: usize,
    from: usize,
    end: usize,
) -> Result<()> {
    let policy = stage.program.scripts[number].policy;
    let mut at = from;
    while at < end {
        let action = stage.program.scripts[number].actions[at];
        let inner = (at + 1 + action.block()).min(end);
        let shown = format!("{number}.{at} {:?}", action.kind);
        match act(&stage, Place(number, at), action, inner).await {
            Ok(()) => {
                let timers = stage.event_loop.held().timers;
                stage.say(format!("{shown}, {timers} timers"));
            }
            Err(cancelled) if cancelled.is_cancelled() => {
                stage.say(format!("{shown} is cancelled"));
                match policy.when_cancelled {
                    WhenCancelled::Pass => return Err(cancelled),
                    WhenCancelled::CleanUp => {
                        sleep(stage.delay(1).unwrap()).await?;
                        stage.say(format!("{number}.{at} cleaned up"));
                        return Err(cancelled);
                    }
                    WhenCancelled::Swallow => {}
                }
            }
            Err(error) => {
                stage.say(format!("{shown} has failed: {}", describe(&error)));
                if policy.fails {
                    return Err(error);
                }
            }
        }
        at = inner;
    }
    Ok(())
}

async fn act(stage: &Rc<Stage>, place: Place, action: Action, end: usize) -> Result<()> {
    let Action { kind, first, second, third } = action;
    let Place(number, at) = place;
    let whose = format!("{number}.{at}");
    match kind {
        Kind::Sleep => sleep(stage.delay(first).unwrap()).await?,
        Kind::Spawn => drop(stage.spawn(first)),
        Kind::Cancel => {
            let answer = stage.task(first).map(|task| task.cancel());
            stage.say(format!("{whose} cancel: {answer:?}"));
        }
        Kind::Uncancel => {
            let left = current_task().unwrap().uncancel();
            stage.say(format!("{whose} left: {left}"));
        }
        Kind::Finish => drop(stage.futures[first].set_result(TASKS + first)),
        Kind::Break => drop(stage.futures[first].set_exception(Error::other(whose))),
        Kind::Await => {
            let result = stage.futures[first].clone().await?;
            stage.say(format!("{whose} got {result}"));
        }
        Kind::Fail => return Err(Error::other(whose)),
        Kind::CancelOuter if first < stage.outers.borrow().len() => {
            let answer = stage.outers.borrow()[first]();
            stage.say(format!("{whose} cancel outer: {answer}"));
        }
        Kind::Join | Kind::Shield | Kind::WaitFor if first > number => {
            let task = stage.spawn(first);
            let result = one(stage, kind, task, second).await?;
            stage.say(format!("{whose} got {result}"));
        }
        Kind::Gather | Kind::GatherExceptions => {
            let results = gather_many(stage, kind, stage.arguments(number, first)).await?;
            let results: Vec<String> = results.iter().map(outcome).collect();
            stage.say(format!("{whose} gathered {}", results.join(", ")));
        }
        Kind::Wait => {
            wait_for_many(stage, &whose, stage.arguments(number, first), second, third).await?;
        }
        Kind::AsCompleted => {
            let arguments = stage.arguments(number, first);
            for coming in as_completed(arguments.into_iter().map(|it| it.1), stage.delay(second))? {
                let result = coming.await;
                if let Err(cancelled) = &result
                    && cancelled.is_cancelled()
                {
                    return Err(cancelled.clone());
                }
                stage.say(format!("{whose} next: {}", outcome(&result)));
            }
        }
        Kind::Reschedule if !stage.scopes.borrow().is_empty() => {
            let when = stage.delay(first).map(|delay| stage.event_loop.time() + delay);
            let scope = stage.scopes.borrow().last().cloned().unwrap();
            if let Err(Error::InvalidState(why)) = scope.reschedule(when) {
                stage.say(format!("{whose} {why}"));
            }
        }
        Kind::Start if !stage.groups.borrow().is_empty() && first > number => {
            start(stage, &whose, first);
        }
        Kind::Timeout => {
            let scope = timeout(stage.delay(second))?;
            stage.scopes.borrow_mut().push(scope.clone());
            let ended = scope.run(stage.block(number, at + 1, end)).await;
            let left = scope.when().map(|when| when - stage.event_loop.time());
            let left = left.map_or_else(|| "None".to_owned(), |left| left.as_micros().to_string());
            stage.say(format!("{whose} expired: {}, left: {left}", scope.expired()));
            ended?;
        }
        Kind::Group => {
            let group = TaskGroup::new();
            stage.groups.borrow_mut().push(group.clone());
            group.run(stage.block(number, at + 1, end)).await?;
        }
        Kind::Enter => {
            let newest = stage.scopes.borrow().last().cloned();
            if let Some(scope) = newest {
                let refused = scope.run(async { Ok(()) }).await.unwrap_err();
                stage.say(format!("{whose} the limit {}", refusal(&refused)));
            }
            let newest = stage.groups.borrow().last().cloned();
            if let Some(group) = newest {
                let refused = group.run(async { Ok(()) }).await.unwrap_err();
                stage.say(format!("{whose} the group {}", refusal(&refused)));
            }
        }
        _ => {}
    }
    Ok(())
}

async fn one(stage: &Stage, kind: Kind, task: Future<usize>, limit: usize) -> Result<usize> {
    match kind {
        Kind::Shield => {
            let outer = shield(task)?;
            stage.keep_outer(&outer);
            outer.await
        }
        Kind::WaitFor => wait_for(task, stage.delay(limit)).await,
        _ => task.await,
    }
}

type Arguments = Vec<(usize, Future<usize>)>;

async fn gather_many(
    stage: &Stage,
    kind: Kind,
    arguments: Arguments,
) -> Result<Vec<Result<usize>>> {
    let futures = arguments.into_iter().map(|it| it.1);
    if kind == Kind::GatherExceptions {
        let outer = gather_return_exceptions(futures)?;
        stage.keep_outer(&outer);
        return outer.await;
    }
    let outer = gather(futures)?;
    stage.keep_outer(&outer);
    Ok(outer.await?.into_iter().map(Ok).collect())
}

async fn wait_for_many(
    stage: &Stage,
    whose: &str,
    arguments: Arguments,
    mode: usize,
    limit: usize,
) -> Result<()> {
    let futures = arguments.iter().map(|it| it.1.clone());
    let (done, _) = wait(futures, stage.delay(limit), MODES[mode]).await?;
    let numbers: Vec<usize> = arguments.iter().filter(|it| it.1.done()).map(|it| it.0).collect();
    assert_eq!(done.len(), numbers.len());
    stage.say(format!("{whose} done: {numbers:?}"));
    Ok(())
}

fn start(stage: &Rc<Stage>, whose: &str, number: usize) {
    if stage.task(number).is_some() {
        return;
    }
    let group = stage.groups.borrow().last().cloned().unwrap();
    match group.create_task(perform(Rc::clone(stage), number)) {
        Ok(task) => stage.tasks.borrow_mut()[number] = Some(task),
        Err(error) => stage.say(format!("{whose} the group {}", refusal(&error))),
    }
}

fn refusal(error: &Error) -> &'static str {
    let error = error.to_string();
    REFUSALS.into_iter().find(|refusal| error.contains(refusal)).unwrap()
}

fn outcome(result: &Result<usize>) -> String {
    result.as_ref().map_or_else(describe, usize::to_string)
}

fn describe(error: &Error) -> String {
    if let Some(group) = ExceptionGroup::of(error) {
        let errors: Vec<String> = group.exceptions().iter().map(describe).collect();
        return format!("group({})", errors.join(", "));
    }
    error.to_string()
}
