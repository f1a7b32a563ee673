//! The experiments of step 04, in the order the chapter meets them.

#![allow(clippy::unnecessary_wraps, reason = "all scenes have one signature")]

mod cancelling;
mod clocks;
mod due;
mod loops;
mod milliseconds;
mod order;
mod sleeping;

use scene::scenes;

scenes! {
    clocks::clock_starts_at_zero,
    order::earliest_deadline_on_top,
    cancelling::cancel_is_lazy,
    cancelling::a_hundred_thousand_cancels,
    order::timers_fire_in_order,
    order::equal_deadlines,
    due::due_to_the_nanosecond,
    due::before_at_and_after,
    due::a_timer_sets_a_timer,
    cancelling::what_a_sweep_leaves,
    sleeping::how_long_to_sleep,
    sleeping::early_event,
    sleeping::never_wakes_early,
    cancelling::a_million_cancelled,
    clocks::wall_clock_set_back,
    milliseconds::rounding_down_spins,
    milliseconds::fifty_days,
    loops::toy_loop_and_real_loop,
    loops::sleep_is_a_heap_entry,
    order::periodic_without_drift,
    loops::idle_client_is_closed,
}
