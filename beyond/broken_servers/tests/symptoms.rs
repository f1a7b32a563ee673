//! Plays each broken server in a separate process and records its clients' view and its loop's
//! ticks. The book takes both from this test's snapshots.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::os::unix::net::UnixStream;
use std::process::Command;

use broken_servers::{SERVERS, use_the_usual_settings};
use kit::limit_time;
use rustix::net::sockopt::{set_socket_send_buffer_size, socket_send_buffer_size};

fn played(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broken_servers"));
    command.args(arguments).env_remove("WORKBOOK_TRACE");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a story with `N` in place of a byte count that depends on the kernel's buffer sizes.
fn without_the_buffer_size(story: &str) -> String {
    let words = story.split(" has ").map(|rest| match rest.split_once(" of 4194304 bytes") {
        Some((_count, end)) => format!("N of 4194304 bytes{end}"),
        None => rest.to_owned(),
    });
    words.collect::<Vec<_>>().join(" has ")
}

fn assert_snapshot(name: &str, text: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn each_broken_server_has_its_symptom() {
    limit_time();
    for server in SERVERS {
        let story = played(&[server.name]);
        assert!(story.contains("\nThe symptom: "), "{}: {story}", server.name);
        assert_snapshot(server.name, &without_the_buffer_size(&story));
    }
}

#[test]
fn each_broken_server_has_its_ticks() {
    limit_time();
    for server in SERVERS {
        let ticks = played(&[server.name, "--ticks"]);
        assert_snapshot(&format!("{}_ticks", server.name), &without_the_buffer_size(&ticks));
    }
}

#[test]
fn a_trace_as_json_has_the_same_ticks() {
    limit_time();
    let path = std::env::temp_dir().join(format!("broken_servers-{}.json", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_broken_servers"));
    let output = command.arg("3").env("WORKBOOK_TRACE", &path).output().unwrap();
    assert!(output.status.success());
    let lines = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let ticks = played(&["bank", "--ticks"]);
    assert_eq!(lines.lines().count(), ticks.matches("\ntick ").count() + 1);
    assert!(lines.contains("src/servers/bank.rs:"), "{lines}");
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_broken_servers"));
    let output = command.arg("7").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: there's no server `7`\n"), "{said}");
    assert!(said.contains("6  kitchen"), "{said}");
}

/// For example, `| head` closes its input early.
#[test]
fn a_reader_of_the_output_who_leaves_early_is_no_error() {
    for arguments in [&["kitchen"][..], &["kitchen", "--ticks"], &["--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_broken_servers"));
        let output = command.args(arguments).stdout(writer).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
}

/// A machine may have a send buffer as large as the library's book, which would hide the fault.
#[test]
fn the_usual_settings_replace_a_large_buffer() {
    let (socket, _peer) = UnixStream::pair().unwrap();
    set_socket_send_buffer_size(&socket, 4 * 1024 * 1024).unwrap();
    use_the_usual_settings(&socket).unwrap();
    assert!(socket_send_buffer_size(&socket).unwrap() <= 208 * 1024);
}
