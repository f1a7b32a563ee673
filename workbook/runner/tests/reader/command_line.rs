//! Tests of the command line: the effect of each command, and the report of a typo.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::copy::{Workbook, ran};

fn workbook() -> Workbook {
    Workbook::fresh()
}

#[test]
fn an_unknown_name_gets_a_suggestion_the_list_and_exit_code_2() {
    let workbook = workbook();
    for (words, nearest, listed) in [
        (&["play", "smal_number"][..], "`small_numbers`", "the_largest_number"),
        (&["hint", "duoble"][..], "`double`", "greet"),
        (&["reveal", "geret", "--yes"][..], "`greet`", "double"),
        (&["rveeal"][..], "`reveal`", "reset"),
        (&["list", "--jsn"][..], "`--json`", "--yes"),
    ] {
        let ran = workbook.run(words);
        assert_eq!(ran.code, Some(2), "{words:?}");
        let meant = format!("did you mean {nearest}?");
        assert!(ran.err.contains(&meant) && ran.err.contains(listed), "{}", ran.err);
    }
}

#[test]
fn hints_come_one_by_one_and_then_point_to_the_solution() {
    let workbook = workbook();
    let hints = [
        "Twice is once and once again.",
        "Overflow panics.",
        "number.wrapping_mul(2)",
        "-- reveal double",
    ];
    for hint in hints {
        let ran = workbook.run(&["hint"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.out.contains(hint), "{}", ran.out);
    }
}

#[test]
fn the_solution_is_shown_to_a_reader_who_confirms() {
    let workbook = workbook();
    let asked = workbook.run(&["reveal", "double"]);
    assert_eq!(asked.code, Some(2));
    assert!(asked.err.contains("add --yes"), "{}", asked.err);
    let shown = workbook.run(&["reveal", "90.1", "--yes"]);
    assert_eq!(shown.code, Some(0));
    assert!(shown.out.contains("    (number + number).0\n}\n"), "{}", shown.out);
    assert!(shown.out.contains("yours: work/step90_fixture/src/numbers/mod.rs:"), "{}", shown.out);
}

#[test]
fn the_list_for_programs_is_json() {
    let workbook = workbook();
    workbook.begin();
    workbook.solve_double();
    let ran = workbook.run(&["list", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let list: tinyjson::JsonValue = ran.out.parse().expect("JSON");
    let list = &list["parts"][0]["exercises"];
    let text = |index: usize, name: &str| list[index][name].get::<String>().expect(name).clone();
    assert_eq!(text(0, "state"), "green");
    assert_eq!(text(1, "state"), "not written");
    assert_eq!(text(1, "number"), "90.2");
    assert_eq!(text(1, "file"), "work/step90_fixture/src/greeting.rs");
    assert_eq!(list[1]["line"].get::<f64>(), Some(&21.0));
    assert_eq!(list[0]["scenes"][1].get::<String>().expect("scene"), "the_largest_number");
}

#[test]
fn a_body_written_since_the_last_verdict_is_not_red_before_it_is_judged() {
    let workbook = workbook();
    workbook.begin();
    workbook.solve_double();
    workbook.run(&[]);
    workbook.solve_greet();
    let ran = workbook.run(&["--json"]);
    let list = ran.out.lines().find(|line| line.contains("\"exercises\"")).expect("a list");
    let list: tinyjson::JsonValue = list.parse().expect("JSON");
    let state = &list["parts"][0]["exercises"][1]["state"];
    assert_eq!(state.get::<String>().map(String::as_str), Some("waits"), "{}", ran.out);
}

#[test]
fn a_step_without_a_server_says_so() {
    let ran = workbook().run(&["serve"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("has no server"), "{}", ran.err);
}

#[test]
fn a_closed_pipe_is_not_a_panic() {
    let workbook = workbook();
    let mut runner = workbook
        .command(&[])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("run cargo");
    let mut line = String::new();
    let stdout = runner.stdout.take().expect("its output");
    // Reads one line and closes the pipe, as `head -1` does.
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    let ran = ran(runner.wait_with_output().expect("wait"));
    assert_eq!(ran.code, Some(1));
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}

#[test]
fn the_map_shows_what_is_green_what_changed_and_what_is_next() {
    let workbook = workbook();
    let map = || ran(workbook.cargo(&["run", "--quiet", "-p", "runner"]).output().expect("run"));
    assert!(map().out.contains("Not started."), "{:?}", map());
    workbook.run(&[]);
    assert!(!map().out.contains("Not started."), "{:?}", map());
    assert!(map().out.contains("· step90_fixture         0 of 2 "), "{:?}", map());
    workbook.solve_double();
    assert!(map().out.contains("Changed since it was judged."), "{:?}", map());
    assert!(map().out.contains("Next:  cargo run -p step90_fixture"), "{:?}", map());
    workbook.solve_greet();
    assert_eq!(workbook.run(&[]).code, Some(0));
    assert!(map().out.contains("✓ step90_fixture"), "{:?}", map());
    assert!(map().out.contains("cargo run -p book -- serve"), "{:?}", map());
}

#[test]
fn a_step_s_command_in_the_root_is_told_where_it_belongs() {
    let workbook = workbook();
    let ran = workbook.cargo_in(".", &["run", "--quiet", "--", "hint"]);
    assert_eq!(ran.code, Some(2));
    let told = "`hint` is a step's command: cargo run -p step90_fixture -- hint";
    assert!(ran.err.contains(told), "{}", ran.err);
}

#[test]
fn a_starter_has_nothing_to_reset() {
    let workbook = workbook();
    workbook.run(&[]);
    let ran = workbook.run(&["reset", "double", "--yes"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("there's nothing to reset"), "{ran:?}");
    assert!(!workbook.root.join("work/.state/replaced").exists());
}

#[test]
fn a_typo_in_the_manifest_is_shown_in_its_place() {
    let workbook = workbook();
    workbook.run(&[]);
    let file = workbook.root.join("work/Cargo.toml");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text.replacen("[workspace]", "[workspace", 1)).expect("write");
    let ran = workbook.run(&[]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("parse work/Cargo.toml: "), "{}", ran.err);
    assert!(ran.err.contains("line 3"), "{}", ran.err);
}

#[test]
fn a_report_says_what_helps_and_nothing_private() {
    let workbook = workbook();
    let report = || {
        let mut cargo = workbook.cargo(&["run", "--quiet", "--", "report"]);
        cargo.env("USER", "anna_karenina").env("LOGNAME", "anna_karenina");
        ran(cargo.output().expect("run cargo"))
    };
    assert!(report().out.contains("none yet"), "{:?}", report());
    workbook.run(&[]);
    let home = std::env::var("HOME").expect("a home");
    let body = format!("println!(\"my secret\");\n    panic!(\"{home}/diary of anna_karenina\")");
    workbook.write_body("src/numbers/mod.rs", &body);
    workbook.run(&[]);
    let report = report();
    assert_eq!(report.code, Some(0), "{report:?}");
    for helpful in [
        "rustc 1.",
        "Linux ",
        "open files",
        "bytes of address space",
        "step90_fixture: 0 of 2 green",
        "90.1 double",
    ] {
        assert!(report.out.contains(helpful), "{helpful}: {}", report.out);
    }
    assert!(report.out.contains("~/diary of (user)"), "{}", report.out);
    let root = workbook.root.display().to_string();
    for private in [&*home, "anna_karenina", "my secret", "println", &root] {
        assert!(!report.out.contains(private), "{private}: {}", report.out);
    }
}
