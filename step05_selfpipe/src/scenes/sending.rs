//! News for the loop, from the sender's side.

use std::os::fd::AsFd;
use std::sync::Arc;

use scene::{Transcript, say, scene};
use step01_fd::{Read, read};
use step05_selfpipe::Inbox;

use super::waking::{sleep, watch};
use kit::Sleeper;
use kit::interruption::{Gate, interrupt_me_at};

/// How many bytes lie in the pipe of an inbox. They are taken out by that.
fn bytes(inbox: &Inbox<u32>) -> anyhow::Result<usize> {
    let mut total = 0;
    while let Read::Bytes(count) = read(inbox, &mut [0; 4096])? {
        total += count;
    }
    Ok(total)
}

scene!(
    push_comes_before_wake,
    "The loop looks before the sender's write has returned. What is there?"
);
/// The sender is held in the middle of its write: the byte is in the pipe, the call has not come
/// back. The loop wakes up at once and looks. What it does not find now, nobody will wake it for.
fn push_comes_before_wake(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let sender = inbox.sender();
    let end = inbox.as_fd().try_clone_to_owned()?;
    let the_loop = Sleeper::start(move || {
        match watch(&inbox).and_then(|mut selector| sleep(&mut selector)) {
            Ok(_) => format!("the loop wakes and finds:  {} in the queue", inbox.len()),
            Err(error) => error.to_string(),
        }
    })?;
    the_loop.wait_until_asleep()?;

    let gate = Gate::for_the_next()?;
    let sending = Sleeper::start(move || match interrupt_me_at(&end) {
        Ok(()) => format!("the sender goes on:        {:?}", sender.send("news")),
        Err(error) => error.to_string(),
    })?;
    sending.wait_until_asleep()?;
    say!(t, "the sender is held while it writes its byte: {}", gate.holds_somebody());
    // Until it has looked, or waits for a lock that the sender holds.
    the_loop.wait_until_asleep()?;
    gate.open()?;
    say!(t, "{}", the_loop.join()?);
    say!(t, "{}", sending.join()?);
    Ok(())
}

scene!(
    one_byte_for_a_thousand_values,
    "A thousand values are sent while the loop is busy. How many bytes wake it?"
);
/// A queue in which something lies has its byte already. A second one would only be one more system
/// call, for the sender and for the loop.
fn one_byte_for_a_thousand_values(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let sender = inbox.sender();
    say!(t, "bytes at first:            {}", bytes(&inbox)?);
    let sent = (0..1000).filter(|&number| sender.send(number).is_ok()).count();
    say!(t, "values sent:               {sent}");
    say!(t, "in the queue:              {}", inbox.len());
    say!(t, "bytes in the pipe:         {}", bytes(&inbox)?);
    inbox.waker().wake();
    say!(t, "a wake without any news:   {} more", bytes(&inbox)?);
    Ok(())
}

scene!(
    send_after_close,
    "A value was sent, and nobody took it before the loop was gone. Where is it?"
);
/// A value that was not taken goes when the loop goes: a lock is released, a channel is closed, and
/// whoever waits there finds out. What comes later comes back.
fn send_after_close(t: Transcript) -> anyhow::Result<()> {
    let inbox = Inbox::new()?;
    let sender = inbox.sender();
    let value = Arc::new("a value");
    let sent = sender.send(Arc::clone(&value));
    say!(t, "sent:             {sent:?}, it has {} owners", Arc::strong_count(&value));
    drop(inbox);
    say!(t, "the loop is gone: it has {} owner", Arc::strong_count(&value));
    say!(t, "one more:         {:?}", sender.send(value));
    Ok(())
}
