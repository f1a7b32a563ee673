//! Work that computes. It never waits, so it blocks the loop as surely as a blocking call would.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use scene::{Transcript, say, scene};
use step07_full_loop::{Result, create_task, run, to_thread, yield_now};

/// The number of turns that the other task needs before the function below is done.
const ENOUGH: u32 = 100;

scene!(
    a_function_that_computes,
    "A function computes until another task has run a hundred times. Does the function get that far?"
);
/// In the loop the function gives up, and no other task has run by then (`turns meanwhile: 0`). A
/// function that computes has no `await`, so it holds the loop's thread as firmly as a call that
/// blocks, and the other task can't run until the function returns. On a thread, it runs to its end
/// while the loop goes on: `called by to_thread: the other task has run`. CPython prints the same
/// lines, because its threads take turns.
fn a_function_that_computes(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let turns = Arc::new(AtomicU32::new(0));
        create_task(count_turns(Arc::clone(&turns)))?;
        say!(t, "called in the loop: {}", compute(&turns, 1_000_000));
        say!(t, "  turns meanwhile: {}", turns.load(Ordering::Relaxed));
        let counted = Arc::clone(&turns);
        let outcome = to_thread(move || Ok(compute(&counted, u64::MAX))).await?;
        say!(t, "called by to_thread: {}", outcome);
        Ok(())
    })?;
    Ok(())
}

/// Lets the other tasks run again and again and counts its own turns.
async fn count_turns(turns: Arc<AtomicU32>) -> Result<()> {
    loop {
        turns.fetch_add(1, Ordering::Relaxed);
        yield_now().await?;
    }
}

/// Computes until the other task has had enough turns, but for at most `rounds` rounds.
fn compute(turns: &AtomicU32, rounds: u64) -> &'static str {
    let mut state = 1_u64;
    for _ in 0..rounds {
        // Xorshift: a little work that the compiler can't skip.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if std::hint::black_box(state) != 0 && turns.load(Ordering::Relaxed) >= ENOUGH {
            return "the other task has run";
        }
    }
    "the function gives up"
}
