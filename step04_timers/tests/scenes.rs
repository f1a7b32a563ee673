//! Every scene of the step, played in a process of its own, against its answer key.

workbook::scene_tests! {
    env!("CARGO_BIN_EXE_step04_timers");
    nearest_first,
    equal_deadlines,
    how_long_may_i_sleep,
    early_event,
    periodic_without_drift,
    never_early,
    cancel_is_lazy,
    a_million_cancelled,
}
