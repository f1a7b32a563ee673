//! Trials of the costs of a long table.

use std::hint::black_box;
use std::time::Duration;

use kit::cost::{cpu_time_of, growth, within};
use kit::memory::Memory;
use scene::{Program, Transcript, say, trial};
use step03_selector::Table;

/// The lengths of a short table and of a long table, which is 40 times as long.
const SHORT_AND_LONG: (u32, u32) = (250, 10_000);
/// The factor by which an operation's CPU time may grow. If an operation goes through the whole
/// table, its time grows 40-fold.
const ALLOWED: f64 = 10.0;
/// The number of times a table doubles, from 3 to 786,432 values, while allocations are counted.
const DOUBLINGS: u32 = 18;
/// The number of allocations that are allowed per doubling.
const ALLOCATIONS: usize = 4;
/// The number of lookups that are measured together.
const LOOKUPS: u32 = 100;

trial!(
    inserting_into_a_long_table,
    1,
    "An insert costs the same on average, however many values there are."
);
fn inserting_into_a_long_table(program: &Program, t: Transcript) -> anyhow::Result<()> {
    say!(t, "insert at the indices 0, 1, 2, …");
    let (short, long) = SHORT_AND_LONG;
    let grown = grown(|length| {
        let mut table = Table::new();
        time_of(|| (0..length).for_each(|index| table.insert(index, index)))
    });
    say_growth(t, "for each insert, ", grown / f64::from(long / short));
    let mut table = Table::new();
    (0..3).for_each(|index| table.insert(index, ()));
    for doubling in program.verbs(0..DOUBLINGS) {
        // Lists that double when they're full have room left at these lengths.
        let (length, doubled) = (3 << doubling, 6 << doubling);
        // Of many indices, most are left out to save time.
        let indices = (length..doubled).step_by(64.min(length as usize)).chain([doubled - 1]);
        let ((), memory) = Memory::of(|| indices.clone().for_each(|index| table.insert(index, ())));
        say!(t, "insert at indices up to {} after {length} values", doubled - 1);
        say!(t, "  allocations: {}", within(memory.allocations, ALLOCATIONS));
        let known = (0..length.min(64)).chain(indices);
        let ((), memory) = Memory::of(|| known.for_each(|index| table.insert(index, ())));
        say!(
            t,
            "  insert at these indices and lower ones again; allocations: {}",
            within(memory.allocations, 0)
        );
    }
    Ok(())
}

trial!(looking_up_in_a_long_table, 1, "A lookup costs the same, however many values there are.");
fn looking_up_in_a_long_table(_: &Program, t: Transcript) -> anyhow::Result<()> {
    say!(t, "{LOOKUPS} calls to by_token, for values in the table");
    let (mut table, mut tokens) = (Table::new(), Vec::new());
    let grown = grown(|length| {
        for index in 0..length {
            if table.get(index).is_none() {
                tokens.push(table.next_token(index));
                table.insert(index, index);
            }
        }
        let last = &tokens[tokens.len() - LOOKUPS as usize..];
        time_of(|| {
            for token in last {
                black_box(table.by_token(*token));
            }
        })
    });
    say_growth(t, "", grown);
    Ok(())
}

fn time_of(f: impl FnOnce()) -> Duration {
    cpu_time_of(f).map_or(Duration::MAX, |((), time)| time)
}

/// Returns the factor by which a time grows from the short table to the long table.
fn grown(mut f: impl FnMut(u32) -> Duration) -> f64 {
    let (short, long) = SHORT_AND_LONG;
    growth((0, 1), |is_long| f(if is_long == 1 { long } else { short }))
}

fn say_growth(t: Transcript, each: &str, grown: f64) {
    let (short, long) = SHORT_AND_LONG;
    let cost = within(grown.round(), ALLOWED);
    say!(t, "  {each}CPU time with {long} values, as a multiple of the time with {short}: {cost}");
}
