//! The class's file: its owner, other files in its place, and its end.

use std::fs::{self};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Server, mode};

#[test]
fn the_end_removes_the_file_and_ctrl_c_is_not_the_end() {
    let mut server = Server::start();
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
    let mut server = Server::start_below(Some(keep));
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
    let server = Server::start();
    assert_eq!(mode(&server.state()), 0o600);
    let ann = server.join("Ann");
    server.post(&ann, "leave", &json!({}));
    assert_eq!(mode(&server.state()), 0o600, "also after it was written again");
}

#[test]
fn two_servers_never_share_a_file() {
    let server = Server::start();
    let said = refused(server.directory.path());
    assert!(said.contains("belongs to a running class"), "{said}");
}

#[test]
fn a_file_that_is_no_class_s_is_left_as_it_is() {
    let place = |text: &str| {
        let directory = tempfile::TempDir::new().unwrap();
        fs::create_dir(directory.path().join("state")).unwrap();
        let file = directory.path().join("state/class.jsonl");
        fs::write(&file, text).unwrap();
        (directory, file)
    };
    for text in
        ["a note without an end", "two\nlines\n", "{\"event\":\"closed\",\"at\":1}\n", "{}", "\n"]
    {
        let (directory, file) = place(text);
        let said = refused(directory.path());
        assert!(said.contains("class.jsonl isn't a class's file"), "{text}: {said}");
        assert_eq!(fs::read_to_string(file).unwrap(), text);
    }
    let class = "{\"event\":\"begun\",\"at\":1,\"code\":\"a\",\"teacher\":\"b\"}\n";
    for link in ["ln -s", "ln"] {
        let (directory, file) = place(class);
        let target = directory.path().join("target");
        fs::rename(&file, &target).unwrap();
        let words: Vec<&str> = link.split(' ').collect();
        let linked = Command::new(words[0]).args(&words[1..]).args([&target, &file]).status();
        assert!(linked.unwrap().success());
        let said = refused(directory.path());
        assert!(said.contains("link"), "{link}: {said}");
        assert_eq!(fs::read_to_string(target).unwrap(), class);
    }
    let (directory, file) = place("");
    fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    let said = refused(directory.path());
    assert!(said.contains("isn't a regular file"), "{said}");
    if rustix::process::geteuid().is_root() {
        let (directory, file) = place(class);
        std::os::unix::fs::chown(&file, Some(12345), None).unwrap();
        let said = refused(directory.path());
        assert!(said.contains("another user"), "{said}");
    }
}

#[test]
fn the_file_is_the_teacher_s_alone_even_if_it_was_not_before() {
    let mut server = Server::start();
    let file = server.state();
    let set = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    server.stop(Signal::KILL);
    set(0o666);
    server.start_again();
    assert_eq!(mode(&file), 0o600);
    server.stop(Signal::KILL);
    fs::write(&file, "").unwrap();
    set(0o666);
    server.begin_another();
    assert_eq!(mode(&file), 0o600, "of a file that was empty");
}

#[test]
fn what_is_kept_at_the_end_overwrites_nothing() {
    let keep = "export CLASS_KEEP=\"$CLASS_DIRECTORY/kept\"";
    let mut server = Server::start_below(Some(keep));
    let text = fs::read_to_string(server.state()).unwrap();
    let begun: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let kept = server.directory.path().join("kept");
    fs::create_dir(&kept).unwrap();
    let elsewhere = server.directory.path().join("elsewhere");
    fs::write(&elsewhere, "something else").unwrap();
    let name = kept.join(format!("class-{}.jsonl", begun["at"]));
    std::os::unix::fs::symlink(&elsewhere, name).unwrap();
    assert_eq!(server.teach("end", &json!({})).status, 200);
    server.wait();
    assert_eq!(fs::read_to_string(elsewhere).unwrap(), "something else");
    let files: Vec<_> = fs::read_dir(&kept).unwrap().map(|it| it.unwrap().path()).collect();
    let ours = files.iter().find(|it| !it.is_symlink()).unwrap();
    assert_eq!((fs::read_to_string(ours).unwrap(), mode(ours)), (text, 0o600));
}

/// Starts a server on this directory, where it can't begin, and returns its error.
fn refused(directory: &Path) -> String {
    let mut server = Command::new(crate::support::PROGRAM)
        .env("CLASS_DIRECTORY", directory)
        .env("CLASS_PORT", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while server.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(20) {
            server.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(10));
    }
    std::io::read_to_string(server.stderr.take().unwrap()).unwrap()
}
