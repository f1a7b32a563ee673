//! A random program for locks and queues, and its text.

use std::fmt;

use fastrand::Rng;

/// The reaction of a task to a request to end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Policy {
    /// Passes the error on.
    Pass,
    /// Lets the others have a turn, then passes it on.
    CleanUp,
    /// Continues with its next action.
    Swallow,
}

/// An operation of a task on one of the objects on stage, which go by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Yield,
    Cancel,
    Acquire,
    Release,
    With,
    EventSet,
    EventClear,
    EventWait,
    ConditionWait,
    ConditionWaitFor,
    ConditionNotify,
    ConditionChange,
    SemaphoreAcquire,
    SemaphoreRelease,
    SemaphoreWith,
    Put,
    Get,
    PutNowait,
    GetNowait,
    TaskDone,
    QueueJoin,
    Shutdown,
    BarrierWait,
    BarrierReset,
    BarrierAbort,
    Look,
}

/// The operations that go together: a program has the operations of some of these groups. An
/// operation that's there twice is chosen twice as often.
const LOCKS: &[Op] = &[Op::Acquire, Op::Acquire, Op::Release, Op::Release, Op::With, Op::With];
const EVENTS: &[Op] = &[Op::EventSet, Op::EventClear, Op::EventWait, Op::EventWait];
const CONDITIONS: &[Op] = &[
    Op::ConditionWait,
    Op::ConditionWait,
    Op::ConditionWaitFor,
    Op::ConditionNotify,
    Op::ConditionNotify,
    Op::ConditionChange,
];
const SEMAPHORES: &[Op] = &[
    Op::SemaphoreAcquire,
    Op::SemaphoreAcquire,
    Op::SemaphoreRelease,
    Op::SemaphoreRelease,
    Op::SemaphoreWith,
];
const QUEUES: &[Op] = &[
    Op::Put,
    Op::Put,
    Op::Get,
    Op::Get,
    Op::PutNowait,
    Op::GetNowait,
    Op::TaskDone,
    Op::QueueJoin,
    Op::Shutdown,
];
const BARRIERS: &[Op] =
    &[Op::BarrierWait, Op::BarrierWait, Op::BarrierWait, Op::BarrierReset, Op::BarrierAbort];

const GROUPS: [&[Op]; 6] = [LOCKS, EVENTS, QUEUES, CONDITIONS, BARRIERS, SEMAPHORES];
/// The number of groups in which cancelling has the same effect in all versions of CPython.
const GROUPS_TO_CANCEL: usize = 3;

/// The choices that a program may contain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// CPython 3.13 changed how a cancelled wait for a condition (and so for a barrier) or for a
    /// semaphore ends, and how many tasks a semaphore with several permits wakes at a time. It also
    /// brought `Queue.shutdown`. For older versions, all this is left out.
    pub(crate) is_3_13: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Action {
    pub(crate) op: Op,
    /// The number of the object.
    pub(crate) which: usize,
    pub(crate) count: usize,
    /// True if a callback carries the action out in the next tick.
    pub(crate) soon: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) policy: Policy,
    pub(crate) actions: Vec<Action>,
}

/// Some tasks, which are started in their order.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// True if tasks that are still waiting at the end are cancelled.
    pub(crate) cancels: bool,
    pub(crate) scripts: Vec<Script>,
}

struct Choice {
    ops: Vec<Op>,
    tasks: usize,
    /// The number of the only object of each kind that the tasks use, so that they meet there.
    only: Option<usize>,
    dialect: Dialect,
}

impl Program {
    pub(crate) fn random(seed: u64, dialect: Dialect) -> Self {
        let mut dice = Rng::with_seed(seed);
        let cancels = dialect.is_3_13 || dice.usize(..2) == 0;
        let groups = if dialect.is_3_13 || !cancels { GROUPS.len() } else { GROUPS_TO_CANCEL };
        let mut ops = vec![Op::Yield, Op::Yield, Op::Look];
        if cancels {
            ops.extend([Op::Cancel, Op::Cancel]);
        }
        for _ in 0..=dice.usize(..2) {
            ops.extend(GROUPS[dice.usize(..groups)]);
        }
        if !dialect.is_3_13 {
            ops.retain(|op| *op != Op::Shutdown);
        }
        let only = dice.bool().then(|| dice.usize(..4));
        let choice = Choice { ops, tasks: 2 + dice.usize(..5), only, dialect };
        let scripts = (0..choice.tasks).map(|_| Script::random(&mut dice, &choice)).collect();
        Program { cancels, scripts }
    }
}

impl Script {
    fn random(dice: &mut Rng, choice: &Choice) -> Self {
        let policy = [Policy::Pass, Policy::CleanUp, Policy::Swallow][dice.usize(..3)];
        let length = 1 + dice.usize(..8);
        let actions = (0..length).map(|_| Action::random(dice, choice)).collect();
        Script { policy, actions }
    }
}

impl Action {
    fn random(dice: &mut Rng, choice: &Choice) -> Self {
        let op = choice.ops[dice.usize(..choice.ops.len())];
        let objects = match op {
            Op::Cancel => choice.tasks,
            op if SEMAPHORES.contains(&op) => 4,
            op if QUEUES.contains(&op) => 4,
            _ => 2,
        };
        let which = match dice.usize(..objects) {
            // The only semaphore that never has more than one permit.
            _ if SEMAPHORES.contains(&op) && !choice.dialect.is_3_13 => 2,
            _ if op != Op::Cancel && choice.only.is_some() => choice.only.unwrap() % objects,
            which => which,
        };
        let soon = op.needs_no_await() && dice.usize(..3) == 0;
        Action { op, which, count: dice.usize(..4), soon }
    }
}

impl Op {
    pub(crate) fn needs_no_await(self) -> bool {
        matches!(
            self,
            Op::Cancel
                | Op::Release
                | Op::EventSet
                | Op::EventClear
                | Op::SemaphoreRelease
                | Op::PutNowait
                | Op::GetNowait
                | Op::TaskDone
                | Op::Shutdown
                | Op::Look
        )
    }
}

impl fmt::Display for Program {
    /// Prints 1 if the program cancels, else 0, and a line per task: its policy, then its actions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", u8::from(self.cancels))?;
        for script in &self.scripts {
            write!(f, "{:?}", script.policy)?;
            for Action { op, which, count, soon } in &script.actions {
                write!(f, " {op:?}:{which}:{count}:{}", u8::from(*soon))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
