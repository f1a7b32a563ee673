//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step02_epoll");
    whole_milliseconds,
    interest_list_entries,
    epoll_ctl_errors,
    what_ends_a_wait,
    one_wait_for_all,
    more_ready_than_room,
    level_or_edge,
    one_shot,
    hangup_needs_no_interest,
    hangup_spins,
    pollable_descriptors,
    epoll_in_epoll,
    closed_but_still_registered,
    stale_registration_reports_another_pipe,
    timeout_resolution,
    sleeping_costs_no_cpu,
    idle_costs_nothing,
    descriptors_of_a_loop,
    backpressure,
    first_loop,
}
