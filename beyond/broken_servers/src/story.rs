//! The parts of a story: the moves, their clients and their times.

use std::collections::VecDeque;

use asyncio::Time;

use crate::seen::{self, Played};

/// The moves of a server's clients, and the checks that show whether all is well.
#[derive(Debug)]
pub struct Story {
    /// The moves, in the order of their times. The last move is [`Act::Ends`].
    pub(crate) moves: VecDeque<Move>,
    pub(crate) symptom: Check,
    pub(crate) missing: Check,
}

/// Examines a played story and names the mistake, if any.
pub type Check = fn(&Played) -> Option<String>;

/// A move of a client.
#[derive(Debug, Clone, Copy)]
pub struct Move {
    /// The move's time on the loop's clock.
    pub at: Time,
    /// The client's name.
    pub who: &'static str,
    /// The action.
    pub act: Act,
}

/// An action of a client.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Connects and reads everything that arrives from then on.
    Connects,
    /// Connects but doesn't read anything yet.
    ConnectsBusy,
    /// Reads the bytes that have arrived, and everything that arrives from then on.
    BeginsToRead,
    /// Sends a line.
    Sends(&'static str),
    /// Counts the bytes it has received after its last line, which should be this many.
    Counts(usize),
    /// Closes its connection.
    Leaves,
    /// Nobody has any patience left: the story is over.
    Ends,
}

impl Story {
    /// Makes a story without any moves yet. The symptom is the effect of the fault. `missing` names
    /// an event that a server must also cause and that a wrong fix might prevent: the end of a
    /// sentence that begins with "The fault is gone, but".
    pub fn new(symptom: Check, missing: Check) -> Self {
        Story { moves: VecDeque::new(), symptom, missing }
    }

    /// Adds a client's move, this many milliseconds after the beginning.
    #[must_use]
    pub fn at(mut self, milliseconds: u64, who: &'static str, act: Act) -> Self {
        let at = seen::milliseconds(milliseconds);
        self.moves.push_back(Move { at, who, act });
        self
    }

    /// Adds the end of the story.
    #[must_use]
    pub fn ends_at(self, milliseconds: u64) -> Self {
        self.at(milliseconds, "", Act::Ends)
    }
}
