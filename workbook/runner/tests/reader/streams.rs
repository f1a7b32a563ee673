//! The commands with standard input closed, or when their output is no longer read.

use std::fs;
use std::process::{Command, Stdio};

use crate::copy::{Ran, STEP, Workbook, copy_dir, ran};

/// Makes a copy with a page and with a chapter that asks for a scene.
fn workbook() -> Workbook {
    let workbook = Workbook::fresh();
    let answers = "workbook/runner/tests/fixture/step90_fixture/tests/answers";
    copy_dir(&workbook.root.join(answers), &workbook.root.join(STEP).join("tests/answers"));
    workbook.run(&[]);
    workbook
}

/// The commands, each with the package whose program carries it out, and its exit code.
const COMMANDS: [(&str, &[&str], i32); 4] = [
    (STEP, &[], 1),
    (STEP, &["predict", "small_numbers"], 0),
    ("author", &["check", STEP], 0),
    ("grader", &["work"], 0),
];

fn command(workbook: &Workbook, package: &str, words: &[&str]) -> Command {
    let mut command = workbook.cargo(&["run", "--quiet", "-p", package, "--"]);
    command.args(words).stderr(Stdio::piped());
    command
}

/// Makes a shell close standard input before the command begins.
fn without_input(command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$@\" <&-", "sh"]).arg(command.get_program());
    shell.args(command.get_args()).current_dir(command.get_current_dir().expect("a directory"));
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

/// Runs a command whose output nobody reads.
fn without_reader(command: &mut Command) -> Ran {
    let (reader, writer) = std::io::pipe().expect("make a pipe");
    drop(reader);
    ran(command.stdout(writer).output().expect("run cargo"))
}

#[test]
fn no_command_needs_standard_input() {
    let workbook = workbook();
    for (package, words, code) in COMMANDS {
        let output = without_input(&command(&workbook, package, words)).output();
        let ran = ran(output.expect("run a shell"));
        assert_eq!(ran.code, Some(code), "{words:?} {ran:?}");
        assert!(!ran.err.contains("panicked") && !ran.out.is_empty(), "{words:?} {ran:?}");
    }
}

#[test]
fn a_command_whose_output_nobody_reads_ends_as_it_would_otherwise() {
    let workbook = workbook();
    for (package, words, code) in COMMANDS {
        let ran = without_reader(&mut command(&workbook, package, words));
        assert_eq!(ran.code, Some(code), "{words:?} {ran:?}");
        assert!(!ran.err.contains("panicked"), "{words:?} {ran:?}");
    }
    let predicted = fs::read_to_string(workbook.root.join("work/predictions.txt"));
    assert!(predicted.is_err(), "nothing was typed, so there's no score: {predicted:?}");
}

#[test]
fn watch_ends_when_nobody_reads_its_verdicts() {
    let workbook = workbook();
    let ran = without_reader(&mut command(&workbook, STEP, &["watch"]));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(!ran.err.contains("panicked"), "{ran:?}");
}
