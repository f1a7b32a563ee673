//! Trials of the inbox in one thread: the contents of the queue, the pipe and the loop's list.

use std::fmt;
use std::sync::Arc;
use std::thread;

use kit::cost::{Calls, within};
use scene::{Program, Random, Transcript, say, trial};
use step05_selfpipe::{EventFd, Inbox, SelfPipe, Sender};

use super::pipes::{empty, outcome, readable, without_reads};
use crate::scenes::allocations::allocations_in;

/// An operation on an inbox.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Send(usize),
    SendFromAThread(usize),
    Wake,
    ReadBytes,
    TakeAhead,
    Take,
    TakeIntoANewList,
    Drop,
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Send(1) => f.write_str("send"),
            Verb::Send(count) => write!(f, "send {count} times"),
            Verb::SendFromAThread(count) => write!(f, "send {count} times in another thread"),
            Verb::Wake => f.write_str("wake"),
            Verb::ReadBytes => f.write_str("read the pair's bytes"),
            Verb::TakeAhead => f.write_str("take_ahead"),
            Verb::Take => f.write_str("take"),
            Verb::TakeIntoANewList => f.write_str("take into a new list"),
            Verb::Drop => f.write_str("drop the inbox"),
        }
    }
}

/// A value with a number. Its owners are counted, to see which values still exist.
struct Value {
    number: usize,
    _owner: Arc<()>,
}

/// An inbox and the two sides that use it.
struct Sides {
    inbox: Option<Inbox<Value>>,
    sender: Sender<Value>,
    taken: Vec<Value>,
    sent: usize,
    owners: Arc<()>,
}

impl Sides {
    fn new() -> anyhow::Result<Self> {
        let inbox = Inbox::new()?;
        let sender = inbox.sender();
        let (taken, owners) = (Vec::new(), Arc::new(()));
        Ok(Sides { inbox: Some(inbox), sender, taken, sent: 0, owners })
    }

    fn carry_out(&mut self, verb: Verb) -> anyhow::Result<String> {
        let Some(inbox) = &self.inbox else {
            return match verb {
                Verb::Send(count) | Verb::SendFromAThread(count) => self.send(count, verb),
                _ => Ok("nothing".to_owned()),
            };
        };
        match verb {
            Verb::Send(count) | Verb::SendFromAThread(count) => return self.send(count, verb),
            Verb::Wake => inbox.waker().wake(),
            Verb::ReadBytes => return Ok(format!("{}", empty(inbox)?)),
            Verb::TakeAhead => {
                let mut ahead = Vec::new();
                inbox.take_ahead(&mut ahead);
                return Ok(numbers(&ahead));
            }
            Verb::Take => {
                let done = outcome(inbox.take(&mut self.taken));
                return Ok(format!("{done}; the list: {}", numbers(&self.taken)));
            }
            Verb::TakeIntoANewList => {
                self.taken = Vec::new();
                let done = outcome(inbox.take(&mut self.taken));
                return Ok(format!("{done}; the list: {}", numbers(&self.taken)));
            }
            Verb::Drop => self.inbox = None,
        }
        Ok("done".to_owned())
    }

    /// Sends values with the next numbers and says which of them came back.
    fn send(&mut self, count: usize, verb: Verb) -> anyhow::Result<String> {
        let first = self.sent;
        self.sent += count;
        let (sender, owners) = (self.sender.clone(), Arc::clone(&self.owners));
        let send_all = move || -> Vec<Value> {
            let values =
                (first..first + count).map(|number| Value { number, _owner: Arc::clone(&owners) });
            values.filter_map(|value| sender.send(value).err()).collect()
        };
        let back = match verb {
            Verb::SendFromAThread(_) => thread::spawn(send_all).join(),
            _ => Ok(send_all()),
        };
        let Ok(back) = back else { anyhow::bail!("a thread panicked in send") };
        Ok(if back.is_empty() { "Ok".to_owned() } else { format!("returned: {}", numbers(&back)) })
    }

    fn state(&self) -> anyhow::Result<String> {
        let exist = Arc::strong_count(&self.owners) - 1;
        let Some(inbox) = &self.inbox else { return Ok(format!("{exist} values are alive")) };
        // Not in another order: `len` locks the queue and so corrects what `is_empty` looks at.
        let (is_empty, length, readable) = (inbox.is_empty(), inbox.len(), readable(inbox)?);
        let queue = format!("queue: {length}, is_empty() is {is_empty}");
        Ok(format!("{queue}; the inbox is {readable}; {exist} values are alive"))
    }
}

/// Lists the values' numbers, or the first and the last of many consecutive numbers.
fn numbers(values: &[Value]) -> String {
    let numbers: Vec<usize> = values.iter().map(|value| value.number).collect();
    match numbers.as_slice() {
        [first, .., last]
            if numbers.len() > 6 && numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]) =>
        {
            format!("[{first} to {last}]")
        }
        numbers => format!("{numbers:?}"),
    }
}

fn run(program: &Program, t: Transcript, choose: fn(&mut Random) -> Verb) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..9).map(|_| choose(&mut random)));
    let mut sides = Sides::new()?;
    for verb in verbs {
        let did = sides.carry_out(verb)?;
        say!(t, "{verb}: {did}; {}", sides.state()?);
    }
    Ok(())
}

trial!(
    values_in_the_queue,
    60,
    "A sent value is queued behind the others, and only a value that finds the queue empty writes a byte."
);
fn values_in_the_queue(program: &Program, t: Transcript) -> anyhow::Result<()> {
    run(program, t, |random| match random.below(12) {
        0..4 => Verb::Send(random.choose(&[1, 1, 2, 3, 300])),
        4 => Verb::SendFromAThread(random.choose(&[1, 2])),
        5 => Verb::Wake,
        6..8 => Verb::ReadBytes,
        8..10 => Verb::TakeAhead,
        10 => Verb::Send(1),
        _ => Verb::Drop,
    })?;
    for count in program.verbs(if program.number() == 0 { vec![1, 2, 5000] } else { vec![] }) {
        let mut sides = Sides::new()?;
        let (sent, calls) = Calls::of(|| sides.send(count, Verb::Send(count)))?;
        let (writes, sent, state) = (within(calls.writes, 1), sent?, sides.state()?);
        say!(t, "send {count} times: {sent}; writes: {writes}; {state}");
    }
    for count in program.verbs(if program.number() == 0 { vec![1, 3] } else { vec![] }) {
        let (inbox, counter) = (Inbox::new()?, EventFd::new()?);
        let sender = inbox.sender().through(counter.clone());
        let sent = (0..count).filter(|number| sender.send(*number).is_ok()).count();
        let (length, wakes) = (inbox.len(), counter.drain()?);
        say!(t, "send {count} times through a counter: Ok {sent} times; queue: {length}");
        say!(t, "  wakes in the counter: {wakes}; the inbox is {}", readable(&inbox)?);
    }
    Ok(())
}

trial!(
    values_taken,
    60,
    "A take returns all values in their order, drops the old ones and leaves no byte behind."
);
fn values_taken(program: &Program, t: Transcript) -> anyhow::Result<()> {
    run(program, t, |random| match random.below(12) {
        0..4 => Verb::Send(random.choose(&[1, 2, 3, 7, 300, 1500])),
        4 => Verb::SendFromAThread(random.choose(&[1, 2])),
        5 => Verb::Wake,
        6..10 => Verb::Take,
        10 => Verb::TakeIntoANewList,
        _ => random.choose(&[Verb::TakeAhead, Verb::ReadBytes]),
    })
}

trial!(a_take_is_cheap, 1, "A take allocates nothing, however many values there are.");
fn a_take_is_cheap(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for count in program.verbs([0, 1, 2, 5, 1000]) {
        let inbox = Inbox::new()?;
        for value in 0..count {
            let _ = inbox.sender().send(value);
        }
        let mut values = Vec::new();
        let (allocations, taken) = allocations_in(|| inbox.take(&mut values));
        let (taken, length) = (outcome(taken), values.len());
        // Whether a drain allocates its buffer isn't the question here.
        let allocations = within(allocations.saturating_sub(allocations_of_a_drain(count)?), 0);
        say!(
            t,
            "take {count} values: {taken}; {length} are in the list; allocations: {allocations}"
        );
    }
    Ok(())
}

/// Counts the allocations of a drain of one byte, or of none if there are no values.
fn allocations_of_a_drain(values: usize) -> anyhow::Result<usize> {
    let pipe = SelfPipe::new()?;
    if values > 0 {
        pipe.waker().wake();
    }
    let (allocations, drained) = allocations_in(|| pipe.drain());
    drained?;
    Ok(allocations)
}

trial!(
    a_failing_drain,
    1,
    "If the drain fails, take fails, too, and the values stay in the queue."
);
fn a_failing_drain(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for count in program.verbs([0, 1, 3]) {
        let inbox = Inbox::new()?;
        for value in 0..count {
            let _ = inbox.sender().send(value);
        }
        let mut values = Vec::new();
        let taken = without_reads(libc::EIO, || inbox.take(&mut values))?;
        let left = inbox.len();
        say!(
            t,
            "{count} values are in the queue, and reads fail; take: {}; queue: {left}",
            outcome(taken)
        );
        let taken = outcome(inbox.take(&mut values));
        say!(t, "  when reads work again, take: {taken}; the list: {values:?}");
    }
    Ok(())
}
