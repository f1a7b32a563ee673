//! Reaching a loop that is asleep, or about to be.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use scene::{Transcript, say, scene};
use step03_selector::{EpollSelector, Interest, Selector};
use step05_selfpipe::{LoopWaker, SelfPipe};

use kit::Sleeper;

/// A selector that watches an alarm and nothing else.
pub(super) fn watch(alarm: &impl AsFd) -> io::Result<EpollSelector<()>> {
    let mut selector = EpollSelector::new()?;
    selector.register(alarm, Interest::READABLE, ())?;
    Ok(selector)
}

/// Sleeps until something is ready, and tells how many are.
pub(super) fn sleep(selector: &mut EpollSelector<()>) -> io::Result<usize> {
    let mut ready = Vec::new();
    selector.select(None, &mut ready)?;
    Ok(ready.len())
}

/// Whether the alarm is on.
pub(super) fn is_readable(selector: &mut EpollSelector<()>) -> io::Result<bool> {
    let mut ready = Vec::new();
    selector.select(Some(Duration::ZERO), &mut ready)?;
    Ok(!ready.is_empty())
}

scene!(deaf_loop, "A loop is asleep with nothing to wait for. What does it take to reach it?");
/// News in memory reaches nobody who is asleep in the kernel. It takes a descriptor, and a byte.
fn deaf_loop(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let waker = pipe.waker();
    let news = Arc::new(AtomicBool::new(false));
    let sleeper = Sleeper::start({
        let news = Arc::clone(&news);
        move || match watch(&pipe).and_then(|mut selector| sleep(&mut selector)) {
            Ok(_) => format!("awake, and finds news: {}", news.load(SeqCst)),
            Err(error) => error.to_string(),
        }
    })?;
    say!(t, "nothing to do:         {}", state(&sleeper)?);
    news.store(true, SeqCst);
    say!(t, "there is news:         {}", state(&sleeper)?);
    waker.wake();
    say!(t, "a byte in the pipe:    {}", sleeper.join()?);
    Ok(())
}

fn state(sleeper: &Sleeper) -> anyhow::Result<&'static str> {
    sleeper.wait_until_asleep()?;
    Ok(if sleeper.is_finished() { "awake" } else { "asleep" })
}

scene!(wake_before_sleep, "The news comes a moment before the loop falls asleep. Is it lost?");
/// A condition variable forgets a call that comes before the wait. The byte stays in the pipe until
/// somebody reads it, so it does not matter who is first.
fn wake_before_sleep(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut selector = watch(&pipe)?;
    say!(t, "readable at first:     {}", is_readable(&mut selector)?);
    pipe.waker().wake();
    say!(t, "the wake comes first, then the loop goes to sleep");
    say!(t, "ready when it wakes:   {}", sleep(&mut selector)?);
    Ok(())
}

scene!(
    full_pipe_still_wakes,
    "A hundred thousand wakes, and nobody reads them. Who blocks, who fails?"
);
/// A wake that finds no room is content: there is more than one byte to wake up for already.
fn full_pipe_still_wakes(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut selector = watch(&pipe)?;
    let waker: LoopWaker = pipe.waker();
    for _ in 0..100_000 {
        waker.wake();
    }
    say!(t, "a hundred thousand wakes, and here we are");
    say!(t, "ready when it wakes:   {}", sleep(&mut selector)?);
    drop(selector);
    drop(pipe);
    waker.wake();
    say!(t, "the loop is gone, one more wake: no harm");
    Ok(())
}
