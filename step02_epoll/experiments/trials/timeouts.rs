//! Trials of the conversion of timeouts.

use std::time::Duration;

use scene::{Program, Random, Transcript, say, trial};
use step02_epoll::milliseconds;

const NANOS_PER_MILLI: u64 = 1_000_000;
/// The longest timeout that fits, in nanoseconds.
const LONGEST: u64 = i32::MAX as u64 * NANOS_PER_MILLI;

trial!(
    milliseconds_of_any_timeout,
    50,
    "A timeout is rounded up to whole milliseconds; one that doesn't fit becomes the longest that fits."
);
/// The first program tries the boundaries, and the others try random timeouts.
fn milliseconds_of_any_timeout(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let timeouts: Vec<Option<Duration>> = match program.number() {
        0 => boundaries(),
        _ => (0..20).map(|_| Some(any_timeout(&mut random))).collect(),
    };
    for timeout in program.verbs(timeouts) {
        say!(t, "milliseconds({timeout:?}): {}", milliseconds(timeout));
    }
    Ok(())
}

fn boundaries() -> Vec<Option<Duration>> {
    let short = [0, 1, 999, 1_000, 1_001, 499_999, 500_000, 500_001];
    let wraps = [u64::from(u32::MAX), u64::from(u32::MAX) + 1, 1 << 33];
    let wraps = wraps.map(|millis| millis * NANOS_PER_MILLI);
    let exact = [NANOS_PER_MILLI, 2 * NANOS_PER_MILLI, 1_000 * NANOS_PER_MILLI, LONGEST];
    let beside = exact.into_iter().chain(wraps).flat_map(|nanos| {
        [nanos - NANOS_PER_MILLI, nanos - 1, nanos, nanos + 1, nanos + NANOS_PER_MILLI]
    });
    let nanos = short.into_iter().chain(beside).chain([u64::MAX]).map(Duration::from_nanos);
    let years = at_powers_of_two().map(Duration::from_secs).flat_map(with_nanos);
    let millis = at_powers_of_two().map(Duration::from_millis);
    let micros = at_powers_of_two().map(Duration::from_micros);
    let powers = at_powers_of_two().map(Duration::from_nanos).chain(micros).chain(millis);
    // As many nanoseconds as 64 bits can count, and one to four more.
    let wraps = (0..5)
        .map(|nanos| Duration::new(18_446_744_073, 709_551_615) + Duration::from_nanos(nanos));
    let long = powers.chain(years).chain(wraps).chain([Duration::MAX]);
    [None].into_iter().chain(nanos.chain(long).map(Some)).collect()
}

/// Returns each power of two and its neighbours.
fn at_powers_of_two() -> impl Iterator<Item = u64> {
    (0..u64::BITS).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]).chain([u64::MAX])
}

fn with_nanos(time: Duration) -> impl Iterator<Item = Duration> {
    let beside = [0, 999_999_999].map(Duration::from_nanos);
    beside.into_iter().filter_map(move |nanos| time.checked_add(nanos))
}

fn any_timeout(random: &mut Random) -> Duration {
    match random.below(4) {
        3 => {
            let nanos = u32::try_from(random.below(1_000_000_000)).unwrap_or_default();
            Duration::new(random.boundary(&[1 << 32, 18_446_744_073, 1 << 55]), nanos)
        }
        0 => Duration::from_millis(random.below(100_000) as u64),
        1 => Duration::from_nanos(random.boundary(&[NANOS_PER_MILLI, 1_000_000_000, LONGEST])),
        _ => Duration::from_micros(random.below(1_000_000) as u64),
    }
}
