//! Trials of a future that's polled: by several handles and tasks, with wakers that change, before
//! it's done and after.
//!
//! Nothing can finish a future yet, and no task takes a step. So the trials do both by hand.

use std::fmt;
use std::future::{Future as _, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use kit::cost::within;
use kit::memory::Memory;
use scene::{Program, Random, Transcript, say, trial};
use step06_tasks::for_trials::{as_current, begin_step, give_outcome, schedule_all};
use step06_tasks::{Error, Future, ReadyQueue, Result, Task};

const HANDLES: usize = 3;
const WAKERS: usize = 3;
const TASKS: usize = 2;

/// The future's outcome.
#[derive(Debug, Clone, Copy)]
enum End {
    Result,
    Error,
    Cancelled,
}

#[derive(Debug, Clone, Copy)]
enum Verb {
    Poll {
        handle: usize,
        waker: usize,
    },
    PollInTask {
        handle: usize,
        task: usize,
    },
    /// Polls it from inside another future, as a `select` would.
    PollInTaskWithAnotherWaker {
        handle: usize,
        task: usize,
        waker: usize,
    },
    DropHandle(usize),
    AddDoneCallback,
    End(End),
}

impl Verb {
    fn random(random: &mut Random) -> Verb {
        let (handle, waker) = (random.below(HANDLES), random.below(WAKERS));
        let task = random.below(TASKS);
        match random.below(20) {
            0..5 => Verb::PollInTask { handle, task },
            5..8 => Verb::PollInTaskWithAnotherWaker { handle, task, waker },
            8..11 => Verb::DropHandle(handle),
            11 => Verb::AddDoneCallback,
            12 => Verb::End(random.choose(&[End::Result, End::Error, End::Cancelled])),
            _ => Verb::Poll { handle, waker },
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Poll { handle, waker } => {
                write!(f, "handle {handle} is polled with waker {waker}")
            }
            Verb::PollInTask { handle, task } => write!(f, "task {task} polls handle {handle}"),
            Verb::PollInTaskWithAnotherWaker { handle, task, waker } => {
                write!(f, "task {task} polls handle {handle} with waker {waker}")
            }
            Verb::DropHandle(handle) => {
                write!(f, "handle {handle} is dropped and replaced by a new one")
            }
            Verb::AddDoneCallback => f.write_str("add_done_callback(...)"),
            Verb::End(End::Result) => f.write_str("the future gets a result"),
            Verb::End(End::Error) => f.write_str("the future gets an error"),
            Verb::End(End::Cancelled) => f.write_str("the future is cancelled"),
        }
    }
}

/// Says when it's called.
struct Says(usize, Transcript);

impl Wake for Says {
    fn wake(self: Arc<Self>) {
        say!(self.1, "  waker {} is called", self.0);
    }
}

/// A future, its handles, the wakers, and the tasks that can poll it.
struct World {
    t: Transcript,
    queue: ReadyQueue,
    future: Future<usize>,
    handles: Vec<Future<usize>>,
    wakers: Vec<Arc<Says>>,
    tasks: Vec<Task<usize>>,
}

impl World {
    fn new(t: Transcript) -> anyhow::Result<World> {
        let queue = ReadyQueue::new()?;
        queue.set_exception_handler(move |message| say!(t, "  reported: {message}"));
        let future = queue.create_future();
        let handles = (0..HANDLES).map(|_| future.clone()).collect();
        let wakers = (0..WAKERS).map(|number| Arc::new(Says(number, t))).collect();
        let tasks: Vec<_> = (0..TASKS).map(|_| queue.create_task(pending())).collect();
        tasks.iter().for_each(begin_step);
        Ok(World { t, queue, future, handles, wakers, tasks })
    }

    fn carry_out(&mut self, verb: Verb) {
        let t = self.t;
        match verb {
            Verb::Poll { handle, waker } => {
                let waker = Waker::from(Arc::clone(&self.wakers[waker]));
                self.poll(handle, &mut Context::from_waker(&waker));
            }
            Verb::PollInTask { handle, task } => {
                let task = self.tasks[task].clone();
                let _entered = self.queue.enter();
                begin_step(&task);
                as_current(&task, |context| self.poll(handle, context));
            }
            Verb::PollInTaskWithAnotherWaker { handle, task, waker } => {
                let task = self.tasks[task].clone();
                let waker = Waker::from(Arc::clone(&self.wakers[waker]));
                as_current(&task, |_| self.poll(handle, &mut Context::from_waker(&waker)));
            }
            Verb::DropHandle(handle) => self.handles[handle] = self.future.clone(),
            Verb::AddDoneCallback => {
                self.future.add_done_callback(move |_| say!(t, "  the callback is called"));
            }
            Verb::End(end) => {
                let outcome = match end {
                    End::Result => Ok(7),
                    End::Error => Err(Error::other("no such user")),
                    End::Cancelled => Err(Error::cancelled()),
                };
                give_outcome(&self.future, outcome);
                schedule_all(&self.future);
            }
        }
    }

    fn poll(&mut self, handle: usize, context: &mut Context<'_>) {
        let polled = Pin::new(&mut self.handles[handle]).poll(context);
        say!(self.t, "  {}", described(&polled));
    }

    /// Says what the future and the tasks hold.
    fn report(&self) {
        let held: Vec<usize> = self.wakers.iter().map(|it| Arc::strong_count(it) - 1).collect();
        say!(
            self.t,
            "  the future holds clones of the wakers: {held:?}; the queue: {:?}",
            self.queue
        );
    }
}

fn described(polled: &Poll<Result<usize>>) -> String {
    match polled {
        Poll::Ready(Err(Error::Other(error))) => format!("Ready(error: {error})"),
        polled => format!("{polled:?}"),
    }
}

trial!(
    polls_in_any_order,
    200,
    "A poll returns the outcome or replaces the waker of the handle's previous poll."
);
fn polls_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let count = 1 + random.below(14);
    let verbs = program.verbs((0..count).map(|_| Verb::random(&mut random)));
    let mut world = World::new(t)?;
    for verb in verbs {
        say!(t, "{verb}");
        world.carry_out(verb);
        world.report();
    }
    say!(t, "all waiters are scheduled");
    schedule_all(&world.future);
    world.report();
    say!(t, "all numbered handles are dropped");
    world.handles.clear();
    world.report();
    let (queue, mut task) = (world.queue.clone(), world.tasks[0].clone());
    drop(world);
    queue.set_exception_handler(|_| {});
    queue.clear();
    let polled = Pin::new(&mut task).poll(&mut Context::from_waker(Waker::noop()));
    say!(t, "a task is polled after the queue was cleared: {}", described(&polled));
    Ok(())
}

trial!(
    a_handle_is_polled_a_thousand_times,
    3,
    "No matter how often a handle is polled, the future keeps only one waker for it."
);
fn a_handle_is_polled_a_thousand_times(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut world = World::new(t)?;
    let polls = Verb::Poll { handle: 0, waker: 0 };
    let verbs = [polls, Verb::PollInTask { handle: 0, task: 0 }];
    for (number, verb) in program.verbs(verbs.into_iter().enumerate()) {
        let ((), memory) = Memory::of(|| {
            for turn in 0..1000 {
                let waker = Waker::from(Arc::clone(&world.wakers[turn % 2]));
                let task = world.tasks[0].clone();
                let handle = &mut world.handles[number];
                let polled = match verb {
                    Verb::Poll { .. } => Pin::new(handle).poll(&mut Context::from_waker(&waker)),
                    _ => as_current(&task, |context| Pin::new(handle).poll(context)),
                };
                drop(polled);
            }
        });
        let allocations = within(memory.allocations, 8);
        say!(t, "a thousand times: {verb}; allocations: {allocations}");
        world.report();
    }
    world.queue.set_exception_handler(|_| {});
    world.queue.clear();
    Ok(())
}
