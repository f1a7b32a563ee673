//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step02_epoll");
    whole_milliseconds,
    what_epoll_knows,
    refused,
    how_long_is_a_wait,
    one_wait_for_all,
    more_ready_than_room,
    level_or_edge,
    one_shot,
    hangup_unasked,
    hangup_spins,
    what_can_be_waited_for,
    epoll_in_epoll,
    closed_but_not_gone,
    told_of_a_stranger,
    two_hundred_microseconds,
    asleep,
    idle_costs_nothing,
    what_a_loop_has_open,
    backpressure,
    first_loop,
}
