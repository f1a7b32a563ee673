//! A random program, and its text.

use std::fmt;

use fastrand::Rng;

/// The reactions of a task to a request to end and to an error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy {
    pub(crate) when_cancelled: WhenCancelled,
    /// True if an error ends the task. Otherwise the task goes on with its next action.
    pub(crate) fails: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum WhenCancelled {
    /// Passes the error on.
    Pass,
    /// Sleeps a little, then passes it on.
    CleanUp,
    /// Goes on with its next action.
    Swallow,
}

/// The kind of an action. Its numbers are tasks, futures, or milliseconds; an action on many
/// futures has a mask of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Say,
    Sleep,
    Spawn,
    Cancel,
    Uncancel,
    Join,
    Finish,
    /// Gives a future an error.
    Break,
    Await,
    Fail,
    Gather,
    GatherExceptions,
    Shield,
    /// Cancels a future that one of the three above has returned.
    CancelOuter,
    Wait,
    WaitFor,
    AsCompleted,
    /// A block of actions.
    Timeout,
    Reschedule,
    /// A block of actions.
    Group,
    /// Makes a member of the newest group.
    Start,
    /// Enters the newest limit and the newest group, whatever their state.
    Enter,
}

#[derive(Clone, Copy)]
pub(crate) struct Action {
    pub(crate) kind: Kind,
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) third: usize,
}

#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) policy: Policy,
    pub(crate) actions: Vec<Action>,
}

/// The scripts of some tasks. Only the first task is started.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) scripts: Vec<Script>,
}

/// Tasks and futures together are eight at most, so that CPython's sets keep their order.
pub(crate) const TASKS: usize = 5;
pub(crate) const FUTURES: usize = 3;
/// The number that stands for no limit in time.
pub(crate) const NEVER: usize = 9;

impl Program {
    pub(crate) fn random(seed: u64, with_wait_for: bool) -> Self {
        let mut dice = Rng::with_seed(seed);
        let count = 2 + dice.usize(..TASKS - 1);
        let scripts =
            (0..count).map(|number| Script::random(&mut dice, number, count, with_wait_for));
        Program { scripts: scripts.collect() }
    }
}

impl Script {
    fn random(dice: &mut Rng, number: usize, tasks: usize, with_wait_for: bool) -> Self {
        use WhenCancelled::{CleanUp, Pass, Swallow};
        let when_cancelled = [Pass, Pass, CleanUp, Swallow][dice.usize(..4)];
        let policy = Policy { when_cancelled, fails: dice.usize(..3) > 0 };
        let length = 1 + dice.usize(..8);
        let mut actions: Vec<Action> = Vec::new();
        for _ in 0..length {
            // Most groups have members, for which there'd rarely be an action otherwise.
            let last = actions.last().map(|action| action.kind);
            let begins_a_group = matches!(last, Some(Kind::Group | Kind::Start));
            actions.push(if begins_a_group && dice.usize(..3) > 0 {
                let member = dice.usize((number + 1).min(tasks - 1)..tasks);
                Action { kind: Kind::Start, first: member, second: 0, third: 0 }
            } else {
                Action::random(dice, tasks, with_wait_for)
            });
        }
        Script { policy, actions }
    }
}

impl Action {
    fn random(dice: &mut Rng, tasks: usize, with_wait_for: bool) -> Self {
        let (task, future) = (dice.usize(..tasks), dice.usize(..FUTURES));
        let mask = dice.usize(..1 << TASKS)
            | (dice.usize(..1 << FUTURES) & dice.usize(..1 << FUTURES)) << TASKS;
        let (time, length) = ([0, 1, 2, 5][dice.usize(..4)], 1 + dice.usize(..4));
        let limit = [0, 1, 2, 5, NEVER, NEVER][dice.usize(..6)];
        let of = |kind, first, second, third| Action { kind, first, second, third };
        match dice.usize(..44) {
            0 | 1 => of(Kind::Say, 0, 0, 0),
            2..=6 => of(Kind::Sleep, time, 0, 0),
            7..=9 => of(Kind::Spawn, task, 0, 0),
            10..=12 => of(Kind::Cancel, task, 0, 0),
            13 => of(Kind::Uncancel, 0, 0, 0),
            14 => of(Kind::Join, task, 0, 0),
            15 => of(Kind::Finish, future, 0, 0),
            16 => of(Kind::Break, future, 0, 0),
            17 => of(Kind::Await, future, 0, 0),
            18 | 19 | 39 | 40 => of(Kind::Fail, 0, 0, 0),
            20..=22 => of(Kind::Gather, mask, 0, 0),
            23 | 24 => of(Kind::GatherExceptions, mask, 0, 0),
            25 => of(Kind::Shield, task, 0, 0),
            26 => of(Kind::CancelOuter, dice.usize(..3), 0, 0),
            27 | 28 => of(Kind::Wait, mask, dice.usize(..3), limit),
            29 | 30 if with_wait_for => of(Kind::WaitFor, task, limit, 0),
            29..=31 => of(Kind::AsCompleted, mask, limit, 0),
            32 | 33 => of(Kind::Timeout, length, limit, 0),
            34 => of(Kind::Reschedule, limit, 0, 0),
            35..=37 => of(Kind::Group, length, 0, 0),
            38 => of(Kind::Enter, 0, 0, 0),
            _ => of(Kind::Start, task, 0, 0),
        }
    }

    /// Returns the number of actions behind this action that belong to its block.
    pub(crate) fn block(self) -> usize {
        if matches!(self.kind, Kind::Timeout | Kind::Group) { self.first } else { 0 }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}:{}:{}:{}", self.kind, self.first, self.second, self.third)
    }
}

impl fmt::Display for Program {
    /// Prints a line per task: its policy, then its actions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for script in &self.scripts {
            let Policy { when_cancelled, fails } = script.policy;
            write!(f, "{when_cancelled:?} {}", if fails { "Fails" } else { "GoesOn" })?;
            for action in &script.actions {
                write!(f, " {action}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
