//! The effect of hours of use on the cockpit's memory. The test simulates those hours as fast as
//! the server allows.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use support::{Server, status, wait_until};

/// The actions of a diligent reader in an hour.
const SAVES: usize = 120;
const PLAYS: usize = 60;
const PAGES: usize = 100;
const HINTS_AND_LISTS: usize = 100;
const LOOKS_AT_THE_LOOP: usize = 4;

/// The allowed growth of the server after the first hour, in KiB. If it kept the verdicts, the
/// lists or the pages of an hour, it would grow by more than 4 MiB.
const MOST: usize = 1024;

/// A script that replaces cargo. It judges again and again, with verdicts as long as step 07's.
const CARGO: &str = r#"#!/bin/sh
long=$(head -c 40000 /dev/zero | tr '\0' x)
case "$*" in
    *watch*) while :; do
        echo '{"event":"saved","files":["a.rs"]}'
        echo '{"event":"judging"}'
        echo "{\"event\":\"verdict\",\"words\":\"$long\"}"
        sleep 0.02
    done;;
    *play*) for line in 1 2 3 4 5 6 7 8 9 10; do echo "{\"event\":\"line\",\"text\":\"$line\"}"; done;;
    *) echo "{\"event\":\"list\",\"words\":\"$long\"}";;
esac
"#;

#[test]
fn a_second_hour_of_use_leaves_nothing_behind() {
    let server = Server::start_on(CARGO, &[]);
    fs::write(server.root.path().join("pages/long.html"), "x".repeat(300_000)).unwrap();
    let verdicts = Arc::new(AtomicUsize::new(0));
    let watched = stream(&server, r#"{"stream":"watch","package":"step01_fd"}"#);
    let counted = Arc::clone(&verdicts);
    thread::spawn(move || {
        for line in watched.lines().map_while(Result::ok) {
            counted.fetch_add(usize::from(line.contains("verdict")), Ordering::Relaxed);
        }
    });
    let [first, second] = [(); 2].map(|()| {
        let saves = verdicts.load(Ordering::Relaxed) + SAVES;
        an_hour(&server);
        wait_until(|| verdicts.load(Ordering::Relaxed) >= saves);
        resident(&server)
    });
    assert!(second < first + MOST, "{first} KiB after an hour, {second} after two");
}

fn an_hour(server: &Server) {
    let ask = |body: &str| {
        let answer = server.send(&server.post("/cockpit/ask", body));
        assert_eq!(status(&answer), 200, "{body}");
    };
    for _ in 0..PLAYS {
        ask(r#"{"act":"play","package":"step01_fd","name":"a_scene","whose":"mine"}"#);
    }
    for _ in 0..HINTS_AND_LISTS {
        ask(r#"{"act":"list"}"#);
    }
    for _ in 0..PAGES {
        // Each page greets the server and hears the verdicts for a while.
        assert_eq!(status(&server.send(&server.get("/long.html", ""))), 200);
        assert_eq!(status(&server.send(&server.post("/cockpit/hello", "{}"))), 200);
        let heard = stream(server, r#"{"stream":"watch","package":"step01_fd"}"#);
        assert!(heard.lines().map(Result::unwrap).any(|line| line.contains("verdict")));
    }
    for _ in 0..LOOKS_AT_THE_LOOP {
        let ticks = stream(server, r#"{"stream":"loop"}"#);
        let snapshots = ticks.lines().map(Result::unwrap).filter(|line| line.contains("ticks"));
        assert_eq!(snapshots.take(3).count(), 3);
    }
}

/// Opens a stream of events.
fn stream(server: &Server, wanted: &str) -> BufReader<std::net::TcpStream> {
    let answer = server.send(&server.post("/cockpit/ticket", wanted));
    let ticket = answer.split('"').nth(3).unwrap();
    let open = server.get(&format!("/cockpit/events?ticket={ticket}"), "");
    BufReader::new(server.connect(&open))
}

/// Returns the server's resident memory, in KiB.
fn resident(server: &Server) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}
