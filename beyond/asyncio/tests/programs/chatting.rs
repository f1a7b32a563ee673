//! The common behaviour of all programs in `examples/`: their help, their options, Ctrl-C, and an
//! output that no program reads.

use std::fs::{self, File};
use std::net::TcpListener;
use std::process::Stdio;

use crate::support::{ALL, End, Program};
use kit::limit_time;
use rustix::process::Signal;

/// Returns the source of a program's main file.
fn source(name: &str) -> String {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let file = fs::read_to_string(format!("{examples}/{name}.rs"));
    file.or_else(|_| fs::read_to_string(format!("{examples}/{name}/main.rs"))).unwrap()
}

/// Returns the long options that a source reads.
fn options(source: &str) -> Vec<&str> {
    let after = source.split("Arg::Long(\"").skip(1);
    after.map(|after| after.split_once('"').unwrap().0).collect()
}

#[test]
fn help_names_every_option_and_how_to_start_the_program() {
    for name in ALL {
        let End { code, rest, errors } = Program::start(name, &["--help"]).end();
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{name}");
        assert!(rest.contains(&format!("--example {name}")), "{rest}");
        let source = source(name);
        let options = options(&source);
        assert!(!options.is_empty(), "{name}");
        for option in options {
            let is_named = rest.lines().any(|line| line.trim().starts_with(&format!("--{option}")));
            assert!(is_named, "{name} doesn't explain --{option}:\n{rest}");
        }
        assert!(rest.lines().all(|line| line.len() <= 105), "{rest}");
    }
}

#[test]
fn a_wrong_option_is_a_line_of_errors_and_status_2() {
    for (name, arguments, complaint) in [
        ("echo", &["--prot", "1"][..], "invalid option '--prot'"),
        ("chat", &["--port"], "missing argument for option '--port'"),
        (
            "graceful",
            &["--grace", "soon"],
            "cannot parse argument \"soon\": invalid digit found in string",
        ),
        ("crawl", &["--at-a-time", "0"], "--at-a-time has to be 1 at least"),
        ("blocked", &["7"], "unexpected argument \"7\""),
        (
            "resolver",
            &["--server", "nowhere"],
            "cannot parse argument \"nowhere\": invalid IP address syntax",
        ),
    ] {
        let errors = format!("error: {complaint} (--help lists the options)\n");
        let expected = End { code: Some(2), rest: String::new(), errors };
        assert_eq!(Program::start(name, arguments).end(), expected, "{name}");
    }
}

#[test]
fn a_port_that_is_taken_is_a_line_of_errors_and_status_1() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    for name in ["echo", "chat", "graceful"] {
        let port = address.port().to_string();
        let end = Program::start(name, &["--port", &port]).end();
        let errors = format!("error: bind to {address}: Address already in use (os error 98)\n");
        assert_eq!(end, End { code: Some(1), rest: String::new(), errors }, "{name}");
    }
}

#[test]
fn ctrl_c_ends_every_program() {
    for (name, arguments, first_line, code) in [
        ("echo", &["--port", "0"][..], "listening on ", 130),
        ("chat", &["--port", "0"], "listening on ", 130),
        ("chat", &["--demo", "--patient"], "listening on ", 130),
        ("graceful", &["--port", "0"], "listening on ", 0),
        ("crawl", &["--pages", "1000000"], "1000000 pages", 130),
        ("blocked", &["--milliseconds", "1"], "no work at all", 130),
        ("resolver", &[], "asks ", 130),
    ] {
        let mut program = Program::start(name, arguments);
        assert!(program.line().starts_with(first_line), "{name}");
        program.signal(Signal::INT);
        let end = program.end();
        assert_eq!((end.code, end.errors.as_str()), (Some(code), ""), "{name}: {}", end.rest);
    }
}

/// The output that each program prints at once, and some of their helps.
const THAT_PRINT: [(&str, &[&str]); 8] = [
    ("echo", &["--port", "0"]),
    ("chat", &["--port", "0"]),
    ("crawl", &["--pages", "1"]),
    ("graceful", &["--port", "0"]),
    ("blocked", &["--milliseconds", "1"]),
    ("resolver", &[]),
    ("echo", &["--help"]),
    ("resolver", &["-h"]),
];

/// Runs a program with this output and returns its exit status and its errors.
fn with_output(output: impl Into<Stdio>, name: &str, arguments: &[&str]) -> (Option<i32>, String) {
    limit_time();
    let mut command = kit::example("asyncio", name);
    command.args(arguments).stdout(output).stderr(Stdio::piped());
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn an_output_that_nothing_reads_ends_a_program_without_a_panic() {
    // The output is a pipe whose reading end is closed before the program begins.
    for (name, arguments) in THAT_PRINT {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(with_output(writer, name, arguments), (Some(141), String::new()), "{name}");
    }
}

#[test]
fn an_output_without_room_is_a_line_of_errors_and_status_1() {
    let error = "error: write to the standard output: No space left on device (os error 28)\n";
    for (name, arguments) in THAT_PRINT {
        let full = File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(with_output(full, name, arguments), (Some(1), error.to_owned()), "{name}");
    }
}
