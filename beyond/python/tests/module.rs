//! Tests that the launcher builds the module and becomes Python. `.ci/run` has a stage for this
//! test, because it compiles pyo3.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use python::{Extension, Python};

fn launcher(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_python"));
    command.args(words).env_remove("PYTHONPATH");
    command
}

fn out(ended: &Output) -> &str {
    assert!(ended.status.success(), "{ended:?}");
    str::from_utf8(&ended.stdout).unwrap().trim_end()
}

#[test]
fn a_program_gets_the_module_its_arguments_and_its_own_path() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mine");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("mine.py"), "answer = 42\n").unwrap();
    let program = dir.join("program.py");
    let text = "import sys, workbook, mine\nprint(workbook.__name__, mine.answer, sys.argv[1:])\n";
    fs::write(&program, text).unwrap();
    let ended = launcher(&[program.to_str().unwrap(), "-c", "two words"]).output().unwrap();
    assert_eq!(out(&ended), "workbook 42 ['-c', 'two words']");

    // A directory in the reader's own PYTHONPATH is searched too.
    let code = "import workbook, mine; print(mine.answer)";
    let ended = launcher(&["-c", code]).env("PYTHONPATH", &dir).output().unwrap();
    assert_eq!(out(&ended), "42");
    let as_module = launcher(&["-m", "mine"]).env("PYTHONPATH", &dir).output().unwrap();
    assert_eq!(out(&as_module), "");
}

#[test]
fn the_exit_status_is_pythons() {
    let ended = launcher(&["-c", "import sys; sys.exit(7)"]).output().unwrap();
    assert_eq!(ended.status.code(), Some(7), "{ended:?}");
}

#[test]
fn the_library_is_kept_until_the_sources_change() {
    let code = "import workbook._loop as it; print(it.__file__)";
    let first = launcher(&["-c", code]).output().unwrap();
    let second = launcher(&["-c", code]).output().unwrap();
    assert_eq!(out(&first), out(&second));
    assert_eq!(String::from_utf8_lossy(&second.stderr), "", "nothing is said the second time");

    // A running program keeps using the Python half with which it started.
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("package");
    let _ = fs::remove_dir_all(&package);
    fs::create_dir_all(package.join("workbook")).unwrap();
    let mut extension = Extension::of_the_workbook().unwrap();
    for file in fs::read_dir(extension.package.join("workbook")).unwrap() {
        let file = file.unwrap().path();
        if file.is_file() {
            fs::copy(&file, package.join("workbook").join(file.file_name().unwrap())).unwrap();
        }
    }
    extension.package = package.clone();
    let python = Python::find().unwrap();
    let before = extension.build_for(&python).unwrap();
    fs::write(package.join("workbook/added.py"), format!("{:?}\n", Instant::now())).unwrap();
    let after = extension.build_for(&python).unwrap();
    assert_ne!(before, after);
    assert!(!before.join("workbook/added.py").exists());
    assert!(after.join("workbook/added.py").exists());
    assert_eq!(extension.build_for(&python).unwrap(), after);
}
