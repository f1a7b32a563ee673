//! A random program, and its text.

use std::fmt;

use fastrand::Rng;

/// An action on a transport, or of its protocol when it's called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Write,
    WriteLines,
    WriteEof,
    Close,
    Abort,
    Pause,
    Resume,
    Limits,
    State,
    /// Fails with an error, in a protocol; here it may also panic.
    Fail,
    /// Fails with an error of the system.
    FailIo,
    /// Keeps the connection open, in `eof_received`.
    Keep,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Action {
    pub(crate) side: usize,
    pub(crate) verb: Verb,
    pub(crate) number: usize,
}

/// The actions of a protocol in one of the calls to a method.
#[derive(Debug, Clone)]
pub(crate) struct Reaction {
    pub(crate) side: usize,
    pub(crate) method: &'static str,
    /// The number of that call to the method, from 0.
    pub(crate) call: usize,
    pub(crate) actions: Vec<Action>,
}

#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) ticks: Vec<Vec<Action>>,
    pub(crate) reactions: Vec<Reaction>,
}

pub(crate) const METHODS: [&str; 6] = [
    "connection_made",
    "data_received",
    "eof_received",
    "pause_writing",
    "resume_writing",
    "connection_lost",
];

/// From nothing to more than a socket holds.
const SIZES: [usize; 9] = [0, 1, 100, 5000, 20_000, 70_000, 150_000, 250_000, 400_000];

impl Program {
    pub(crate) fn random(number: u64) -> Self {
        let mut dice = Rng::with_seed(number);
        let ticks = (0..=dice.usize(..12)).map(|_| Self::tick(&mut dice)).collect();
        let reactions = (0..dice.usize(..8)).map(|_| Reaction::random(&mut dice)).collect();
        Program { ticks, reactions }
    }

    fn tick(dice: &mut Rng) -> Vec<Action> {
        let many = if dice.usize(..20) == 0 { 9 } else { 4 };
        (0..dice.usize(..many)).map(|_| Action::random(dice)).collect()
    }

    /// Returns the programs that are shorter by one action or reaction.
    pub(crate) fn shorter(&self) -> impl Iterator<Item = Program> + '_ {
        let actions = self.ticks.iter().enumerate().flat_map(move |(tick, actions)| {
            (0..actions.len()).map(move |action| {
                let mut shorter = self.clone();
                shorter.ticks[tick].remove(action);
                shorter
            })
        });
        let ticks = (0..self.ticks.len()).map(|tick| {
            let mut shorter = self.clone();
            shorter.ticks.remove(tick);
            shorter
        });
        let reactions = (0..self.reactions.len()).map(|reaction| {
            let mut shorter = self.clone();
            shorter.reactions.remove(reaction);
            shorter
        });
        let within = self.reactions.iter().enumerate().flat_map(move |(at, reaction)| {
            (0..reaction.actions.len()).map(move |action| {
                let mut shorter = self.clone();
                shorter.reactions[at].actions.remove(action);
                shorter
            })
        });
        ticks.chain(reactions).chain(actions).chain(within)
    }
}

impl Action {
    fn random(dice: &mut Rng) -> Self {
        let (side, number) = (dice.usize(..2), SIZES[dice.usize(..SIZES.len())]);
        let verb = match dice.usize(..24) {
            0..=9 => Verb::Write,
            10 | 11 => Verb::WriteLines,
            12 => Verb::WriteEof,
            13 => Verb::Close,
            14 => Verb::Abort,
            15 | 16 => Verb::Pause,
            17..=19 => Verb::Resume,
            20 | 21 => Verb::Limits,
            _ => Verb::State,
        };
        Action { side, verb, number }
    }
}

impl Reaction {
    fn random(dice: &mut Rng) -> Self {
        let (side, method) = (dice.usize(..2), METHODS[dice.usize(..METHODS.len())]);
        let mut actions: Vec<Action> = (0..dice.usize(..3)).map(|_| Action::random(dice)).collect();
        // CPython fails when a lost connection is used, in more than one way.
        if method == "connection_lost" {
            actions.clear();
        }
        let last = match dice.usize(..6) {
            0 => Some(Verb::Fail),
            1 => Some(Verb::FailIo),
            2 | 3 if method == "eof_received" => Some(Verb::Keep),
            _ => None,
        };
        actions.extend(last.map(|verb| Action { side, verb, number: dice.usize(..2) }));
        Reaction { side, method, call: dice.usize(..3), actions }
    }
}

impl fmt::Display for Program {
    /// Prints a line for each tick and each reaction, then an empty line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for actions in &self.ticks {
            writeln!(f, "tick{}", Actions(actions))?;
        }
        for Reaction { side, method, call, actions } in &self.reactions {
            writeln!(f, "{method}:{side}:{call}{}", Actions(actions))?;
        }
        writeln!(f)
    }
}

struct Actions<'a>(&'a [Action]);

impl fmt::Display for Actions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Action { side, verb, number } in self.0 {
            write!(f, " {verb:?}:{side}:{number}")?;
        }
        Ok(())
    }
}
