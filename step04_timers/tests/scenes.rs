//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step04_timers");
    clock_starts_at_zero,
    earliest_deadline_on_top,
    cancel_is_lazy,
    a_hundred_thousand_cancels,
    timers_fire_in_order,
    equal_deadlines,
    due_to_the_nanosecond,
    before_at_and_after,
    a_timer_sets_a_timer,
    what_a_sweep_leaves,
    how_long_to_sleep,
    early_event,
    never_wakes_early,
    a_million_cancelled,
    wall_clock_set_back,
    rounding_down_spins,
    fifty_days,
    toy_loop_and_real_loop,
    sleep_is_a_heap_entry,
    periodic_without_drift,
    idle_client_is_closed,
}
