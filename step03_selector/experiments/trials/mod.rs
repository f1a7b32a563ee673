//! The list of step 03's trials: random programs and boundary values that check the promises of the
//! exercises.
//!
//! Right answers may differ in the texts of their errors, in which of two errors they report if a
//! call is wrong in two ways, in what `ready` contains after an error, and in whether `unregister`
//! asks the kernel about a descriptor that isn't registered. So a transcript shows an error's kind
//! only, no program is wrong in two ways, and ready descriptors are sorted.

#![allow(clippy::unnecessary_wraps, reason = "all trials have one signature")]

mod bench;
mod costs;
mod events;
mod failures;
mod refused;
mod registrations;
mod reused;
mod sleeps;
mod table;
mod verb;

use scene::trials;

/// Counts the layer's allocations.
#[global_allocator]
static ALLOCATOR: kit::memory::Counting = kit::memory::Counting;

trials! {
    table::inserts_in_any_order,
    costs::inserting_into_a_long_table,
    table::tokens_of_all_kinds,
    costs::looking_up_in_a_long_table,
    events::events_of_all_kinds,
    failures::first_registrations,
    registrations::registers_in_any_order,
    failures::unregisters_what_is_gone,
    reused::unregisters_reused,
    registrations::unregisters_in_any_order,
    registrations::selects_in_any_order,
    sleeps::many_at_once,
    sleeps::sleeps_as_long_as_asked,
    sleeps::waits_that_fail,
    registrations::modifies_in_any_order,
    failures::modifies_that_fail,
    reused::modifies_reused,
}
