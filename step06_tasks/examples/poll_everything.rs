//! A loop that runs coroutines and asks each of them all the time whether it can continue.
//!
//! `cargo run -p step06_tasks --example poll_everything`; Ctrl-C ends it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

type Coroutine = Pin<Box<dyn Future<Output = ()>>>;

// ANCHOR: sleep_until
/// Waits until a point in time and leaves no waker anywhere.
async fn sleep_until(deadline: Instant) {
    poll_fn(|_| if Instant::now() < deadline { Poll::Pending } else { Poll::Ready(()) }).await;
}
// ANCHOR_END: sleep_until

async fn count_seconds(name: &str, limit: u32) {
    let start = Instant::now();
    for second in 1..=limit {
        sleep_until(start + Duration::from_secs(second.into())).await;
        println!("{name}: {second} s");
    }
}

// ANCHOR: main
fn main() {
    let mut coroutines: Vec<Coroutine> =
        vec![Box::pin(count_seconds("A", 3)), Box::pin(count_seconds("B", 5))];
    let mut context = Context::from_waker(Waker::noop());
    let mut polls = 0_u64;
    while !coroutines.is_empty() {
        coroutines.retain_mut(|coroutine| {
            polls += 1;
            coroutine.as_mut().poll(&mut context).is_pending()
        });
    }
    println!("8 lines were printed, and poll was called {polls} times.");
}
// ANCHOR_END: main
