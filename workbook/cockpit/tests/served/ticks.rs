//! The page `/loop`'s view of the loop that serves it.

use std::fs;
use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::support::{Server, status};

/// Opens the loop's stream and returns its snapshots.
fn snapshots(server: &Server) -> impl Iterator<Item = Value> + use<> {
    let answer = server.send(&server.post("/cockpit/ticket", r#"{"stream":"loop"}"#));
    let ticket = answer.split('"').nth(3).unwrap();
    let stream = server.connect(&server.get(&format!("/cockpit/events?ticket={ticket}"), ""));
    let lines = BufReader::new(stream).lines().map(Result::unwrap);
    lines.filter_map(|line| Some(serde_json::from_str(line.strip_prefix("data: ")?).unwrap()))
}

/// Returns the names of the tasks and callbacks that ran in a tick.
fn ran(tick: &Value) -> Vec<&str> {
    let runs = tick["ran"].as_array().unwrap();
    runs.iter().filter_map(|run| run["task"].as_str()).collect()
}

#[test]
fn a_request_is_seen_with_the_descriptor_that_brought_it_and_the_line_that_made_its_task() {
    let server = Server::start();
    let mut snapshots = snapshots(&server);
    // The trace begins with the stream.
    snapshots.next().unwrap();
    assert_eq!(status(&server.send(&server.get("/index.html", ""))), 200);
    let mut ticks = Vec::new();
    while !ticks.iter().any(|tick| ran(tick).contains(&"GET /index.html")) {
        let snapshot = snapshots.next().unwrap();
        ticks.extend(snapshot["ticks"].as_array().unwrap().clone());
    }
    let accepted = ticks.iter().find(|tick| ran(tick).contains(&"accepts connections")).unwrap();
    assert!(accepted["events"][0]["fd"].is_u64(), "{accepted}");
    assert_eq!(accepted["ran"][0]["by"], json!({ "event": 0 }));
    let step = ticks.iter().find(|tick| ran(tick).contains(&"GET /index.html")).unwrap();
    let made = step["ran"][0]["created_at"].as_str().unwrap();
    assert!(made.contains("serve.rs:"), "{step}");
    // The work of showing all this isn't shown.
    let own = ticks.iter().filter(|tick| ran(tick).iter().all(|name| *name == "shows /loop"));
    assert_eq!(own.count(), 0, "{ticks:?}");
}

#[test]
fn a_blocked_tick_is_told_with_what_has_blocked_it() {
    let server = Server::start();
    let mut snapshots = snapshots(&server);
    snapshots.next().unwrap();
    assert_eq!(status(&server.send(&server.post("/cockpit/block", "{}"))), 200);
    let is_late =
        |tick: &Value| tick["took"].as_f64().unwrap() - tick["slept"].as_f64().unwrap() > 0.19;
    let late = loop {
        let snapshot = snapshots.next().unwrap();
        let ticks = snapshot["ticks"].as_array().unwrap();
        if let Some(late) = ticks.iter().find(|tick| is_late(tick)) {
            break late.clone();
        }
    };
    assert!(ran(&late).contains(&"POST /cockpit/block"), "{late}");
}

#[test]
fn a_page_gets_the_lines_around_a_place_and_no_other_files() {
    let server = Server::start();
    fs::write(server.root.path().join("step01_fd/lib.rs"), "one\ntwo\nthree\nfour\n").unwrap();
    let ask = |place: &str| {
        let body = json!({ "place": place }).to_string();
        server.send(&server.post("/cockpit/source", &body))
    };
    let answer = ask("step01_fd/lib.rs:2");
    assert_eq!(status(&answer), 200);
    assert!(answer.ends_with(r#"{"first":1,"lines":["one","two","three","four"]}"#), "{answer}");
    for place in
        ["step01_fd/../../x.rs:1", "/etc/passwd:1", "secret.html:1", "step01_fd/lib.rs", ""]
    {
        assert_eq!(status(&ask(place)), 404, "{place}");
    }
}
