//! Every scene of the step, played in a process of its own, against its answer key.

workbook::scene_tests! {
    env!("CARGO_BIN_EXE_step03_selector");
    a_key_and_its_data,
    where_backends_differ,
    one_select,
    hangup_wakes_all,
    reused_number,
    change_of_mind,
    unchanged_asks_nobody,
}
