//! Predicting: the questions, the answers that count as right, and a score that survives whatever
//! happens.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use crate::copy::{Ran, STEP, Workbook, ran};
use rustix::process::{Pid, Signal, kill_process};

/// Makes a copy whose chapter asks for one scene and shows another.
fn workbook() -> Workbook {
    let workbook = Workbook::fresh();
    let chapter = format!(
        "[[section]]\npage = 'step90'\nid = 'step-90'\ntitle = 'Step 90'\nwords = 3\n\
         [[section]]\npage = 'step90'\nid = 'doubling'\ntitle = 'Doubling'\nwords = 3\n\
         exercises = ['90.1']\n\
         [[section.prediction]]\npackage = '{STEP}'\nscene = 'small_numbers'\n\
         [[section]]\npage = 'step90'\nid = 'greeting'\ntitle = 'Greeting'\nwords = 3\n\
         exercises = ['90.2']\nshows = ['{STEP}/greetings']\n"
    );
    workbook.write_book("index/step90.toml", &chapter);
    workbook
}

fn begin(workbook: &Workbook, words: &[&str]) -> Child {
    let mut command = workbook.command(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("run cargo")
}

/// Predicts a scene by typing lines and then Ctrl-D.
fn predict(workbook: &Workbook, scene: &str, typed: &str) -> Ran {
    let mut child = begin(workbook, &["predict", scene]);
    let mut keyboard = child.stdin.take().expect("its input");
    keyboard.write_all(typed.as_bytes()).expect("type");
    drop(keyboard);
    ran(child.wait_with_output().expect("wait"))
}

fn scores(workbook: &Workbook) -> PathBuf {
    workbook.root.join("work/predictions.txt")
}

fn score(workbook: &Workbook) -> String {
    let text = fs::read_to_string(scores(workbook)).expect("the scores");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    lines.join("\n")
}

fn map(workbook: &Workbook) -> String {
    workbook.cargo_in(".", &["run", "--quiet", "-p", "runner"]).out
}

#[test]
fn a_prediction_is_compared_line_by_line_and_explained_at_the_end() {
    let workbook = workbook();
    let ran = predict(&workbook, "small_numbers", " 2 \n5\ntwice three is 6\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for text in [
        "What is twice two?",
        "fn small_numbers(t: Transcript)",
        "1/3    twice one is ____\n",
        "     ✓ twice one is 2\n",
        "     ✗ twice two is 4\n       you said: 5\n",
        "     ✓ twice three is 6\n",
        "2 of 3 lines right.",
        "In the book: “Doubling”, step90.html#step90_fixture-small_numbers",
        "cargo run -p step90_fixture -- play small_numbers",
    ] {
        assert!(ran.out.contains(text), "{text}\n{}", ran.out);
    }
    let before_the_answer = ran.out.split("✓").next().expect("what is asked");
    assert!(!before_the_answer.contains("is 2"), "{before_the_answer}");
    assert_eq!(score(&workbook), "step90_fixture small_numbers 2 right, 3 of 3 asked");
    assert!(map(&workbook).contains(" 1 of 1 "), "{}", map(&workbook));
}

#[test]
fn what_cannot_be_an_answer_is_asked_for_again_and_isn_t_wrong() {
    let workbook = workbook();
    let ran = predict(&workbook, "greetings", "hello dear ann\n3\na\n\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("a Hello, dear Ann · b Hello, dear Bob"), "{}", ran.out);
    let again = "That isn't an answer: type one of the listed words, or its letter.";
    assert_eq!(ran.out.matches(again).count(), 2, "{}", ran.out);
    assert_eq!(score(&workbook), "step90_fixture greetings 1 right, 2 of 2 asked");
    let ran = predict(&workbook, "small_numbers", "two\n2\n");
    assert!(ran.out.contains("type a number. Enter alone shows the"), "{}", ran.out);
    assert_eq!(
        score(&workbook).lines().last(),
        Some("step90_fixture small_numbers 1 right, 1 of 3 asked")
    );
}

#[test]
fn a_scene_that_has_changed_is_asked_afresh_and_the_reader_is_told() {
    let workbook = workbook();
    fs::create_dir(workbook.root.join("work")).expect("make the notebook");
    fs::write(scores(&workbook), "step90_fixture small_numbers 2 right, 2 of 2 asked\n")
        .expect("write");
    let ran = predict(&workbook, "small_numbers", "2\n4\n6\n");
    assert!(ran.out.contains("This scene has changed since you predicted it"), "{}", ran.out);
    assert_eq!(score(&workbook), "step90_fixture small_numbers 3 right, 3 of 3 asked");
}

#[test]
fn only_the_first_time_counts() {
    let workbook = workbook();
    predict(&workbook, "small_numbers", "1\n2\n3\n");
    let again = predict(&workbook, "small_numbers", "2\n4\n6\n");
    assert!(again.out.contains("You've predicted this scene before: 0 of 3."), "{}", again.out);
    assert!(again.out.contains("3 of 3 lines right."), "{}", again.out);
    assert_eq!(score(&workbook), "step90_fixture small_numbers 0 right, 3 of 3 asked");
}

/// Predicts a scene as a page of the book does: with all lines at once.
fn predict_in_a_page(workbook: &Workbook, scene: &str, typed: &str) -> Ran {
    let mut child = begin(workbook, &["predict", scene, "--json"]);
    child.stdin.take().expect("its input").write_all(typed.as_bytes()).expect("type");
    ran(child.wait_with_output().expect("wait"))
}

#[test]
fn a_prediction_made_in_a_page_has_the_score_that_the_terminal_gives_and_counts_once() {
    let workbook = workbook();
    let made = predict_in_a_page(&workbook, "small_numbers", "2\n5\n6\n");
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.out.contains(r#""scene":"small_numbers","right":2,"asked":3,"of":3"#), "{made:?}");
    let noted = "step90_fixture small_numbers 2 right, 3 of 3 asked";
    assert_eq!(score(&workbook), noted);
    let again = predict_in_a_page(&workbook, "small_numbers", "2\n4\n6\n");
    assert_eq!((again.out, score(&workbook)), (made.out, noted.to_owned()));
    let list = workbook.run(&["predict"]);
    assert!(list.out.contains("✓ small_numbers"), "{}", list.out);
}

#[test]
fn a_page_goes_on_where_the_terminal_has_stopped() {
    let workbook = workbook();
    predict(&workbook, "small_numbers", "1\n");
    predict_in_a_page(&workbook, "small_numbers", "2\n4\n6\n");
    assert_eq!(score(&workbook), "step90_fixture small_numbers 2 right, 3 of 3 asked");
}

#[test]
fn a_page_that_asks_for_other_lines_is_told_so_and_nothing_is_noted() {
    let workbook = workbook();
    let older = predict_in_a_page(&workbook, "small_numbers", "2\n4\n");
    assert_eq!(older.code, Some(1), "{older:?}");
    assert!(older.out.contains("prints 3 lines, but there are answers for 2"), "{older:?}");
    assert!(!scores(&workbook).exists());
}

#[test]
fn ctrl_d_keeps_the_score_and_the_next_time_goes_on_from_there() {
    let workbook = workbook();
    let stopped = predict(&workbook, "small_numbers", "2\n");
    assert_eq!(stopped.code, Some(0), "{stopped:?}");
    assert!(stopped.out.contains("1 of 1 line right so far, 2 to go."), "{}", stopped.out);
    assert_eq!(score(&workbook), "step90_fixture small_numbers 1 right, 1 of 3 asked");
    assert!(map(&workbook).contains(" 0 of 1 "), "{}", map(&workbook));
    assert!(!stopped.out.contains("In the book"), "nothing was wrong: {}", stopped.out);
    let list = workbook.run(&["predict"]);
    assert!(list.out.contains("1 of 1, 2 to go"), "{}", list.out);
    let rest = predict(&workbook, "small_numbers", "4\n\n");
    assert!(rest.out.contains("so you go on with the next"), "{}", rest.out);
    assert!(rest.out.contains("2/3    twice two is ____\n"), "{}", rest.out);
    assert_eq!(score(&workbook), "step90_fixture small_numbers 2 right, 3 of 3 asked");
}

#[test]
fn ctrl_c_keeps_the_score_too() {
    let workbook = workbook();
    let mut child = begin(&workbook, &["predict", "small_numbers"]);
    let mut keyboard = child.stdin.take().expect("its input");
    keyboard.write_all(b"2\n").expect("type");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let asked_again =
        |line: &Result<String, _>| line.as_ref().is_ok_and(|it| it.starts_with("2/3"));
    assert!(lines.any(|line| asked_again(&line)), "the second question");
    kill_process(Pid::from_child(&child), Signal::INT).expect("send the signal");
    assert_eq!(child.wait().expect("wait").code(), Some(130));
    assert_eq!(lines.last().expect("a line").expect("text"), "Stopped; the score is kept.");
    assert_eq!(score(&workbook), "step90_fixture small_numbers 1 right, 1 of 3 asked");
}

#[test]
fn a_file_of_scores_that_is_broken_loses_no_line_of_it() {
    let workbook = workbook();
    fs::create_dir(workbook.root.join("work")).expect("make the notebook");
    fs::write(scores(&workbook), b"my own note\n\xff\nstep90_fixture small_numbers 9 right\n")
        .expect("write");
    let ran = predict(&workbook, "small_numbers", "2\n4\n6\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(score(&workbook).starts_with("my own note\n"), "{}", score(&workbook));
    assert!(
        score(&workbook).ends_with("small_numbers 3 right, 3 of 3 asked"),
        "{}",
        score(&workbook)
    );

    fs::remove_file(scores(&workbook)).expect("remove");
    fs::create_dir(scores(&workbook)).expect("put a directory in its place");
    let ran = predict(&workbook, "small_numbers", "2\n");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("predictions.txt"), "{}", ran.err);
    assert!(map(&workbook).contains(" 0 of 1 "), "the map is shown all the same");
}

#[test]
fn any_scene_can_be_predicted_and_the_list_has_those_that_the_chapter_asks_for() {
    let workbook = workbook();
    let ran = predict(&workbook, "greetings", "hello, dear  ann\nb\n");
    assert!(ran.out.contains("2 of 2 lines right."), "{}", ran.out);
    assert!(ran.out.contains("In the book: “Greeting”"), "{}", ran.out);
    let list = workbook.run(&["predict"]);
    assert!(list.out.contains("· small_numbers"), "{}", list.out);
    assert!(!list.out.contains("greetings"), "{}", list.out);
    assert!(list.out.contains("cargo run -p step90_fixture -- predict small_numbers"), "{list:?}");
    let typo = workbook.run(&["predict", "smal_numbers"]);
    assert_eq!(typo.code, Some(2));
    assert!(typo.err.contains("did you mean `small_numbers`?"), "{}", typo.err);
}

#[test]
fn a_scene_that_does_not_report_what_it_should_is_not_asked_for() {
    let workbook = workbook();
    let key = workbook.root.join(format!("{STEP}/tests/snapshots/small_numbers.snap"));
    let text = fs::read_to_string(&key).expect("read the key");
    fs::write(&key, text.replace("is 4", "is 5")).expect("write another key");
    let ran = predict(&workbook, "small_numbers", "2\n");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("small_numbers doesn't run as expected on this machine"), "{ran:?}");
    assert!(ran.err.contains("`play small_numbers --reference` shows"), "{ran:?}");
    assert!(!scores(&workbook).exists(), "nothing was asked");
}

#[test]
fn the_map_says_what_to_write_and_to_read_next_and_fits_sixty_columns() {
    let workbook = workbook();
    let shown = || {
        let mut command = workbook.cargo(&["run", "--quiet", "-p", "runner"]);
        ran(command.env("COLUMNS", "60").output().expect("run cargo")).out
    };
    let first = shown();
    for text in ["0 of 2", "0 of 1", " 8\n", "90.1 double, about 3 min", "Read:  from “Step 90” to"]
    {
        assert!(first.contains(text), "{text}\n{first}");
    }
    workbook.run(&[]);
    workbook.solve_double();
    workbook.run(&[]);
    let second = shown();
    for text in ["1 of 2", " 5\n", "90.2 greet, about 5 min", "Read:  “Greeting”"] {
        assert!(second.contains(text), "{text}\n{second}");
    }
    assert!(second.lines().all(|line| line.chars().count() <= 60), "{second}");
    assert!(!second.contains('\x1b'), "a pipe gets no colour");
}
