//! Work that comes from another thread.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use anyhow::anyhow;
use scene::{Transcript, say, scene};
use step06_tasks::ReadyQueue;

thread_local! {
    static CALLED: Rc<Cell<u32>> = Rc::default();
}

scene!(
    thousand_calls_one_wake,
    "Another thread hands over a thousand callbacks: how often is the loop woken?"
);
/// A thread hands over a thousand callbacks before the loop looks. Then it wakes a task.
fn thousand_calls_one_wake(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new();
    let wakes = Arc::new(AtomicU32::new(0));
    let count_wakes = Arc::clone(&wakes);
    queue.on_remote_message(move || {
        count_wakes.fetch_add(1, Ordering::Relaxed);
    });

    let handle = queue.handle();
    let thread = thread::spawn(move || {
        for _ in 0..1000 {
            handle.call_soon_threadsafe(|| CALLED.with(|called| called.set(called.get() + 1)));
        }
    });
    thread.join().map_err(|_| anyhow!("the thread panicked"))?;
    say!(t, "handed over: 1000, wake-ups: {}", wakes.load(Ordering::Relaxed));
    say!(t, "run so far: {}", CALLED.with(|called| called.get()));
    say!(t, "one round of the queue: {}", queue.run_once());
    say!(t, "run on the loop's own thread: {}", CALLED.with(|called| called.get()));
    Ok(())
}
