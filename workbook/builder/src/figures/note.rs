//! A stream's readiness note as a state machine. Three streams, each with a different rule for
//! clearing its note, receive the same bytes on step 07's loop.

use std::future::poll_fn;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::task::Poll;

use anyhow::{Context, bail};
use step07_full_loop::{AsyncFd, Result, run, yield_now};

use super::shapes::{Look, Shape};
use super::{Answer, Figure, Run, Set, State};

/// The rule for clearing the note.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    /// The rule of step 07's streams: clear the note after a read that was short or would have
    /// blocked.
    AfterShort,
    AfterEach,
    Never,
}

const RULES: [Rule; 3] = [Rule::AfterShort, Rule::AfterEach, Rule::Never];
/// The size of a read's buffer, in bytes.
const ROOM: usize = 2;

/// The latest action of a stream's task or the latest event for the stream, with the stream's state
/// after it.
#[derive(Debug, Clone, PartialEq)]
struct Position {
    did: Did,
    /// The number of bytes in the socket, according to the kernel.
    unread: u64,
    may_be_ready: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Did {
    /// The note was clear, so the task has stored its waker.
    Wait,
    /// An event has set the note and woken the task.
    WakeUp,
    Read(usize),
    /// The task has tried to read, but the read would have blocked.
    WouldBlock,
}

struct Stream {
    rule: Rule,
    socket: AsyncFd<UnixStream>,
    peer: UnixStream,
}

impl Stream {
    fn new(rule: Rule) -> Result<Self> {
        let (ours, peer) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        Ok(Stream { rule, socket: AsyncFd::new(ours)?, peer })
    }

    /// Checks the note. If the note is set, reads and then applies the rule, as a task does between
    /// two awaits. Returns the task's action.
    async fn turn(&self) -> Result<Did> {
        let poll = poll_fn(|context| Poll::Ready(self.socket.poll_readable(context)));
        if poll.await.is_pending() {
            return Ok(Did::Wait);
        }
        let did = match self.socket.get_ref().read(&mut [0; ROOM]) {
            Ok(count) => Did::Read(count),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Did::WouldBlock,
            Err(error) => return Err(error.into()),
        };
        let clears = match self.rule {
            Rule::AfterShort => did != Did::Read(ROOM),
            Rule::AfterEach => true,
            Rule::Never => false,
        };
        if clears {
            self.socket.clear_readable();
        }
        Ok(did)
    }

    fn position(&self, did: Did) -> Result<Position> {
        let unread = rustix::io::ioctl_fionread(&self.socket).map_err(io::Error::from)?;
        Ok(Position { did, unread, may_be_ready: self.socket.readable_now() })
    }
}

/// Runs three streams side by side, one for each rule, and returns the streams' positions, moment
/// by moment.
fn moments() -> anyhow::Result<Vec<Vec<Position>>> {
    run(async {
        let streams = RULES.into_iter().map(Stream::new).collect::<Result<Vec<Stream>>>()?;
        let mut moments = Vec::new();
        turns(&streams, 1, &mut moments).await?;
        for (bytes, count) in [("hello", 5), ("!?", 3)] {
            for stream in &streams {
                (&stream.peer).write_all(bytes.as_bytes())?;
            }
            let_the_loop_look().await?;
            let woken = streams.iter().map(|stream| stream.position(Did::WakeUp));
            moments.push(woken.collect::<Result<Vec<Position>>>()?);
            turns(&streams, count, &mut moments).await?;
        }
        Ok(moments)
    })
    .context("play three rules on a loop")
}

async fn turns(streams: &[Stream], count: usize, moments: &mut Vec<Vec<Position>>) -> Result<()> {
    for _ in 0..count {
        let mut positions = Vec::new();
        for stream in streams {
            positions.push(stream.position(stream.turn().await?)?);
        }
        moments.push(positions);
        let_the_loop_look().await?;
    }
    Ok(())
}

/// Lets the loop ask the kernel for events and record them. A tick asks the kernel before it runs
/// the ready callbacks.
async fn let_the_loop_look() -> Result<()> {
    yield_now().await?;
    yield_now().await
}

pub(super) fn figure() -> anyhow::Result<Figure> {
    let moments = moments()?;
    let mut runs = Vec::new();
    for (at, rule) in RULES.into_iter().enumerate() {
        let positions = moments.iter().map(|moment| moment[at].clone());
        runs.push(rule.run(positions.collect())?);
    }
    let asked = RULES.iter().position(|rule| *rule == Rule::AfterEach).context("a rule")?;
    let stuck = moments.iter().position(|moment| moment[asked].is_stuck());
    Ok(Figure {
        name: "note",
        title: "A note as a state machine",
        question: "what becomes of the other three bytes?".to_owned(),
        answers: answers(),
        explains: EXPLAINS.to_owned(),
        choices: ["", "Rules"],
        sets: vec![Set { name: String::new(), runs }],
        still: [0, asked, stuck.context("no task sleeps beside its bytes")?],
    })
}

const EXPLAINS: &str = "So the note may be wrong in one direction only. A note that says \"may be ready\" for nothing \
costs a call that would block. A note that's clear while bytes are there costs you these bytes: they've had their event, and \
[no other one will remind you of them](step02.md#level-or-edge). Clear it only when a call comes back short or would \
block.";

fn answers() -> Vec<Answer> {
    vec![
        Answer::right("they stay in the socket until more bytes arrive"),
        Answer::wrong(
            "the next event brings them",
            "the registration is edge-triggered. The kernel has reported these bytes and reports only what arrives later.",
        ),
        Answer::wrong(
            "the task reads them at once, because a socket with bytes is readable",
            "a wait looks at the note, not at the socket.",
        ),
    ]
}

impl Rule {
    fn name(self) -> &'static str {
        match self {
            Rule::AfterShort => "clear the note after a call that comes back short or would block",
            Rule::AfterEach => "clear the note after each read",
            Rule::Never => "never clear the note",
        }
    }

    /// Returns the drawn history of a stream that follows this rule.
    fn run(self, positions: Vec<Position>) -> anyhow::Result<Run> {
        let mut states = Vec::new();
        let mut taken = Vec::new();
        let mut before: Option<&Position> = None;
        for position in &positions {
            // The task has stayed asleep or has tried again, so there's nothing new to draw.
            if before == Some(position) {
                continue;
            }
            let moved = before.map(|before| (before.corner(), position.corner()));
            let moved = moved.filter(|(from, to)| from != to);
            let mut shapes = position.shapes(self);
            for &(from, to) in &taken {
                shapes.push(transition(from, to, Look::Faint)?);
            }
            if let Some((from, to)) = moved {
                shapes.push(transition(from, to, Look::Now)?);
                taken.push((from, to));
            }
            let arrived = position.unread.saturating_sub(before.map_or(0, |before| before.unread));
            states.push(State { says: position.says(self, arrived), shapes });
            before = Some(position);
        }
        let is_bad = positions.iter().any(|position| position.is_bad(self));
        Ok(Run { name: self.name().to_owned(), is_bad, states })
    }
}

/// A state of the machine: whether the note says "may be ready", and whether the socket has unread
/// bytes.
type Corner = (bool, bool);

const BOX: (usize, usize) = (138, 34);

/// Returns the position of a state's box.
fn place((may_be_ready, has_bytes): Corner) -> (usize, usize) {
    (if has_bytes { 202 } else { 2 }, if may_be_ready { 162 } else { 88 })
}

/// Returns the line for a transition. Each transition has a separate line, and no line crosses a
/// box.
fn transition(from: Corner, to: Corner, look: Look) -> anyhow::Result<Shape> {
    let (from, to) = match (from, to) {
        ((false, false), (true, true)) => ((140, 108), (222, 162)),
        ((true, true), (false, false)) => ((202, 176), (112, 122)),
        ((true, true), (true, false)) => ((202, 190), (140, 190)),
        ((true, false), (true, true)) => ((140, 176), (202, 176)),
        ((true, false), (false, false)) => ((50, 162), (50, 122)),
        ((true, true), (false, true)) => ((310, 162), (310, 122)),
        ((false, true), (true, true)) => ((270, 122), (270, 162)),
        other => bail!("no line for {other:?}"),
    };
    Ok(Shape::Line { from, to, has_head: true, look })
}

impl Position {
    fn corner(&self) -> Corner {
        (self.may_be_ready, self.unread > 0)
    }

    /// Returns true if the task sleeps although there are unread bytes, which no event will report
    /// again.
    fn is_stuck(&self) -> bool {
        self.did == Did::Wait && self.unread > 0
    }

    fn is_bad(&self, rule: Rule) -> bool {
        self.is_stuck() || (self.did == Did::WouldBlock && rule == Rule::Never)
    }

    fn says(&self, rule: Rule, arrived: u64) -> String {
        let unread = self.unread;
        match (self.did, rule) {
            (Did::Wait, _) if self.is_stuck() => format!(
                "The note is clear, so the task sleeps beside {unread} bytes. They've had their event, and \
                 there won't be another one for them."
            ),
            (Did::Wait, _) => {
                "The note is clear, so the task leaves its waker and sleeps.".to_owned()
            }
            (Did::WakeUp, _) => {
                format!("{arrived} bytes arrive. The event sets the note and wakes the task.")
            }
            (Did::Read(ROOM), Rule::AfterShort) => {
                "The read fills its buffer. There may be more, so the note stays.".to_owned()
            }
            (Did::Read(count), Rule::AfterShort) => {
                format!(
                    "The read comes back short, with {}. The note is cleared.",
                    bytes(count as u64)
                )
            }
            (Did::Read(count), Rule::AfterEach) => {
                format!("The task reads {} and clears the note.", bytes(count as u64))
            }
            (Did::Read(count), Rule::Never) => {
                format!("The task reads {}. The note stays.", bytes(count as u64))
            }
            (Did::WouldBlock, Rule::Never) => {
                "The read would block. The note still says \"may be ready\", so \
                 the task tries again and again and keeps a core busy."
                    .to_owned()
            }
            (Did::WouldBlock, _) => {
                "Nothing was left: the read would block, and the note is cleared.".to_owned()
            }
        }
    }

    fn shapes(&self, rule: Rule) -> Vec<Shape> {
        let did = match self.did {
            Did::Wait => "wait".to_owned(),
            Did::WakeUp => "an event".to_owned(),
            Did::Read(count) => format!("read: {}", bytes(count as u64)),
            Did::WouldBlock => "read: would block".to_owned(),
        };
        let mut shapes = vec![
            Shape::label(2, 16, &format!("in the socket: {}", bytes(self.unread)), Look::Plain),
            Shape::label(202, 16, &did, Look::Bold),
            Shape::label(2, 54, "nothing to read", Look::Plain),
            Shape::label(202, 54, "bytes to read", Look::Plain),
            Shape::label(2, 80, "the note is clear", Look::Plain),
            Shape::label(2, 214, "the note says \"may be ready\"", Look::Plain),
        ];
        for corner in [(false, false), (false, true), (true, false), (true, true)] {
            let (x, y) = place(corner);
            let look = match corner == self.corner() {
                true if self.is_bad(rule) => Look::Bad,
                true => Look::Now,
                false => Look::Faint,
            };
            let words = match corner {
                (false, _) => "the task sleeps",
                (true, _) => "the task tries",
            };
            let (width, height) = BOX;
            shapes.push(Shape::Box { x, y, width, height, words: words.to_owned(), look });
        }
        shapes
    }
}

fn bytes(count: u64) -> String {
    match count {
        0 => "nothing".to_owned(),
        1 => "1 byte".to_owned(),
        count => format!("{count} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the positions of a stream that follows this rule, moment by moment.
    fn positions(rule: Rule) -> Vec<Position> {
        let at = RULES.iter().position(|it| *it == rule).expect("a rule");
        moments().expect("moments").into_iter().map(|moment| moment[at].clone()).collect()
    }

    #[test]
    fn a_note_that_is_cleared_too_early_leaves_bytes_to_which_nothing_wakes_the_task() {
        let early = positions(Rule::AfterEach);
        let stuck: Vec<&Position> = early.iter().filter(|it| it.is_stuck()).collect();
        assert!(stuck.len() > 3 && stuck.iter().all(|it| it.unread == 3), "{early:?}");
        assert!(positions(Rule::AfterShort).iter().all(|it| !it.is_stuck()));
        assert!(positions(Rule::Never).iter().all(|it| !it.is_stuck()));
    }

    #[test]
    fn a_note_that_is_never_cleared_lets_the_task_try_again_and_again() {
        let tries = |rule| positions(rule).iter().filter(|it| it.did == Did::WouldBlock).count();
        assert_eq!(RULES.map(tries), [1, 0, 4]);
    }

    #[test]
    fn only_the_right_rule_goes_well_and_all_its_bytes_are_read() {
        let figure = figure().expect("a figure");
        let bad = figure.sets[0].runs.iter().map(|run| run.is_bad);
        assert_eq!(bad.collect::<Vec<bool>>(), [false, true, true]);
        let last = positions(Rule::AfterShort).pop().expect("a position");
        assert_eq!(last, Position { did: Did::Wait, unread: 0, may_be_ready: false });
    }

    #[test]
    fn the_right_answer_is_what_the_states_show() {
        let figure = figure().expect("a figure");
        let right = figure.answers.iter().find(|answer| answer.why.is_none()).expect("an answer");
        assert!(right.text.contains("stay in the socket until more bytes arrive"));
        let early = positions(Rule::AfterEach);
        let reads: Vec<usize> =
            (0..early.len()).filter(|&at| matches!(early[at].did, Did::Read(_))).collect();
        let arrivals: Vec<usize> =
            (0..early.len()).filter(|&at| early[at].did == Did::WakeUp).collect();
        assert_eq!((reads.len(), arrivals.len()), (2, 2));
        assert!(reads[0] < arrivals[1] && arrivals[1] < reads[1], "only more bytes bring a read");
    }
}
