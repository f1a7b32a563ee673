//! Plays a program on our loop. `player.py` does the same, line by line.

use std::cell::{Cell, RefCell};
use std::num::NonZero;
use std::rc::Rc;

use asyncio::{
    Barrier, Condition, Error, Event, EventLoop, LifoQueue, Lock, PriorityQueue, Queue, Result,
    Task, yield_now,
};

use super::acts::act;
use super::objects::AnySemaphore;
use super::program::{Policy, Program};

/// The objects that the tasks of a program use.
pub(crate) struct Stage {
    program: Program,
    pub(crate) event_loop: EventLoop,
    pub(crate) tasks: RefCell<Vec<Task<()>>>,
    lines: RefCell<Vec<String>>,
    /// The value that the conditions wait for.
    pub(crate) level: Cell<usize>,
    pub(crate) locks: [Rc<Lock>; 2],
    pub(crate) events: [Event; 2],
    pub(crate) conditions: [Condition; 2],
    pub(crate) semaphores: [AnySemaphore; 4],
    pub(crate) queues: [Queue<usize>; 2],
    pub(crate) lifo: LifoQueue<usize>,
    pub(crate) priority: PriorityQueue<usize>,
    pub(crate) barriers: [Barrier; 2],
}

impl Stage {
    fn new(program: &Program, event_loop: &EventLoop) -> Self {
        let locks = [Rc::new(Lock::new()), Rc::new(Lock::new())];
        Stage {
            program: program.clone(),
            event_loop: event_loop.clone(),
            tasks: RefCell::default(),
            lines: RefCell::default(),
            level: Cell::new(0),
            conditions: [Condition::with_lock(Rc::clone(&locks[0])), Condition::new()],
            locks,
            events: [Event::new(), Event::new()],
            semaphores: AnySemaphore::all(),
            queues: [Queue::new(1), Queue::new(0)],
            lifo: LifoQueue::new(2),
            priority: PriorityQueue::new(2),
            barriers: [2, 3].map(|parties| Barrier::new(NonZero::new(parties).unwrap())),
        }
    }

    pub(crate) fn say(&self, line: impl Into<String>) {
        self.lines.borrow_mut().push(line.into());
    }

    /// Prints the state of all objects.
    pub(crate) fn look(&self, whose: &str) {
        let locked = self.locks.iter().map(|it| it.locked());
        let locked = locked.chain(self.conditions.iter().map(Condition::locked));
        let locked = locked.chain(self.semaphores.iter().map(AnySemaphore::locked));
        let (locked, is_set) = (shown(locked), shown(self.events.iter().map(Event::is_set)));
        self.say(format!("{whose} {locked}, {is_set}"));
        let mut sizes: Vec<String> = Vec::new();
        sizes.extend(self.queues.iter().map(|it| size(it.qsize(), it.empty(), it.full())));
        sizes.push(size(self.lifo.qsize(), self.lifo.empty(), self.lifo.full()));
        sizes.push(size(self.priority.qsize(), self.priority.empty(), self.priority.full()));
        sizes.extend(self.barriers.iter().map(|it| format!("{} {}", it.n_waiting(), it.broken())));
        self.say(format!("{whose} {}", sizes.join(", ")));
    }
}

fn shown(flags: impl Iterator<Item = bool>) -> String {
    flags.map(|flag| flag.to_string()).collect::<Vec<_>>().join(" ")
}

fn size(count: usize, empty: bool, full: bool) -> String {
    format!("{count} {empty} {full}")
}

/// Returns the lines that the program prints.
pub(crate) fn play(program: &Program) -> Vec<String> {
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_exception_handler(|_| {});
    let stage = Rc::new(Stage::new(program, &event_loop));
    event_loop.run_until_complete(direct(Rc::clone(&stage))).unwrap();
    let lines = stage.lines.take();
    event_loop.close().unwrap();
    // A task is on the stage and holds it.
    stage.tasks.take();
    lines
}

/// Starts the tasks, waits until no task runs any more, then ends the tasks that are left.
async fn direct(stage: Rc<Stage>) -> Result<()> {
    for number in 0..stage.program.scripts.len() {
        let task = stage.event_loop.create_task(perform(Rc::clone(&stage), number));
        stage.tasks.borrow_mut().push(task);
    }
    turns(40).await?;
    for round in 0..10 {
        let tasks = stage.tasks.borrow().clone();
        let left = || tasks.iter().enumerate().filter(|(_, task)| !task.done());
        if !stage.program.cancels || left().count() == 0 {
            break;
        }
        for (number, task) in left() {
            stage.say(format!("round {round}: {number} is left, cancel {}", task.cancel()));
        }
        turns(10).await?;
        for (number, lock) in stage.locks.iter().enumerate() {
            if lock.locked() {
                stage.say(format!("round {round}: lock {number} is left"));
                lock.release()?;
            }
        }
        turns(20).await?;
    }
    for (number, task) in stage.tasks.borrow().iter().enumerate() {
        let (done, cancelled, asked) = (task.done(), task.cancelled(), task.cancelling());
        stage.say(format!("{number}: done {done}, cancelled {cancelled}, asked {asked}"));
    }
    stage.look("end");
    Ok(())
}

pub(crate) async fn turns(count: usize) -> Result<()> {
    for _ in 0..count {
        yield_now().await?;
    }
    Ok(())
}

async fn perform(stage: Rc<Stage>, number: usize) -> Result<()> {
    let script = stage.program.scripts[number].clone();
    for (at, action) in script.actions.into_iter().enumerate() {
        let whose = format!("{number}.{at} {:?}", action.op);
        match act(&stage, &whose, action).await {
            Ok(()) => stage.say(format!("{whose} done")),
            Err(Error::Cancelled(_)) => {
                stage.say(format!("{whose} is cancelled"));
                match script.policy {
                    Policy::Pass => return Err(Error::cancelled()),
                    Policy::CleanUp => {
                        turns(1).await?;
                        stage.say(format!("{whose} cleaned up"));
                        return Err(Error::cancelled());
                    }
                    Policy::Swallow => {}
                }
            }
            Err(error) => stage.say(format!("{whose} failed: {error}")),
        }
    }
    Ok(())
}
