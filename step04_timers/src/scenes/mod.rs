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
    clocks::a_clock_from_zero,
    order::greatest_on_top,
    cancelling::cancel_is_lazy,
    cancelling::a_hundred_thousand_cancels,
    order::nearest_first,
    order::equal_deadlines,
    due::due_to_the_nanosecond,
    due::before_at_and_after,
    due::a_timer_sets_a_timer,
    cancelling::what_a_sweep_leaves,
    sleeping::how_long_may_i_sleep,
    sleeping::early_event,
    sleeping::never_early,
    cancelling::a_million_cancelled,
    clocks::the_wall_clock_is_set,
    milliseconds::the_millisecond_lie,
    milliseconds::fifty_days,
    loops::a_toy_loop_and_a_loop,
    loops::a_sleep_is_an_entry,
    order::periodic_without_drift,
    loops::a_minute_of_silence,
}
