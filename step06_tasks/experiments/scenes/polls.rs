//! A future that's polled more often than it has to be.

use std::future::Future as Coroutine;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use scene::{Transcript, say, scene};
use step06_tasks::{Future, ReadyQueue};

/// Counts how often it's called.
#[derive(Default)]
struct Counter(AtomicU32);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        // Relaxed: there's only one thread.
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Counter {
    fn calls(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

scene!(
    polled_twice,
    "A future is polled with waker A, with A again, and then with B. Which waker is called at the end?"
);
/// Only B is called (`set_result(42): calls of A: 0, calls of B: 1`). A handle stands for one wait,
/// and only the waker of its last poll counts: B has replaced A, which no longer needs a call.
/// You can poll a future that's done as often as you like, since each poll gets a clone of
/// the result.
fn polled_twice(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let mut future: Future<u32> = queue.create_future();
    let (a, b) = (Arc::new(Counter::default()), Arc::new(Counter::default()));
    for (name, counter) in [("A", &a), ("A", &a), ("B", &b)] {
        say!(t, "polled with {name}: {}", poll(&mut future, counter));
    }
    future.set_result(42)?;
    queue.run_until_idle()?;
    say!(t, "set_result(42): calls of A: {}, calls of B: {}", a.calls(), b.calls());
    for counter in [&a, &b] {
        say!(t, "polled again: {}", poll(&mut future, counter));
    }
    Ok(())
}

fn poll(future: &mut Future<u32>, counter: &Arc<Counter>) -> String {
    let waker = Waker::from(Arc::clone(counter));
    match Pin::new(future).poll(&mut Context::from_waker(&waker)) {
        Poll::Pending => "pending".to_owned(),
        Poll::Ready(Ok(number)) => format!("ready with {number}"),
        Poll::Ready(Err(error)) => error.to_string(),
    }
}
