//! A trial of the order of entries: every pair from a table of deadlines and sequence numbers.

use scene::{Program, Transcript, say, trial};
use step04_timers::{Entry, Time};

/// Nanoseconds and sequence numbers: around the units of time, and where an integer or a float of
/// fewer bits would lose digits.
const NUMBERS: [u64; 14] = [
    0,
    1,
    2,
    999_999,
    1_000_000,
    1_000_001,
    u32::MAX as u64,
    u32::MAX as u64 + 1,
    1 << 53,
    (1 << 53) + 1,
    i64::MAX as u64,
    i64::MAX as u64 + 1,
    u64::MAX - 1,
    u64::MAX,
];

trial!(
    every_two_entries,
    5,
    "Of two entries, the greater one fires first, whatever their deadlines are."
);
fn every_two_entries(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let pairs = NUMBERS.iter().flat_map(|one| NUMBERS.map(|other| (*one, other)));
    let deadlines = pairs.clone().flat_map(|(one, other)| {
        let made = |first, second| [entry(one, first), entry(other, second)];
        [made(0, 1), made(1, 0), made(0, u64::MAX), made(u64::MAX, 0)]
    });
    let sequences = pairs.flat_map(|(one, other)| {
        [7, 0, u64::MAX].map(|when| [entry(when, one), entry(when, other)])
    });
    let all = bits().chain(deadlines).chain(sequences);
    // Each of the five programs has a fifth of them.
    for [one, other] in program.verbs(all.skip(program.number() as usize % 5).step_by(5)) {
        say!(t, "({}).cmp({}): {:?}", name(one), name(other), one.cmp(&other));
    }
    Ok(())
}

/// Returns pairs of entries whose numbers are neighbours at a power of two, or a power of two
/// apart.
fn bits() -> impl Iterator<Item = [Entry; 2]> {
    (0..u64::BITS).flat_map(|bit| {
        let power = 1_u64 << bit;
        let pairs =
            [(power - 1, power), (power, power.wrapping_add(1)), (7, power.wrapping_add(7))];
        pairs.into_iter().flat_map(|(one, other)| {
            [
                [entry(one, 1), entry(other, 0)],
                [entry(other, 0), entry(one, 1)],
                [entry(7, one), entry(7, other)],
                [entry(7, other), entry(7, one)],
            ]
        })
    })
}

fn entry(when: u64, sequence: u64) -> Entry {
    Entry { when: Time::from_nanos(when), sequence }
}

fn name(entry: Entry) -> String {
    format!("due at {} ns, sequence {}", entry.when.as_nanos(), entry.sequence)
}
