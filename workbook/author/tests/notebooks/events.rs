//! The workbook's messages to other programs, which `EVENTS.md` describes.

use std::fs;

use crate::copy::{Ran, STEP, Workbook, ran};
use crate::stream::{event, name};
use serde_json::Value;

pub(crate) const RIGHT: &str = "    number.wrapping_mul(2)";

/// Creates a workbook in which the reader has begun the step.
pub(crate) fn begun() -> Workbook {
    let workbook = Workbook::fresh();
    workbook.run(&[]);
    workbook
}

/// Replaces the body of the first exercise, whatever it was before.
pub(crate) fn save(workbook: &Workbook, body: &str) {
    let file = workbook.page("src/numbers/mod.rs");
    let text = fs::read_to_string(&file).expect("read the page");
    let (before, rest) = text.split_once("-> u32 {\n").expect("a function");
    let (_, after) = rest.split_once("\n}\n").expect("its end");
    fs::write(&file, format!("{before}-> u32 {{\n{body}\n}}\n{after}")).expect("save the page");
}

fn events(ran: &Ran) -> Vec<Value> {
    ran.out.lines().map(event).collect()
}

/// Runs a step's command as another program would and returns its events.
fn told(workbook: &Workbook, words: &[&str]) -> Vec<Value> {
    events(&workbook.run(&[words, &["--json"]].concat()))
}

/// Runs a command that sends a single event and returns that event.
#[track_caller]
fn answer(workbook: &Workbook, words: &[&str]) -> Value {
    let told = told(workbook, words);
    assert_eq!(told.len(), 1, "{told:?}");
    told.into_iter().next().expect("an answer")
}

pub(crate) fn names(events: &[Value]) -> Vec<&str> {
    events.iter().map(name).collect()
}

#[test]
fn the_answers_are_described_and_nothing_is_done_without_yes() {
    let workbook = begun();
    let hint = answer(&workbook, &["hint", "double"]);
    assert_eq!(hint["hints"]["shown"][0]["text"], "Twice is once and once again.");
    answer(&workbook, &["hint", "double"]);
    let code = answer(&workbook, &["hint", "double"]);
    assert_eq!(code["hints"]["shown"][2]["kind"], "code");
    assert_eq!(code, answer(&workbook, &["hint", "double"]), "there are three");

    assert_eq!(name(&answer(&workbook, &["reveal", "90.1"])), "asks");
    let revealed = answer(&workbook, &["reveal", "90.1", "--yes"]);
    assert!(revealed["function"].as_str().expect("a text").contains("(number + number).0"));
    assert_eq!(revealed["yours"]["file"], "work/step90_fixture/src/numbers/mod.rs");

    save(&workbook, RIGHT);
    let asked = answer(&workbook, &["reset", "double"]);
    assert_eq!((name(&asked), &asked["exercise"]), ("asks", &"90.1".into()));
    assert!(asked["overwrites"].as_str().expect("a text").contains("number.wrapping_mul(2)"));
    let list = answer(&workbook, &["list"]);
    let exercise = &list["parts"][0]["exercises"][0];
    assert_eq!(exercise["state"], "green", "nothing was overwritten");
    assert_eq!(exercise["hints"]["shown"], code["hints"]["shown"]);
    assert_eq!(exercise["not_checked"], "it's fast.");
    assert!(exercise["yours"].as_str().expect("a text").contains("number.wrapping_mul(2)"));

    assert_eq!(name(&answer(&workbook, &["reveal", "double", "--into-my-page"])), "asks");
    let given = answer(&workbook, &["reveal", "double", "--into-my-page", "--yes"]);
    assert_eq!(given["saved"].as_array().map(Vec::len), Some(1), "{given}");
    let reset = answer(&workbook, &["reset", "double", "--yes"]);
    assert_eq!(reset["saved"].as_array().map(Vec::len), Some(1), "{reset}");
    let again = answer(&workbook, &["reset", "double", "--yes"]);
    assert_eq!(again["saved"].as_array().map(Vec::len), Some(0), "{again}");
    assert_eq!(name(&answer(&workbook, &["predict"])), "predictions");
    // The scene has three lines, none of which is predicted.
    assert_eq!(name(&answer(&workbook, &["predict", "small_numbers"])), "error");

    let mistake = workbook.run(&["hnit", "--json"]);
    assert_eq!((mistake.code, names(&events(&mistake))), (Some(2), vec!["error"]));
    let without_json = workbook.run(&["play", "--json"]);
    assert_eq!(without_json.code, Some(2));
}

/// Returns the sentences of a recording's moments, without the lines that caused them.
fn moments(recording: &Value) -> Vec<Value> {
    let moments = recording["recording"]["moments"].as_array().expect("moments").clone();
    let without_place = |mut moment: Value| {
        moment
            .as_object_mut()
            .expect("a moment")
            .retain(|key, _| key != "line" && key != "callers");
        moment
    };
    moments.into_iter().map(without_place).collect()
}

#[test]
fn a_run_on_the_readers_page_is_recorded_beside_the_references() {
    let workbook = begun();
    let record = |whose: &str| {
        let ran = workbook.author(&["record", STEP, "small_numbers", whose, "--json"]);
        let told = events(&ran);
        told.into_iter().filter(|it| name(it) != "compiling").collect::<Vec<_>>()
    };
    let reference = record("--reference");
    assert_eq!((names(&reference), &reference[0]["repeats"]), (vec!["recording"], &true.into()));
    assert_eq!(moments(&reference[0]).len(), 3);

    let not_written = record("--mine");
    let last = moments(&not_written[1]).pop().expect("a last moment");
    assert!(last["what"].as_str().is_some_and(|it| it.contains("exercise 90.1")), "{last}");

    workbook.solve_double();
    let right = record("--mine");
    assert_eq!(right[1]["whose"], "yours");
    assert_eq!(moments(&right[1]), moments(&right[0]));
    // In the recording of a page's run, too, each moment has its line.
    assert!(right[1]["recording"]["moments"][0]["line"].is_number(), "{}", right[1]);

    save(&workbook, "    number + number % 3 * 2");
    let wrong = record("--mine");
    let both = (moments(&wrong[0]), moments(&wrong[1]));
    assert_ne!(both.0[0], both.1[0]);

    save(&workbook, "    nothing");
    let broken = record("--mine");
    assert_eq!(names(&broken).first().zip(names(&broken).last()), Some((&"problem", &"error")));
    assert_eq!(
        names(&events(&workbook.author(&["record", STEP, "none", "--mine", "--json"]))),
        ["error"]
    );
}

#[test]
fn a_list_of_all_builds_nothing_and_has_the_states_of_the_last_verdict() {
    let workbook = Workbook::with_layers();
    let list = || {
        let ran = workbook.cargo_in(".", &["run", "--quiet", "--", "list", "--json"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        events(&ran).pop().expect("a list")
    };
    let fresh = list();
    assert_eq!(fresh["parts"].as_array().map(Vec::len), Some(3));
    assert_eq!(
        (&fresh["parts"][0]["page"], &fresh["parts"][0]["judged"]),
        (&Value::Null, &"never".into())
    );
    assert_eq!(fresh["next"]["package"], STEP);
    assert!(!workbook.root.join("work").exists(), "a list makes no notebook");

    let state = |list: &Value, index: usize| list["parts"][0]["exercises"][index]["state"].clone();
    workbook.run(&[]);
    save(&workbook, "    number + 1");
    workbook.run(&[]);
    assert_eq!(state(&list(), 0), "red");
    save(&workbook, RIGHT);
    let changed = list();
    assert_eq!(
        (state(&changed, 0), &changed["parts"][0]["judged"]),
        ("red".into(), &"changed".into())
    );
    workbook.run(&[]);
    let judged = list();
    assert_eq!((state(&judged, 0), state(&judged, 1)), ("green".into(), "not written".into()));
    assert_eq!(
        (&judged["next"]["exercise"], &judged["parts"][0]["minutes_left"]),
        (&"90.2".into(), &5.into())
    );
    workbook.cargo_in(".", &["run", "--quiet", "--", "skip-to", "91.1"]);
    assert_eq!(state(&list(), 1), "given");
}

#[test]
fn a_red_verdict_has_the_terminal_s_words_with_the_lines_and_the_nudge() {
    let workbook = begun();
    save(&workbook, "    if number == 2 { 5 } else { number.wrapping_mul(2) }");
    let shown = workbook.run(&[]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    let events = told(&workbook, &[]);
    let order = ["begin", "list", "compiling", "judging", "verdict", "end"];
    assert_eq!(names(&events), order);
    let verdict = &events[4];
    let red = &verdict["red"];
    assert_eq!((&verdict["outcome"], &verdict["exercise"]), (&"red".into(), &"90.1".into()));
    assert_eq!(
        (&verdict["file"], &verdict["line"]),
        (&"work/step90_fixture/src/numbers/mod.rs".into(), &9.into())
    );
    assert_eq!(red["check"]["name"], "small_numbers");
    assert_eq!(red["shortened"], false);
    let lines = red["difference"]["lines"].as_array().expect("lines");
    let lines: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| {
            (line["side"].as_str().expect("a side"), line["text"].as_str().expect("a text"))
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("both", "twice one is 2"),
            ("expected", "twice two is 4"),
            ("yours", "twice two is 5"),
            ("both", "twice three is 6")
        ]
    );
    for sentence in red["sentences"].as_array().expect("sentences") {
        assert!(shown.contains(sentence.as_str().expect("a text")), "{sentence}: {shown}");
    }

    save(&workbook, "    number * 2");
    let verdict = told(&workbook, &[]).remove(4);
    let red = &verdict["red"];
    assert_eq!(red["nudge"], "The largest number has no room for its double.");
    assert_eq!(red["calls"][0]["exercise"], "90.1");
    assert_eq!(
        (&verdict["line"], &red["calls"][0]["line"]),
        (&10.into(), &10.into()),
        "where it panics"
    );

    let odd = "    if (300..600).contains(&number) { 0 } else { number.wrapping_mul(2) }";
    save(&workbook, odd);
    let verdict = told(&workbook, &[]).remove(4);
    assert_eq!(
        (&verdict["red"]["check"]["kind"], &verdict["red"]["shortened"]),
        (&"trial".into(), &true.into())
    );
    let lines = verdict["red"]["difference"]["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), 2, "the shortest program has one line: {lines:?}");
}

#[test]
fn a_compile_error_has_its_place_and_a_green_page_says_what_is_next() {
    let workbook = begun();
    save(&workbook, "    \"two\"");
    let events = told(&workbook, &[]);
    let problem = events.iter().find(|event| name(event) == "problem").expect("a problem");
    assert_eq!(
        (&problem["code"], &problem["message"]),
        (&"E0308".into(), &"mismatched types".into())
    );
    let place = (&problem["file"], &problem["line"], &problem["column"], &problem["end_column"]);
    assert_eq!(
        place,
        (&"work/step90_fixture/src/numbers/mod.rs".into(), &10.into(), &5.into(), &10.into())
    );
    let verdict = &events[events.len() - 2];
    assert_eq!((&verdict["outcome"], &verdict["line"]), (&"does not compile".into(), &10.into()));

    save(&workbook, RIGHT);
    workbook.solve_greet();
    let events = told(&workbook, &[]);
    let verdict = &events[events.len() - 2];
    assert_eq!(verdict["newly_green"], serde_json::json!(["90.1", "90.2"]));
    assert_eq!((&verdict["outcome"], &verdict["exercise"]), (&"green".into(), &Value::Null));
    assert_eq!(verdict["next"].as_array().map(Vec::is_empty), Some(false));

    let manifest = workbook.page("Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("read");
    fs::write(
        &manifest,
        text.replace("[dependencies]", "[dependencies]\nno_such_crate.workspace = true"),
    )
    .expect("write");
    let events = told(&workbook, &[]);
    let words = events.last().expect("an end")["words"].as_str().expect("a reason").to_owned();
    assert!(words.contains("no_such_crate"), "{words}");
}

#[test]
fn a_scene_is_played_line_by_line_on_either_side() {
    let workbook = begun();
    let played = told(&workbook, &["play", "small_numbers"]);
    assert_eq!(names(&played), ["begin", "play", "line", "line", "line", "end"]);
    assert_eq!(
        (&played[1]["whose"], &played[2]["text"]),
        (&"reference".into(), &"twice one is 2".into())
    );
    save(&workbook, "    println!(\"hello\");\n    number + 1");
    let mine = told(&workbook, &["play", "small_numbers", "--mine"]);
    assert_eq!(
        names(&mine),
        ["begin", "compiling", "play", "line", "line", "line", "printed", "end"]
    );
    assert_eq!((&mine[2]["whose"], &mine[6]["lines"][0]), (&"yours".into(), &"hello".into()));
    let fault = told(&workbook, &["play", "greetings", "--mine"]).pop().expect("an end");
    assert!(
        fault["words"].as_str().expect("a fault").starts_with("not written yet: exercise 90.2")
    );
}

#[test]
fn what_is_told_of_a_class_is_described() {
    let workbook = begun();
    let root = |words: &[&str]| {
        let mut command = workbook.cargo(&["run", "--quiet", "-p", "runner", "--"]);
        ran(command.args(words).arg("--json").output().expect("run cargo"))
    };
    // No server listens on this port.
    let refused = root(&["join", "127.0.0.1:1", "abcd-efgh", "Ada"]);
    assert!(refused.code == Some(1) && names(&events(&refused)) == ["error"], "{refused:?}");
    fs::create_dir_all(workbook.root.join("work/.state")).expect("a directory");
    let note = "address 127.0.0.1:1\ntoken secret\nname Ada\n";
    fs::write(workbook.root.join("work/.state/class"), note).expect("a class");
    let listed = events(&root(&["list"]));
    assert_eq!(listed[0]["class"]["name"], "Ada", "{listed:?}");
    let left = events(&root(&["leave"]));
    assert_eq!(names(&left), ["class"]);
    assert!(left[0]["class"].is_null(), "{left:?}");
}

#[test]
fn a_class_s_grades_are_described() {
    let workbook = begun();
    save(&workbook, RIGHT);
    let grade = |dir: &str| {
        events(&workbook.cargo_in(".", &["run", "--quiet", "-p", "grader", "--", "--json", dir]))
    };
    let grades = grade("work").pop().expect("grades");
    assert_eq!(grades["notebooks"][0]["steps"][0]["passed"], 1);
    let grades = grade("nowhere").pop().expect("grades");
    assert!(grades["notebooks"][0]["error"].is_string(), "{grades}");
}
