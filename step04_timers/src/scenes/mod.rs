//! The list of step 04's experiments, in the order in which `play` shows them.

#![allow(clippy::unnecessary_wraps, reason = "all scenes have one signature")]

mod cancelling;
mod clocks;
mod deadlines;
mod due;
mod idle_clients;
mod loops;
mod order;
mod rounding;
mod sleeping;

use scene::scenes;

scenes! {
    clocks::clock_starts_at_zero,
    order::earliest_deadline_on_top,
    cancelling::cancel_is_lazy,
    cancelling::cancel_needs_no_search,
    order::timers_fire_in_order,
    order::equal_deadlines,
    due::due_to_the_nanosecond,
    due::cancel_works_until_popped,
    due::a_timer_sets_a_timer,
    cancelling::fired_timers_leave_slots,
    cancelling::what_a_sweep_leaves,
    sleeping::how_long_to_sleep,
    sleeping::early_event,
    sleeping::never_wakes_early,
    cancelling::sweeps_bound_the_heap,
    clocks::wall_clock_set_back,
    rounding::rounding_down_spins,
    rounding::fifty_day_timeout,
    loops::polling_or_sleeping,
    loops::sleep_is_a_heap_entry,
    deadlines::timeout_or_deadline,
    order::periodic_without_drift,
    idle_clients::idle_client_is_closed,
}
