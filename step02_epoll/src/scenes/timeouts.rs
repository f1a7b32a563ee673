//! How long a wait waits.

use std::time::{Duration, Instant};

use step02_epoll::{Epoll, Events};
use workbook::{Transcript, say};

use super::sleeper::{Sleeper, count_signals};

/// Nothing is registered, so only time can end these waits; and a signal.
pub(crate) fn how_long_is_a_wait(t: &mut Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let mut events = Events::with_capacity(1);

    let short = Duration::from_micros(200);
    let mut early = 0;
    for _ in 0..20 {
        let started = Instant::now();
        epoll.wait(&mut events, Some(short))?;
        early += u32::from(started.elapsed() < short);
    }
    say!(t, "200 µs, 20 times: {early} times early");

    let whole_and_a_bit = Duration::from_micros(1001);
    let started = Instant::now();
    epoll.wait(&mut events, Some(whole_and_a_bit))?;
    let early = started.elapsed() < whole_and_a_bit;
    say!(t, "1.001 ms: early: {early}");

    epoll.wait(&mut events, Some(Duration::ZERO))?;
    say!(t, "zero: back with {} events", events.len());

    count_signals()?;
    say!(t, "Duration::MAX: {}", until_a_signal(Some(Duration::MAX))?);
    say!(t, "no timeout: {}", until_a_signal(None)?);
    Ok(())
}

/// Waits in a thread, and sends it a signal once it is asleep.
fn until_a_signal(timeout: Option<Duration>) -> anyhow::Result<String> {
    let sleeper = Sleeper::start(move || match wait(timeout) {
        Ok(count) => format!("back with {count} events"),
        Err(error) => format!("{error}"),
    })?;
    sleeper.wait_until_asleep()?;
    if sleeper.is_finished() {
        return Ok(format!("did not sleep, {}", sleeper.join()?));
    }
    sleeper.interrupt()?;
    Ok(format!("asleep until a signal comes, {}", sleeper.join()?))
}

fn wait(timeout: Option<Duration>) -> std::io::Result<usize> {
    let mut events = Events::with_capacity(1);
    Epoll::new()?.wait(&mut events, timeout)?;
    Ok(events.len())
}
