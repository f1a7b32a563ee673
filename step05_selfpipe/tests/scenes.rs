//! Every scene of the step, played in a process of its own, against its answer key.

workbook::scene_tests! {
    env!("CARGO_BIN_EXE_step05_selfpipe");
    deaf_loop,
    wake_before_sleep,
    full_pipe_is_awake_enough,
    undrained_loop_spins,
    many_wakes_one_return,
    signal_as_data,
    not_lost_in_a_full_pipe,
    errno_survives,
}
