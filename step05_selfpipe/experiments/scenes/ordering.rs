//! Push before wake, drain before take: the order that keeps a wake-up from being lost.

use std::io;
use std::os::fd::AsFd;

use scene::{Transcript, say, scene};
use step05_selfpipe::Inbox;

use super::held::Held;
use super::waking::{wait, watch};
use kit::Sleeper;

scene!(
    the_value_and_the_byte,
    "A sender's byte wakes the loop before the sender's write returns. Is the value in the queue by then?"
);
/// `the loop wakes up to find:  1 in the queue`, while the sender is still in its write and can't
/// do anything else. So the value must have been pushed before the byte was written. In the other
/// order the loop could wake up, find an empty queue, and go back to sleep, with the byte already
/// drained. Then the value would stay in the queue, perhaps forever, since no later sender finds
/// the queue empty and writes a byte: a lost wake-up.
fn the_value_and_the_byte(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let sender = inbox.sender();
    let end = inbox.as_fd().try_clone_to_owned()?;
    let event_loop =
        Sleeper::start(move || match watch(&inbox).and_then(|mut selector| wait(&mut selector)) {
            Ok(_) => format!("{} in the queue", inbox.len()),
            Err(error) => error.to_string(),
        })?;
    event_loop.wait_until_asleep()?;

    let sending = Held::start(end, move || format!("{:?}", sender.send("a value")))?;
    say!(t, "the sender, in its write:   {}", sending.state());
    // Either the loop has looked, or it waits for a lock that the sender holds.
    event_loop.wait_until_asleep()?;
    let sent = sending.release()?;
    say!(t, "the loop wakes up to find:  {}", event_loop.join()?);
    say!(t, "the sender goes on, send:   {}", sent);
    Ok(())
}

scene!(
    send_during_drain,
    "A value is sent during a drain, which also reads the value's byte. Does the loop find the value?"
);
/// `the loop takes:         Ok(["in the middle"])`, although the drain has removed that value's
/// byte. `take` drains first and looks at the queue second, and the sender pushes before it writes
/// its byte. So if the drain has read the byte, the value is in the queue by then. In the other
/// order, the loop could drain the byte of a value that it hasn't seen.
fn send_during_drain(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let (sender, waker) = (inbox.sender(), inbox.waker());
    say!(t, "the loop drains a full pipe; the queue is empty");
    // A read that makes room makes the waker's end writable, so that's where the loop is held.
    let event_loop = Held::start(inbox.waker(), move || {
        (0..10_000).for_each(|_| waker.wake());
        format!("{:?}", take_some(&inbox, Vec::new()))
    })?;
    say!(t, "  the loop, in its drain: {}", event_loop.state());

    let sending = Sleeper::start(move || format!("{:?}", sender.send("in the middle")))?;
    // Either the value is sent, or the sender waits for a lock that the loop holds.
    sending.wait_until_asleep()?;
    say!(t, "a value is sent, and the loop goes on");
    let taken = event_loop.release()?;
    sending.join()?;
    say!(t, "  the loop takes:         {}", taken);
    Ok(())
}

/// Takes the values in the inbox. If there are none, waits for the first and takes again.
pub(super) fn take_some<T>(inbox: &Inbox<T>, mut values: Vec<T>) -> io::Result<Vec<T>> {
    inbox.take(&mut values)?;
    if values.is_empty() {
        wait(&mut watch(inbox)?)?;
        inbox.take(&mut values)?;
    }
    Ok(values)
}
