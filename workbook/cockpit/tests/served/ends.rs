//! Every program that the cockpit starts is stopped when no page needs it any more, when it takes
//! too long or prints too much, and when the server exits.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Server, status, wait_for_the_end_of, wait_until};

const PLAY: &str = r#"{"act":"play","package":"step01_fd","name":"a_scene","whose":"reference"}"#;

#[test]
fn one_scene_plays_at_a_time_and_ends_when_its_page_goes() {
    let server = Server::start();
    let first = server.connect(&server.post("/cockpit/ask", PLAY));
    let child = server.playing();
    assert_eq!(status(&server.send(&server.post("/cockpit/ask", PLAY))), 409);
    assert_eq!(server.started().len(), 1);
    drop(first);
    wait_for_the_end_of(child);
    wait_until(|| {
        let again = server.connect(&server.post("/cockpit/ask", PLAY));
        let mut line = String::new();
        BufReader::new(again).read_line(&mut line).unwrap();
        status(&line) == 200
    });
}

#[test]
fn what_takes_too_long_is_ended() {
    let server = Server::start_with(&["--time-limit", "1"]);
    let answer = server.send(&server.post("/cockpit/ask", PLAY));
    assert!(answer.contains("took too long"), "{answer}");
    wait_for_the_end_of(server.playing());
}

#[test]
fn what_prints_without_end_is_ended() {
    let server = Server::start();
    let endless = PLAY.replace("a_scene", "endless");
    let answer = server.send(&server.post("/cockpit/ask", &endless));
    assert!(answer.contains("printed more than a page can show"), "{}", answer.len());
}

#[test]
fn everything_ends_with_the_server() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut server = Server::start();
        let _playing = server.connect(&server.post("/cockpit/ask", PLAY));
        let child = server.playing();
        server.end(signal);
        wait_for_the_end_of(child);
    }
}

const STUBBORN: &str =
    r#"{"act":"play","package":"step01_fd","name":"stubborn","whose":"reference"}"#;

#[test]
fn programs_that_do_not_end_when_asked_are_killed_all_at_the_same_time() {
    let mut server = Server::start();
    let hint = r#"{"act":"hint","package":"step01_fd","name":"stubborn"}"#;
    let asks = [STUBBORN, hint, hint, hint, hint];
    let _connections = asks.map(|ask| server.connect(&server.post("/cockpit/ask", ask)));
    let children = server.children(asks.len());
    let begin = Instant::now();
    server.end(Signal::INT);
    // Each program has three seconds to end. One after another, they would take 15.
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    children.into_iter().for_each(wait_for_the_end_of);
}

#[test]
fn a_second_signal_ends_at_once_what_takes_its_time() {
    let mut server = Server::start();
    let _page = server.connect(&server.post("/cockpit/ask", STUBBORN));
    let [child] = server.children(1)[..] else { panic!("one child") };
    let id = Pid::from_child(&server.child);
    kill_process(id, Signal::INT).unwrap();
    // From then on, the server waits for its programs.
    wait_until(|| TcpStream::connect(server.address).is_err());
    let begin = Instant::now();
    server.end(Signal::INT);
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
    wait_for_the_end_of(child);
}

#[test]
fn a_terminal_s_signal_and_a_supervisor_s_leave_programs_their_time() {
    let mut server = Server::start();
    let _page = server.connect(&server.post("/cockpit/ask", &STUBBORN.replace("stubborn", "tidy")));
    let [_child] = server.children(1)[..] else { panic!("one child") };
    let id = Pid::from_child(&server.child);
    kill_process(id, Signal::INT).unwrap();
    wait_until(|| TcpStream::connect(server.address).is_err());
    server.end(Signal::TERM);
    assert_eq!(std::fs::read_to_string(server.root.path().join("tidied")).unwrap(), "up\n");
}

#[test]
fn what_a_program_leaves_behind_ends_with_it() {
    let mut server = Server::start();
    let ask = |name: &str| server.post("/cockpit/ask", &STUBBORN.replace("stubborn", name));
    let hint = |name: &str| {
        let body = r#"{"act":"hint","package":"step01_fd","name":"NAME"}"#;
        server.post("/cockpit/ask", &body.replace("NAME", name))
    };
    // The parent ends when it's asked to, or by itself, and its child has the parent's output, or
    // none.
    for (at, name) in ["forsaken", "orphaned", "silent"].into_iter().enumerate() {
        let page = server.connect(&ask(name));
        let child = server.children(at + 1)[at];
        drop(page);
        wait_for_the_end_of(child);
    }
    let _pages = ["forsaken", "orphaned"].map(|name| server.connect(&hint(name)));
    let children = server.children(5);
    server.end(Signal::TERM);
    children.into_iter().for_each(wait_for_the_end_of);
}

#[test]
fn signals_that_are_ignored_stay_ignored() {
    let mut server = Server::start_ignoring("HUP TERM INT");
    // The kernel throws ignored signals away, so we couldn't see whether one has arrived.
    let status_file = format!("/proc/{}/status", server.child.id());
    let text = std::fs::read_to_string(status_file).unwrap();
    let ignored = text.lines().find_map(|line| line.strip_prefix("SigIgn:\t")).unwrap();
    let ignored = u64::from_str_radix(ignored, 16).unwrap();
    for signal in [Signal::HUP, Signal::TERM, Signal::INT] {
        assert!(ignored & 1 << (signal.as_raw() - 1) != 0, "{signal:?}");
    }
    assert_eq!(status(&server.send(&server.get("/", ""))), 200);
    server.end(Signal::KILL);
}
