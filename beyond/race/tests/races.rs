//! Tests that each race finishes: every contestant does its work, and the work costs something.

use std::process::Command;

/// Runs a program and returns the rows of the tables it prints.
fn rows_of(program: &str, arguments: &[&str]) -> Vec<String> {
    let output = Command::new(program).args(arguments).output().expect("the program is there");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    let tables = String::from_utf8(output.stdout).expect("text");
    tables.lines().filter(|line| line.starts_with("| ")).map(str::to_owned).collect()
}

/// Runs a quick race and checks that `count` rows begin with this contestant, and that every
/// contestant's cost is above zero.
fn check_quickly(race: &str, contestant: &str, count: usize) {
    let rows = rows_of(env!("CARGO_BIN_EXE_race"), &[race, "--quick"]);
    let its = rows.iter().filter(|row| row.starts_with(contestant));
    assert_eq!(its.count(), count, "{rows:#?}");
    assert!(!rows.iter().any(|row| row.contains("| 0 ns") || row.contains("NaN")), "{rows:#?}");
}

#[test]
fn every_selector_finds_what_is_ready() {
    check_quickly("waiting", "| 100 |", 2);
}

#[test]
fn a_million_timers_are_set_in_each_heap() {
    check_quickly("timers", "| pushed, then", 2);
}

#[test]
fn a_thread_wakes_a_loop_in_three_ways() {
    check_quickly("wakes", "| `EpollSelector`", 2);
}

#[test]
fn every_runtime_does_each_load_of_tasks() {
    check_quickly("tasks", "| step 06 |", 6);
}

#[test]
fn both_loops_do_each_load() {
    check_quickly("event_loop", "| step 07 |", 10);
}

#[test]
fn every_server_echoes() {
    check_quickly("echo", "| the library, Protocol |", 5);
}

#[test]
fn a_loop_from_scratch_spawns_sleeps_and_echoes_beside_ours() {
    check_quickly("from_scratch", "| from scratch |", 3);
}

#[test]
fn every_reader_gets_all_lines() {
    check_quickly("lines", "| the library, `StreamReader` |", 2);
}

#[test]
fn every_server_serves_files() {
    check_quickly("files", "| serve_files |", 6);
}

#[test]
fn the_simulations_are_what_the_laws_say() {
    let rows = rows_of(env!("CARGO_BIN_EXE_race"), &["laws", "--quick"]);
    for says in ["| 100 | 100 |", "| 200 | 400 | 400 |", "| 10 | 5.3 | 5.3 |"] {
        assert!(rows.iter().any(|row| row.starts_with(says)), "{says}: {rows:#?}");
    }
}

#[test]
fn whatever_waits_takes_some_bytes_and_not_a_hundred_times_too_many() {
    let rows = rows_of(env!("CARGO_BIN_EXE_memory"), &["--quick"]);
    let in_blocks: Vec<f64> = rows
        .iter()
        .filter_map(|row| row.split(" bytes in ").next()?.rsplit(' ').next()?.parse().ok())
        .collect();
    assert_eq!(in_blocks.len(), 5, "{rows:#?}");
    assert!(in_blocks.iter().all(|bytes| (8.0..20_000.0).contains(bytes)), "{rows:#?}");
}
