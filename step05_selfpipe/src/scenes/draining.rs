//! Reading the wake-up bytes, or leaving them in the pipe.

use std::thread;

use scene::{Transcript, say, scene};
use step05_selfpipe::SelfPipe;

use super::waking::{is_readable, readiness, wait, watch};

scene!(
    undrained_loop_spins,
    "A loop is woken once and doesn't read the byte. How often does select return?"
);
/// Calls select three times without reading the byte, then drains the pipe twice.
fn undrained_loop_spins(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut selector = watch(&pipe)?;
    pipe.waker().wake();
    for turn in 1..=3 {
        say!(t, "turn {turn}, nothing is read: select returns {}", wait(&mut selector)?);
    }
    say!(t, "drain:       {} byte", pipe.drain()?);
    say!(t, "after that:  {}", readiness(&mut selector)?);
    say!(t, "drain again: {} bytes", pipe.drain()?);
    Ok(())
}

scene!(
    many_wakes_one_return,
    "Ten threads wake the loop 100 times each while it's busy. How often does select return?"
);
/// The threads have ended before the loop calls select for the first time. After each select the
/// loop drains the pipe.
fn many_wakes_one_return(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut selector = watch(&pipe)?;
    let threads: Vec<_> = (0..10)
        .map(|_| {
            let waker = pipe.waker();
            thread::spawn(move || (0..100).for_each(|_| waker.wake()))
        })
        .collect();
    for thread in threads {
        anyhow::ensure!(thread.join().is_ok(), "a thread panicked in wake");
    }
    let mut returns = 0;
    while is_readable(&mut selector)? && returns < 10 {
        returns += 1;
        pipe.drain()?;
    }
    say!(t, "10 threads wake the loop 100 times each");
    say!(t, "  selects that return, each with a drain: {returns}");
    pipe.waker().wake();
    say!(t, "one more wake: {}", readiness(&mut selector)?);
    Ok(())
}
