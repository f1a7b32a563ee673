//! What a story is made of: who does what, and when.

use std::collections::VecDeque;

use step07_full_loop::Time;

use crate::Played;

/// What the clients of a server do, and what shows that something is wrong.
#[derive(Debug)]
pub struct Story {
    /// In the order of their times. The last one is [`Act::Ends`].
    pub(crate) moves: VecDeque<Move>,
    /// Looks at what was played, and says what's wrong with it, if anything is.
    pub(crate) symptom: fn(&Played) -> Option<String>,
}

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
    /// Connects, and reads whatever arrives from then on.
    Connects,
    /// Connects, but reads nothing yet.
    ConnectsBusy,
    /// Reads what has arrived, and from then on whatever arrives.
    BeginsToRead,
    /// Sends a line.
    Sends(&'static str),
    /// Closes its connection.
    Leaves,
    /// Nobody has any patience left: the story is over.
    Ends,
}

impl Story {
    /// Makes a story in which nothing happens yet.
    pub fn new(symptom: fn(&Played) -> Option<String>) -> Self {
        Story { moves: VecDeque::new(), symptom }
    }

    /// Adds what a client does, so many milliseconds after the beginning.
    #[must_use]
    pub fn at(mut self, milliseconds: u64, who: &'static str, act: Act) -> Self {
        let at = crate::play::milliseconds(milliseconds);
        self.moves.push_back(Move { at, who, act });
        self
    }

    /// Adds the end.
    #[must_use]
    pub fn ends_at(self, milliseconds: u64) -> Self {
        self.at(milliseconds, "", Act::Ends)
    }
}
