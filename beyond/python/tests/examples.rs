//! Tests that the examples print the text that the book shows. `.ci/run` has a stage for this test,
//! because it compiles pyo3.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::fs;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// A Python server that prints its address on a line.
struct Server {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
    printed: Vec<String>,
}

impl Server {
    fn start(example: &str, variables: &[(&str, &Path)]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_python"));
        command.arg(path(&format!("examples/{example}"))).arg("0");
        command.envs(variables.iter().copied());
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Server { process, lines, printed: Vec::new() }
    }

    fn line(&mut self) -> String {
        self.printed.push(self.lines.next().unwrap().unwrap());
        self.printed.last().unwrap().clone()
    }

    /// Sends SIGINT, as Ctrl-C does, and returns everything that the server has printed.
    fn interrupt(mut self) -> String {
        kill_process(Pid::from_child(&self.process), Signal::INT).unwrap();
        self.printed.extend(self.lines.map(Result::unwrap));
        assert!(self.process.wait().unwrap().success());
        self.printed.join("\n")
    }
}

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn chapter(name: &str) -> String {
    fs::read_to_string(path(&format!("../../book/src/{name}.md"))).unwrap()
}

fn get(port: &str, target: &str) -> String {
    let mut client = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    write!(client, "GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn twelve_sleeps_and_an_echo_server_on_the_select() {
    let mut server = Server::start("on_select.py", &[]);
    let slept = server.line();
    let port = server.line().rsplit_once(' ').unwrap().1.to_owned();
    let mut client = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    client.write_all(b"hello\n").unwrap();
    let mut echo = [0; 6];
    client.read_exact(&mut echo).unwrap();
    assert_eq!(&echo, b"hello\n");
    server.line();
    let printed = server.interrupt();
    // On a busy machine, the sleeps may take longer than half a second.
    let printed = printed.replace(&slept, "twelve sleeps of half a second took 0.5 s");
    let printed = printed.replace(&port, "7000");
    assert!(slept.starts_with("twelve sleeps of half a second took "), "{slept}");
    assert!(chapter("step03").contains(&format!("\n{printed}\n```")), "{printed}");
}

#[test]
fn a_web_page_comes_from_the_loop_and_its_ticks_have_names() {
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("web.trace");
    let _ = fs::remove_file(&trace);
    let mut server = Server::start("web.py", &[("WORKBOOK_TRACE", &trace)]);
    let line = server.line();
    let port = line.split(['/', ':']).nth(4).unwrap();
    let answer = get(port, "/");
    let body = "Served by workbook.event_loop.EventLoop";
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with(&format!("{body}\n")));
    assert!(chapter("python").contains(&format!("```text\n{body}\n```")));
    assert!(get(port, "/nap").ends_with("\r\nSlept for a second\n"));
    assert!(get(port, "/compute").ends_with("\r\nComputed\n"));
    assert!(get(port, "/else").starts_with("HTTP/1.1 404 Not Found\r\n"));
    server.interrupt();

    let mut command = Command::new(env!("CARGO_BIN_EXE_python"));
    let ticks = command.args(["-m", "workbook.ticks"]).arg(&trace).output().unwrap();
    let ticks = String::from_utf8(ticks.stdout).unwrap();
    // The callbacks of the chapter's request, in the chapter's order. The ticks in which they run
    // may vary.
    let chapter = chapter("python");
    let (_, shown) = chapter.split_once("  tick       slept  woken by     ran\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    for name in shown.lines().filter_map(|line| Some(line.rsplit_once(" ms  ")?.1)) {
        assert!(ticks.contains(&format!(" ms  {name}\n")), "{name} isn't in\n{ticks}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_python"));
    command.args(["-m", "workbook.ticks"]).arg(&trace).args(["--slow", "400"]);
    let slow = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(slow.contains(": serve() has held the loop for 5"), "{slow}");
}

#[test]
fn three_things_that_a_right_loop_does() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_python"));
    let ran = command.arg(path("examples/three_things.py")).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let said = String::from_utf8(ran.stdout).unwrap();
    let without_times = |text: &str| {
        let lines = text.lines().map(|line| line.rsplit_once(" after ").unwrap().0.to_owned());
        lines.collect::<Vec<_>>()
    };
    let chapter = chapter("hunt");
    let (_, shown) = chapter.split_once("On a correct loop it prints:\n\n```text\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(without_times(&said), without_times(shown));
}
