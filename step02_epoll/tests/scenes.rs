//! Every scene of the step, played in a process of its own, against its answer key.

workbook::scene_tests! {
    env!("CARGO_BIN_EXE_step02_epoll");
    how_long_is_a_wait,
    level_or_edge,
    one_shot,
    hangup_unasked,
    refused,
    closed_but_not_gone,
    backpressure,
}
