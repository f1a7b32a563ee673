//! Tests the messages for a reader whose Python can't run the module. No test here compiles pyo3.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Makes a program that answers the launcher's questions with these lines, and returns its path.
fn python_that_says(name: &str, lines: &[&str]) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, format!("#!/bin/sh\nprintf '{}\\n'\n", lines.join("\\n"))).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

/// Starts the launcher with this Python and returns the launcher's error message.
fn complaint_about(python: &Path) -> String {
    let mut launcher = Command::new(env!("CARGO_BIN_EXE_python"));
    let ended = launcher.args(["-c", "print(1)"]).env("PYTHON", python).output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stdout.is_empty(), "{ended:?}");
    String::from_utf8(ended.stderr).unwrap()
}

#[test]
fn without_a_python_the_reader_is_told_how_to_get_one() {
    let said = complaint_about(Path::new("/no/such/python"));
    assert!(said.starts_with("/no/such/python can't be started. You need Python 3.11 or later"));
    assert!(said.contains("apt-get install python3"), "{said}");
    assert!(said.contains("No such file or directory"), "{said}");
}

#[test]
fn an_old_python_is_refused_with_its_version() {
    let lines = ["cpython", "3.10.13", "/usr/bin/python3.10", ".cpython-310-x86_64-linux-gnu.so"];
    let said = complaint_about(&python_that_says("python-old", &lines));
    assert!(said.contains("is Python 3.10.13, and the module needs 3.11 or later"), "{said}");
    let very_old = complaint_about(&python_that_says("python-2", &["cpython", "2.7.18", "x", "y"]));
    assert!(very_old.contains("is Python 2.7.18, and the module needs"), "{very_old}");
}

#[test]
fn another_implementation_is_refused_by_its_name() {
    let lines = ["pypy", "3.11.13", "/usr/bin/pypy3", ".pypy311-pp73-x86_64-linux-gnu.so"];
    let said = complaint_about(&python_that_says("pypy", &lines));
    assert!(said.contains("is pypy, and the module is built for CPython"), "{said}");
    assert!(said.contains("PYTHON="), "{said}");
}

#[test]
fn a_program_that_is_no_python_is_told_from_one() {
    let said = complaint_about(Path::new("false"));
    assert!(said.starts_with("false doesn't answer as a Python does"), "{said}");
}

/// Starts the launcher with a one-line crate in place of the extension, so that pyo3 isn't needed.
fn with_an_extension(name: &str, source: &str) -> Output {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(home.join("src")).unwrap();
    let manifest = "[workspace]\n[package]\nname = \"extension\"\nversion = \"0.1.0\"\n\
                    edition = \"2024\"\n[lib]\nname = \"workbook_loop\"\ncrate-type = [\"cdylib\"]\n";
    let lock = "version = 4\n[[package]]\nname = \"extension\"\nversion = \"0.1.0\"\n";
    fs::write(home.join("Cargo.toml"), manifest).unwrap();
    fs::write(home.join("Cargo.lock"), lock).unwrap();
    fs::write(home.join("src/lib.rs"), source).unwrap();
    let mut launcher = Command::new(env!("CARGO_BIN_EXE_python"));
    launcher.args(["-c", "print(1)"]).env_remove("PYTHON");
    launcher.env(python::MANIFEST, home.join("Cargo.toml"));
    launcher.env(python::TARGET, home.join("target")).output().unwrap()
}

#[test]
fn a_python_that_cannot_load_the_library_says_why_before_the_program_begins() {
    for _ in 0..2 {
        let ended = with_an_extension("not-a-module", "");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{said}");
        assert!(ended.stdout.is_empty(), "{ended:?}");
        assert!(said.contains("python3 can't load the library that cargo has built"), "{said}");
        assert!(said.contains("module export function (PyInit__loop). Both have to"), "{said}");
    }
}

#[test]
fn a_library_that_does_not_compile_ends_the_launcher_with_the_compilers_words() {
    let ended = with_an_extension("not-rust", "fn broken() -> u8 {}");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("mismatched types"), "{said}");
    assert!(said.contains("The module for Python wasn't built; cargo says why, above"), "{said}");
}
