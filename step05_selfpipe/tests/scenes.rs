//! Every scene of the step, played in a process of its own, against its answer key.

workbook::scene_tests! {
    env!("CARGO_BIN_EXE_step05_selfpipe");
    neither_end_blocks,
    deaf_loop,
    wake_before_sleep,
    full_pipe_is_awake_enough,
    undrained_loop_spins,
    many_wakes_one_return,
    an_eventfd_beside_a_pair,
    first_the_news_then_the_byte,
    one_byte_for_many,
    the_loop_is_gone,
    all_that_has_come,
    a_value_in_the_middle,
    a_value_that_sends,
    eight_hundred_thousand,
    signal_as_data,
    signals_while_awake,
    not_lost_in_a_full_pipe,
    first_the_note_then_the_byte,
    errno_survives,
    the_handler_allocates_nothing,
    a_signal_in_the_handler,
    after_fork,
    work_from_another_thread,
    stopped_by_a_signal,
}
