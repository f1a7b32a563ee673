//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step03_selector");
    a_place_of_its_own,
    yesterdays_token,
    what_an_event_means,
    a_key_and_its_data,
    where_backends_differ,
    who_owns_what,
    forgetting,
    one_select,
    hangup_wakes_all,
    a_signal_ends_the_sleep,
    reused_number,
    closed_without_a_word,
    change_of_mind,
    unchanged_asks_nobody,
    one_script,
}
