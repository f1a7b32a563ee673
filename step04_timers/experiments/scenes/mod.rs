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
    clocks::a_new_clock,
    order::order_of_a_binary_heap,
    cancelling::one_of_three_cancelled,
    cancelling::a_hundred_thousand_cancelled,
    order::five_timers,
    order::equal_deadlines,
    due::due_to_the_nanosecond,
    due::until_when_to_cancel,
    due::a_timer_sets_a_timer,
    cancelling::a_thousand_fired_timers,
    cancelling::what_a_sweep_leaves,
    sleeping::how_long_to_sleep,
    sleeping::early_event,
    sleeping::twenty_real_timers,
    cancelling::a_million_cancelled,
    clocks::wall_clock_set_back,
    rounding::a_timeout_rounded_down,
    rounding::fifty_day_timeout,
    loops::polling_or_sleeping,
    loops::three_sleepers,
    deadlines::timeout_or_deadline,
    order::a_periodic_timer,
    idle_clients::idle_client_is_closed,
}
