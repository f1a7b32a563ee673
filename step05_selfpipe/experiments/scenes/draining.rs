//! A loop that reads the wake-up bytes, or leaves them in the pipe.

use std::thread;

use scene::{Transcript, say, scene};
use step05_selfpipe::SelfPipe;

use super::waking::{is_readable, readiness, wait, watch};

scene!(
    a_byte_left_unread,
    "A loop is woken once but doesn't read the byte. How often does select return?"
);
/// `turn 3, nothing is read: select returns 1 event`, after a single wake: as long as the byte is
/// in the buffer, the loop's end is readable, and every `select` returns at once. A loop that
/// forgets to drain keeps a core busy, although everything else works. Once the loop has read the
/// byte, it can sleep again: `after that:  not readable`. asyncio's loop spins in the same way if
/// its byte isn't read.
fn a_byte_left_unread(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut selector = watch(&pipe)?;
    pipe.waker().wake();
    for turn in 1..=3 {
        say!(t, "turn {turn}, nothing is read: select returns {}", wait(&mut selector)?);
    }
    say!(t, "drain:       {} byte", pipe.drain()?);
    say!(t, "after that:  {}", readiness(&mut selector)?);
    say!(t, "drain again: {} bytes", pipe.drain()?);
    Ok(())
}

scene!(
    ten_threads_wake,
    "Ten threads wake a busy loop 100 times each. How often does select return?"
);
/// `returns of select, each followed by a drain: 1`, after a thousand wakes: their bytes collect in
/// the buffer until it's full, and later wakes find no room for their bytes. One drain reads all
/// bytes in the buffer, so the next `select` reports nothing. One report is enough, because a wake
/// only tells the loop to look. After the drain the next wake counts again:
/// `one more wake: readable`. asyncio does the same.
fn ten_threads_wake(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut selector = watch(&pipe)?;
    let threads: Vec<_> = (0..10)
        .map(|_| {
            let waker = pipe.waker();
            thread::spawn(move || (0..100).for_each(|_| waker.wake()))
        })
        .collect();
    for thread in threads {
        anyhow::ensure!(thread.join().is_ok(), "a thread panicked in wake");
    }
    let mut returns = 0;
    while is_readable(&mut selector)? && returns < 10 {
        returns += 1;
        pipe.drain()?;
    }
    say!(t, "10 threads wake the loop 100 times each");
    say!(t, "  returns of select, each followed by a drain: {}", returns);
    pipe.waker().wake();
    say!(t, "one more wake: {}", readiness(&mut selector)?);
    Ok(())
}
