//! Records what the book's last page shows: one request, with the ticks and system calls of the
//! server that answers it.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod support;

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use kit::proc::Stat;
use regex::{Captures, Regex};
use rustix::process::{Pid, Signal, kill_process};
use support::{Client, directory};

/// The text on the page. If the text is out of date, the test prints the current text.
const SHOWN: &str = include_str!("one_request.txt");

/// The calls that the page shows. The server's other calls only query or configure a descriptor.
const CALLS: &str = "trace=epoll_wait,epoll_ctl,accept4,recvfrom,openat2,preadv2,sendto,close";

/// A server that runs under strace.
struct Traced {
    strace: Child,
    server: Pid,
    address: SocketAddr,
}

impl Traced {
    /// Starts a server under strace. Returns `None` if strace is missing or isn't allowed to trace.
    /// If `CI` is set and strace is missing, panics instead, because nobody would read the message
    /// there.
    fn start(site: &Path, calls: &Path, ticks: &Path) -> Option<Self> {
        kit::limit_time();
        let can_trace = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
        assert!(can_trace.is_ok() || env::var_os("CI").is_none(), "this needs strace");
        if !can_trace.is_ok_and(|status| status.success()) {
            println!("strace can't trace here, so the request wasn't followed");
            return None;
        }
        let mut strace = kit::as_in_a_terminal("strace");
        strace.args(["-f", "-qq", "-s", "16", "-e", CALLS, "-o"]).arg(calls);
        strace.arg(env!("CARGO_BIN_EXE_serve_files")).arg(site).env("WORKBOOK_TRACE", ticks);
        let mut strace = strace.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(strace.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.expect("it says where it serves").parse().unwrap();
        // By now, strace has written its first line: the call that closes the library's file.
        let number = fs::read_to_string(calls).unwrap();
        let number = number.split_whitespace().next().and_then(|first| first.parse().ok());
        let server = Pid::from_raw(number.expect("a line begins with a process")).unwrap();
        Some(Traced { strace, server, address })
    }

    /// Returns once a stop signal has taken effect: the server runs no code until it's continued.
    /// strace also stops the server at each of its calls.
    fn until_stopped(&self) {
        let directory = format!("/proc/{}", self.server.as_raw_nonzero());
        let is_stopped = |it: Stat| it.is_alive() && !it.is_asleep() && !it.is_runnable();
        while !is_stopped(Stat::of(Path::new(&directory)).unwrap()) {
            thread::yield_now();
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.server, signal).unwrap();
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        if self.strace.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = kill_process(self.server, Signal::KILL);
            let _ = self.strace.wait();
        }
    }
}

/// Returns once the server has forgotten `count` clients, after the last of these clients' ticks.
fn until_forgotten(ticks: &Path, count: usize) {
    let forgets = |line: &&str| line.contains("/clients.rs:");
    while fs::read_to_string(ticks).unwrap().lines().filter(forgets).count() < count {
        thread::yield_now();
    }
}

#[test]
fn the_page_shows_what_one_request_does() {
    let site = directory("one_request");
    let (calls, ticks) = (site.with_extension("strace"), site.with_extension("ticks"));
    let _ = fs::remove_file(&ticks);
    fs::write(site.join("index.html"), "<h1>Hello</h1>\n").unwrap();
    let Some(mut traced) = Traced::start(&site, &calls, &ticks) else { return };
    // Make a first request, so that one-time work doesn't count as part of a request's cost.
    assert_eq!(Client::connect(traced.address).get("/").status, 200);
    until_forgotten(&ticks, 1);
    traced.signal(Signal::STOP);
    traced.until_stopped();
    // The request has arrived by the time the server checks, as a browser's request usually has.
    let mut client = Client::connect(traced.address);
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    traced.signal(Signal::CONT);
    assert_eq!(client.answer().status, 200);
    drop(client);
    until_forgotten(&ticks, 2);
    traced.signal(Signal::TERM);
    assert!(traced.strace.wait().unwrap().success());
    let [calls, ticks] = [&calls, &ticks].map(|file| fs::read_to_string(file).unwrap());
    let seen = the_last_request(&calls, &ticks);
    assert_eq!(seen, SHOWN, "\n{seen}");
}

/// Returns the ticks of the last request, each with its system calls.
fn the_last_request(calls: &str, ticks: &str) -> String {
    let calls: Vec<&str> =
        calls.lines().map(|line| line.split_once(' ').unwrap().1.trim_start()).collect();
    let last = |name: &str, until: usize| {
        calls[..until].iter().rposition(|call| call.starts_with(name)).unwrap()
    };
    // The server accepts until no client is left, so the second-to-last accept was for the client.
    let accepted = last("accept4(", last("accept4(", calls.len()));
    let calls = &calls[last("epoll_wait(", accepted)..];
    let names = Names::of(calls);
    // In the last tick, the server forgets the client; the three ticks before it served the client.
    let ticks: Vec<&str> = ticks.lines().collect();
    let forgets = ticks.iter().rposition(|tick| tick.contains("/clients.rs:")).unwrap();
    let mut ticks = ticks[forgets - 3..forgets].iter();
    let mut shown = Vec::new();
    for call in calls {
        if call.starts_with("epoll_wait(") {
            let Some(tick) = ticks.next() else { break };
            let gap = if shown.is_empty() { "" } else { "\n" };
            shown.push(format!("{gap}{}\n", names.put_into_events(&in_short(tick))));
        }
        shown.push(format!("  {}\n", names.put_into(call)));
    }
    shown.concat()
}

/// Returns a tick's possible sleep and its events, without times and source places.
fn in_short(tick: &str) -> String {
    let fields = concat!(
        r#""timeout":(?<timeout>[^,]+).*(?<events>"events":.*),"due".*"#,
        r#""what":"(?<what>\w+)","task":"(?<task>[^"]+)""#
    );
    let fields = Regex::new(fields).unwrap().captures(tick).unwrap();
    // An idle connection may wait for a minute, and a moment of it has already passed.
    let timeout = if fields["timeout"].starts_with("59.") { "60" } else { &fields["timeout"] };
    let (events, what, task) = (&fields["events"], &fields["what"], &fields["task"]);
    format!(r#"tick: "timeout":{timeout}, {events}, ran a {what} of {task}"#)
}

/// Names for the descriptors, whose numbers vary.
struct Names(HashMap<String, &'static str>);

impl Names {
    fn of(calls: &[&str]) -> Self {
        let number = |before: &str| {
            let pattern = Regex::new(&format!(r"^{before}(\d+)")).unwrap();
            calls.iter().find_map(|call| Some(pattern.captures(call)?[1].to_owned())).unwrap()
        };
        Names(HashMap::from([
            (number(r"epoll_wait\("), "epoll"),
            (number(r"accept4\("), "listener"),
            (number(r"accept4\(.*\) += "), "client"),
            (number(r"openat2\("), "directory"),
            (number(r"openat2\(.*\) += "), "file"),
        ]))
    }

    /// Replaces the descriptor numbers in a tick's events with names.
    fn put_into_events(&self, tick: &str) -> String {
        let named = |found: &Captures<'_>| format!("\"fd\":{}", self.0[&found[1]]);
        Regex::new(r#""fd":(\d+)"#).unwrap().replace_all(tick, named).into_owned()
    }

    /// Replaces the descriptor numbers in a call with names and omits parts that vary or don't
    /// matter here.
    fn put_into(&self, call: &str) -> String {
        let fd = r"^(\w+\(|.*u32=|.*EPOLL_CTL_[A-Z]+, |(?:accept4|openat2)\(.*\) += )(\d+)";
        let fd = Regex::new(fd).unwrap();
        let mut call = call.to_owned();
        while let Some(found) = fd.captures(&call) {
            let name = self.0[&found[2]];
            call = format!("{}{name}{}", &found[1], &call[found[0].len()..]);
        }
        for (pattern, replacement) in [
            (r"\{u32=(\w+), u64=\d+\}", "$1"),
            (r"^(accept4\(\w+), .*\) +=", "$1, …) ="),
            (r"^(openat2\(.*?), \{.*\) +=", "$1, …) ="),
            // A head's length depends on the file's inode and time.
            (r"^(sendto\(.*?), \d+, .*\) += \d+", "$1, …) = …"),
            (r"0x[0-9a-f]+", "…"),
            (r"\b59\d\d\d\b", "60000"),
            (r"\) += ", ") = "),
        ] {
            call = Regex::new(pattern).unwrap().replace_all(&call, replacement).into_owned();
        }
        call
    }
}
