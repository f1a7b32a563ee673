//! A random conversation, and its text.

use std::fmt;

use fastrand::Rng;

/// An action of the peer, some time after its last action.
#[derive(Debug, Clone)]
pub(crate) enum PeerAction {
    Send(String),
    /// Reads everything that has arrived.
    Take,
    /// Shuts down its sending side.
    End,
}

/// An action of the task with the reader and the writer, some time after its last action.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    Readline,
    Read(usize),
    ReadToEnd,
    ReadExactly(usize),
    ReadUntil(&'static str),
    AtEof,
    Write(usize),
    WriteLines(usize),
    Drain,
    WriteEof,
    Close,
    WaitClosed,
}

#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) limit: usize,
    /// Each with its delay in milliseconds.
    pub(crate) peer: Vec<(u64, PeerAction)>,
    pub(crate) task: Vec<(u64, Action)>,
    /// The times at which the task's action is cancelled.
    pub(crate) cancel: Vec<u64>,
}

/// More bytes than a socket has room for, so that some have to wait.
pub(crate) const A_LOT: usize = 300_000;

impl Program {
    pub(crate) fn random(seed: u64) -> Self {
        let mut dice = Rng::with_seed(seed);
        let (of_peer, of_task) = (1 + dice.usize(..8), 1 + dice.usize(..8));
        let mut peer: Vec<_> =
            (0..of_peer).map(|_| (delay(&mut dice), peer_action(&mut dice))).collect();
        // Nothing comes after the end.
        if let Some(end) = peer.iter().position(|(_, action)| matches!(action, PeerAction::End)) {
            peer.retain({
                let mut at = 0;
                move |(_, action)| {
                    at += 1;
                    at <= end + 1 || matches!(action, PeerAction::Take)
                }
            });
        }
        let mut task: Vec<_> =
            (0..of_task).map(|_| (delay(&mut dice), action(&mut dice))).collect();
        // CPython trips over a write to a connection that was closed a while ago.
        if let Some(close) = task.iter().position(|(_, action)| matches!(action, Action::Close)) {
            let mut at = 0;
            task.retain(|(_, action)| {
                at += 1;
                at <= close || !matches!(action, Action::Write(_) | Action::WriteLines(_))
            });
        }
        let cancel = (0..dice.usize(..3)).map(|_| delay(&mut dice) * 3).collect();
        let limit = limit(&mut dice, &peer);
        Program { limit, peer, task, cancel }
    }
}

/// Returns a limit that's often too small for a line, and at least half of all that's sent. asyncio
/// stops reading above twice the limit, after any chunk; our reader hasn't begun by then and takes
/// more at once. Bytes that come in a single chunk can be any number of times too many.
fn limit(dice: &mut Rng, peer: &[(u64, PeerAction)]) -> usize {
    let sizes = peer.iter().filter_map(|(_, action)| match action {
        PeerAction::Send(text) => Some(text.len()),
        _ => None,
    });
    let small = [1, 2, 3, 5, 8, 20][dice.usize(..6)];
    if sizes.clone().count() == 1 {
        small
    } else {
        sizes.sum::<usize>().div_ceil(2).max(1) + small - 1
    }
}

fn delay(dice: &mut Rng) -> u64 {
    [1, 1, 2, 3, 5][dice.usize(..5)]
}

fn peer_action(dice: &mut Rng) -> PeerAction {
    match dice.usize(..12) {
        0 => PeerAction::End,
        1 | 2 => PeerAction::Take,
        _ => {
            let length = [1, 1, 2, 3, 5, 8, 13, 40][dice.usize(..8)];
            // A slash stands for the end of a line.
            PeerAction::Send(
                (0..length).map(|_| ['a', 'b', '|', '/', '-'][dice.usize(..5)]).collect(),
            )
        }
    }
}

fn action(dice: &mut Rng) -> Action {
    let count = [0, 1, 2, 3, 5, 10, 50][dice.usize(..7)];
    match dice.usize(..24) {
        0..=5 => Action::Readline,
        6..=8 => Action::Read(count),
        9 => Action::ReadToEnd,
        10..=12 => Action::ReadExactly(count),
        13..=15 => Action::ReadUntil(["|", "a|", "--", "ab", "aab", ""][dice.usize(..6)]),
        16 => Action::AtEof,
        17 => Action::Write(count),
        18 => Action::Write(A_LOT),
        19 => Action::WriteLines(count),
        20 | 21 => Action::Drain,
        22 => Action::WriteEof,
        _ => [Action::Close, Action::WaitClosed][dice.usize(..2)].clone(),
    }
}

impl fmt::Display for Program {
    /// Prints a line for the limit, the peer, the task and the cancellations each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "limit {}\npeer", self.limit)?;
        for (delay, action) in &self.peer {
            match action {
                PeerAction::Send(text) => write!(f, " {delay}:Send:{text}"),
                PeerAction::Take => write!(f, " {delay}:Take:"),
                PeerAction::End => write!(f, " {delay}:End:"),
            }?;
        }
        write!(f, "\ntask")?;
        for (delay, action) in &self.task {
            write!(f, " {delay}:{action}")?;
        }
        write!(f, "\ncancel")?;
        for delay in &self.cancel {
            write!(f, " {delay}")?;
        }
        writeln!(f)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Readline => write!(f, "Readline:"),
            Action::Read(count) => write!(f, "Read:{count}"),
            Action::ReadToEnd => write!(f, "ReadToEnd:"),
            Action::ReadExactly(count) => write!(f, "ReadExactly:{count}"),
            Action::ReadUntil(separator) => write!(f, "ReadUntil:{separator}"),
            Action::AtEof => write!(f, "AtEof:"),
            Action::Write(count) => write!(f, "Write:{count}"),
            Action::WriteLines(count) => write!(f, "WriteLines:{count}"),
            Action::Drain => write!(f, "Drain:"),
            Action::WriteEof => write!(f, "WriteEof:"),
            Action::Close => write!(f, "Close:"),
            Action::WaitClosed => write!(f, "WaitClosed:"),
        }
    }
}
