//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step04_timers");
    a_clock_from_zero,
    greatest_on_top,
    cancel_is_lazy,
    a_hundred_thousand_cancels,
    nearest_first,
    equal_deadlines,
    due_to_the_nanosecond,
    before_at_and_after,
    a_timer_sets_a_timer,
    what_a_sweep_leaves,
    how_long_may_i_sleep,
    early_event,
    never_early,
    a_million_cancelled,
    the_wall_clock_is_set,
    the_millisecond_lie,
    fifty_days,
    a_toy_loop_and_a_loop,
    a_sleep_is_an_entry,
    periodic_without_drift,
    a_minute_of_silence,
}
