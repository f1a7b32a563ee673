//! A random program, and its text.

use std::fmt;

use fastrand::Rng;

/// The reaction of a task to a request to end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Policy {
    /// Passes the error on.
    Pass,
    /// Sleeps a little, then passes it on.
    CleanUp,
    /// Goes on with its next action.
    Swallow,
}

/// An action of a task. Tasks and futures go by number, times by milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    Say,
    Sleep(u64),
    Spawn(usize),
    Cancel(usize),
    Join(usize),
    Soon,
    Later(u64),
    Finish(usize),
    Wait(usize),
    /// Cancels one of the handles of the callbacks above.
    CancelHandle(usize),
    /// Schedules a callback that fails.
    Fail,
    Threadsafe,
    AddReader(usize),
    RemoveReader(usize),
    AddWriter(usize),
    /// Writes a byte into a pipe.
    Write(usize),
    /// Raises a signal, if its handler has run since the last time.
    Raise(usize),
    Stop,
}

#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) policy: Policy,
    pub(crate) actions: Vec<Action>,
}

/// The scripts of some tasks. Only the first task is started.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) scripts: Vec<Script>,
}

pub(crate) const FUTURES: usize = 3;
pub(crate) const PIPES: usize = 2;
pub(crate) const SIGNALS: usize = 2;

impl Program {
    pub(crate) fn random(seed: u64) -> Self {
        let mut dice = Rng::with_seed(seed);
        let count = 2 + dice.usize(..5);
        let scripts = (0..count).map(|_| Script::random(&mut dice, count)).collect();
        Program { scripts }
    }
}

impl Script {
    fn random(dice: &mut Rng, tasks: usize) -> Self {
        let policy = [Policy::Pass, Policy::CleanUp, Policy::Swallow][dice.usize(..3)];
        let length = 1 + dice.usize(..7);
        let actions = (0..length).map(|_| Action::random(dice, tasks)).collect();
        Script { policy, actions }
    }
}

impl Action {
    fn random(dice: &mut Rng, tasks: usize) -> Self {
        let (task, future) = (dice.usize(..tasks), dice.usize(..FUTURES));
        let time = [0, 0, 1, 2, 5][dice.usize(..5)];
        let (pipe, signal) = (dice.usize(..PIPES), dice.usize(..SIGNALS));
        match dice.usize(..30) {
            0 | 1 => Action::Say,
            2..=4 => Action::Sleep(time),
            5..=7 => Action::Spawn(task),
            8 | 9 => Action::Cancel(task),
            10 | 11 => Action::Join(task),
            12 | 29 => Action::Soon,
            13 => Action::Later(time),
            14 => Action::Finish(future),
            15 => Action::Wait(future),
            16 => Action::CancelHandle(dice.usize(..4)),
            17 => Action::Fail,
            18 => Action::Threadsafe,
            19 | 20 => Action::AddReader(pipe),
            21 => Action::RemoveReader(pipe),
            22 => Action::AddWriter(pipe),
            23..=25 => Action::Write(pipe),
            26 | 27 => Action::Raise(signal),
            _ => Action::Stop,
        }
    }
}

impl fmt::Display for Program {
    /// Prints a line per task: its policy, then its actions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for script in &self.scripts {
            write!(f, "{:?}", script.policy)?;
            for action in &script.actions {
                match action {
                    Action::Say => write!(f, " Say:0"),
                    Action::Soon => write!(f, " Soon:0"),
                    Action::Fail => write!(f, " Fail:0"),
                    Action::Threadsafe => write!(f, " Threadsafe:0"),
                    Action::Stop => write!(f, " Stop:0"),
                    Action::CancelHandle(handle) => write!(f, " CancelHandle:{handle}"),
                    Action::AddReader(pipe) => write!(f, " AddReader:{pipe}"),
                    Action::RemoveReader(pipe) => write!(f, " RemoveReader:{pipe}"),
                    Action::AddWriter(pipe) => write!(f, " AddWriter:{pipe}"),
                    Action::Write(pipe) => write!(f, " Write:{pipe}"),
                    Action::Raise(signal) => write!(f, " Raise:{signal}"),
                    Action::Sleep(time) => write!(f, " Sleep:{time}"),
                    Action::Later(time) => write!(f, " Later:{time}"),
                    Action::Spawn(task) => write!(f, " Spawn:{task}"),
                    Action::Cancel(task) => write!(f, " Cancel:{task}"),
                    Action::Join(task) => write!(f, " Join:{task}"),
                    Action::Finish(future) => write!(f, " Finish:{future}"),
                    Action::Wait(future) => write!(f, " Wait:{future}"),
                }?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
