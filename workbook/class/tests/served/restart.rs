//! Which parts of a class are kept, and for how long.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{RIGHT, SCENE, Server, mode, wait_until};

/// Returns the names of the students who have answered, according to the teacher's board.
fn answered(server: &Server) -> BTreeSet<String> {
    let class = server.listen(&server.teacher).find(|it| it["event"] == "class").unwrap();
    let students = class["students"].as_array().unwrap().iter();
    let answered = students.filter(|student| student["answered"] == true);
    answered.map(|student| student["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_crash_in_the_middle_of_a_poll_loses_no_answer_that_was_acknowledged() {
    let mut server = Server::start();
    let students: Vec<(String, String)> = (0..60)
        .map(|number| {
            let name = format!("Student {number}");
            (name.clone(), server.join(&name))
        })
        .collect();
    server.teach("open", &json!({ "id": SCENE }));
    let acknowledged = Mutex::new(BTreeSet::new());
    thread::scope(|scope| {
        for (name, token) in &students {
            let (server, acknowledged) = (&server, &acknowledged);
            scope.spawn(move || {
                let body = json!({ "poll": SCENE, "typed": RIGHT }).to_string();
                let fields = server.own_fields(token);
                let Ok(mut stream) = std::net::TcpStream::connect(server.address) else { return };
                let request = server.post_with("/class/answer", &fields, &body);
                if stream.write_all(request.as_bytes()).is_err() {
                    return;
                }
                let mut text = String::new();
                let _ = std::io::Read::read_to_string(&mut stream, &mut text);
                if crate::support::answered(&text).status == 200 {
                    acknowledged.lock().unwrap().insert(name.clone());
                }
            });
        }
        // In the middle: some students have their acknowledgement, and some don't.
        wait_until(|| acknowledged.lock().unwrap().len() >= 5);
        let id = rustix::process::Pid::from_raw(server.id().try_into().unwrap()).unwrap();
        rustix::process::kill_process(id, Signal::KILL).unwrap();
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    server.crash_and_restart();
    let kept = answered(&server);
    assert!(kept.is_superset(&acknowledged), "lost: {:?}", acknowledged.difference(&kept));
    for (name, token) in &students {
        let again = server.answer(token, SCENE, &RIGHT).status;
        assert_eq!(again, if kept.contains(name) { 409 } else { 200 }, "{name}");
    }
    assert_eq!(answered(&server).len(), students.len());
}

#[test]
fn a_line_that_was_cut_short_by_a_crash_is_no_event() {
    let mut server = Server::start();
    let ann = server.join("Ann");
    server.stop(Signal::KILL);
    let mut file = OpenOptions::new().append(true).open(server.state()).unwrap();
    file.write_all(br#"{"event":"joined","at":1,"student":2,"na"#).unwrap();
    server.start_again();
    assert_eq!(server.post(&ann, "hello", &json!({})).json()["name"], "Ann");
    server.join("Bob");
    server.stop(Signal::KILL);
    server.start_again();
    assert_eq!(server.try_to_join(&server.code, "Bob").status, 409);
}

#[test]
fn what_the_disk_does_not_take_is_not_acknowledged_and_has_not_happened() {
    // No file may be longer than 4 KiB, and the signal for that is ignored.
    let mut server = Server::start_below(Some("trap '' XFSZ; ulimit -f 8"));
    let mut joined = Vec::new();
    let refused = loop {
        let name = format!("Student {}", joined.len());
        let answer = server.try_to_join(&server.code, &name);
        if answer.status != 200 {
            break (name, answer);
        }
        joined.push(name);
        assert!(joined.len() < 100, "the limit isn't there");
    };
    assert_eq!(refused.1.status, 503, "{:?}", refused.1);
    assert!(joined.len() > 5);
    server.crash_and_restart();
    for name in &joined {
        assert_eq!(server.try_to_join(&server.code, name).status, 409, "{name} is there");
    }
    assert_eq!(server.try_to_join(&server.code, &refused.0).status, 200);
}

#[test]
fn who_leaves_is_in_the_file_no_more() {
    let mut server = Server::start();
    let (ann, bob) = (server.join("Ann"), server.join("Bob"));
    server.teach("open", &json!({ "id": SCENE }));
    server.answer(&ann, SCENE, &["", "765432", ""]);
    server.answer(&bob, SCENE, &RIGHT);
    let text = || fs::read_to_string(server.state()).unwrap();
    assert!(text().contains("765432"));
    assert_eq!(server.post(&ann, "leave", &json!({})).status, 200);
    let of_ann = ["Ann", "765432", &ann];
    assert!(!of_ann.iter().any(|it| text().contains(it)), "{}", text());
    assert_eq!(server.post(&ann, "hello", &json!({})).status, 401);
    // Later events go to the new file, not to the file that was there before.
    server.join("Carol");
    server.crash_and_restart();
    assert_eq!(answered(&server), BTreeSet::from(["Bob".to_owned()]));
    assert_eq!(server.try_to_join(&server.code, "Carol").status, 409);
}

#[test]
fn a_student_who_is_taken_off_hears_it_and_is_out() {
    let server = Server::start();
    let ann = server.join("Ann");
    let events = server.listen(&ann);
    assert_eq!(server.teach("remove", &json!({ "names": ["Ann"] })).status, 200);
    assert_eq!(events.last().unwrap()["event"], "removed");
    assert_eq!(server.post(&ann, "hello", &json!({})).status, 401);
}

const HOUR: u64 = 60 * 60;

/// Makes those of the file's events that `is_it` chooses older by this many hours.
fn hours_earlier(server: &Server, hours: u64, is_it: impl Fn(&Value) -> bool) {
    let text = fs::read_to_string(server.state()).unwrap();
    let earlier = text.lines().map(|line| {
        let mut event: Value = serde_json::from_str(line).unwrap();
        if is_it(&event) {
            event["at"] = json!(event["at"].as_u64().unwrap() - hours * HOUR);
        }
        event.to_string() + "\n"
    });
    fs::write(server.state(), earlier.collect::<String>()).unwrap();
}

/// Returns the files beside the class's file, with their texts.
fn others(server: &Server) -> Vec<(PathBuf, String)> {
    let files = fs::read_dir(server.state().parent().unwrap()).unwrap();
    let paths = files.map(|it| it.unwrap().path()).filter(|path| *path != server.state());
    paths.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn a_class_that_is_in_use_goes_on_however_long_ago_it_began() {
    let mut server = Server::start();
    let ann = server.join("Ann");
    server.stop(Signal::KILL);
    hours_earlier(&server, 60, |event| event["event"] == "begun");
    hours_earlier(&server, 23, |event| event["event"] == "joined");
    server.start_again();
    assert_eq!(server.post(&ann, "hello", &json!({})).json()["name"], "Ann");
    assert!(others(&server).is_empty());
}

#[test]
fn a_class_that_nobody_has_ended_keeps_its_file_under_another_name() {
    let mut server = Server::start();
    for name in ["Ann", "Bob"] {
        let (code, student) = (server.code.clone(), server.join(name));
        server.stop(Signal::KILL);
        hours_earlier(&server, 25, |_| true);
        let kept = fs::read_to_string(server.state()).unwrap();
        server.begin_another();
        assert_ne!(server.code, code);
        assert_eq!(server.post(&student, "hello", &json!({})).status, 401);
        let mut found = others(&server).into_iter().filter(|(_, text)| *text == kept);
        assert_eq!(mode(&found.next().unwrap().0), 0o600, "{name}");
    }
    assert_eq!(others(&server).len(), 2);
}

#[test]
fn what_someone_sends_while_they_leave_or_are_taken_off_is_not_in_the_file() {
    let server = Server::start();
    server.teach("open", &json!({ "id": SCENE }));
    let report = json!({
        "package": "step01_fd", "exercise": "1.5", "outcome": "red", "line": "a line of theirs",
        "green": [],
    });
    for round in 0..12 {
        let name = format!("Student {round}");
        let token = server.join(&name);
        let (server, token, report) = (&server, &token, &report);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(move || while server.post(token, "report", report).status == 200 {});
            }
            scope.spawn(move || server.answer(token, SCENE, &["", "an answer of theirs", ""]));
            scope.spawn(move || {
                if round % 2 == 0 {
                    server.post(token, "leave", &json!({}));
                } else {
                    server.teach("remove", &json!({ "names": [name] }));
                }
            });
        });
        let text = fs::read_to_string(server.state()).unwrap();
        assert!(!text.contains("theirs") && !text.contains(token.as_str()), "{round}: {text}");
    }
}

#[test]
fn what_did_not_happen_is_not_in_the_file() {
    let mut server = Server::start();
    let bob = server.join("Bob");
    server.teach("open", &json!({ "id": SCENE }));
    // All at once, so that the events are written together: one student gets in, and one answer is
    // the first.
    thread::scope(|scope| {
        for number in 0..20 {
            let (server, bob) = (&server, &bob);
            scope.spawn(move || server.try_to_join(&server.code, "Ann").status);
            let typed = number.to_string();
            scope.spawn(move || server.answer(bob, SCENE, &["", &typed, ""]).status);
        }
    });
    let text = fs::read_to_string(server.state()).unwrap();
    assert_eq!(text.matches("Ann").count(), 1, "{text}");
    assert_eq!(text.matches("\"answered\"").count(), 1, "{text}");
    assert_eq!(server.teach("remove", &json!({ "names": ["Ann"] })).status, 200);
    server.crash_and_restart();
    assert_eq!(server.try_to_join(&server.code, "Ann").status, 200, "no other Ann has come back");
}

#[test]
fn a_second_click_on_the_end_changes_nothing() {
    let keep = "export CLASS_KEEP=\"$CLASS_DIRECTORY/kept\"";
    for before in [None, Some(keep)] {
        let mut server = Server::start_below(before);
        let ann = server.join("Ann");
        let ended: Vec<u16> = thread::scope(|scope| {
            let click = || scope.spawn(|| server.teach("end", &json!({})).status);
            let clicks: Vec<_> = (0..4).map(|_| click()).collect();
            clicks.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert_eq!(ended, [200; 4]);
        server.wait();
        assert!(!server.state().exists());
        let kept = fs::read_dir(server.directory.path().join("kept"));
        assert_eq!(kept.map_or(0, Iterator::count), usize::from(before.is_some()));
        drop(ann);
    }
}

#[test]
fn what_comes_after_the_end_is_not_acknowledged() {
    let server = Server::start();
    let (ann, bob) = (server.join("Ann"), server.join("Bob"));
    assert_eq!(server.teach("end", &json!({})).status, 200);
    // The server is still there for a moment, so that the page that ended the class gets its
    // answer.
    assert_eq!(server.post(&ann, "help", &json!({ "wanted": true })).status, 409);
    assert_eq!(server.post(&bob, "leave", &json!({})).status, 409);
    assert!(!server.state().exists());
}

#[test]
fn signals_that_are_ignored_stay_ignored() {
    let mut server = Server::start_below(Some("trap '' HUP TERM INT"));
    // The kernel throws ignored signals away, so we couldn't see whether one has arrived.
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:\t")).unwrap();
    let ignored = u64::from_str_radix(ignored, 16).unwrap();
    for signal in [Signal::HUP, Signal::TERM, Signal::INT] {
        assert!(ignored & 1 << (signal.as_raw() - 1) != 0, "{signal:?}");
        server.send_signal(signal);
    }
    server.join("Ann");
    server.stop(Signal::KILL);
}
