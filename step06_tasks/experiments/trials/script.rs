//! Tasks that carry out a script, for the trials of `step` and `cancel`.
//!
//! There are four tasks, A to D, and three futures. After an error, B and D pass it on, while A and
//! C continue with their scripts, as a task can after a cancellation.

use std::cell::RefCell;
use std::future::poll_fn;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use scene::{Transcript, say};
use step06_tasks::{Error, Future, ReadyQueue, Result, Task, check_cancelled, yield_now};

use super::ops::{FUTURES, NAMES, Op, Verb};

/// Asks a task to end and returns the line to report.
pub(super) type Ask = fn(&Task<usize>) -> String;

/// The queue, and what its tasks share.
struct World {
    t: Transcript,
    queue: ReadyQueue,
    futures: Vec<Future<usize>>,
    tasks: RefCell<Vec<Task<usize>>>,
    ask: Ask,
}

/// Makes the tasks, does what the program does, and runs until nothing is ready.
pub(super) fn play(t: Transcript, verbs: Vec<Verb>, ask: Ask) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(move |message| say!(t, "reported: {message}"));
    let futures = (0..FUTURES).map(|_| queue.create_future()).collect();
    let world = World { t, queue, futures, tasks: RefCell::default(), ask };
    let world = Rc::new(world);
    // A loop does the same. Otherwise a wake between two rounds would send a message.
    let _entered = world.queue.enter();
    for (task, name) in NAMES.into_iter().enumerate() {
        let script = verbs.iter().filter(|(actor, _)| *actor == Some(task)).map(|(_, op)| *op);
        let owned = SaysDropped(t, name, "the value that its coroutine owns is freed");
        let coroutine = Rc::clone(&world).run(task, script.collect(), owned);
        world.tasks.borrow_mut().push(world.queue.create_task(coroutine));
    }
    for (_, op) in verbs.iter().filter(|(actor, _)| actor.is_none()) {
        if let Op::RunReady = op {
            say!(t, "{op}");
            world.queue.run_ready();
        } else if let Some(did) = world.does_at_once(*op) {
            say!(t, "{op}: {did}");
        }
    }
    say!(t, "the queue runs until nothing is ready");
    world.queue.run_until_idle()?;
    world.report();
    world.queue.clear();
    Ok(())
}

/// Says when the coroutine is dropped.
struct SaysDropped(Transcript, &'static str, &'static str);

impl Drop for SaysDropped {
    fn drop(&mut self) {
        say!(self.0, "  {}: {}", self.1, self.2);
    }
}

impl World {
    async fn run(
        self: Rc<Self>,
        task: usize,
        script: Vec<Op>,
        _owned: SaysDropped,
    ) -> Result<usize> {
        let (t, name) = (self.t, NAMES[task]);
        let _over = SaysDropped(t, name, "its coroutine has ended");
        say!(t, "  {name} begins");
        let goes_on = task.is_multiple_of(2);
        let mut kept = Vec::new();
        for op in script {
            if let Some(did) = self.does_at_once(op) {
                say!(t, "  {name}: {op}: {did}");
                continue;
            }
            let outcome = self.wait(op, &mut kept).await;
            say!(t, "  {name}: {op}: {outcome:?}");
            if !goes_on {
                outcome?;
            }
        }
        Ok(task)
    }

    /// Does something that needs no waiting. Returns `None` if the operation has to wait.
    fn does_at_once(&self, op: Op) -> Option<String> {
        match op {
            Op::SetFuture(future) => Some(match self.futures[future].set_result(future) {
                Ok(()) => "done".to_owned(),
                Err(_) => "the future was already done".to_owned(),
            }),
            Op::Cancel(task) => {
                let task = self.tasks.borrow().get(task).cloned()?;
                Some((self.ask)(&task))
            }
            Op::CancelWith(task, message) => {
                let task = self.tasks.borrow().get(task).cloned()?;
                Some(format!("cancel() = {}", task.cancel_with(&format!("message {message}"))))
            }
            Op::Uncancel(task) => {
                let task = self.tasks.borrow().get(task).cloned()?;
                Some(format!("{} requests are left", task.uncancel()))
            }
            Op::CancelAll => Some(self.queue.cancel_all_tasks().to_string()),
            Op::Clear => {
                self.queue.clear();
                Some("done".to_owned())
            }
            // A panic!, but without its message on standard error. Its payload is a `String`, as
            // that of a panic! with an argument is; a scene's is a `&str`.
            Op::Panic => resume_unwind(Box::new(String::from("oh no"))),
            _ => None,
        }
    }

    async fn wait(&self, op: Op, kept: &mut Vec<Future<usize>>) -> Result<usize> {
        match op {
            Op::Yield => yield_now().await.map(|()| 0),
            Op::AwaitFuture(future) => self.futures[future].clone().await,
            Op::AwaitLeaf => {
                poll_fn(|_| match check_cancelled() {
                    Err(error) => Poll::Ready(Err(error)),
                    Ok(()) => Poll::Pending,
                })
                .await
            }
            Op::AwaitForeign => {
                let mut turns = 0..2;
                poll_fn(|context| {
                    if turns.next().is_none() {
                        return Poll::Ready(Ok(0));
                    }
                    context.waker().wake_by_ref();
                    Poll::Pending
                })
                .await
            }
            Op::WakeItself => {
                poll_fn(|context| {
                    context.waker().wake_by_ref();
                    Poll::Ready(Ok(0))
                })
                .await
            }
            Op::AwaitTask(task) => self.task(task).await,
            Op::GiveUpTask(task) => poll_once(&mut self.task(task)).await,
            Op::GiveUpFuture(future) => poll_once(&mut self.futures[future].clone()).await,
            Op::KeepFuture(future) => {
                let mut future = self.futures[future].clone();
                let polled = poll_once(&mut future).await;
                kept.push(future);
                polled
            }
            _ => Err(Error::InvalidState("its own error")),
        }
    }

    fn task(&self, task: usize) -> Task<usize> {
        self.tasks.borrow()[task].clone()
    }

    fn report(&self) {
        let tasks = self.tasks.take();
        for (name, task) in NAMES.iter().zip(&tasks) {
            if task.done() {
                say!(self.t, "{name} has ended: {:?}", task.result());
                say!(self.t, "its exception: {:?}", task.exception());
            } else {
                say!(self.t, "{name} waits");
            }
            say!(self.t, "requests to end {name}: {}", task.cancelling());
        }
        say!(self.t, "tasks in the queue: {}", self.queue.task_count());
    }
}

/// Polls once and returns the result, or 0 if there's no result yet.
async fn poll_once(
    future: &mut (impl std::future::Future<Output = Result<usize>> + Unpin),
) -> Result<usize> {
    poll_fn(|context| match Pin::new(&mut *future).poll(context) {
        Poll::Ready(result) => Poll::Ready(result),
        Poll::Pending => Poll::Ready(Ok(0)),
    })
    .await
}
