//! A reader in a class: which data leaves their machine, that they see all of it, and that a
//! verdict doesn't wait for the network.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::copy::{Ran, STEP, Workbook, ran};
use crate::watcher::{LIMIT, Watcher};
use rustix::process::Signal;

/// A class's server, which gives the answers that the test wants.
struct Class {
    address: String,
    requests: Receiver<String>,
    answers: Sender<&'static str>,
}

const JOINED: &str = "200 OK\r\n\r\n{\"token\":\"secret\",\"name\":\"Ada\"}";
const DONE: &str = "200 OK\r\n\r\n{}";

impl Class {
    fn begin() -> Class {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
        let address = listener.local_addr().expect("its address").to_string();
        let (tell, requests) = mpsc::channel();
        let (answers, told) = mpsc::channel::<&str>();
        thread::spawn(move || {
            for client in listener.incoming() {
                let mut client = client.expect("accept");
                let _ = tell.send(request(&mut client));
                // The server answers once the test has set an answer, and stops when the test ends.
                let Ok(answer) = told.recv() else { return };
                // A runner that has given up doesn't listen any more.
                let _ = write!(client, "HTTP/1.1 {answer}");
            }
        });
        Class { address, requests, answers }
    }

    /// Sets the answer to the next request.
    fn answers(&self, answer: &'static str) {
        self.answers.send(answer).expect("a server");
    }

    #[track_caller]
    fn request(&self) -> String {
        self.requests.recv_timeout(LIMIT).expect("a request")
    }

    #[track_caller]
    fn was_asked_nothing(&self) {
        assert!(self.requests.try_recv().is_err());
    }
}

/// Reads a request with its body.
fn request(client: &mut TcpStream) -> String {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let count = client.read(&mut buffer).expect("read a request");
        bytes.extend(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let length = text.split("Content-Length: ").nth(1).and_then(|rest| rest.lines().next());
        if let (Some((_, body)), Some(length)) = (text.split_once("\r\n\r\n"), length)
            && body.len() == length.parse::<usize>().expect("a length")
        {
            return text;
        }
        assert!(count > 0, "an incomplete request: {text}");
    }
}

fn workbook() -> Workbook {
    let workbook = Workbook::fresh();
    workbook.cargo_in(".", &["build", "--quiet", "-p", "runner"]);
    workbook
}

fn root(workbook: &Workbook, words: &[&str]) -> Ran {
    let mut command = workbook.cargo(&["run", "--quiet", "-p", "runner", "--"]);
    ran(command.args(words).output().expect("run cargo"))
}

/// Returns a run's output as one line, without its wrapping.
fn said(ran: &Ran) -> String {
    let all = format!("{}{}", ran.out, ran.err);
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn note(workbook: &Workbook) -> PathBuf {
    workbook.root.join("work/.state/class")
}

fn join(workbook: &Workbook, class: &Class) {
    class.answers(JOINED);
    let joined = root(workbook, &["join", &class.address, "abcd-efgh", "Ada"]);
    assert_eq!(joined.code, Some(0), "{joined:?}");
    class.request();
}

#[test]
fn a_class_is_told_of_each_judgement_and_the_reader_sees_what() {
    let (workbook, class) = (workbook(), Class::begin());
    class.answers(JOINED);
    let joined = root(&workbook, &["join", &class.address, "abcd-efgh", "Ada", "Lovelace"]);
    assert_eq!(joined.code, Some(0), "{joined:?}");
    for text in ["You're in the class, as Ada.", "only your name", "plain HTTP", "-- leave"] {
        assert!(said(&joined).contains(text), "{text}: {joined:?}");
    }
    let sent = class.request();
    assert!(sent.starts_with("POST /class/join HTTP/1.1\r\n"), "{sent}");
    assert!(sent.contains(&format!("\r\nHost: {}\r\n", class.address)), "{sent}");
    assert!(sent.contains(&format!("\r\nOrigin: http://{}\r\n", class.address)), "{sent}");
    assert!(sent.ends_with("\r\n\r\n{\"code\":\"abcd-efgh\",\"name\":\"Ada Lovelace\"}"), "{sent}");
    let mode = fs::metadata(note(&workbook)).expect("a note").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "the token is the reader's alone");
    let again = root(&workbook, &["join", &class.address, "abcd-efgh", "Ada"]);
    assert!(again.code == Some(1) && said(&again).contains("-- leave"), "{again:?}");

    class.answers(DONE);
    let judged = workbook.run(&[]);
    let sent = class.request();
    assert!(
        sent.starts_with("POST /class/report ") && sent.contains("\r\nClass-Token: secret\r\n")
    );
    let body = "{\"package\":\"step90_fixture\",\"exercise\":\"90.1\",\"outcome\":\"not written\",\
                \"line\":null,\"green\":[]}";
    assert!(sent.ends_with(body), "{sent}");
    let told = "\nSent to the class as Ada: step90_fixture, 90.1 not written.\n";
    assert!(judged.out.ends_with(told), "{}", judged.out);
    class.was_asked_nothing();

    workbook.solve_double();
    workbook.write_body("src/greeting.rs", "\"Ann\\u{1b}[2J\".to_owned()");
    class.answers("200 OK\r\n\r\n{\"help\":true}");
    let judged = workbook.run(&[]);
    let sent = class.request();
    assert!(
        sent.contains("\"exercise\":\"90.2\",\"outcome\":\"red\",\"line\":\"scene greetings: "),
        "{sent}"
    );
    assert!(sent.ends_with("\"green\":[\"90.1\"]}") && !sent.contains('\u{1b}'), "{sent}");
    let told = judged.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = told.split_once("Sent to the class as Ada: ").expect("what was told").1;
    assert!(told.starts_with("step90_fixture, 90.2 red, “scene greetings: "), "{told}");
    assert!(told.ends_with("; green: 90.1. Your hand is up."), "{told}");

    fs::write(workbook.page("src/lib.rs"), "fn broken() -> u8 {}\n").expect("break the page");
    class.answers(DONE);
    workbook.run(&[]);
    let sent = class.request();
    let body = "\"exercise\":\"90.2\",\"outcome\":\"does not compile\",\"line\":\"error: ";
    assert!(sent.contains(body) && sent.ends_with("\"green\":[\"90.1\"]}"), "{sent}");
    assert!(!sent.contains(&*workbook.root.to_string_lossy()), "{sent}");

    class.answers(DONE);
    let stream = workbook.run(&["--json"]);
    class.request();
    let note = stream.out.lines().rev().nth(1).expect("a line before the end");
    assert!(note.contains("\"event\":\"note\",\"words\":\"Sent to the class"), "{note}");

    class.answers(DONE);
    let left = root(&workbook, &["leave"]);
    assert!(said(&left).contains("the class has deleted your data"), "{left:?}");
    assert!(class.request().starts_with("POST /class/leave "));
    assert!(!self::note(&workbook).exists());
    let judged = workbook.run(&[]);
    assert!(!judged.out.contains("class"), "{}", judged.out);
    class.was_asked_nothing();
}

#[test]
fn a_class_that_does_not_answer_delays_no_verdict() {
    let (workbook, class) = (workbook(), Class::begin());
    join(&workbook, &class);
    let watcher = Watcher::begin(workbook.command(&["watch"]));
    // The server holds the request back until the test sets an answer.
    assert!(watcher.verdict().contains("✗ 90.1 double"));
    assert!(class.request().starts_with("POST /class/report "));
    workbook.solve_double();
    watcher.verdict_with("✓ 90.1 double");
    class.answers(DONE);
    class.answers(DONE);
    assert!(class.request().contains("\"green\":[\"90.1\"]"));
    watcher.end(Signal::INT);

    let lost = Class::begin();
    let text = fs::read_to_string(note(&workbook)).expect("a note");
    fs::write(note(&workbook), text.replace(&class.address, &lost.address)).expect("write");
    let judged = workbook.run(&[]);
    let (verdict, told) = judged.out.split_once("\nThe class at ").expect("a line about the class");
    assert!(verdict.contains("✗ 90.2 greet") && !told.trim_end().contains('\n'), "{judged:?}");
    assert!(told.contains("no answer within 2 s"), "{told}");
}

#[test]
fn where_nothing_is_judged_watch_claims_no_judgement_and_the_class_is_told_nothing() {
    let (workbook, class) = (workbook(), Class::begin());
    join(&workbook, &class);
    class.answers(DONE);
    workbook.run(&[]);
    assert!(class.request().ends_with("\"green\":[]}"));
    let program = workbook.root.join("target/debug").join(STEP);
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n 64; exec \"$0\" watch"])
        .arg(program)
        .current_dir(&workbook.root)
        .env("CARGO_MANIFEST_DIR", workbook.root.join(STEP))
        .env("COLUMNS", "1000");
    let watcher = Watcher::begin(command);
    workbook.solve_double();
    for _ in 0..2 {
        let told = watcher.verdict();
        assert!(told.contains("Not judged: ") && told.contains("To judge again, save"), "{told}");
        assert!(!told.contains("Judged in") && !told.contains("Sent"), "{told}");
        workbook.write_body("src/greeting.rs", "let _ = names; todo!()");
    }
    watcher.end(Signal::INT);
    class.was_asked_nothing();
}

#[test]
fn what_is_refused_or_lost_is_said_and_a_class_that_is_over_is_forgotten() {
    let (workbook, class) = (workbook(), Class::begin());
    for words in [&["join"][..], &["join", "10.0.0.1"], &["join", "10.0.0.1", "abcd"]] {
        let refused = root(&workbook, words);
        assert_eq!(refused.code, Some(2), "{refused:?}");
    }
    for (answer, why) in [
        ("403 Forbidden\r\n\r\nThat isn't the class's code.", "says: That isn't the class's code."),
        ("409 Conflict\r\n\r\nSomeone is called Ada already.", "says: Someone is called Ada"),
        ("200 OK\r\n\r\n<html>", "the answer isn't JSON"),
        ("200 OK\r\n\r\n{\"token\":\"a\\r\\nb\",\"name\":\"Ada\"}", "lacks a valid token or name"),
    ] {
        class.answers(answer);
        let url = format!("http://{}/#code=abcd-efgh", class.address);
        let refused = root(&workbook, &["join", &url, "Ada"]);
        assert!(refused.code == Some(1) && said(&refused).contains(why), "{refused:?}");
        assert!(class.request().ends_with("{\"code\":\"abcd-efgh\",\"name\":\"Ada\"}"));
        assert!(!note(&workbook).exists());
    }
    for words in [&["leave"][..], &["raise-hand"], &["lower-hand"]] {
        let refused = root(&workbook, words);
        assert!(refused.code == Some(1) && said(&refused).contains("you haven't joined a class"));
    }
    let there = workbook.run(&["raise-hand"]);
    assert!(there.err.contains("cargo run -- raise-hand"), "{there:?}");

    join(&workbook, &class);
    assert!(said(&root(&workbook, &[])).contains(&format!("Class: {}, as Ada", class.address)));
    for (word, wanted) in
        [("raise-hand", "{\"wanted\":true}"), ("lower-hand", "{\"wanted\":false}")]
    {
        class.answers(DONE);
        assert_eq!(root(&workbook, &[word]).code, Some(0));
        let sent = class.request();
        assert!(sent.starts_with("POST /class/help ") && sent.ends_with(wanted), "{sent}");
    }
    class.answers("401 Unauthorized\r\n\r\nThe class doesn't know you.");
    let judged = workbook.run(&[]);
    assert!(said(&judged).contains("so you've left it."), "{judged:?}");
    class.request();
    assert!(!note(&workbook).exists());

    // An address at which no server listens any more.
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let text = format!("address {gone}\ntoken secret\nname Ada\n");
    fs::write(note(&workbook), text).expect("write");
    let judged = workbook.run(&[]);
    assert!(said(&judged).contains(": connect: Connection refused"), "{judged:?}");
    let left = root(&workbook, &["leave"]);
    assert!(said(&left).contains("your machine sends nothing more to"), "{left:?}");
    assert!(!note(&workbook).exists());
}
