//! The parts of a story: the clients' moves, and the checks.

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

/// Examines a story that was played and describes what went wrong, if anything did.
pub type Check = fn(&Played) -> Option<String>;

/// A client's move.
#[derive(Debug, Clone, Copy)]
pub struct Move {
    /// The move's time on the loop's clock.
    pub at: Time,
    /// The client's name.
    pub who: &'static str,
    /// What the client does.
    pub act: Act,
}

/// A client's action.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Connects and reads everything that arrives from then on.
    Connects,
    /// Connects but doesn't read anything yet.
    ConnectsBusy,
    /// Begins to read, starting with the bytes that have already arrived.
    BeginsToRead,
    /// Sends a line, or several that are separated by `\n`.
    Sends(&'static str),
    /// Counts the bytes that the client has received after its last complete line and logs the
    /// count together with this expected number.
    Counts(usize),
    /// Closes the client's connection.
    Leaves,
    /// Ends the story. From then on, no client waits for the server any longer.
    Ends,
}

impl Story {
    /// Makes a story without moves. `symptom` describes the effect of the fault, if the effect has
    /// shown. `missing` describes an event that should have happened but hasn't, as after a wrong
    /// fix. This description completes a sentence that begins with "The fault is gone, but".
    pub fn new(symptom: Check, missing: Check) -> Self {
        Story { moves: VecDeque::new(), symptom, missing }
    }

    /// Adds a move that a client makes this many milliseconds after the beginning.
    #[must_use]
    pub fn at(mut self, milliseconds: u64, who: &'static str, act: Act) -> Self {
        let at = seen::milliseconds(milliseconds);
        self.moves.push_back(Move { at, who, act });
        self
    }

    /// Adds the end of the story, this many milliseconds after the beginning.
    #[must_use]
    pub fn ends_at(self, milliseconds: u64) -> Self {
        self.at(milliseconds, "", Act::Ends)
    }
}
