//! Trials of what `run_in_executor` leaves behind: in the loop's table, and of work for which no thread
//! can be started.

use std::num::NonZero;
use std::sync::{Arc, mpsc};

use kit::Refusal;
use kit::cost::{resident_bytes, within};
use scene::{Program, Transcript, say, trial};
use step07_full_loop::{Error, EventLoop, Result, ThreadPool, yield_now};

use super::state::State;
use super::work::{wait_at, wait_for_the_threads};

/// A lot of work of a kind.
#[derive(Debug, Clone, Copy)]
enum Lot {
    Done,
    Cancelled,
    Refused,
    NoThread,
}

const LOT: usize = 1500;

trial!(
    what_is_left_of_work,
    1,
    "A loop that goes on for long keeps nothing of work that's done, cancelled or refused."
);
fn what_is_left_of_work(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for lot in program.verbs([Lot::Done, Lot::Cancelled, Lot::Refused, Lot::NoThread]) {
        match lot {
            Lot::NoThread => say!(t, "{lot:?}: {}", no_thread()?),
            _ => say!(t, "{lot:?}, KiB kept: {}", within(kept_of(lot)?, LOT / 10)),
        }
    }
    Ok(())
}

/// Returns the memory that the last of three lots of work leaves, in KiB: the first ones leave lists
/// that have grown.
fn kept_of(lot: Lot) -> anyhow::Result<usize> {
    let event_loop = EventLoop::new()?;
    event_loop.set_default_executor(ThreadPool::new(NonZero::<usize>::MIN));
    if matches!(lot, Lot::Refused) {
        wait_for_the_threads(&event_loop)?;
    }
    let mut kept = 0;
    for _ in 0..3 {
        let before = resident_bytes()?;
        let inner = event_loop.clone();
        event_loop.run_until_complete(async move { a_lot(&inner, lot).await })?;
        kept = resident_bytes()?.saturating_sub(before) / 1024;
    }
    // A thread that hasn't ended can still have the other end of the loop's pipe.
    wait_for_the_threads(&event_loop)?;
    event_loop.close()?;
    Ok(kept)
}

async fn a_lot(event_loop: &EventLoop, lot: Lot) -> Result<()> {
    let (open, gate) = mpsc::channel();
    let first = event_loop.run_in_executor(move || wait_at(&gate));
    let rest: Vec<_> = (0..LOT).map(|_| event_loop.run_in_executor(|| Ok(()))).collect();
    if matches!(lot, Lot::Refused) {
        for future in &rest {
            // Asked for, so that it isn't reported.
            let _ = future.exception();
        }
        return first.await.or(Ok(()));
    }
    if matches!(lot, Lot::Cancelled) {
        for future in &rest {
            future.cancel();
        }
        yield_now().await?;
    }
    open.send(()).map_err(Error::other)?;
    first.await?;
    event_loop.run_in_executor(|| Ok(())).await
}

/// Gives work to a loop in a thread that can't start any.
fn no_thread() -> anyhow::Result<String> {
    let refuse = |call| Refusal { call, argument: None, errno: libc::EAGAIN };
    let refusals = [libc::SYS_clone3, libc::SYS_clone].map(refuse);
    Refusal::all_during(&refusals, || {
        let Ok(event_loop) = EventLoop::new() else { return "no loop".to_owned() };
        let held = Arc::new(());
        let inside = Arc::clone(&held);
        let future = event_loop.run_in_executor(move || {
            drop(inside);
            Ok(1)
        });
        event_loop.stop();
        let ran = event_loop.run_forever().is_ok();
        let held = Arc::strong_count(&held) > 1 || !ran;
        format!("the future is {}, and the work is still held: {held}", State(&future))
    })
}
