//! Tests the examples as a user meets them: as running programs with sockets. If curl or openssl is
//! installed, the tests use it as well.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::Once;
use std::time::Duration;
use std::{env, fs, thread};

use rustix::process::{Pid, Signal, kill_process};
use tungstenite::{Message, WebSocket, client};

/// A running example. Dropping this value kills the program.
struct Program {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start(name: &str, arguments: &[&str]) -> Program {
        let mut command = kit::as_in_a_terminal(example(name));
        let mut child = command.args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Program { child, output }
    }

    /// Starts a server on a free port and returns the addresses that it prints.
    fn serve(name: &str, arguments: &[&str]) -> (Program, Vec<String>) {
        let mut program = Program::start(name, &[&["0"], arguments].concat());
        let mut line = String::new();
        program.output.read_line(&mut line).unwrap();
        let addresses = line.split_whitespace().filter_map(|word| word.split_once("://"));
        let addresses = addresses.map(|(_, rest)| rest.trim_end_matches('/').to_owned()).collect();
        (program, addresses)
    }

    fn interrupt(&self) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::INT).unwrap();
    }

    fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the path of an example after building it: `cargo test --test` doesn't build examples.
fn example(name: &str) -> PathBuf {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let mut cargo = Command::new(env!("CARGO"));
        let cargo = cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        assert!(cargo.args(["build", "--quiet", "--examples"]).status().unwrap().success());
    });
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    profile.join("examples").join(name)
}

/// Runs a tool with these arguments. Prints a message and returns `None` if the tool isn't
/// installed.
fn tool(name: &str, arguments: &[&str], input: &str) -> Option<Output> {
    let mut command = Command::new(name);
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = command.stderr(Stdio::piped()).spawn() else {
        eprintln!("skipped: there's no {name} here");
        return None;
    };
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Some(child.wait_with_output().unwrap())
}

/// Sends a request and returns everything that arrives until the server closes the connection.
fn ask(address: &str, request: &str) -> String {
    let mut stream = connect(address);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n")
}

fn post(text: &str) -> String {
    let body = format!("{{\"text\":{text:?}}}");
    format!(
        "POST /news HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Reads until the received bytes contain `expected`.
fn read_until(stream: &mut TcpStream, expected: &str) -> String {
    let (mut all, mut buffer) = (Vec::new(), [0; 1024]);
    loop {
        let text = String::from_utf8_lossy(&all).into_owned();
        if text.contains(expected) {
            return text;
        }
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "the end came before {expected:?}: {text}");
        all.extend_from_slice(&buffer[..count]);
    }
}

#[test]
fn axum_takes_json_and_gives_json() {
    let (_program, addresses) = Program::serve("news", &[]);
    let made = ask(&addresses[0], &post("hello"));
    assert!(made.starts_with("HTTP/1.1 201 Created\r\n"), "{made}");
    assert!(made.ends_with(r#"{"number":1,"text":"hello"}"#), "{made}");
    let listed = ask(&addresses[0], &get("/news"));
    assert!(listed.ends_with(r#"[{"number":1,"text":"hello"}]"#), "{listed}");
    let refused = ask(&addresses[0], &post("x").replace("application/json", "text/plain"));
    assert!(refused.starts_with("HTTP/1.1 415 "), "{refused}");
    let missing = ask(&addresses[0], &get("/nothing"));
    assert!(missing.starts_with("HTTP/1.1 404 "), "{missing}");
    let url = format!("http://{}/news", addresses[0]);
    if let Some(output) = tool("curl", &["-s", &url], "") {
        assert_eq!(String::from_utf8_lossy(&output.stdout), r#"[{"number":1,"text":"hello"}]"#);
    }
}

#[test]
fn what_one_client_publishes_the_others_get_as_events() {
    let (_program, addresses) = Program::serve("news", &[]);
    let mut listeners = [(); 3].map(|()| connect(&addresses[0]));
    for listener in &mut listeners {
        listener.write_all(b"GET /events HTTP/1.1\r\nhost: here\r\n\r\n").unwrap();
        let head = read_until(listener, "\r\n\r\n");
        assert!(head.contains("content-type: text/event-stream\r\n"), "{head}");
    }
    ask(&addresses[0], &post("rain"));
    for listener in &mut listeners {
        read_until(listener, "data: {\"number\":1,\"text\":\"rain\"}\n\n");
    }
}

#[test]
fn handlers_sleep_on_the_loop_in_both_ways() {
    let (_program, addresses) = Program::serve("news", &[]);
    let slept = ask(&addresses[0], &get("/sleep/5"));
    assert!(slept.ends_with("the handler has slept\n"), "{slept}");
    let slept = ask(&addresses[0], &get("/errand/5"));
    assert!(slept.ends_with("a task of the loop has slept\n"), "{slept}");
}

#[test]
fn ctrl_c_lets_a_request_end_and_closes_the_rest() {
    let (mut program, addresses) = Program::serve("news", &[]);
    let mut idle = connect(&addresses[0]);
    idle.write_all(b"GET /news HTTP/1.1\r\nhost: here\r\n\r\n").unwrap();
    read_until(&mut idle, "[]");
    let mut slow = connect(&addresses[0]);
    slow.write_all(b"GET /sleep/600 HTTP/1.1\r\nhost: here\r\n\r\n").unwrap();
    thread::sleep(Duration::from_millis(200));
    program.interrupt();
    let mut rest = String::new();
    idle.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "it's closed at once");
    slow.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("the handler has slept\n"), "{rest}");
    assert!(rest.contains("connection: close\r\n"), "{rest}");
    assert_eq!(program.wait().code(), Some(130));
    assert!(TcpStream::connect(&addresses[0]).is_err(), "the port is closed");
}

#[test]
fn a_hyper_client_fetches_from_it() {
    let (_program, addresses) = Program::serve("news", &[]);
    let url = addresses[0].replace("127.0.0.1", "localhost");
    let output = Command::new(example("fetch")).args([&url, "/news"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "200 OK\n[]", "{output:?}");
    let mut program = Program::start("fetch", &[&addresses[0], "/events"]);
    let mut line = String::new();
    program.output.read_line(&mut line).unwrap();
    ask(&addresses[0], &post("snow"));
    program.output.read_line(&mut line).unwrap();
    assert_eq!(line, "200 OK\ndata: {\"number\":1,\"text\":\"snow\"}\n");
    program.interrupt();
    assert_eq!(program.wait().code(), Some(130), "in the middle of a response");
}

#[test]
fn https_with_a_client_on_the_loop_with_curl_and_with_openssl() {
    let file = env::temp_dir().join(format!("ecosystem-{}.pem", std::process::id()));
    let file_name = file.to_str().unwrap();
    let (_program, addresses) = Program::serve("tls", &[file_name]);
    let (_, port) = addresses[0].split_once(':').unwrap();
    let output = Command::new(example("tls")).args([port, file_name, "get"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("HTTP/1.1 200 OK") && text.ends_with("hello, in secret\n"), "{text}");
    let url = format!("https://localhost:{port}/");
    if let Some(output) = tool("curl", &["-sS", "--cacert", file_name, &url], "") {
        assert_eq!(output.stdout, b"hello, in secret\n", "{output:?}");
        let refused = tool("curl", &["-sS", &url], "").unwrap();
        assert!(!refused.status.success(), "nobody else has signed it");
    }
    let arguments =
        ["s_client", "-quiet", "-verify_return_error", "-CAfile", file_name, "-connect"];
    let arguments = [&arguments[..], &[addresses[0].as_str()]].concat();
    if let Some(output) = tool("openssl", &arguments, &get("/")) {
        assert!(output.stdout.ends_with(b"hello, in secret\n"), "{output:?}");
    }
    // Bytes that aren't TLS end only their own connection.
    assert!(!ask_bytes(&addresses[0], b"GET / HTTP/1.1\r\n\r\n").starts_with(b"HTTP"));
    let output = Command::new(example("tls")).args([port, file_name, "get"]).output().unwrap();
    assert!(output.status.success());
    fs::remove_file(file).unwrap();
}

fn ask_bytes(address: &str, request: &[u8]) -> Vec<u8> {
    let mut stream = connect(address);
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

/// Joins the chat, and returns once the server has sent the new member's own message back.
fn join(address: &str, name: &str) -> WebSocket<TcpStream> {
    let (mut socket, _) = client(format!("ws://{address}/"), connect(address)).unwrap();
    socket.send(Message::text(name)).unwrap();
    assert_eq!(hear(&mut socket), name);
    socket
}

fn hear(socket: &mut WebSocket<TcpStream>) -> String {
    socket.read().unwrap().into_text().unwrap().to_string()
}

#[test]
fn members_of_the_chat_hear_each_other_until_they_leave() {
    let (mut program, addresses) = Program::serve("chat", &[]);
    let page = ask(&addresses[0], &get("/"));
    assert!(page.contains(&format!("new WebSocket(\"ws://{}/\")", addresses[1])), "{page}");
    let mut ann = join(&addresses[1], "Ann");
    let mut bob = join(&addresses[1], "Bob");
    assert_eq!(hear(&mut ann), "Bob");
    ann.send(Message::text("hello")).unwrap();
    assert_eq!(hear(&mut bob), "hello");
    assert_eq!(hear(&mut ann), "hello");
    bob.close(None).unwrap();
    while bob.read().is_ok() {}
    drop(bob);
    // This client doesn't speak WebSocket at all, and the others don't notice.
    ask_bytes(&addresses[1], b"nonsense\r\n\r\n");
    ann.send(Message::text("x".repeat(100_000))).unwrap();
    assert_eq!(hear(&mut ann).len(), 100_000);
    program.interrupt();
    assert_eq!(program.wait().code(), Some(130));
}

#[test]
fn a_member_who_does_not_read_keeps_nobody_waiting() {
    let (_program, addresses) = Program::serve("chat", &[]);
    let _sleepy = join(&addresses[1], "sleepy");
    let mut ann = join(&addresses[1], "Ann");
    for _ in 0..200 {
        ann.send(Message::text("x".repeat(100_000))).unwrap();
        assert_eq!(hear(&mut ann).len(), 100_000);
    }
}

#[test]
fn the_combinators_run_next_to_the_loops_own_tasks() {
    let output = Command::new(example("combinators")).output().unwrap();
    let expected = "select!: the short sleep, Ok(())\n\
                    FuturesUnordered: [20, 40, 60]\n\
                    async-channel: [1, 2, 3, 4, 5]\n\
                    Stream: [\"ONE\", \"THREE\", \"TWO\"]\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

/// hyper uses one of tokio's channels, which needs no runtime. No part of tokio's runtime, reactor
/// or timers is compiled, and axum is built without its feature `tokio`.
#[test]
fn no_part_of_tokio_is_compiled_but_its_channels() {
    let tree = |package: &str| {
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["tree", "--offline", "--locked"]);
        command.args(["--edges", "normal,dev,features", "--format", "{p} [{f}]"]);
        let output = command.args(["--package", "ecosystem", "--invert", package]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let tokio = tree("tokio");
    for feature in ["rt", "net", "time", "macros", "fs", "process", "signal"] {
        let line = format!("tokio feature \"{feature}\"");
        assert!(!tokio.contains(&line), "{tokio}");
    }
    assert!(tokio.contains("tokio feature \"sync\""), "{tokio}");
    let axum = tree("axum");
    assert!(axum.contains("axum feature \"json\""), "{axum}");
    assert!(!axum.contains("axum feature \"tokio\""), "{axum}");
}
