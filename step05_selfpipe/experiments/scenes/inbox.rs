//! Values from other threads, which are sent, taken and dropped.

use std::sync::Arc;
use std::thread;

use scene::{Transcript, say, scene};
use step01_fd::{Read, read};
use step05_selfpipe::{Inbox, Sender};

use super::ordering::take_some;
use super::waking::{readiness, wait, watch};

scene!(
    a_thousand_values,
    "A thousand values are sent while the loop is busy. How many bytes are in its pipe?"
);
/// `bytes in the pipe:     1`: only the sender that finds the queue empty writes a byte. The later
/// senders find values there, so the loop is already sure to look at the queue, and it takes all
/// values at once. That saves 999 calls to `write`. asyncio's `call_soon_threadsafe` writes a byte
/// each time. A bare waker has no queue to look at, so it always writes:
/// `bytes from one wake:   1`.
fn a_thousand_values(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let sender = inbox.sender();
    say!(t, "bytes at first:        {}", read_bytes(&inbox)?);
    let sent = (0..1000).filter(|&value| sender.send(value).is_ok()).count();
    say!(t, "values sent:           {}", sent);
    say!(t, "values in the queue:   {}", inbox.len());
    say!(t, "bytes in the pipe:     {}", read_bytes(&inbox)?);
    inbox.waker().wake();
    say!(t, "bytes from one wake:   {}", read_bytes(&inbox)?);
    Ok(())
}

/// Reads all bytes from the pipe of an inbox and counts them.
fn read_bytes(inbox: &Inbox<u32>) -> anyhow::Result<usize> {
    let mut total = 0;
    while let Read::Bytes(count) = read(inbox, &mut [0; 4096])? {
        total += count;
    }
    Ok(total)
}

scene!(three_takes, "Three values are sent, then none, then one. What does take find each time?");
/// `the inbox is:       not readable` after three values and one `take`: `take` drains the pipe and
/// takes everything in the queue. The next take finds nothing; `none is sent, take:   []` shows
/// that `take` also drops the old values from the list it's given. The queue is empty by then, so
/// the sender of `four` writes a byte again: `the inbox is:       readable`.
fn three_takes(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let mut selector = watch(&inbox)?;
    let sender = inbox.sender();
    let mut values = Vec::new();
    for value in ["one", "two", "three"] {
        sender.send(value).ok();
    }
    inbox.take(&mut values)?;
    say!(t, "three are sent, take: {:?}", values);
    say!(t, "  the inbox is:       {}", readiness(&mut selector)?);
    inbox.take(&mut values)?;
    say!(t, "none is sent, take:   {:?}", values);
    sender.send("four").ok();
    say!(t, "one value is sent");
    say!(t, "  the inbox is:       {}", readiness(&mut selector)?);
    inbox.take(&mut values)?;
    say!(t, "  take:               {:?}", values);
    Ok(())
}

scene!(
    send_after_close,
    "An inbox is dropped while it holds a value. Is the value dropped, and what does send return after that?"
);
/// `the value's owners: 1`, after it was 2: dropping the inbox drops the queue and its values. The
/// sender has only a weak reference to the queue, so it doesn't keep values alive when the loop is
/// gone. That's also how the sender notices the loop's end: `send again:         Err("a value")`
/// returns the value, since no loop will ever take it.
fn send_after_close(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let sender = inbox.sender();
    let value = Arc::new("a value");
    say!(t, "send:                 {:?}", sender.send(Arc::clone(&value)));
    say!(t, "  the value's owners: {}", Arc::strong_count(&value));
    drop(inbox);
    say!(t, "the inbox is dropped");
    say!(t, "  the value's owners: {}", Arc::strong_count(&value));
    say!(t, "  send again:         {:?}", sender.send(value));
    Ok(())
}

/// A value that sends another value when it's dropped.
struct Echoing {
    name: &'static str,
    sender: Option<Sender<Echoing>>,
}

impl Drop for Echoing {
    fn drop(&mut self) {
        if let Some(sender) = self.sender.take() {
            let _ = sender.send(Echoing { name: "sent by its drop", sender: None });
        }
    }
}

scene!(
    destructor_that_sends,
    "The loop drops a value whose destructor sends to the same inbox. Does the loop deadlock?"
);
/// `turn 2, take: ["sent by its drop"]`, so there's no deadlock: `take` drops the old values before
/// it locks the queue. The value's destructor can lock the queue and send, and `take` finds the new
/// value right after that. If `take` dropped values with the queue locked, the destructor's `send`
/// would wait forever for a lock that its own thread holds. So don't hold a lock while you run code
/// that you don't know.
fn destructor_that_sends(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let sender = inbox.sender();
    sender.send(Echoing { name: "a value", sender: Some(sender.clone()) }).ok();
    say!(t, "a value is sent whose destructor sends another one");
    let mut values = Vec::new();
    for turn in 1..=2 {
        values = take_some(&inbox, values)?;
        let names: Vec<_> = values.iter().map(|value| value.name).collect();
        say!(t, "  turn {turn}, take: {:?}", names);
    }
    say!(t, "  left in the queue: {}", inbox.len());
    Ok(())
}

const THREADS: usize = 8;
const VALUES: usize = 100_000;

scene!(
    eight_senders,
    "Eight threads send 100,000 values each. How many are lost, repeated or out of order?"
);
/// `lost, repeated or out of order:     0`, although only a sender that finds the queue empty wakes
/// the loop. It pushes before it wakes, and `take` drains the pipe before it looks at the queue. So
/// a value that's sent during a drain is either found by the take that follows, or leaves a byte
/// for the next turn. A single lock around the queue keeps each thread's values in order.
fn eight_senders(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let mut selector = watch(&inbox)?;
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let sender = inbox.sender();
            thread::spawn(move || (0..VALUES).all(|value| sender.send((thread, value)).is_ok()))
        })
        .collect();

    let mut next = [0; THREADS];
    let mut unexpected = 0;
    let mut values = Vec::new();
    while next.iter().sum::<usize>() < THREADS * VALUES {
        wait(&mut selector)?;
        inbox.take(&mut values)?;
        for &(thread, value) in &values {
            unexpected += usize::from(value != next[thread]);
            next[thread] += 1;
        }
    }
    let done = threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|sent| *sent);
    say!(t, "threads that sent all their values: {}", done.count());
    say!(t, "fewest taken from one thread:       {:?}", next.iter().min().unwrap_or(&0));
    say!(t, "most taken from one thread:         {:?}", next.iter().max().unwrap_or(&0));
    say!(t, "lost, repeated or out of order:     {}", unexpected);
    say!(t, "left in the queue:                  {}", inbox.len());
    Ok(())
}
