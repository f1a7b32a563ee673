//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step06_tasks");
    a_round_is_counted,
    set_result_runs_no_callback,
    calling_runs_nothing,
    does_await_switch,
    task_without_a_handle,
    cancel_is_an_error,
    cancelled_before_it_began,
    cancel_reaches_inward,
    a_panic_ends_one_task,
    thousand_calls_one_wake,
}
