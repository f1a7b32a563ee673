//! Work from another thread.

use std::cell::Cell;
use std::thread;

use anyhow::anyhow;
use scene::{Transcript, say, scene};
use step01_fd::{Read, read};
use step06_tasks::{Drain, ReadyQueue};

thread_local! {
    static CALLED: Cell<u32> = const { Cell::new(0) };
}

scene!(
    a_thousand_callbacks,
    "Another thread hands the loop a thousand callbacks. How often is the loop woken?"
);
/// Once: the thread writes a byte only for the callback that finds the inbox empty
/// (`handed over: 1000, bytes to wake the loop: 1`). A round runs what's in the queue, which the
/// thread can't touch, so at first it finds nothing (`one round of the queue: 0`). The loop has to
/// take the callbacks from the inbox before it can run them. They run on the loop's thread and
/// need no lock.
fn a_thousand_callbacks(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let handle = queue.handle();
    let thread = thread::spawn(move || {
        for _ in 0..1000 {
            handle.call_soon_threadsafe(|| CALLED.set(CALLED.get() + 1));
        }
    });
    thread.join().map_err(|_| anyhow!("the thread panicked"))?;
    say!(t, "handed over: 1000, bytes to wake the loop: {}", bytes(&queue)?);
    say!(t, "one round of the queue: {}", queue.run_ready());
    queue.take_remote(Drain::Pipe)?;
    say!(t, "messages taken, another round: {}", queue.run_ready());
    say!(t, "run on the loop's own thread: {}", CALLED.get());
    Ok(())
}

/// Reads the bytes that make the queue readable and counts them.
fn bytes(queue: &ReadyQueue) -> anyhow::Result<usize> {
    let mut total = 0;
    while let Read::Bytes(count) = read(queue, &mut [0; 4096])? {
        total += count;
    }
    Ok(total)
}
