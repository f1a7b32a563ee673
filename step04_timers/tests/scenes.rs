//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step04_timers");
    clock_starts_at_zero,
    earliest_deadline_on_top,
    cancel_is_lazy,
    cancel_needs_no_search,
    timers_fire_in_order,
    equal_deadlines,
    due_to_the_nanosecond,
    cancel_works_until_popped,
    a_timer_sets_a_timer,
    what_a_sweep_leaves,
    how_long_to_sleep,
    early_event,
    never_wakes_early,
    sweeps_bound_the_heap,
    wall_clock_set_back,
    rounding_down_spins,
    fifty_day_timeout,
    polling_or_sleeping,
    sleep_is_a_heap_entry,
    periodic_without_drift,
    idle_client_is_closed,
}
