//! Two alarms side by side.

use step01_fd::{Read, open_descriptors, read, write};
use step05_selfpipe::{EventFd, SelfPipe};
use workbook::{Transcript, say};

use super::waking::{is_readable, watch};

/// As an alarm one is as good as the other. An eventfd takes half the descriptors and one read to
/// be put back; but it adds up what is written to it, and a sum is no message.
pub(crate) fn an_eventfd_beside_a_pair(t: &mut Transcript) -> anyhow::Result<()> {
    let none = open_descriptors()?.len();
    let pair = SelfPipe::new()?;
    let two = open_descriptors()?.len();
    let counter = EventFd::new()?;
    let three = open_descriptors()?.len();
    say!(t, "descriptors:              pair {}, eventfd {}", two - none, three - two);

    let (mut watching_pair, mut watching_counter) = (watch(&pair)?, watch(&counter)?);
    let waker = pair.waker();
    for _ in 0..100_000 {
        waker.wake();
        counter.wake();
    }
    let (on, also_on) = (is_readable(&mut watching_pair)?, is_readable(&mut watching_counter)?);
    say!(t, "100,000 wakes, alarm on:  pair {on}, eventfd {also_on}");
    let (bytes, count) = (pair.drain()?, counter.drain()?);
    say!(t, "how many were kept:       pair {}, eventfd {count}", some_or_all(bytes));
    let (on, also_on) = (is_readable(&mut watching_pair)?, is_readable(&mut watching_counter)?);
    say!(t, "drained, alarm on:        pair {on}, eventfd {also_on}");

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

fn some_or_all(bytes: usize) -> &'static str {
    if bytes < 100_000 { "fewer" } else { "all" }
}
