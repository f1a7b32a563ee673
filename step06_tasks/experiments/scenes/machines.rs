//! A coroutine is a machine with a size, states and an order in which it drops what it holds.

use std::future::{Future as Coroutine, poll_fn};
use std::task::{Context, Poll, Waker};

use scene::{Transcript, say, scene};

/// A leaf that is pending once.
async fn pause() {
    let mut has_paused = false;
    poll_fn(|_| {
        if has_paused {
            return Poll::Ready(());
        }
        has_paused = true;
        Poll::Pending
    })
    .await;
}

scene!(what_a_coroutine_keeps, "Which of these coroutines has room for a buffer of 4 KiB?");
/// Prints the sizes of coroutines that use a buffer of 4 KiB, in whole KiB.
fn what_a_coroutine_keeps(t: Transcript) -> anyhow::Result<()> {
    say!(t, "used before the await:    {} KiB", kib(&before_the_await()));
    say!(t, "used before and after it: {} KiB", kib(&across_the_await()));
    say!(t, "moved before the await:   {} KiB", kib(&moved_before_the_await()));
    say!(t, "in a block of its own:    {} KiB", kib(&in_a_block()));
    say!(t, "awaits the 2nd coroutine: {} KiB", kib(&awaits_another()));
    say!(t, "awaits the 2nd in a box:  {} KiB", kib(&awaits_a_box()));
    Ok(())
}

fn kib<C: Coroutine>(coroutine: &C) -> usize {
    size_of_val(coroutine) / 1024
}

struct Buffer([u8; 4096]);

async fn before_the_await() -> u8 {
    let buffer = Buffer([1; 4096]);
    let first = buffer.0[0];
    pause().await;
    first
}

async fn across_the_await() -> u8 {
    let buffer = Buffer([1; 4096]);
    pause().await;
    buffer.0[0]
}

async fn moved_before_the_await() -> u8 {
    let buffer = Buffer([1; 4096]);
    let first = first_byte(buffer);
    pause().await;
    first
}

fn first_byte(buffer: Buffer) -> u8 {
    buffer.0[0]
}

async fn in_a_block() -> u8 {
    let first = {
        let buffer = Buffer([1; 4096]);
        buffer.0[0]
    };
    pause().await;
    first
}

async fn awaits_another() -> u8 {
    across_the_await().await
}

async fn awaits_a_box() -> u8 {
    Box::pin(across_the_await()).await
}

/// Reports when it's dropped.
struct Noisy(Transcript, &'static str);

impl Drop for Noisy {
    fn drop(&mut self) {
        say!(self.0, "  {} is released", self.1);
    }
}

scene!(
    dropped_in_the_middle,
    "A coroutine is dropped while it waits. What happens to the values that it holds?"
);
/// They're dropped from the inside out. The outer coroutine holds the inner one that it awaits and
/// drops it before its own variables (`inner's socket is released`). Those go in the
/// reverse order of their declaration, the lock before the file. The code after the `await` never
/// runs: a dropped coroutine ends at once and can't refuse, but it can't await anything in a
/// clean-up, either. In Python, `close()` leaves `with` blocks in the same order.
fn dropped_in_the_middle(t: Transcript) -> anyhow::Result<()> {
    let mut coroutine = Box::pin(outer(t));
    let mut context = Context::from_waker(Waker::noop());
    let is_pending = coroutine.as_mut().poll(&mut context).is_pending();
    say!(t, "polled once: {}", if is_pending { "pending" } else { "ready" });
    drop(coroutine);
    say!(t, "dropped");
    Ok(())
}

async fn outer(t: Transcript) {
    let _file = Noisy(t, "outer's file");
    let _lock = Noisy(t, "outer's lock");
    inner(t).await;
    say!(t, "outer continues");
}

async fn inner(t: Transcript) {
    let _socket = Noisy(t, "inner's socket");
    pause().await;
    say!(t, "inner continues");
}
