//! What the trials of waiting for many share: how a task waits, and how it ends.

use std::fmt;
use std::panic::resume_unwind;

use asyncio::{Error, EventLoop, Result, VirtualClock, yield_now};
use scene::{Random, Transcript, say};

/// The ways in which a task or a future can end.
#[derive(Debug, Clone, Copy)]
pub(super) enum How {
    Value,
    Failure,
    Cancellation,
    Panic,
}

impl How {
    pub(super) fn random(random: &mut Random) -> How {
        match random.below(10) {
            0..5 => How::Value,
            5..8 => How::Failure,
            8 => How::Cancellation,
            _ => How::Panic,
        }
    }

    /// Ends a task.
    pub(super) fn end(self, number: usize) -> Result<usize> {
        match self {
            How::Value => Ok(number),
            How::Failure => Err(Error::other(format!("{number} has failed"))),
            How::Cancellation => Err(Error::cancelled()),
            // A panic!, but without its message on standard error.
            How::Panic => resume_unwind(Box::new(format!("{number} has panicked"))),
        }
    }
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            How::Value => "with a value",
            How::Failure => "with an error",
            How::Cancellation => "with a cancellation",
            How::Panic => "with a panic",
        })
    }
}

/// Returns a number of ticks in words.
pub(super) fn in_ticks(count: usize) -> String {
    if count == 1 { "1 tick".to_owned() } else { format!("{count} ticks") }
}

/// Lets the other tasks run this many times.
pub(super) async fn ticks(count: usize) -> Result<()> {
    for _ in 0..count {
        yield_now().await?;
    }
    Ok(())
}

/// Like [`ticks`], but goes on if it's cancelled.
pub(super) async fn stubborn_ticks(count: usize) {
    for _ in 0..count {
        let _ = yield_now().await;
    }
}

/// Makes a loop whose sleeps take no time, and which says what's reported.
pub(super) fn reporting_loop(t: Transcript) -> anyhow::Result<EventLoop> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.set_exception_handler(move |context| match &context.exception {
        Some(error) => say!(t, "  reported: {error}"),
        None => say!(t, "  reported: {}", context.message),
    });
    Ok(event_loop)
}
