//! `play` runs the reader's page once it's complete, and the reference until then, from wherever
//! the reader types it. A line on standard error says whose code is running. `serve` chooses in the
//! same way.

use std::fs;

use crate::copy::{Ran, STEP, Workbook};

const PLAY: [&str; 2] = ["play", "small_numbers"];
const REFERENCE_S: &str = "twice one is 2\ntwice two is 4\ntwice three is 6\n";

fn workbook() -> Workbook {
    Workbook::fresh()
}

#[track_caller]
fn assert_runs(ran: &Ran, out: &str, whose: &str) {
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), out), "{ran:?}");
    assert_eq!(ran.err.lines().next(), Some(whose), "{ran:?}");
    assert_eq!(ran.err.lines().nth(1), Some("What is twice two?"), "{ran:?}");
}

#[test]
fn until_the_page_is_complete_the_reference_runs_and_the_line_says_why() {
    let workbook = workbook();
    let ran = workbook.run(&PLAY);
    assert_runs(&ran, REFERENCE_S, "you have no page of step 90 yet; this is the reference");
    assert!(!workbook.root.join("work").exists(), "playing makes no page");
    workbook.run(&[]);
    let left = "your page of step 90 has 2 `todo!`s left; this is the reference";
    assert_runs(&workbook.run(&PLAY), REFERENCE_S, left);
    workbook.solve_double();
    workbook.write_body("src/greeting.rs", "todo!(\"one half\");\n        todo!(\"the other\")");
    let left = "your page of step 90 has 2 `todo!`s left; this is the reference";
    assert_runs(&workbook.run(&PLAY), REFERENCE_S, left);
    workbook.write_body("src/greeting.rs", "todo!(\"exercise 90.2: a\")");
    let left = "your page of step 90 has 1 `todo!` left; this is the reference";
    assert_runs(&workbook.run(&PLAY), REFERENCE_S, left);
    workbook.write_body("src/greeting.rs", "let _ = names; String::new()");
    workbook.run(&[]);
    let red = "your page of step 90 isn't green: greet is red; this is the reference";
    assert_runs(&workbook.run(&PLAY), REFERENCE_S, red);
    let file = workbook.page("src/numbers/mod.rs");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text + "fn broken() {").expect("write");
    let broken = "your page of step 90 doesn't compile; this is the reference";
    assert_runs(&workbook.run(&PLAY), REFERENCE_S, broken);
}

#[test]
fn a_complete_page_runs_from_wherever_it_is_started() {
    let workbook = workbook();
    workbook.run(&[]);
    // This body differs from the reference's, and no scene has judged it yet.
    workbook.write_body("src/numbers/mod.rs", "number.wrapping_mul(3)");
    workbook.solve_greet();
    let page = "twice one is 3\ntwice two is 6\ntwice three is 9\n";
    // Twice: the step's own program mustn't take the place of the page's.
    for _ in 0..2 {
        for dir in [".", "work", "work/step90_fixture/src"] {
            let words = [&["run", "--quiet", "-p", STEP, "--"], &PLAY[..]].concat();
            let ran = workbook.cargo_in(dir, &words);
            assert_runs(&ran, page, "your step 90, not judged in this state");
        }
    }
}

#[test]
fn a_green_page_is_simply_the_readers() {
    let workbook = workbook();
    workbook.run(&[]);
    workbook.solve_double();
    workbook.solve_greet();
    assert_eq!(workbook.run(&[]).code, Some(0));
    assert_runs(&workbook.run(&PLAY), REFERENCE_S, "your step 90");
}

#[test]
fn the_reader_can_say_whose_code_to_run() {
    let workbook = workbook();
    let nothing = workbook.run(&["play", "small_numbers", "--mine"]);
    assert_eq!(nothing.code, Some(1));
    assert!(nothing.err.contains("you have no page of step 90 yet"), "{nothing:?}");
    workbook.begin();
    let unfinished = workbook.run(&["play", "small_numbers", "--mine"]);
    assert_eq!(unfinished.code, Some(1));
    let line = "your step 90, with 2 `todo!`s left: a call to one of them panics";
    assert_eq!(unfinished.err.lines().next(), Some(line));
    assert!(unfinished.err.contains("not written yet: exercise 90.1"), "{unfinished:?}");

    workbook.solve_greet();
    workbook.write_body("src/numbers/mod.rs", "number.wrapping_mul(3)");
    let ran = workbook.run(&["play", "small_numbers", "--reference"]);
    assert_runs(&ran, REFERENCE_S, "the reference's step 90");
}

#[test]
fn the_references_program_never_takes_the_place_of_the_pages() {
    let workbook = workbook();
    workbook.run(&[]);
    let words = ["run", "--quiet", "-p", STEP, "--", "play", "small_numbers", "--reference"];
    assert_eq!(workbook.cargo_in("work", &words).out, REFERENCE_S);
    let program = |target: &str| {
        let file = workbook.root.join(target).join("debug").join(STEP);
        fs::read(file).expect("a program")
    };
    assert!(program("target") != program("work/target"), "they have the same name");
}
