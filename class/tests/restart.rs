//! What's kept of a class, and until when.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;
use support::{RIGHT, SCENE, Server, serve, wait_until};

const SERVE: [&str; 4] = ["--ignored", "--exact", "the_server", "--nocapture"];

#[test]
#[ignore = "it's the server that the other tests start"]
fn the_server() {
    serve();
}

/// Returns the names of those who have answered, as the teacher's board has them.
fn answered(server: &Server) -> BTreeSet<String> {
    let class = server.listen(&server.teacher).find(|it| it["event"] == "class").unwrap();
    let students = class["students"].as_array().unwrap().iter();
    let answered = students.filter(|student| student["answered"] == true);
    answered.map(|student| student["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_crash_in_the_middle_of_a_poll_loses_no_answer_that_was_acknowledged() {
    let mut server = Server::start(&SERVE);
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
                if support::answered(&text).status == 200 {
                    acknowledged.lock().unwrap().insert(name.clone());
                }
            });
        }
        // In the middle: some have their acknowledgement, and some haven't.
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
    let mut server = Server::start(&SERVE);
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
    // No file may be longer than 4 KiB, and the signal that says so is ignored.
    let mut server = Server::start_below(&SERVE, Some("trap '' XFSZ; ulimit -f 8"));
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
    let mut server = Server::start(&SERVE);
    let (ann, bob) = (server.join("Ann"), server.join("Bob"));
    server.teach("open", &json!({ "id": SCENE }));
    server.answer(&ann, SCENE, &["", "a prediction of Ann's", ""]);
    server.answer(&bob, SCENE, &RIGHT);
    let text = || fs::read_to_string(server.state()).unwrap();
    assert!(text().contains("a prediction of Ann's"));
    assert_eq!(server.post(&ann, "leave", &json!({})).status, 200);
    assert!(!text().contains("Ann") && !text().contains(&ann), "{}", text());
    assert_eq!(server.post(&ann, "hello", &json!({})).status, 401);
    // What comes afterwards is written to the file, and not to the one that was there before.
    server.join("Carol");
    server.crash_and_restart();
    assert_eq!(answered(&server), BTreeSet::from(["Bob".to_owned()]));
    assert_eq!(server.try_to_join(&server.code, "Carol").status, 409);
}

#[test]
fn a_crash_while_a_student_leaves_keeps_nothing_of_them() {
    let mut server = Server::start(&SERVE);
    let ann = server.join("Ann");
    server.stop(Signal::KILL);
    // What's written first of one who leaves.
    let mut file = OpenOptions::new().append(true).open(server.state()).unwrap();
    file.write_all(b"{\"event\":\"left\",\"at\":1,\"student\":1}\n").unwrap();
    server.start_again();
    let text = fs::read_to_string(server.state()).unwrap();
    assert!(!text.contains("Ann") && !text.contains(&ann), "{text}");
    server.join("Bob");
    server.crash_and_restart();
    assert_eq!(server.try_to_join(&server.code, "Bob").status, 409);
}

#[test]
fn a_student_who_is_taken_off_hears_it_and_is_out() {
    let server = Server::start(&SERVE);
    let ann = server.join("Ann");
    let events = server.listen(&ann);
    assert_eq!(server.teach("remove", &json!({ "name": "Ann" })).status, 200);
    assert_eq!(events.last().unwrap()["event"], "removed");
    assert_eq!(server.post(&ann, "hello", &json!({})).status, 401);
}

#[test]
fn the_end_removes_the_file_and_ctrl_c_is_not_the_end() {
    let mut server = Server::start(&SERVE);
    let ann = server.join("Ann");
    server.stop(Signal::INT);
    server.start_again();
    assert_eq!(server.post(&ann, "hello", &json!({})).status, 200);
    let events = server.listen(&ann);
    assert_eq!(server.teach("end", &json!({})).status, 200);
    assert_eq!(events.last().unwrap()["event"], "over");
    server.wait();
    assert!(!server.state().exists());
}

#[test]
fn what_is_kept_at_the_end_is_the_whole_file_and_a_new_class_begins_without_it() {
    let keep = "export CLASS_KEEP=\"$CLASS_DIRECTORY/kept\"";
    let mut server = Server::start_below(&SERVE, Some(keep));
    let ann = server.join("Ann");
    assert_eq!(server.teach("end", &json!({})).status, 200);
    server.wait();
    let mut kept = fs::read_dir(server.directory.path().join("kept")).unwrap();
    let text = fs::read_to_string(kept.next().unwrap().unwrap().path()).unwrap();
    assert!(text.contains("Ann") && kept.next().is_none(), "{text}");
    let code = server.code.clone();
    server.begin_another();
    assert_ne!(server.code, code);
    assert_eq!(server.post(&ann, "hello", &json!({})).status, 401);
}

#[test]
fn the_file_is_the_teacher_s_alone() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start(&SERVE);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(server.state()), 0o600);
    let ann = server.join("Ann");
    server.post(&ann, "leave", &json!({}));
    assert_eq!(mode(server.state()), 0o600, "also after it was written again");
}

#[test]
fn two_servers_never_share_a_file() {
    let server = Server::start(&SERVE);
    let mut second = Command::new(std::env::current_exe().unwrap())
        .args(SERVE)
        .env("CLASS_DIRECTORY", server.directory.path())
        .env("CLASS_PORT", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while second.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(20) {
            second.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(10));
    }
    let said = std::io::read_to_string(second.stderr.take().unwrap()).unwrap();
    assert!(said.contains("belongs to a class that's running"), "{said}");
}
