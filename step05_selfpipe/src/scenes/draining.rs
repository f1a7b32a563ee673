//! Putting the alarm back.

use std::thread;

use scene::{Transcript, say, scene};
use step05_selfpipe::SelfPipe;

use super::waking::{is_readable, sleep, watch};

scene!(
    undrained_loop_spins,
    "The loop wakes and leaves the byte where it is. How long does it sleep next?"
);
/// The descriptor stays readable while a byte is in it, and so the loop never sleeps again.
fn undrained_loop_spins(t: Transcript) -> anyhow::Result<()> {
    let pipe = SelfPipe::new()?;
    let mut selector = watch(&pipe)?;
    pipe.waker().wake();
    for turn in 1..=3 {
        say!(t, "turn {turn}: {} ready, and nothing is done about it", sleep(&mut selector)?);
    }
    say!(t, "drained something: {}", pipe.drain()? > 0);
    say!(t, "still readable:    {}", is_readable(&mut selector)?);
    say!(t, "drained nothing:   {}", pipe.drain()? == 0);
    Ok(())
}

scene!(
    many_wakes_one_return,
    "Ten threads wake the loop a hundred times each. How often does it wake?"
);
/// Wakes do not queue up. A thousand of them are one reason to look, and one look finds all that
/// was put in place before.
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
    say!(t, "1000 wakes from 10 threads");
    say!(t, "the loop woke up {returns} time, and drained the pipe");
    pipe.waker().wake();
    say!(t, "the next wake counts again: {}", is_readable(&mut selector)?);
    Ok(())
}
