//! What a story is made of: who does what, and when.

use std::collections::VecDeque;

use asyncio::Time;

use crate::seen::{self, Played};

/// What the clients of a server do, and what shows whether all is well.
#[derive(Debug)]
pub struct Story {
    /// In the order of their times. The last one is [`Act::Ends`].
    pub(crate) moves: VecDeque<Move>,
    pub(crate) symptom: Check,
    pub(crate) missing: Check,
}

/// Looks at what was played and says what's wrong with it, if anything is.
pub type Check = fn(&Played) -> Option<String>;

/// Something that a client does.
#[derive(Debug, Clone, Copy)]
pub struct Move {
    /// When, on the loop's clock.
    pub at: Time,
    /// The client's name.
    pub who: &'static str,
    /// What it does.
    pub act: Act,
}

/// What a client can do.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Connects and reads whatever arrives from then on.
    Connects,
    /// Connects but reads nothing yet.
    ConnectsBusy,
    /// Reads what has arrived, and from then on whatever arrives.
    BeginsToRead,
    /// Sends a line.
    Sends(&'static str),
    /// Counts what it has received after its last line, which should be this many bytes.
    Counts(usize),
    /// Closes its connection.
    Leaves,
    /// Nobody has any patience left: the story is over.
    Ends,
}

impl Story {
    /// Makes a story in which nothing happens yet. The symptom is what the fault does. What's
    /// missing is what a server has to do as well, and a wrong fix might not: the end of a sentence
    /// that begins with "The fault is gone, but".
    pub fn new(symptom: Check, missing: Check) -> Self {
        Story { moves: VecDeque::new(), symptom, missing }
    }

    /// Adds what a client does, this many milliseconds after the beginning.
    #[must_use]
    pub fn at(mut self, milliseconds: u64, who: &'static str, act: Act) -> Self {
        let at = seen::milliseconds(milliseconds);
        self.moves.push_back(Move { at, who, act });
        self
    }

    /// Adds the end.
    #[must_use]
    pub fn ends_at(self, milliseconds: u64) -> Self {
        self.at(milliseconds, "", Act::Ends)
    }
}
