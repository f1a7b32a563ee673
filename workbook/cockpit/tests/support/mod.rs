//! A cockpit in a separate process, and clients that write arbitrary bytes to its socket.

#![allow(dead_code, reason = "each test file is a program of its own, and uses a part")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;

/// The token of the tests' servers.
pub(crate) const TOKEN: &str = "the-token-of-this-start";

const PATIENCE: Duration = Duration::from_secs(30);

/// A script that replaces cargo. It records its arguments and answers in a few lines. If it's asked
/// to play a scene, it starts a child and waits.
const CARGO: &str = r#"#!/bin/sh
echo "$@" >> calls
case "$*" in
    *watch*) echo '{"event":"begin"}'; exec sleep 1000;;
    *stubborn*) trap '' TERM; sleep 1000 & echo $! >> children; echo '{"event":"begin"}'; wait;;
    *forsaken*) sh -c 'trap "" TERM; echo $$ >> children; exec sleep 1000' & echo '{"event":"begin"}'; wait;;
    *tidy*) trap 'sleep 0.5; echo up > tidied; exit' TERM; echo $$ >> children; echo '{"event":"begin"}'; while :; do sleep 0.1; done;;
    *orphaned*) sleep 1000 & echo $! >> children; echo '{"event":"begin"}'; exit 0;;
    *silent*) sleep 1000 >&- 2>&- <&- & echo $! >> children; echo '{"event":"begin"}'; exit 0;;
    *endless*) yes '{"event":"line","text":"again"}';;
    *play*) sleep 1000 & echo $! > child; echo '{"event":"begin"}'; wait;;
    *predict*) typed=$(sed 's/.*/"&"/' | paste -sd,); echo "{\"event\":\"predicted\",\"typed\":[$typed]}";;
    *hint*) echo 'it has gone wrong' >&2; exit 3;;
    *) echo '{"event":"list"}';;
esac
"#;

/// A server for a workbook that has one step. A script takes the place of cargo.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) root: TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        Server::start_with(&[])
    }

    pub(crate) fn start_with(options: &[&str]) -> Self {
        Server::start_on(CARGO, options)
    }

    /// Starts the server with a different script as its cargo.
    pub(crate) fn start_on(cargo: &str, options: &[&str]) -> Self {
        Server::start_below("", cargo, options)
    }

    /// Starts the server from a shell, which first runs these commands.
    pub(crate) fn start_ignoring(signals: &str) -> Self {
        Server::start_below(&format!("trap '' {signals}"), CARGO, &[])
    }

    fn start_below(before: &str, cargo: &str, options: &[&str]) -> Self {
        let root = TempDir::new().unwrap();
        let at = |path: &str| root.path().join(path);
        for directory in ["step01_fd", "pages"] {
            fs::create_dir(at(directory)).unwrap();
        }
        fs::write(at("Cargo.toml"), "workspace.members = [\"step01_fd\"]").unwrap();
        fs::write(at("step01_fd/exercises.toml"), "").unwrap();
        fs::write(at("secret.html"), "a secret").unwrap();
        fs::write(at("pages/index.html"), "the index").unwrap();
        fs::write(at("pages/inline_scripts.txt"), "sha256-AAAA=\n").unwrap();
        fs::write(at("cargo"), cargo).unwrap();
        fs::set_permissions(at("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
        // The server obeys its signals, even if the tests run in a script's background or under
        // nohup.
        let mut child = Command::new("env")
            .args([
                "--default-signal=INT,TERM,HUP",
                "sh",
                "-c",
                &format!("{before}\nexec \"$0\" \"$@\""),
            ])
            .arg(env!("CARGO_BIN_EXE_cockpit"))
            .args([root.path(), &at("pages")])
            .args(["--port", "0"])
            .args(options)
            .env("WORKBOOK_COCKPIT_TOKEN", TOKEN)
            .env("CARGO", at("cargo"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_once("http://").unwrap().1.split('/').next().unwrap();
        Server { address: address.parse().unwrap(), child, root }
    }

    /// Sends a request and returns the whole answer.
    pub(crate) fn send(&self, request: &str) -> String {
        let mut stream = self.connect(request);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Sends a request and leaves the answer to the caller.
    pub(crate) fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Returns a GET with these further fields.
    pub(crate) fn get(&self, path: &str, fields: &str) -> String {
        format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{fields}\r\n",
            self.address
        )
    }

    /// Returns a POST with exactly these fields, after its `Host`.
    pub(crate) fn post_with(&self, path: &str, fields: &str, body: &str) -> String {
        let (address, length) = (self.address, body.len());
        format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
             Content-Length: {length}\r\n{fields}\r\n{body}"
        )
    }

    /// Returns a POST in the form that a page of the book sends.
    pub(crate) fn post(&self, path: &str, body: &str) -> String {
        self.post_with(path, &self.own_fields(), body)
    }

    pub(crate) fn own_fields(&self) -> String {
        let address = self.address;
        format!(
            "Origin: http://{address}\r\nSec-Fetch-Site: same-origin\r\nWorkbook-Token: {TOKEN}\r\n"
        )
    }

    /// Returns the commands that the server has started: the arguments of each.
    pub(crate) fn started(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.root.path().join("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    /// Waits until a scene plays and returns the process that its program has started.
    pub(crate) fn playing(&self) -> Pid {
        let file = self.root.path().join("child");
        wait_until(|| fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n')));
        let text = fs::read_to_string(&file).unwrap();
        fs::remove_file(&file).unwrap();
        Pid::from_raw(text.trim().parse().unwrap()).unwrap()
    }

    /// Waits until this many children of commands are running and returns them.
    pub(crate) fn children(&self, count: usize) -> Vec<Pid> {
        let text = || fs::read_to_string(self.root.path().join("children")).unwrap_or_default();
        wait_until(|| text().lines().count() == count && text().ends_with('\n'));
        text().lines().map(|line| Pid::from_raw(line.parse().unwrap()).unwrap()).collect()
    }

    /// Asks the server to exit and waits until it has exited.
    pub(crate) fn end(&mut self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.try_wait().unwrap().is_none() {
            // The test may have failed because the server doesn't hear a signal.
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            let begin = Instant::now();
            while self.child.try_wait().unwrap().is_none() && begin.elapsed() < PATIENCE {
                thread::sleep(Duration::from_millis(10));
            }
            let _ = self.child.kill();
            self.child.wait().unwrap();
        }
    }
}

/// Returns the status code in an answer's first line.
pub(crate) fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|number| number.parse().ok()).expect(answer)
}

/// Waits until a process is gone, or only its status is left.
pub(crate) fn wait_for_the_end_of(process: Pid) {
    let state = format!("/proc/{}/stat", process.as_raw_nonzero());
    wait_until(|| {
        let is_zombie = fs::read_to_string(Path::new(&state)).is_ok_and(|it| it.contains(") Z "));
        is_zombie || test_kill_process(process).is_err()
    });
}

pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    wait_until_within(PATIENCE, is_so);
}

pub(crate) fn wait_until_within(patience: Duration, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < patience, "it never happened");
        thread::sleep(Duration::from_millis(10));
    }
}
