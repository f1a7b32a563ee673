//! Waking a loop that sleeps in select, or is about to.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use scene::{Transcript, say, scene};
use step03_selector::{EpollSelector, Interest, Selector};
use step05_selfpipe::{LoopWaker, SelfPipe};

use kit::Sleeper;

/// Makes a selector that watches one descriptor: a self-pipe, an eventfd or an inbox.
pub(super) fn watch(fd: &impl AsFd) -> io::Result<EpollSelector<()>> {
    let mut selector = EpollSelector::new()?;
    selector.register(fd, Interest::READABLE, ())?;
    Ok(selector)
}

/// Calls select with no timeout and says how many events it returned.
pub(super) fn wait(selector: &mut EpollSelector<()>) -> io::Result<String> {
    let mut ready = Vec::new();
    selector.select(None, &mut ready)?;
    Ok(match ready.len() {
        1 => "1 event".to_string(),
        count => format!("{count} events"),
    })
}

/// Calls select with a timeout of zero. Returns true if the descriptor is readable.
pub(super) fn is_readable(selector: &mut EpollSelector<()>) -> io::Result<bool> {
    let mut ready = Vec::new();
    selector.select(Some(Duration::ZERO), &mut ready)?;
    Ok(!ready.is_empty())
}

/// Says whether the descriptor is readable, without waiting.
pub(super) fn readiness(selector: &mut EpollSelector<()>) -> io::Result<&'static str> {
    Ok(if is_readable(selector)? { "readable" } else { "not readable" })
}

scene!(
    a_flag_or_a_byte,
    "A loop sleeps with no timeout. What wakes it: a flag in memory, a byte in its pipe, or both?"
);
/// `the flag is set:      asleep`: a thread in `epoll_wait` is woken only by events that the kernel
/// sees: a ready descriptor, a timeout or a signal. The kernel doesn't watch your variables.
/// `a byte is written:    awake, the flag is true`, because the loop watches its end of the pair,
/// and the byte has made that end readable. So the byte wakes the loop, and the flag tells it why.
fn a_flag_or_a_byte(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let waker = pipe.waker();
    let flag = Arc::new(AtomicBool::new(false));
    let sleeper = Sleeper::start({
        let flag = Arc::clone(&flag);
        move || match watch(&pipe).and_then(|mut selector| wait(&mut selector)) {
            Ok(_) => format!("awake, the flag is {}", flag.load(SeqCst)),
            Err(error) => error.to_string(),
        }
    })?;
    say!(t, "nothing to do:        {}", state(&sleeper)?);
    flag.store(true, SeqCst);
    say!(t, "the flag is set:      {}", state(&sleeper)?);
    waker.wake();
    say!(t, "a byte is written:    {}", sleeper.join()?);
    Ok(())
}

fn state(sleeper: &Sleeper) -> anyhow::Result<&'static str> {
    sleeper.wait_until_asleep()?;
    Ok(if sleeper.is_finished() { "awake" } else { "asleep" })
}

scene!(
    wake_before_sleep,
    "A loop is woken just before it calls select. Does select return at once, or sleep?"
);
/// Wakes the loop first, then calls select with no timeout.
fn wake_before_sleep(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut selector = watch(&pipe)?;
    say!(t, "at first, the pipe is:  {}", readiness(&mut selector)?);
    pipe.waker().wake();
    say!(t, "a wake, then select without a timeout");
    say!(t, "  select returns:       {}", wait(&mut selector)?);
    Ok(())
}

scene!(
    a_hundred_thousand_wakes,
    "A loop is woken 100,000 times and reads nothing. Does a wake block, or fail?"
);
/// `100,000 wakes, nothing is read: all return`: the waker's end is non-blocking, so when the
/// buffer is full, the kernel refuses the byte instead of letting the thread sleep. `wake` ignores
/// that error, because the bytes in the buffer will wake the loop anyway. And once the loop is
/// dropped, there's nothing left to wake: `the loop is dropped; another wake returns`. asyncio does
/// the same.
fn a_hundred_thousand_wakes(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut selector = watch(&pipe)?;
    let waker: LoopWaker = pipe.waker();
    for _ in 0..100_000 {
        waker.wake();
    }
    say!(t, "100,000 wakes, nothing is read: all return");
    say!(t, "  select returns:               {}", wait(&mut selector)?);
    drop(selector);
    drop(pipe);
    waker.wake();
    say!(t, "the loop is dropped; another wake returns");
    Ok(())
}
