//! The authors' checks report each kind of mistake and pass only if the exercises are in order.

use std::fs;
use std::path::{Path, PathBuf};

use crate::copy::{STEP, Workbook};

fn workbook() -> Workbook {
    Workbook::fresh()
}

#[track_caller]
fn assert_fails(workbook: &Workbook, check: &str, why: &str) {
    let ran = workbook.author(&["check", STEP]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    let failed = ran.out.split("  ✗ ").skip(1).find(|failed| failed.starts_with(check));
    assert!(failed.is_some_and(|failed| failed.contains(why)), "{check}: {why}\n{}", ran.out);
}

#[test]
fn a_step_that_is_sound_passes() {
    let ran = workbook().author(&["check", STEP]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("step90_fixture: 15 passed, 0 failed"), "{}", ran.out);
}

#[test]
fn a_step_is_walked_on_each_path_that_gives_some_of_its_exercises() {
    let workbook = workbook();
    let path = |name, exercises| {
        format!("[[path]]\nname = '{name}'\nabout = 'x'\nexercises = {exercises}\n")
    };
    let paths = path("short", "['90.2']") + &path("none", "[]") + &path("whole", "['step90']");
    workbook.write_book("paths.toml", &paths);
    let ran = workbook.author(&["check", STEP]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("✓ on the path `short`: green with our bodies"), "{}", ran.out);
    assert!(ran.out.contains("step90_fixture: 16 passed, 0 failed"), "{}", ran.out);
}

#[test]
fn a_check_leaves_nothing_behind_that_cargo_takes_for_a_page() {
    let workbook = workbook();
    // At the end of a check, all bodies are restored, and cargo keeps the files that it compiled
    // from that page.
    assert_eq!(workbook.author(&["check", STEP]).code, Some(0));
    workbook.run(&[]);
    workbook.write_body("src/numbers/mod.rs", "number");
    let judged = workbook.run(&[]);
    assert_eq!(judged.code, Some(1), "a page with a wrong body is green: {judged:?}");
    assert!(judged.out.contains("✗ 90.1 double                  red"), "{judged:?}");
}

/// Returns the copy's document with the answers to an exercise.
fn document(workbook: &Workbook, exercise: &str) -> PathBuf {
    workbook.root.join(STEP).join("tests/answers").join(exercise).with_extension("md")
}

/// Adds an answer to a document, with a heading such as `wrong: a name` and a remark between the
/// heading and the block.
fn add(document: &Path, heading: &str, remark: &str, body: &str) {
    let text = fs::read_to_string(document).expect("read");
    let before = if heading.starts_with("wrong: ") { "<details>" } else { "</details>" };
    let answer = format!("## {heading}\n\n{remark}\n\n```rust\n{body}```\n\n{before}");
    fs::write(document, text.replace(before, &answer)).expect("write");
}

#[test]
fn a_wrong_answer_that_no_scene_sees_fails() {
    let workbook = workbook();
    let answers = document(&workbook, "double");
    add(&answers, "wrong: but unseen", "", "    number.wrapping_add(number)\n");
    add(&answers, "wrong: otherwise", "Expect: `SIGSEGV`", "    number + number\n");
    add(&answers, "right: but red", "", "    number + number\n");
    assert_fails(&workbook, "90.1 double: wrong: but unseen", "neither a scene nor a trial sees");
    assert_fails(&workbook, "90.1 double: wrong: otherwise", "`SIGSEGV` is not in");
    assert_fails(&workbook, "90.1 double: right: but red", "panicked");
}

#[test]
fn a_document_that_is_malformed_or_of_no_exercise_fails_and_is_named() {
    let workbook = workbook();
    let answers = document(&workbook, "double");
    let text = fs::read_to_string(&answers).expect("read");
    let lines = text.lines().count();
    fs::write(&answers, format!("{text}## wrnog: square\n")).expect("write");
    let why = format!("double.md:{}: `## wrnog: square` is neither", lines + 1);
    assert_fails(&workbook, "90.1 double: has bodies to try", &why);
    fs::rename(&answers, document(&workbook, "dobule")).expect("rename");
    assert_fails(&workbook, "is complete", "dobule.md isn't the document of an exercise");
}

#[test]
fn a_right_answer_that_does_not_suit_the_whole_step_fails() {
    let workbook = workbook();
    // The scene that judges the exercise passes two names. Another scene passes none.
    let answer = "    let names = names.into_iter().map(|name| format!(\"{}, {}\\n\", self.word, polite(name)));
    let text: String = names.collect();
    if text.is_empty() { \"nobody\".to_string() } else { text }\n";
    add(&document(&workbook, "greet"), "right: but not for nobody", "", answer);
    assert_fails(&workbook, "right answers together, 2", "a_greeting_of_nobody");
    let ran = workbook.author(&["check", STEP]);
    assert!(
        ran.out.contains("✓ with all bodies put back, the page is the reference"),
        "{}",
        ran.out
    );
}

#[test]
fn answers_that_do_not_compile_together_are_tried_one_by_one() {
    let workbook = workbook();
    let answers = document(&workbook, "double");
    let method = "    #[allow(non_local_definitions)]\n    impl crate::Greeter {\n        fn twice(number: u32) -> u32 {\n            number.wrapping_mul(2)\n        }\n    }\n";
    for name in ["right: by a method", "right: by another method"] {
        add(&answers, name, "", &format!("{method}    crate::Greeter::twice(number)\n"));
    }
    let compiles = fs::read_to_string(&answers).expect("read");
    add(&answers, "wrong: does not compile", "", "    numbr * 2\n");
    assert_fails(&workbook, "90.1 double: wrong: does not compile", "numbr");
    fs::write(&answers, compiles).expect("write");
    let ran = workbook.author(&["check", STEP]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    assert!(ran.out.contains("· 90.1 double: its bodies don't compile in one"), "{}", ran.out);
    assert!(ran.out.contains("✓ 90.1 double: right: by another method"), "{}", ran.out);
}

#[test]
fn an_exercise_without_answers_to_try_fails() {
    let workbook = workbook();
    fs::remove_file(document(&workbook, "greet")).expect("remove");
    assert_fails(&workbook, "90.2 greet: has a wrong answer", "none in");
    assert_fails(&workbook, "90.2 greet: has a right answer", "none in");
}

#[test]
fn a_scene_that_does_not_need_its_exercise_fails() {
    let workbook = workbook();
    let scenes = workbook.root.join(STEP).join("experiments/scenes/mod.rs");
    let text = fs::read_to_string(&scenes).expect("read");
    let idle = text.replace("double(u32::MAX)", "4_294_967_294_u32");
    fs::write(&scenes, idle).expect("write");
    assert_fails(&workbook, "90.1 double: red until it is written", "the_largest_number");
}

#[test]
fn a_starter_with_a_warning_fails() {
    let workbook = workbook();
    let file = workbook.root.join(STEP).join("src/numbers/mod.rs");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(
        &file,
        text + "\n/// Old.\npub fn old() {\n    #[deprecated]\n    fn f() {}\n    f();\n}\n",
    )
    .expect("write");
    assert_fails(&workbook, "starter compiles without a warning", "there are warnings");
}

#[test]
fn every_run_under_stress_is_counted() {
    let ran = workbook().author(&["stress", "3"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("18 runs, 0 not as expected"), "{}", ran.out);
}

#[test]
fn an_unstable_transcript_fails_under_stress() {
    let workbook = workbook();
    let scenes = workbook.root.join(STEP).join("experiments/scenes/mod.rs");
    let text = fs::read_to_string(&scenes).expect("read");
    let unstable = text.replace("double(1) as usize", "(std::process::id() % 2) as usize");
    fs::write(&scenes, unstable).expect("write");
    let ran = workbook.author(&["stress", "8"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("greetings: ran to its end, but its transcript isn't"), "{}", ran.out);
}
