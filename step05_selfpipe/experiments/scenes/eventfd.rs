//! An eventfd in place of the socket pair.

use kit::cost::page_size;
use scene::{Transcript, say, scene};
use step01_fd::{Read, open_descriptors, read, write};
use step05_selfpipe::{EventFd, SelfPipe};

use super::waking::{readiness, watch};

scene!(
    eventfd_or_socketpair,
    "3 and 4 are written to a socket pair and to an eventfd. What do you read from each of them?"
);
/// Makes an eventfd and a socket pair, wakes both 100,000 times, drains them, and writes two values
/// to both.
fn eventfd_or_socketpair(t: Transcript) -> anyhow::Result<()> {
    let none = open_descriptors()?.len();
    let pair = SelfPipe::new()?;
    let two = open_descriptors()?.len();
    let counter = EventFd::new()?;
    let three = open_descriptors()?.len();
    let row = |what: &str, pair: &str, fd: &str| say!(t, "{what:<21} {:<13} {}", pair, fd);
    say!(t, "the loop watches      socket pair   eventfd");
    row("descriptors", &(two - none).to_string(), &(three - two).to_string());

    let (mut pair_selector, mut counter_selector) = (watch(&pair)?, watch(&counter)?);
    let waker = pair.waker();
    for _ in 0..100_000 {
        waker.wake();
        counter.wake();
    }
    // A pair made of a pipe, which is a right answer, has room for 16 pages. They can be large.
    let times = 100_000.max(16 * page_size() + 1);
    (100_000..times).for_each(|_| waker.wake());
    let (at_pair, at_counter) = (readiness(&mut pair_selector)?, readiness(&mut counter_selector)?);
    row("after 100,000 wakes", at_pair, at_counter);
    let (bytes, count) = (pair.drain()?, counter.drain()?);
    // How many bytes fit depends on the kernel's buffer.
    row("drain returns", if bytes < times { "fewer" } else { "all" }, &count.to_string());
    let (at_pair, at_counter) = (readiness(&mut pair_selector)?, readiness(&mut counter_selector)?);
    row("after that", at_pair, at_counter);

    for value in [3, 4] {
        write(&waker, &[value])?;
        write(&counter, &u64::from(value).to_ne_bytes())?;
    }
    let mut bytes = [0; 8];
    let Read::Bytes(length) = read(&pair, &mut bytes)? else { anyhow::bail!("nothing to read") };
    let sum = counter.drain()?;
    row("3 and 4, one read", &format!("{:?}", &bytes[..length]), &sum.to_string());
    Ok(())
}
