//! Two alarms side by side.

use std::io;

use scene::{Transcript, say, scene};
use step01_fd::{Read, open_descriptors, read, write};
use step03_selector::EpollSelector;
use step05_selfpipe::{EventFd, SelfPipe};

use super::waking::{is_readable, watch};

scene!(
    eventfd_or_socketpair,
    "Linux has an alarm of its own. What does it save, and what can it not do?"
);
/// As an alarm one is as good as the other. An eventfd takes half the descriptors and one read to
/// be put back; but it adds up what is written to it, and a sum is no message.
fn eventfd_or_socketpair(t: Transcript) -> anyhow::Result<()> {
    let none = open_descriptors()?.len();
    let pair = SelfPipe::new()?;
    let two = open_descriptors()?.len();
    let counter = EventFd::new()?;
    let three = open_descriptors()?.len();
    say!(t, "descriptors:              pair {}, eventfd {}", two - none, three - two);

    let (mut at_pair, mut at_counter) = (watch(&pair)?, watch(&counter)?);
    let waker = pair.waker();
    for _ in 0..100_000 {
        waker.wake();
        counter.wake();
    }
    say!(t, "after 100,000 wakes, on:  {}", both(&mut at_pair, &mut at_counter)?);
    let (bytes, count) = (pair.drain()?, counter.drain()?);
    say!(t, "how many were kept:       pair {}, eventfd {count}", some_or_all(bytes));
    say!(t, "drained, on:              {}", both(&mut at_pair, &mut at_counter)?);

    for number in [3, 4] {
        write(&waker, &[number])?;
        write(&counter, &u64::from(number).to_ne_bytes())?;
    }
    let mut bytes = [0; 8];
    let Read::Bytes(length) = read(&pair, &mut bytes)? else { anyhow::bail!("nothing came") };
    let sum = counter.drain()?;
    say!(t, "3 and 4 are written:      pair {:?}, eventfd {sum}", &bytes[..length]);
    Ok(())
}

/// Whether each alarm is on.
fn both(pair: &mut EpollSelector<()>, counter: &mut EpollSelector<()>) -> io::Result<String> {
    Ok(format!("pair {}, eventfd {}", is_readable(pair)?, is_readable(counter)?))
}

fn some_or_all(bytes: usize) -> &'static str {
    if bytes < 100_000 { "fewer" } else { "all" }
}
