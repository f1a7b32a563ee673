//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step06_tasks");
    a_round_is_counted,
    finishing_runs_nobody,
    calling_runs_nothing,
    does_await_switch,
    nobody_holds_the_task,
    cancel_is_an_error,
    cancelled_before_it_began,
    cancel_reaches_inward,
    a_panic_ends_one_task,
    woken_from_a_thread,
}
