//! Tasks that carry out a script, for the trials of `step` and `cancel`.
//!
//! There are four tasks, A to D, and three futures. B and D pass an error on; A and C go on with
//! their scripts, as a task can after a cancellation.

use std::cell::RefCell;
use std::fmt;
use std::future::poll_fn;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::task::Poll;

use scene::{Random, Transcript, say};
use step06_tasks::{Error, Future, ReadyQueue, Result, Task, check_cancelled, yield_now};

pub(super) const TASKS: usize = 4;
const FUTURES: usize = 3;
const NAMES: [&str; TASKS] = ["A", "B", "C", "D"];

/// Something that a task does in its script, or that the program does between two rounds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Op {
    Yield,
    AwaitFuture(usize),
    /// Waits for something that the queue doesn't know, as for a descriptor.
    AwaitLeaf,
    /// Only an earlier task, so that none awaits itself.
    AwaitTask(usize),
    SetFuture(usize),
    Cancel(usize),
    CancelAll,
    Fail,
    Panic,
    Clear,
    RunReady,
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Op::Yield => f.write_str("yield_now().await"),
            Op::AwaitFuture(future) => write!(f, "future {future}.await"),
            Op::AwaitLeaf => f.write_str("another leaf that's never ready.await"),
            Op::AwaitTask(task) => write!(f, "{}.await", NAMES[task]),
            Op::SetFuture(future) => write!(f, "future {future} is set"),
            Op::Cancel(task) => write!(f, "{} is cancelled", NAMES[task]),
            Op::CancelAll => f.write_str("cancel_all_tasks()"),
            Op::Fail => f.write_str("fails"),
            Op::Panic => f.write_str("panics"),
            Op::Clear => f.write_str("clears the queue"),
            Op::RunReady => f.write_str("one round of the queue"),
        }
    }
}

/// Something to do, and the task that does it; `None` is the program itself.
pub(super) type Verb = (Option<usize>, Op);

impl Op {
    /// Makes a verb of a task's, or of the program's.
    pub(super) fn random(random: &mut Random, of_a_task: &[Op], of_the_program: &[Op]) -> Verb {
        let actor = random.below(TASKS + 2);
        if actor >= TASKS {
            return (None, random.choose(of_the_program).aimed(random));
        }
        match random.choose(of_a_task).aimed(random) {
            Op::AwaitTask(other) if other >= actor => (Some(actor), Op::Yield),
            op => (Some(actor), op),
        }
    }

    fn aimed(self, random: &mut Random) -> Op {
        match self {
            Op::AwaitFuture(_) => Op::AwaitFuture(random.below(FUTURES)),
            Op::SetFuture(_) => Op::SetFuture(random.below(FUTURES)),
            Op::AwaitTask(_) => Op::AwaitTask(random.below(TASKS)),
            Op::Cancel(_) => Op::Cancel(random.below(TASKS)),
            op => op,
        }
    }
}

/// How a task is asked to end; returns what that reports.
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
    for (task, name) in NAMES.into_iter().enumerate() {
        let script = verbs.iter().filter(|(actor, _)| *actor == Some(task)).map(|(_, op)| *op);
        let owned = SaysDropped(t, name, "what its coroutine owns is freed");
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
    say!(t, "until nothing is ready");
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
        let _over = SaysDropped(t, name, "its coroutine is over");
        say!(t, "  {name} begins");
        let goes_on = task.is_multiple_of(2);
        for op in script {
            let outcome = match self.does_at_once(op) {
                Some(did) => {
                    say!(t, "  {name}: {op}: {did}");
                    continue;
                }
                None => self.wait(op).await,
            };
            say!(t, "  {name}: {op}: {outcome:?}");
            if !goes_on {
                outcome?;
            }
        }
        Ok(task)
    }

    /// Does something that needs no waiting. Returns `None` if it does.
    fn does_at_once(&self, op: Op) -> Option<String> {
        match op {
            Op::SetFuture(future) => Some(match self.futures[future].set_result(future) {
                Ok(()) => "done".to_owned(),
                Err(_) => "it was done already".to_owned(),
            }),
            Op::Cancel(task) => {
                let task = self.tasks.borrow().get(task).cloned()?;
                Some((self.ask)(&task))
            }
            Op::CancelAll => Some(self.queue.cancel_all_tasks().to_string()),
            Op::Clear => {
                self.queue.clear();
                Some("done".to_owned())
            }
            // A panic!, but without its message on standard error.
            Op::Panic => resume_unwind(Box::new("oh no")),
            _ => None,
        }
    }

    async fn wait(&self, op: Op) -> Result<usize> {
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
            Op::AwaitTask(task) => {
                let task = self.tasks.borrow()[task].clone();
                task.await
            }
            _ => Err(Error::InvalidState("its own error")),
        }
    }

    fn report(&self) {
        let tasks = self.tasks.take();
        for (name, task) in NAMES.iter().zip(&tasks) {
            if task.done() {
                say!(self.t, "{name} has ended: {:?}", task.result());
            } else {
                say!(self.t, "{name} waits");
            }
            say!(self.t, "{name} was asked to end {} times", task.cancelling());
        }
        say!(self.t, "tasks in the queue: {}", self.queue.task_count());
    }
}
