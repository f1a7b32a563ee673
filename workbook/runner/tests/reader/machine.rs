//! Messages for a reader when the machine, and not the page, is the reason for a failure; and
//! files as another system would leave them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::copy::{Ran, STEP, Workbook, ran};

/// A workbook whose page is half done and was judged.
fn workbook() -> Workbook {
    let workbook = Workbook::fresh();
    workbook.begin();
    workbook.solve_double();
    assert!(workbook.run(&[]).out.contains("✓ 90.1 double"));
    workbook
}

/// Runs a line of shell code and then the step's program with these words.
fn below(workbook: &Workbook, shell: &str, words: &[&str]) -> Ran {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{shell}; exec \"$0\" \"$@\"")])
        .arg(workbook.root.join("target/debug").join(STEP))
        .args(words)
        .current_dir(&workbook.root)
        .env("CARGO_MANIFEST_DIR", workbook.root.join(STEP))
        .env("COLUMNS", "1000");
    ran(command.output().expect("run it"))
}

/// The commands that judge or play, with `--json` if the command has that form.
const COMMANDS: [&[&str]; 5] =
    [&[], &["--json"], &["list"], &["play", "small_numbers"], &["predict", "small_numbers"]];

#[test]
fn where_a_scene_could_not_run_nothing_is_judged_and_what_was_green_stays_green() {
    let workbook = workbook();
    let noted = workbook.root.join("work/.state/verdicts").join(STEP);
    let before = fs::read_to_string(&noted).expect("the last verdict");
    for (shell, why) in [
        ("ulimit -n 64", "at most 64 open descriptors here (the hard limit, `ulimit -Hn`)"),
        ("ulimit -f 8", "at most 4096 bytes in a file here"),
        ("export TMPDIR=/proc", "make the directory /proc/workbook-run-"),
    ] {
        for words in COMMANDS {
            let told = below(&workbook, shell, words);
            assert_eq!(told.code, Some(3), "{shell}: {words:?}: {told:?}");
            assert!(told.err.contains("Not judged: ") && told.err.contains(why), "{told:?}");
            assert!(!told.out.contains('✗') && !told.out.contains('✓'), "{told:?}");
        }
        let told = below(&workbook, shell, &["--json"]);
        let events: Vec<&str> = told.out.lines().rev().take(2).collect();
        assert!(events[0].contains(r#""event":"end","ok":false"#), "{events:?}");
        assert!(
            events[1].starts_with(r#"{"format":1,"event":"not_judged","words":"#),
            "{events:?}"
        );
    }
    assert_eq!(fs::read_to_string(&noted).expect("the last verdict"), before);
    assert!(workbook.run(&[]).out.contains("✓ 90.1 double"));
}

#[test]
fn a_temporary_directory_that_is_not_there_is_passed_over() {
    let workbook = workbook();
    for named in ["/nowhere/at/all", "relative", ""] {
        let told = below(&workbook, &format!("export TMPDIR={named}"), &[]);
        assert!(told.out.contains("✓ 90.1 double"), "{named}: {told:?}");
    }
}

#[test]
fn a_page_is_not_red_where_the_reference_is_red_too() {
    let workbook = workbook();
    workbook.solve_greet();
    assert!(workbook.run(&[]).out.contains("All green"));
    // As if the reference did something else on this machine.
    let snapshot = workbook.root.join(STEP).join("tests/snapshots/small_numbers.snap");
    let key = fs::read_to_string(&snapshot).expect("a snapshot");
    fs::write(&snapshot, format!("{key}and another line\n")).expect("write");
    let told = workbook.run(&[]);
    fs::write(&snapshot, key).expect("put it back");
    assert_eq!(told.code, Some(3), "{told:?}");
    let said = told.err.replace('\n', " ");
    let why = "the scene small_numbers isn't green with the reference here, either";
    assert!(said.contains(why), "{said}");
}

#[test]
fn a_wrong_body_is_red_though_it_does_what_a_machine_could_do() {
    let workbook = workbook();
    workbook.write_body("src/greeting.rs", "panic!(\"No space left on device (os error 28)\")");
    let told = workbook.run(&[]);
    assert!(told.code == Some(1) && told.out.contains("✗ 90.2 greet"), "{told:?}");
    let file = workbook.page("src/greeting.rs");
    let text = fs::read_to_string(&file).expect("the page");
    let does_not_compile = text.replace("panic!(", "compile_error!(");
    fs::write(&file, does_not_compile).expect("write");
    let told = workbook.run(&[]);
    assert!(told.code == Some(1) && told.out.contains("doesn't compile yet"), "{told:?}");
}

/// Gives all files below a directory the line endings of another system.
fn with_other_line_ends(dir: &Path) {
    for entry in fs::read_dir(dir).expect("list it") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            with_other_line_ends(&path);
        } else {
            let text = fs::read_to_string(&path).expect("read").replace('\n', "\r\n");
            fs::write(&path, text).expect("write");
        }
    }
}

#[test]
fn the_line_ends_of_another_system_make_nothing_red() {
    let workbook = workbook();
    workbook.solve_greet();
    for dir in [workbook.root.join(STEP), workbook.root.join("work").join(STEP)] {
        with_other_line_ends(&dir);
    }
    let told = workbook.run(&[]);
    assert!(told.code == Some(0) && told.out.contains("All green"), "{told:?}");
    let told = workbook.run(&["predict", "small_numbers"]);
    assert!(told.out.contains("lines right so far"), "{told:?}");
    let told = workbook.run(&["hint", "double"]);
    assert!(told.code == Some(0) && !told.out.contains('\r'), "{told:?}");
    // The page keeps its own line ends.
    let text = fs::read_to_string(workbook.page("src/greeting.rs")).expect("the page");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    // Files made from the workbook's own files get our line ends.
    fs::remove_file(workbook.page("src/greeting.rs")).expect("remove it");
    workbook.run(&[]);
    let made = fs::read_to_string(workbook.page("src/greeting.rs")).expect("the page");
    assert!(!made.contains('\r'), "{made:?}");
}

#[test]
fn two_saves_with_the_same_time_have_a_verdict_each() {
    let workbook = workbook();
    let file = workbook.page("src/numbers/mod.rs");
    let right = fs::read_to_string(&file).expect("the page");
    let wrong = right.replace("wrapping_mul(2)", "wrapping_mul(3)");
    for (text, verdict) in [(&wrong, "✗ 90.1 double"), (&right, "✓ 90.1 double")] {
        let saved = fs::metadata(&file).and_then(|it| it.modified()).expect("the last save");
        fs::write(&file, text).expect("save");
        // As on a file system that counts whole seconds.
        fs::File::open(&file).and_then(|it| it.set_modified(saved)).expect("set the time");
        let told = workbook.run(&[]);
        assert!(told.out.contains(verdict), "{told:?}");
    }
}
