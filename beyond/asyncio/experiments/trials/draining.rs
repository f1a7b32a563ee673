//! Trials of `drain`: tasks write and drain while the peer reads late or leaves.

use std::cell::RefCell;
use std::fmt;
use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Error, Result, StreamWriter, open_connection_on, sleep};
use kit::errno_name;
use scene::{Program, Random, Transcript, say, trial};
use step01_fd::errno;

use super::lines::{Line, Wait};

/// An event that affects a writer.
#[derive(Debug, Clone, Copy)]
enum Act {
    Write(usize),
    Drain(usize),
    /// Drains once the task is cancelled, in its clean-up.
    DrainInCleanUp(usize),
    /// Writes and drains five times, without a look at what's unsent.
    WriteAndDrain(usize),
    Cancel(usize),
    Drop(usize),
    /// The high and the low water mark.
    Limits(usize, usize),
    /// The peer reads this many bytes.
    Read(usize),
    PeerLeaves,
    Close,
    Abort,
    Tick,
}

/// More than the kernel takes, so that some of it is unsent.
const MUCH: usize = 400_000;

impl Act {
    fn random(number: usize, drains: &mut Vec<usize>, random: &mut Random) -> Act {
        let latest = &drains[drains.len().saturating_sub(4)..];
        let act = match random.below(48) {
            0..6 => Act::Write(random.choose(&[1, 500, 40_000, 70_000, MUCH])),
            6..16 => Act::Drain(number),
            16..18 => Act::WriteAndDrain(number),
            18..21 if !drains.is_empty() => Act::Cancel(random.choose(latest)),
            21..23 if !drains.is_empty() => Act::Drop(random.choose(latest)),
            23..25 => {
                let (high, low) =
                    random.choose(&[(0, 0), (MUCH, 0), (1000, 1000), (65_536, 16_384)]);
                Act::Limits(high, low)
            }
            25..34 => Act::Read(random.choose(&[1000, 200_000, MUCH, 4 * MUCH])),
            34 => random.choose(&[Act::PeerLeaves, Act::Abort, Act::Close]),
            _ => Act::Tick,
        };
        if let Act::Drain(_) | Act::WriteAndDrain(_) = act {
            drains.push(number);
        }
        act
    }

    /// Makes the acts of a closing writer that's aborted, or gets room, before a task begins to
    /// drain or while it gives up its turn: there are four variants.
    fn while_closing(variant: u32) -> Vec<Act> {
        let (high, low) = (700_000, 599_999);
        let meanwhile = if variant.is_multiple_of(2) { Act::Abort } else { Act::Read(300_000) };
        let mut acts = vec![Act::Limits(high, low), Act::Write(1_000_000), Act::Close, Act::Tick];
        acts.push(Act::Drain(50));
        acts.extend(if variant < 2 { vec![] } else { vec![Act::Tick] });
        acts.extend([meanwhile, Act::Tick, Act::Tick]);
        acts
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Write(count) => write!(f, "write, {count} bytes"),
            Act::Drain(task) => write!(f, "task {task} will call drain()"),
            Act::DrainInCleanUp(task) => write!(f, "task {task} will call drain() in its clean-up"),
            Act::WriteAndDrain(task) => write!(f, "task {task} will call write() and drain()"),
            Act::Cancel(task) => write!(f, "task {task}: cancel()"),
            Act::Drop(task) => write!(f, "task {task}: its wait is dropped"),
            Act::Limits(high, low) => write!(f, "set_write_buffer_limits({high}, {low})"),
            Act::Read(count) => write!(f, "the peer reads up to {count} bytes"),
            Act::PeerLeaves => f.write_str("the peer leaves"),
            Act::Close => f.write_str("close()"),
            Act::Abort => f.write_str("abort()"),
            Act::Tick => f.write_str("one tick"),
        }
    }
}

trial!(
    writers_that_drain,
    65,
    "drain waits while writing is paused, and it stops waiting when the connection is lost."
);
fn writers_that_drain(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let mut drains = Vec::new();
    let acts: Vec<Act> =
        (0..24).map(|number| Act::random(number, &mut drains, &mut random)).collect();
    // Most of the programs begin with a writer that's paused, and a few with one that's closing, or
    // with a task that cleans up.
    let first = match program.number() % 65 {
        64 => {
            let in_clean_up = [Act::DrainInCleanUp(50), Act::Tick, Act::Cancel(50), Act::Tick];
            [&[Act::Write(MUCH)], &in_clean_up[..]].concat()
        }
        number @ 60.. => Act::while_closing(number - 60),
        number if number.is_multiple_of(4) => vec![Act::Tick],
        _ => vec![Act::Write(MUCH)],
    };
    let line = Line::new(t)?;
    let (ours, peer) = UnixStream::pair()?;
    peer.set_nonblocking(true)?;
    let (writer, mut peer) = (connect(&line, ours)?, Some(peer));
    for act in program.verbs(first.into_iter().chain(acts)) {
        perform(act, &line, &writer, &mut peer, t)?;
    }
    for _ in 0..4 {
        for act in [Act::Tick, Act::Read(4 * MUCH)] {
            perform(act, &line, &writer, &mut peer, t)?;
        }
    }
    perform(Act::Tick, &line, &writer, &mut peer, t)?;
    say!(t, "still waiting: {:?}", line.waiting());
    writer.abort();
    line.close()?;
    Ok(())
}

fn connect(line: &Line, socket: UnixStream) -> anyhow::Result<Rc<StreamWriter>> {
    let made = Rc::new(RefCell::new(None));
    let kept = Rc::clone(&made);
    line.run(async move {
        let (_reader, writer) = open_connection_on(socket)?;
        kept.replace(Some(Rc::new(writer)));
        Ok(())
    })?;
    made.take().ok_or_else(|| anyhow::anyhow!("no connection"))
}

fn perform(
    act: Act,
    line: &Rc<Line>,
    writer: &Rc<StreamWriter>,
    peer: &mut Option<UnixStream>,
    t: Transcript,
) -> anyhow::Result<()> {
    match act {
        Act::Tick => {
            line.tick()?;
            say!(t, "  unsent: {}", writer.get_write_buffer_size());
            return Ok(());
        }
        Act::Drain(number) => line.begin(number, "drain()", drain(writer)),
        Act::DrainInCleanUp(number) => {
            line.begin(number, "sleep(), and drain() in its clean-up", drain_in_clean_up(writer));
        }
        Act::WriteAndDrain(number) => {
            line.begin(number, "write() and drain(), five times", write_and_drain(writer));
        }
        _ => {}
    }
    let did = match act {
        Act::Write(count) => format!("{:?}", writer.write(&vec![b'!'; count])),
        Act::Cancel(number) => line.cancel(number).unwrap_or_else(no_effect),
        Act::Drop(number) => line.drop_wait(number).unwrap_or_else(no_effect),
        Act::Limits(high, low) => format!("{:?}", writer.set_write_buffer_limits(high, low)),
        Act::Read(count) => format!("{}", read(peer.as_ref(), count)),
        Act::PeerLeaves => format!("{}", peer.take().is_some()),
        Act::Close => {
            writer.close();
            "done".to_owned()
        }
        Act::Abort => {
            writer.abort();
            "done".to_owned()
        }
        Act::Tick | Act::Drain(_) | Act::DrainInCleanUp(_) | Act::WriteAndDrain(_) => return Ok(()),
    };
    say!(t, "  {act}: {did}; unsent: {}", writer.get_write_buffer_size());
    Ok(())
}

fn no_effect() -> String {
    "no effect".to_owned()
}

/// Reads up to `count` bytes and returns how many it read.
fn read(peer: Option<&UnixStream>, count: usize) -> usize {
    let mut bytes = vec![0; count];
    let mut read = 0;
    while let Some(mut peer) = peer
        && read < count
        && let Ok(more @ 1..) = peer.read(&mut bytes[read..])
    {
        read += more;
    }
    read
}

fn drain(writer: &Rc<StreamWriter>) -> Wait {
    let writer = Rc::clone(writer);
    Box::pin(async move { Ok(drained(writer.drain().await, &writer)) })
}

/// Sleeps until the task is cancelled, and drains then.
fn drain_in_clean_up(writer: &Rc<StreamWriter>) -> Wait {
    let writer = Rc::clone(writer);
    Box::pin(async move {
        let _ = sleep(Duration::from_hours(1)).await;
        Ok(drained(writer.drain().await, &writer))
    })
}

fn write_and_drain(writer: &Rc<StreamWriter>) -> Wait {
    let writer = Rc::clone(writer);
    Box::pin(async move {
        for count in 0..5 {
            writer.write(&vec![b'!'; 30_000])?;
            if let Err(error) = writer.drain().await {
                return Ok(format!("after {count}: {}", drained(Err(error), &writer)));
            }
        }
        Ok(drained(Ok(()), &writer))
    })
}

fn drained(outcome: Result<()>, writer: &StreamWriter) -> String {
    let unsent = writer.get_write_buffer_size();
    match outcome {
        Ok(()) => format!("has drained; unsent: {unsent}"),
        Err(Error::Io(error)) => {
            let (kind, errno) = (error.kind(), errno_name(errno(&error)));
            format!("{error}; {kind:?}, errno: {errno}; unsent: {unsent}")
        }
        Err(error) => format!("{error}; unsent: {unsent}"),
    }
}
