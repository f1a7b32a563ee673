//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step07_full_loop");
    how_long_may_it_sleep,
    order_in_a_tick,
    a_callback_without_end,
    stop_finishes_the_tick,
    one_loop_at_a_time,
    sleepers_wake_in_order,
    a_cancelled_sleep_leaves_no_timer,
    a_word_from_a_thread,
    interrupted,
    a_slow_reader,
    a_conversation,
}
