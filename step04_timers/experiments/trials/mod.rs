//! The list of step 04's trials: random programs and boundary values that check the promises of the
//! exercises.
//!
//! Right answers may differ in the moment at which they drop a cancelled entry that's at the top:
//! `pop_due` can drop the entry before it looks, afterwards, or only if the entry is due. So a
//! transcript says how many entries the heap has only where that moment makes no difference. It
//! doesn't show measured times, either, only whether they're within the limits of the docs.

#![allow(clippy::unnecessary_wraps, reason = "all trials have one signature")]

mod clock;
mod costs;
mod entry;
mod heap;
mod many;
mod sweep;
mod timeout;
mod verb;

use scene::trials;

/// Counts the memory that a sweep frees.
#[global_allocator]
static ALLOCATOR: kit::memory::Counting = kit::memory::Counting;

trials! {
    clock::clocks_of_all_ages,
    entry::every_two_entries,
    heap::timers_are_cancelled,
    many::all_are_cancelled,
    costs::cancelling_among_many,
    heap::timers_in_any_order,
    costs::popping_among_many,
    many::popping_behind_many_cancelled,
    sweep::what_is_worth_a_sweep,
    sweep::sweeps_in_any_order,
    costs::sweeping_seldom,
    timeout::timeouts_in_any_order,
    timeout::timeouts_of_many,
    costs::asking_among_many,
    many::asking_behind_many_cancelled,
}
