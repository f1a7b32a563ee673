//! The operations in the tasks' scripts, and how a trial makes its programs of them.

use std::fmt;

use scene::{Program, Random};

pub(super) const TASKS: usize = 4;
pub(super) const FUTURES: usize = 3;
pub(super) const NAMES: [&str; TASKS] = ["A", "B", "C", "D"];

/// An action of a task in its script, or of the program between two rounds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Op {
    Yield,
    AwaitFuture(usize),
    /// Waits for something that the queue knows nothing of, such as a descriptor.
    AwaitLeaf,
    /// Waits for two rounds, in code that knows nothing of requests to end.
    AwaitForeign,
    /// Is woken while it runs and goes on in the same poll.
    WakeItself,
    /// Only an earlier task, so that none awaits itself.
    AwaitTask(usize),
    /// Polls a future once, and doesn't wait for it.
    GiveUpFuture(usize),
    GiveUpTask(usize),
    /// Polls a future once and keeps it until the task ends.
    KeepFuture(usize),
    SetFuture(usize),
    Cancel(usize),
    CancelWith(usize, usize),
    Uncancel(usize),
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
            Op::AwaitLeaf => f.write_str("waits for a leaf that's never ready"),
            Op::AwaitForeign => f.write_str("waits for two turns, without check_cancelled()"),
            Op::WakeItself => f.write_str("wakes itself"),
            Op::AwaitTask(task) => write!(f, "{}.await", NAMES[task]),
            Op::GiveUpFuture(future) => write!(f, "future {future} is polled once and dropped"),
            Op::GiveUpTask(task) => write!(f, "{} is polled once and dropped", NAMES[task]),
            Op::KeepFuture(future) => write!(f, "future {future} is polled once and kept"),
            Op::SetFuture(future) => write!(f, "future {future} is set"),
            Op::Cancel(task) => write!(f, "{} is cancelled", NAMES[task]),
            Op::CancelWith(task, message) => {
                write!(f, "{} is cancelled with message {message}", NAMES[task])
            }
            Op::Uncancel(task) => write!(f, "{}.uncancel()", NAMES[task]),
            Op::CancelAll => f.write_str("cancel_all_tasks()"),
            Op::Fail => f.write_str("fails"),
            Op::Panic => f.write_str("panics"),
            Op::Clear => f.write_str("clears the queue"),
            Op::RunReady => f.write_str("one round of the queue"),
        }
    }
}

/// An action and the task that carries it out; `None` is the program itself.
pub(super) type Verb = (Option<usize>, Op);

/// The operations of a trial's programs. An operation that's listed twice comes twice as often.
pub(super) struct Mix<'a> {
    pub(super) length: usize,
    pub(super) of_a_task: &'a [Op],
    pub(super) of_the_program: &'a [Op],
    /// One program in this many ends with the verbs below. They end most of a program's tasks, so
    /// the other programs don't have them.
    pub(super) every: u32,
    pub(super) at_the_end: &'a [Verb],
}

impl Mix<'_> {
    pub(super) fn verbs(&self, program: &Program) -> Vec<Verb> {
        let mut random = program.random();
        let mut verbs = program.verbs((0..self.length).map(|_| self.random(&mut random)));
        if program.number().is_multiple_of(self.every) {
            verbs.extend(program.verbs(self.at_the_end.iter().copied()));
        }
        verbs
    }

    /// Makes a verb for a task, or for the program.
    fn random(&self, random: &mut Random) -> Verb {
        let actor = random.below(TASKS + 2);
        if actor >= TASKS {
            return (None, random.choose(self.of_the_program).aimed(random));
        }
        match random.choose(self.of_a_task).aimed(random) {
            Op::AwaitTask(other) | Op::GiveUpTask(other) if other >= actor => {
                (Some(actor), Op::Yield)
            }
            Op::Cancel(_) if random.below(2) == 0 => (Some(actor), Op::Cancel(actor)),
            op => (Some(actor), op),
        }
    }
}

impl Op {
    fn aimed(self, random: &mut Random) -> Op {
        match self {
            Op::AwaitFuture(_) => Op::AwaitFuture(random.below(FUTURES)),
            Op::GiveUpFuture(_) => Op::GiveUpFuture(random.below(FUTURES)),
            Op::KeepFuture(_) => Op::KeepFuture(random.below(FUTURES)),
            Op::SetFuture(_) => Op::SetFuture(random.below(FUTURES)),
            Op::AwaitTask(_) => Op::AwaitTask(random.below(TASKS)),
            Op::GiveUpTask(_) => Op::GiveUpTask(random.below(TASKS)),
            Op::Cancel(_) => Op::Cancel(random.below(TASKS)),
            Op::CancelWith(..) => Op::CancelWith(random.below(TASKS), random.below(3)),
            Op::Uncancel(_) => Op::Uncancel(random.below(TASKS)),
            op => op,
        }
    }
}
