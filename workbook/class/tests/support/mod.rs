//! A class in a separate process, and clients that write arbitrary bytes to its socket.

#![allow(dead_code, unused_imports, reason = "each of those who use it needs a part of it")]

pub(crate) mod server;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) use server::{FOLD, ODD, SCENE};

const PATIENCE: Duration = Duration::from_secs(30);

/// A script that replaces cargo. It records its arguments and plays a scene.
const CARGO: &str = r#"#!/bin/sh
echo "$@" >> calls
echo '{"event":"begin"}'
echo '{"event":"line","text":"it begins"}'
echo '{"event":"line","text":"it reads: 2424 bytes"}'
case "$*" in
    *an_odd_scene*) echo '{"event":"line","text":"it is odd"}';;
    *) echo '{"event":"line","text":"then: nothing"}';;
esac
"#;

/// A right answer to the scene, and a wrong answer that overlooks a fact.
pub(crate) const RIGHT: [&str; 3] = ["", "2424", "nothing"];
pub(crate) const WRONG: [&str; 3] = ["", "2424", "EOF"];

/// A class's server and the means to start it.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) teacher: String,
    pub(crate) code: String,
    pub(crate) directory: TempDir,
}

/// An answer from the server: the status code, and the text after the head.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

impl Server {
    pub(crate) fn start() -> Self {
        Server::start_below(None)
    }

    /// Starts the server from a shell, which first runs these commands.
    pub(crate) fn start_below(shell: Option<&str>) -> Self {
        let directory = TempDir::new().expect("a directory");
        let cargo = directory.path().join("cargo");
        fs::write(&cargo, CARGO).expect("a script");
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("a script");
        let begun = begin(directory.path(), 0, shell);
        let (child, address, teacher, code) = begun;
        Server { child, address, teacher, code, directory }
    }

    /// Kills the server and starts it again on the same address. Its former limits don't apply.
    pub(crate) fn crash_and_restart(&mut self) {
        if self.child.try_wait().expect("a status").is_none() {
            self.stop(Signal::KILL);
        }
        self.start_again();
    }

    /// Starts a server that was stopped.
    pub(crate) fn start_again(&mut self) {
        let begun = begin(self.directory.path(), self.address.port(), None);
        let (child, address, teacher, code) = begun;
        assert_eq!((address, &teacher, &code), (self.address, &self.teacher, &self.code));
        self.child = child;
    }

    /// Starts a server after a class has ended.
    pub(crate) fn begin_another(&mut self) {
        let begun = begin(self.directory.path(), self.address.port(), None);
        (self.child, self.address, self.teacher, self.code) = begun;
    }

    pub(crate) fn send_signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    pub(crate) fn stop(&mut self, signal: Signal) {
        self.send_signal(signal);
        self.child.wait().expect("it ends");
    }

    /// Waits until the server has exited by itself.
    pub(crate) fn wait(&mut self) {
        wait_until(|| self.child.try_wait().expect("a status").is_some());
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.directory.path().join("state/class.jsonl")
    }

    /// Returns the commands that the server has started: the arguments of each.
    pub(crate) fn started(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.directory.path().join("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    pub(crate) fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream.write_all(request.as_bytes()).expect("a request");
        stream
    }

    pub(crate) fn send(&self, request: &str) -> Answer {
        let mut answer = String::new();
        // A server that refuses a body may close the connection while we're still sending it.
        let _ = self.connect(request).read_to_string(&mut answer);
        answered(&answer)
    }

    pub(crate) fn get(&self, path: &str, fields: &str) -> String {
        let address = self.address;
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{fields}\r\n")
    }

    /// Returns a POST with exactly these fields, after its `Host`.
    pub(crate) fn post_with(&self, path: &str, fields: &str, body: &str) -> String {
        let (address, length) = (self.address, body.len());
        format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
             Content-Length: {length}\r\n{fields}\r\n{body}"
        )
    }

    pub(crate) fn own_fields(&self, token: &str) -> String {
        let address = self.address;
        format!(
            "Origin: http://{address}\r\nSec-Fetch-Site: same-origin\r\nClass-Token: {token}\r\n"
        )
    }

    /// Sends a POST in the way that a page does.
    pub(crate) fn post(&self, token: &str, path: &str, body: &Value) -> Answer {
        let path = format!("/class/{path}");
        self.send(&self.post_with(&path, &self.own_fields(token), &body.to_string()))
    }

    pub(crate) fn teach(&self, path: &str, body: &Value) -> Answer {
        self.post(&self.teacher, &format!("teach/{path}"), body)
    }

    pub(crate) fn try_to_join(&self, code: &str, name: &str) -> Answer {
        let fields = format!("Origin: http://{}\r\n", self.address);
        let body = json!({ "code": code, "name": name }).to_string();
        self.send(&self.post_with("/class/join", &fields, &body))
    }

    pub(crate) fn join(&self, name: &str) -> String {
        let answer = self.try_to_join(&self.code, name);
        answer.json()["token"].as_str().expect("a token").to_owned()
    }

    pub(crate) fn answer(&self, token: &str, poll: &str, typed: &[&str]) -> Answer {
        self.post(token, "answer", &json!({ "poll": poll, "typed": typed }))
    }

    /// Opens a stream of a student or of the teacher and returns its events.
    pub(crate) fn listen(&self, token: &str) -> impl Iterator<Item = Value> + use<> {
        let path = if token == self.teacher { "teach/ticket" } else { "ticket" };
        let ticket = self.post(token, path, &json!({})).json()["ticket"].clone();
        let open = format!("/class/events?ticket={}", ticket.as_str().expect("a ticket"));
        let lines = BufReader::new(self.connect(&self.get(&open, ""))).lines();
        // A stream without events still sends signs of life, and a test waits for an event.
        let begin = Instant::now();
        let lines = lines.map_while(Result::ok).take_while(move |_| begin.elapsed() < PATIENCE);
        lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.try_wait().expect("a status").is_none() {
            self.stop(Signal::KILL);
        }
    }
}

/// The program of the server.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_class_for_tests");

fn begin(directory: &Path, port: u16, shell: Option<&str>) -> (Child, SocketAddr, String, String) {
    // The server obeys its signals, even if the tests run in a script's background or under nohup.
    let mut command = Command::new("env");
    command.arg("--default-signal=INT,TERM,HUP");
    if let Some(before) = shell {
        command.args(["sh", "-c", &format!("{before}\nexec \"$0\" \"$@\"")]);
    }
    let child = command
        .arg(PROGRAM)
        .env("CLASS_DIRECTORY", directory)
        .env("CLASS_PORT", port.to_string())
        .env("CARGO", directory.join("cargo"))
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child.expect("a server");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = |what: &str| {
        let found = lines.by_ref().map_while(Result::ok).find(|line| line.contains(what));
        found.expect("it says where it is")
    };
    let (first, second) = (next("#class="), next("#code="));
    let address = first.split(' ').next().and_then(|it| it.parse().ok()).expect("an address");
    let behind = |line: &str, what: &str| line.split(what).nth(1).map(str::to_owned);
    let teacher = behind(&first, "#class=").expect("a token");
    let code = behind(&second, "#code=").expect("a code");
    // Read the rest of the output, so that the server can go on writing.
    thread::spawn(move || lines.for_each(drop));
    (child, address, teacher, code)
}

pub(crate) fn answered(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let status = head.split(' ').nth(1).and_then(|number| number.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

pub(crate) fn wait_until(mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "it never happened");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Returns who may read and write a file.
pub(crate) fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("its mode").permissions().mode() & 0o777
}
