//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step03_selector");
    reregistering_gives_a_new_token,
    stale_token_finds_nothing,
    what_an_event_means,
    register_and_get_key,
    where_backends_differ,
    selector_owns_epoll,
    unregister_errors,
    select_reports_the_ready,
    hangup_wakes_all,
    signal_interrupts_select,
    reused_descriptor,
    closed_without_unregister,
    modify_changes_interest,
    unchanged_modify_makes_no_call,
    same_script_on_asyncio,
}
