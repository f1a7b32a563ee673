//! Judging a page: trials, the exercise at fault, and exercises that aren't written.

use std::fs;
use std::path::PathBuf;

use crate::copy::Workbook;

fn workbook() -> Workbook {
    let workbook = Workbook::fresh();
    workbook.run(&[]);
    workbook
}

/// Writes the body of the first exercise.
fn write_double(workbook: &Workbook, body: &str) {
    let file = workbook.page("src/numbers/mod.rs");
    let text = fs::read_to_string(&file).expect("read");
    let (before, rest) = text.split_once(" -> u32 {\n").expect("the function");
    let (_, after) = rest.split_once("\n}\n").expect("its end");
    fs::write(&file, format!("{before} -> u32 {{\n{body}\n}}\n{after}")).expect("write");
}

#[test]
fn an_exercise_on_a_further_page_of_its_chapter_is_looked_for_there() {
    let workbook = workbook();
    let section = |page: &str, exercise: &str| {
        format!(
            "[[section]]\npage = '{page}'\nid = 'x'\ntitle = 'X'\nwords = 3\nexercises = ['{exercise}']\n"
        )
    };
    let chapter = section("step90", "90.2") + &section("step90_more", "90.1");
    workbook.write_book("index/step90.toml", &chapter);
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("In the book: step90_more.html#exercise-90-1\n"), "{}", ran.out);
}

#[test]
fn a_chapter_whose_index_cannot_be_read_keeps_no_verdict_back() {
    let workbook = workbook();
    workbook.write_book("index/step90.toml", "[[section]]\npage = 'step90'\n<<<<<<< HEAD\n");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("✗ 90.1 double                  not written"), "{ran:?}");
    assert!(ran.out.contains("In the book: step90.html#exercise-90-1\n"), "{ran:?}");
    let path = workbook.cargo_in(".", &["run", "--quiet", "-p", "runner", "--", "path"]);
    let why = "error: book/index/step90.toml, which `cargo run -p book -- index` writes: line 3: ";
    assert!(path.err.starts_with(why), "{path:?}");
}

#[test]
fn a_trial_tells_more_than_a_scene_that_does_not_end() {
    let workbook = workbook();
    workbook.solve_double();
    // The scenes say "Hello", and the trials "Hi".
    let body = "if self.word == \"Hello\" {\n            std::thread::park();\n        }\n        \
                names.into_iter().collect()";
    workbook.write_body("src/greeting.rs", body);
    let ran = workbook.run(&[]);
    let told = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("The scene greetings didn't end: "), "{}", ran.out);
    assert!(told.contains("A trial shows more: trial any_names:"), "{}", ran.out);
    assert!(told.contains("The shortest program found that shows the mistake:"), "{}", ran.out);
}

#[test]
fn a_trial_shows_the_shortest_program_that_differs() {
    let workbook = workbook();
    // Right for the scenes' numbers.
    write_double(&workbook, "    if number % 100 == 7 { 1 } else { number.wrapping_mul(2) }");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("✗ 90.1 double                  red"), "{}", ran.out);
    assert!(ran.out.contains("trial any_number: Any number is doubled."), "{}", ran.out);
    let (_, diff) = ran.out.split_once("- expected  + yours\n").expect("a diff");
    let lines: Vec<&str> = diff.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 2, "{}", ran.out);
    assert!(lines[0].starts_with("  - double ") && lines[1].ends_with("07: 1"), "{}", ran.out);
}

#[test]
fn a_fault_is_reported_at_the_exercise_that_has_it() {
    let workbook = workbook();
    workbook.solve_greet();
    // Right for every scene and trial of the first exercise.
    write_double(&workbook, "    if number == 1000 { 7 } else { number.wrapping_mul(2) }");
    let ran = workbook.run(&[]);
    for text in [
        "✗ 90.1 double                  red",
        "· 90.2 greet                   waits",
        "The checks of 90.1 double are green, but a check of 90.2 greet isn't.",
        "double 1000: 7",
    ] {
        assert!(ran.out.contains(text), "{text}\n{}", ran.out);
    }
}

#[test]
fn a_fault_of_the_exercise_itself_stays_there() {
    let workbook = workbook();
    workbook.solve_greet();
    write_double(&workbook, "    number.wrapping_mul(2)");
    let file = workbook.page("src/greeting.rs");
    let text = fs::read_to_string(&file).expect("read");
    fs::write(&file, text.replace("polite(name)", "name")).expect("write");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("✓ 90.1 double"), "{}", ran.out);
    assert!(ran.out.contains("✗ 90.2 greet                   red"), "{}", ran.out);
}

#[test]
fn an_exercise_that_turns_green_says_so_once_with_what_nothing_checks_and_where_to_compare() {
    let workbook = workbook();
    workbook.solve_double();
    let first = workbook.run(&[]).out;
    for text in [
        "90.1 double is green.",
        "Its docs also make a promise that isn't checked: it's fast.",
        "To compare your function with ours: step90.html#exercise-90-1",
    ] {
        assert!(first.contains(text), "{text}\n{first}");
    }
    let again = workbook.run(&[]).out;
    assert!(!again.contains("90.1 double is green."), "{again}");
}

#[test]
fn an_exercise_that_was_green_before_an_earlier_one_turned_red_stays_noted() {
    let workbook = workbook();
    workbook.solve_double();
    workbook.solve_greet();
    workbook.run(&[]);
    for _ in 0..2 {
        write_double(&workbook, "    number + number");
        let ran = workbook.run(&[]);
        assert!(ran.out.contains("· 90.2 greet                   waits, was green"), "{}", ran.out);
    }
    write_double(&workbook, "    number.wrapping_mul(2)");
    let ran = workbook.run(&[]);
    assert!(!ran.out.contains("is green."), "{}", ran.out);
}

#[test]
fn a_panic_shows_the_calls_of_what_the_reader_has_written() {
    let workbook = workbook();
    let body = "    let cell = std::cell::RefCell::new(number);\n    let held = cell.borrow_mut();\n    \
        *cell.borrow() + *held";
    write_double(&workbook, body);
    let ran = workbook.run(&[]);
    for text in [
        "The calls in your page that led to the panic, latest first; one of them",
        "    work/step90_fixture/src/numbers/mod.rs:12 double, exercise 90.1",
    ] {
        assert!(ran.out.contains(text), "{text}\n{}", ran.out);
    }
}

#[test]
fn a_later_exercise_that_a_body_comes_to_is_not_the_reader_s_turn() {
    let workbook = workbook();
    let call = "    crate::Greeter::new(\"Hi\").greet([\"Ann\"]).len() as u32 + number";
    write_double(&workbook, call);
    let ran = workbook.run(&[]);
    let text = "called `greet` (work/step90_fixture/src/greeting.rs:";
    assert!(ran.out.contains(text), "{}", ran.out);
    assert!(ran.out.contains("  which comes later: once"), "{}", ran.out);
}

#[test]
fn a_hint_begins_with_the_mistake_that_was_made() {
    let workbook = workbook();
    write_double(&workbook, "    number + number");
    let ran = workbook.run(&["hint"]);
    assert!(ran.out.contains("The largest number has no room for its double."), "{}", ran.out);
    assert!(ran.out.contains("Twice is once and once again."), "{}", ran.out);
}

/// Returns the file with the reference's last run of the first exercise's trial.
fn kept_run(workbook: &Workbook) -> PathBuf {
    workbook.root.join("target/debug/step90_fixture.runs/any_number")
}

#[test]
fn a_kept_run_stands_for_the_reference() {
    let workbook = workbook();
    write_double(&workbook, "    number.wrapping_mul(2)");
    workbook.run(&[]);
    // For a number that no scene doubles, the kept run now has a line that only a wrong answer
    // would print.
    let text = fs::read_to_string(kept_run(&workbook)).expect("a kept run");
    let lines = text.lines().filter_map(|line| line.strip_prefix("double ")?.split_once(": "));
    let odd = |twice: &str| twice.parse().map(|twice: u32| (twice + 1).to_string());
    let mut found = lines.filter_map(|(number, twice)| Some((number, twice, odd(twice).ok()?)));
    let (number, twice, wrong) = found.next_back().expect("a number");
    let line = format!("double {number}: {twice}\n");
    let changed = text.replace(&line, &format!("double {number}: {wrong}\n"));
    assert_ne!(changed, text);
    fs::write(kept_run(&workbook), changed).expect("write");
    let body = "    if number == NUMBER { WRONG } else { number.wrapping_mul(2) }";
    write_double(&workbook, &body.replace("NUMBER", number).replace("WRONG", &wrong));
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("✓ 90.1 double\n"), "{}", ran.out);

    fs::remove_file(kept_run(&workbook)).expect("remove");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("✗ 90.1 double "), "{}", ran.out);
}

#[test]
fn a_kept_run_that_is_wrong_or_damaged_does_not_make_a_right_answer_red() {
    let workbook = workbook();
    write_double(&workbook, "    number.wrapping_mul(2)");
    workbook.run(&[]);
    let right = fs::read_to_string(kept_run(&workbook)).expect("a kept run");
    for wrong in [right.replace("double", "halved"), right[..right.len() / 2].to_owned()] {
        fs::write(kept_run(&workbook), wrong).expect("write");
        let ran = workbook.run(&[]);
        assert!(ran.out.contains("✓ 90.1 double\n"), "{}", ran.out);
        assert_eq!(fs::read_to_string(kept_run(&workbook)).expect("a kept run"), right);
    }
}
