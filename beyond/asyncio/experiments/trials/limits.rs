//! Trials of a time limit's end: limits in limits around a block that sleeps, cleans up, fails,
//! sets another deadline or is dropped, while other code cancels its task.

use std::cell::RefCell;
use std::future::{Future as Coroutine, poll_fn};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

use asyncio::{
    AnyTask, Error, EventLoop, Result, Timeout, VirtualClock, create_task, current_task,
    get_running_loop, sleep, timeout, yield_now,
};
use scene::{Program, Transcript, say, trial};

use super::limit_verbs::{Action, DroppedBy, Verb, random_verbs, verbs_of_a_lost_block};

type Wait = Pin<Box<dyn Coroutine<Output = Result<()>>>>;

/// A program, and the limits around it.
struct Stage {
    t: Transcript,
    verbs: Vec<Verb>,
    scopes: RefCell<Vec<Timeout>>,
    /// The waits that the task has left for others to drop.
    left: RefCell<Vec<Wait>>,
    /// The task whose waits are dropped when no loop runs.
    left_by: RefCell<Option<AnyTask>>,
}

impl Stage {
    fn new(t: Transcript, verbs: Vec<Verb>) -> Rc<Self> {
        let (scopes, left, left_by) = Default::default();
        Rc::new(Stage { t, verbs, scopes, left, left_by })
    }

    fn say(&self, what: &str) -> Result<()> {
        say!(self.t, "  {}: {what}", get_running_loop()?.time());
        Ok(())
    }

    async fn perform(&self, action: Action) -> Result<()> {
        let task = current_task().ok_or(Error::InvalidState("no task"))?;
        match action {
            Action::Sleep(time) => sleep(time).await?,
            Action::Swallow(time) => {
                let swallowed = sleep(time).await;
                self.say(&format!("the block goes on: {swallowed:?}"))?;
            }
            Action::CleanUp(time) => {
                if let Err(cancelled) = sleep(time).await {
                    let cleaned_up = sleep(time).await;
                    self.say(&format!("the block cleaned up: {cleaned_up:?}"))?;
                    return Err(cancelled);
                }
            }
            Action::CancelItself => drop(task.cancel()),
            Action::Uncancel => self.say(&format!("requests left: {}", task.uncancel()))?,
            Action::Reschedule(number, delay) => {
                let when = delay.map(|delay| Ok::<_, Error>(get_running_loop()?.time() + delay));
                let scope = self.scopes.borrow().get(number).cloned();
                let answer = scope.map(|scope| when.transpose().map(|when| scope.reschedule(when)));
                self.say(&format!("reschedule: {answer:?}"))?;
            }
            Action::Fail => return Err(Error::other("the block has failed")),
            Action::ReportCancelled => return Err(Error::cancelled()),
            Action::Panic => resume_unwind(Box::new("the block panics")),
        }
        Ok(())
    }

    /// Runs the rest of the program, in the limit that comes first in it.
    async fn run_from(self: Rc<Self>, first: usize) -> Result<()> {
        let is_limit = |verb: &&Verb| matches!(verb, Verb::Limit(_) | Verb::DroppedAfter(..));
        let Some(verb) = self.verbs.iter().filter(is_limit).nth(first) else {
            return self.run_block().await;
        };
        let (Verb::Limit(limit) | Verb::DroppedAfter(.., limit)) = *verb else { return Ok(()) };
        let scope = timeout(limit)?;
        self.scopes.borrow_mut().push(scope.clone());
        let (inner, stage) = (scope.clone(), Rc::clone(&self));
        let limited: Wait = Box::pin(async move {
            let inside: Wait = Box::pin(stage.run_from(first + 1));
            inner.run(inside).await
        });
        let outcome = match *verb {
            Verb::DroppedAfter(time, by, _) => dropped_after(time, by, limited, &self.left).await,
            _ => limited.await,
        };
        let requests = current_task().map_or(0, |task| task.cancelling());
        let (expired, has_one) = (scope.expired(), scope.when().is_some());
        // The deadline that it has, so that a limit that goes on keeps its timer.
        let again = scope.reschedule(scope.when());
        self.say(&format!(
            "limit {first} ends: {outcome:?}; deadline: {has_one}, expired: {expired}; reschedule: \
             {again:?}; requests left: {requests}"
        ))?;
        outcome
    }

    /// Drops the waits that the task has left.
    fn drop_what_is_left(&self, task: &AnyTask) {
        for wait in self.left.take() {
            drop(wait);
            let scopes = self.scopes.borrow();
            let ends: Vec<bool> = scopes.iter().map(Timeout::expired).collect();
            say!(self.t, "  a wait that other code has kept is dropped; expired: {ends:?}");
            let again: Vec<_> = scopes.iter().map(|scope| scope.reschedule(None)).collect();
            say!(self.t, "  reschedule: {again:?}; requests: {}", task.cancelling());
        }
    }

    async fn run_block(&self) -> Result<()> {
        for verb in &self.verbs {
            if let Verb::Step(step) = verb {
                self.perform(*step).await?;
            }
        }
        Ok(())
    }
}

/// Awaits a coroutine but drops it after a time. A timer drops it, and not a second sleep: a
/// request to cancel the task would end either of the two, and which one depends on how `sleep` is
/// written.
async fn dropped_after(
    time: Duration,
    by: DroppedBy,
    coroutine: Wait,
    left: &RefCell<Vec<Wait>>,
) -> Result<()> {
    let event_loop = get_running_loop()?;
    let waiting = Rc::new(RefCell::new(None::<Waker>));
    let kept = Rc::new(RefCell::new(Some(coroutine)));
    let (woken, in_callback) = (Rc::clone(&waiting), Rc::clone(&kept));
    let end = event_loop.time() + time;
    let timer = event_loop.call_at(end, move || {
        if matches!(by, DroppedBy::ACallback) {
            let coroutine = in_callback.take();
            drop(coroutine);
        }
        woken.take().into_iter().for_each(Waker::wake);
    });
    let outcome = poll_fn(|context| {
        waiting.replace(Some(context.waker().clone()));
        let polled = kept.borrow_mut().as_mut().map(|coroutine| coroutine.as_mut().poll(context));
        match polled {
            Some(Poll::Ready(outcome)) => Poll::Ready(outcome),
            Some(Poll::Pending) if event_loop.time() < end => Poll::Pending,
            _ => Poll::Ready(Err(Error::other("it's dropped"))),
        }
    });
    let outcome = outcome.await;
    timer.cancel();
    let coroutine = kept.take();
    if matches!(by, DroppedBy::Others | DroppedBy::AfterTheLoop) {
        left.borrow_mut().extend(coroutine);
    }
    outcome
}

async fn conduct(stage: Rc<Stage>) -> Result<()> {
    let (inner, value) = (Rc::clone(&stage), Rc::new(()));
    let result = Rc::clone(&value);
    let task = create_task(async move {
        let requests = inner.verbs.iter().filter(|verb| matches!(verb, Verb::CancelledBefore));
        let requests = requests.filter_map(|_| Some(current_task()?.cancel())).count();
        if requests > 0 {
            let _ = yield_now().await;
        }
        let outcome = Rc::clone(&inner).run_from(0).await;
        inner.say(&format!("outside all limits: {outcome:?}"))?;
        for _ in 0..2 {
            let next = sleep(Duration::from_millis(1)).await;
            inner.say(&format!("the task's next wait: {next:?}"))?;
        }
        Ok(result)
    })?;
    let mut others = Vec::new();
    for verb in &stage.verbs {
        let (task, message, time) = match *verb {
            Verb::CancelAt(time) => (task.any(), false, time),
            Verb::CancelWithMessageAt(time) => (task.any(), true, time),
            _ => continue,
        };
        others.push(create_task(async move {
            sleep(time).await?;
            if message {
                task.cancel_with("a message")
            } else {
                task.cancel()
            };
            Ok(())
        })?);
    }
    let outcome = task.clone().await.map(drop);
    stage.say(&format!("the task: {outcome:?}, requests: {}", task.cancelling()))?;
    let after_the_loop =
        |verb: &Verb| matches!(verb, Verb::DroppedAfter(_, DroppedBy::AfterTheLoop, _));
    if stage.verbs.iter().any(after_the_loop) {
        stage.left_by.replace(Some(task.any()));
    } else {
        stage.drop_what_is_left(&task.any());
    }
    for other in others {
        other.cancel();
        let _ = other.await;
    }
    drop(task);
    yield_now().await?;
    say!(stage.t, "references to the task's value: {}", Rc::strong_count(&value));
    Ok(())
}

trial!(
    limits_in_time,
    150,
    "A limit claims only its own cancellation, takes its request back, and leaves no timer."
);
fn limits_in_time(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let verbs = match program.number() {
        number if number % 10 == 9 => verbs_of_a_lost_block(number / 10),
        _ => random_verbs(&mut program.random()),
    };
    let verbs = program.verbs(verbs);
    for verb in &verbs {
        say!(t, "{verb}");
    }
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.set_exception_handler(move |message| say!(t, "  reported: {message}"));
    let stage = Stage::new(t, verbs);
    event_loop.run_until_complete(conduct(Rc::clone(&stage)))?;
    if let Some(task) = stage.left_by.take() {
        stage.drop_what_is_left(&task);
    }
    event_loop.stop();
    event_loop.run_forever()?;
    say!(t, "after the last block, the loop could sleep: {:?}", event_loop.select_timeout());
    event_loop.close()?;
    Ok(())
}
