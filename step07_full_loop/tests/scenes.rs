//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step07_full_loop");
    select_timeout_cases,
    order_in_a_tick,
    self_scheduling_callback,
    stop_finishes_the_tick,
    one_loop_at_a_time,
    sleepers_wake_in_order,
    a_cancelled_sleep_leaves_no_timer,
    call_soon_threadsafe_from_a_thread,
    call_soon_threadsafe_keeps_its_place,
    run_and_ctrl_c,
    slow_reader_holds_the_writer,
    echo_conversation,
}
