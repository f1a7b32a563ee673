//! `.vscode/tasks.json`: the problem matchers find the errors and warnings in a judgement's output.

use std::fs;
use std::path::Path;

use crate::copy::{STEP, Workbook};
use regex::Regex;
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root")
}

fn tasks() -> Value {
    let text = fs::read_to_string(root().join(".vscode/tasks.json")).expect("read the tasks");
    serde_json::from_str(&text).expect("tasks in JSON")
}

/// An entry in VS Code's list of problems.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    file: String,
    line: String,
    severity: String,
    message: String,
}

/// Processes each line of a task's output as VS Code would.
fn problems(task: &Value, output: &str) -> Vec<Problem> {
    let pattern = &task["problemMatcher"]["pattern"];
    let regexp = Regex::new(pattern["regexp"].as_str().expect("a pattern")).expect("a regexp");
    let matches = output.lines().filter_map(|line| regexp.captures(line));
    let found = matches.map(|found| {
        let group = |name: &str| {
            let index = usize::try_from(pattern[name].as_u64().expect("a group")).expect("small");
            found[index].to_owned()
        };
        Problem {
            file: group("file"),
            line: group("line"),
            severity: group("severity"),
            message: group("message"),
        }
    });
    found.collect()
}

/// Runs a task's own command on the fixture and returns the output.
fn output(workbook: &Workbook, task: &Value) -> String {
    let words = task["args"].as_array().expect("arguments").iter();
    let words: Vec<&str> = words
        .map(|word| match word.as_str().expect("a word") {
            "${input:step}" => STEP,
            word => word,
        })
        .collect();
    let ran = workbook.cargo_in(".", &words);
    ran.out + &ran.err
}

fn task(tasks: &Value, label: &str) -> Value {
    let all = tasks["tasks"].as_array().expect("tasks");
    all.iter().find(|task| task["label"] == label).expect("the task").clone()
}

#[test]
fn the_tasks_ask_for_every_step_and_their_patterns_are_the_same() {
    let tasks = tasks();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("read the manifest");
    let (_, parts) = manifest.split_once("parts = [").expect("the parts");
    let (parts, _) = parts.split_once(']').expect("their end");
    let parts: Vec<&str> = parts.split('"').skip(1).step_by(2).collect();
    assert_eq!(tasks["inputs"][0]["options"], serde_json::json!(parts));
    let pattern = |label: &str| task(&tasks, label)["problemMatcher"]["pattern"].clone();
    assert_eq!(pattern("Watch a step"), pattern("Judge a step"));
}

#[test]
fn a_red_exercise_and_a_compile_error_are_found_at_their_lines() {
    let workbook = Workbook::fresh();
    workbook.run(&[]);
    let judge = task(&tasks(), "Judge a step");
    let file = "work/step90_fixture/src/numbers/mod.rs";
    let problem = |line: &str, severity: &str, message: &str| Problem {
        file: file.to_owned(),
        line: line.to_owned(),
        severity: severity.to_owned(),
        message: message.to_owned(),
    };
    let not_written = problem("9", "note", "90.1 double isn't written yet");
    assert_eq!(problems(&judge, &output(&workbook, &judge)), [not_written]);

    workbook.write_body("src/numbers/mod.rs", "number + 1");
    let red =
        "90.1 double: ran to its end, but its transcript isn't as expected (scene small_numbers)";
    assert_eq!(problems(&judge, &output(&workbook, &judge)), [problem("9", "error", red)]);

    let text = fs::read_to_string(workbook.page("src/numbers/mod.rs")).expect("read");
    fs::write(workbook.page("src/numbers/mod.rs"), text.replace("number + 1", "\"two\""))
        .expect("write");
    let error = problem("10", "error", "mismatched types (E0308)");
    assert_eq!(problems(&judge, &output(&workbook, &judge)), [error]);
}

#[test]
fn the_watching_task_knows_where_each_verdict_begins_and_ends() {
    let watch = task(&tasks(), "Watch a step");
    let background = &watch["problemMatcher"]["background"];
    let is_found = |pattern: &str, line: &str| {
        Regex::new(background[pattern].as_str().expect("a pattern"))
            .expect("a regexp")
            .is_match(line)
    };
    let workbook = Workbook::fresh();
    workbook.run(&[]);
    let mut command = workbook.command(&["watch", "--problems"]);
    let mut runner = command.stdout(std::process::Stdio::piped()).spawn().expect("start it");
    let mut lines =
        std::io::BufRead::lines(std::io::BufReader::new(runner.stdout.take().expect("its output")));
    let mut said = Vec::new();
    while !said.last().is_some_and(|line: &String| is_found("endsPattern", line)) {
        said.push(lines.next().expect("another line").expect("a line"));
    }
    // The process exits because its output is no longer read, or on the signal.
    runner.kill().expect("end it");
    runner.wait().expect("wait for it");
    let begins = said.iter().position(|line| is_found("beginsPattern", line)).expect("a beginning");
    let verdict = said[begins..].join("\n");
    assert_eq!(problems(&watch, &verdict).len(), 1, "{verdict}");
}
