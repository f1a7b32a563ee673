//! Trials of the queue: random programs of callbacks that use the queue while it runs them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::future::pending;
use std::panic::{self, AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use scene::{Program, Random, Transcript, say, trial};
use step06_tasks::for_trials::as_current;
use step06_tasks::{Handle, ReadyQueue, Task};

/// A callback's action when it runs.
#[derive(Debug, Clone, Copy)]
enum Action {
    Nothing,
    CallSoon,
    Cancel(usize),
    Clear,
    Panic,
    AnotherQueue,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Nothing => f.write_str("does nothing else"),
            Action::CallSoon => f.write_str("schedules another with call_soon"),
            Action::Cancel(callback) => write!(f, "cancels callback {callback}"),
            Action::Clear => f.write_str("clears the queue"),
            Action::Panic => f.write_str("panics"),
            Action::AnotherQueue => f.write_str("runs another queue"),
        }
    }
}

/// An action that the program carries out on the queue. Callbacks are numbered in the order in
/// which they're scheduled; the callback that callback 3 schedules is callback 103.
#[derive(Debug, Clone, Copy)]
enum Verb {
    CallSoon(usize, Action),
    Cancel(usize),
    RunReady,
}

impl Verb {
    fn random(callback: usize, random: &mut Random) -> Verb {
        let other = random.below(callback + 3);
        let action = match random.below(15) {
            0..5 => Action::CallSoon,
            5..8 => Action::Cancel(other),
            8 => Action::Clear,
            9 => Action::Panic,
            10 => Action::AnotherQueue,
            _ => Action::Nothing,
        };
        match random.below(12) {
            0..6 => Verb::CallSoon(callback, action),
            6..8 => Verb::Cancel(other),
            _ => Verb::RunReady,
        }
    }
}

/// The queue, and what its callbacks share.
struct World {
    t: Transcript,
    queue: ReadyQueue,
    handles: RefCell<BTreeMap<usize, Handle>>,
    was_cleared: Cell<bool>,
}

impl World {
    fn call_soon(self: &Rc<Self>, callback: usize, action: Action) {
        let world = Rc::clone(self);
        let handle = self.queue.call_soon(move || world.run(callback, action));
        self.handles.borrow_mut().insert(callback, handle);
    }

    fn cancel(&self, callback: usize) {
        let handle = self.handles.borrow().get(&callback).cloned();
        if let Some(handle) = handle {
            handle.cancel();
        }
    }

    fn run(self: &Rc<Self>, callback: usize, action: Action) {
        let entered = if self.queue.is_entered() { "" } else { ", but the queue isn't entered," };
        say!(self.t, "  callback {callback} runs{entered} and {action}");
        match action {
            Action::Nothing => {}
            Action::CallSoon => self.call_soon(callback + 100, Action::Nothing),
            Action::Cancel(other) => self.cancel(other),
            Action::Clear => self.clear(),
            // A panic!, but without its message on standard error.
            Action::Panic => resume_unwind(Box::new("oh no")),
            Action::AnotherQueue => self.run_another_queue(),
        }
    }

    fn clear(&self) {
        self.was_cleared.set(true);
        self.queue.clear();
    }

    fn run_another_queue(&self) {
        let Ok(another) = ReadyQueue::new() else { return };
        let t = self.t;
        another.call_soon(move || say!(t, "    the other queue's callback runs"));
        say!(t, "    the other run_ready(): {}", another.run_ready());
        let back = if self.queue.is_entered() { "is entered" } else { "is no longer entered" };
        say!(t, "    after that, the first queue {back}");
    }

    fn run_ready(&self) {
        self.was_cleared.set(false);
        say!(self.t, "run_ready()");
        let count = self.queue.run_ready();
        match (self.was_cleared.get(), count) {
            (true, 1..) => say!(self.t, "  returns a number other than 0"),
            _ => say!(self.t, "  returns {count}"),
        }
        if self.queue.is_entered() {
            say!(self.t, "  the queue is still entered");
        }
    }
}

trial!(
    every_round_is_counted,
    80,
    "Whatever its callbacks do, a round runs only callbacks that were ready when it began, in order."
);
fn every_round_is_counted(program: &Program, t: Transcript) -> anyhow::Result<()> {
    // Last, so that a random program shows a mistake that any of them can show.
    if program.number() == 79 {
        a_task_runs_its_queue(t)?;
    }
    if program.number() == 0 {
        say!(t, "{MANY} callbacks, run_ready() = {}", run_many()?);
    }
    let mut random = program.random();
    let verbs = program.verbs((0..20).map(|callback| Verb::random(callback, &mut random)));
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(move |message| say!(t, "  reported: {message}"));
    let world = World { t, queue, handles: RefCell::default(), was_cleared: Cell::default() };
    let world = Rc::new(world);
    for verb in verbs {
        match verb {
            Verb::CallSoon(callback, action) => world.call_soon(callback, action),
            Verb::Cancel(callback) => world.cancel(callback),
            Verb::RunReady => world.run_ready(),
        }
    }
    for _ in 0..2 {
        world.run_ready();
    }
    world.queue.clear();
    // A handle keeps a callback that never ran, and the callback keeps the world.
    world.handles.take();
    Ok(())
}

/// More than a reader would choose as a limit.
const MANY: usize = 20_000;

fn run_many() -> anyhow::Result<usize> {
    let queue = ReadyQueue::new()?;
    for _ in 0..MANY {
        queue.call_soon(|| {});
    }
    Ok(queue.run_ready())
}

/// A task runs its own queue, in which nothing is ready.
fn a_task_runs_its_queue(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let task: Task<()> = queue.create_task(pending());
    // Takes out the task's first step.
    queue.clear();
    let panics = || {
        // Panicking is right here, so the panic is kept from the runner.
        let reports = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let ran = as_current(&task, |_| catch_unwind(AssertUnwindSafe(|| queue.run_ready())));
        panic::set_hook(reports);
        ran.is_err()
    };
    say!(t, "run_ready() in a task, while nothing is ready, panics: {}", panics());
    let _entered = queue.enter();
    say!(t, "run_ready() in a task of an entered queue panics: {}", panics());
    Ok(())
}

/// A callback's action before it sends another callback.
#[derive(Debug, Clone, Copy)]
enum Before {
    Nothing,
    Clear,
}

trial!(
    what_is_sent_waits,
    1,
    "A round leaves sent callbacks in the inbox, even if no callback is ready."
);
fn what_is_sent_waits(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let all = [0, 1, 3, 100]
        .into_iter()
        .flat_map(|ready| [Before::Nothing, Before::Clear].map(move |before| (ready, before)));
    for (ready, before) in program.verbs(all) {
        let first = match before {
            Before::Nothing => "",
            Before::Clear => "clears the queue and ",
        };
        say!(t, "a callback that {first}sends another, followed by {ready} more callbacks");
        let queue = ReadyQueue::new()?;
        let (cleared, handle) = (queue.clone(), queue.handle());
        queue.call_soon(move || {
            if let Before::Clear = before {
                cleared.clear();
            }
            handle.call_soon_threadsafe(move || say!(t, "  the callback that was sent runs"));
        });
        for number in 0..ready {
            queue.call_soon(move || say!(t, "  callback {number} runs"));
        }
        let count = queue.run_ready();
        match before {
            Before::Nothing => say!(t, "  run_ready() = {count}"),
            Before::Clear => say!(t, "  run_ready() isn't 0: {}", count != 0),
        }
        say!(t, "  run_ready() again = {}; then {queue:?}", queue.run_ready());
    }
    Ok(())
}
