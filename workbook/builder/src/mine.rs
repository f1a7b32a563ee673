//! `-- serve --mine`: the book and the cockpit, on the reader's own loop.
//!
//! In this mode, the cockpit is a separate program, which is built in the notebook. After a lost
//! wake-up, the loop can stop answering while its process is still alive. So a supervisor regularly
//! requests a page from the cockpit. If the loop no longer answers or its process fails, the
//! reference takes over at the same address. The reference also takes over if the reader's layers
//! don't compile, since that's when the reader needs the book most.

use std::io::{BufRead, BufReader, Read, Write, stderr, stdout};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cockpit::web::Ignored;
use cockpit::{CockpitOptions, TOKEN, url};
use judging::workbook::Workbook;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::server;

/// The interval between requests to the loop, the time limit for an answer, and the number of
/// consecutive missed answers after which the reference takes over.
const EVERY: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(3);
const MISSES: u32 = 3;

/// The time limit for the server to exit. This limit is longer than the server's limit for its own
/// programs.
const GRACE: Duration = Duration::from_secs(6);

/// The step that contains the loop.
const LOOP: &str = "step07_full_loop";

/// Builds the cockpit on the reader's layers and serves the pages with it until Ctrl-C.
pub(crate) fn serve(options: CockpitOptions) -> Result<()> {
    let workbook = Workbook::at(options.root.clone())?;
    let (notebook, mut build, whose) = runner::on_your_layers(workbook, "cockpit", "build")?;
    if !build.arg("--quiet").status().context("start cargo")?.success() {
        let why = "Your layers don't compile; the terminal shows why.";
        return go_on_with_the_reference(why, options);
    }
    ensure!(
        notebook.own_layers()?.iter().any(|own| own == LOOP),
        "your page of step 07 isn't under the programs yet. Once it's green, type: cargo run -- use-mine"
    );
    let mut program = Command::new(notebook.dir.join("target/debug/cockpit"));
    program.arg(&options.root).arg(&options.pages);
    program.args(["--port", &options.port.to_string()]).env(TOKEN, &options.token);
    for (name, value) in
        [("--public-origin", &options.public_origin), ("--editor", &options.editor)]
    {
        program.args(value.iter().flat_map(|value| [name, value]));
    }
    let to_end = Arc::new(AtomicBool::new(false));
    let ignored = Ignored::so_far();
    for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !ignored.has(signal)) {
        signal_hook::flag::register(signal, Arc::clone(&to_end))?;
    }
    let announced =
        |address| format!("The book is at {}  ({}; Ctrl-C ends it)", url(address, &options), whose);
    match supervise(program, announced, &to_end)? {
        None => Ok(()),
        Some((address, why)) => go_on_with_the_reference(
            &format!("Your loop {why}."),
            CockpitOptions { port: address.port(), ..options },
        ),
    }
}

/// Serves the pages on the reference and gives the reason in the terminal and on each page.
fn go_on_with_the_reference(why: &str, options: CockpitOptions) -> Result<()> {
    let notice = format!(
        "{why} The reference serves this page in its place, until you start the server again."
    );
    writeln!(stderr(), "{notice}")?;
    server::serve(CockpitOptions { notice: Some(notice), ..options })
}

/// Runs a server until the user asks it to exit or it exits successfully. If the server has to be
/// replaced, returns its address and the reason.
pub(crate) fn supervise(
    mut program: Command,
    announced: impl Fn(SocketAddr) -> String,
    to_end: &AtomicBool,
) -> Result<Option<(SocketAddr, String)>> {
    let mut child = Guard(program.stdout(Stdio::piped()).spawn().context("start your server")?);
    let mut line = String::new();
    let output = child.0.stdout.take().context("its output is a pipe")?;
    BufReader::new(output).read_line(&mut line)?;
    let address = line.split_once("http://").and_then(|(_, rest)| rest.split('/').next());
    let address: SocketAddr =
        address.unwrap_or_default().parse().context("your server didn't start")?;
    writeln!(stdout(), "{}", announced(address))?;
    let mut misses = 0;
    let mut asked = Instant::now();
    loop {
        if to_end.load(Ordering::Relaxed) {
            kill_process(Pid::from_child(&child.0), Signal::TERM)?;
            // A loop that has stopped answering doesn't react to SIGTERM, either. If the process
            // doesn't exit in time, the guard kills it.
            let asked = Instant::now();
            while child.0.try_wait()?.is_none() && asked.elapsed() < GRACE {
                thread::sleep(Duration::from_millis(10));
            }
            return Ok(None);
        }
        if let Some(status) = child.0.try_wait()? {
            // Ctrl-C reaches the server, too, so the server may have exited because of it.
            let is_asked = to_end.load(Ordering::Relaxed) || status.success();
            return Ok((!is_asked).then(|| (address, format!("has ended: {status}"))));
        }
        if asked.elapsed() >= EVERY {
            misses = if answers(address) { 0 } else { misses + 1 };
            asked = Instant::now();
        }
        if misses == MISSES {
            return Ok(Some((address, "doesn't answer any more".to_owned())));
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Requests a page with HEAD and returns true if the server answers.
fn answers(address: SocketAddr) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let head = "HEAD /index.html HTTP/1.1\r\nConnection: close\r\n";
        stream.write_all(format!("{head}Host: {address}\r\n\r\n").as_bytes())?;
        let mut begin = [0; 12];
        stream.read_exact(&mut begin)?;
        Ok(begin.starts_with(b"HTTP/1.1 "))
    };
    ask().unwrap_or(false)
}

/// A child process that's killed when the guard is dropped.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(address: SocketAddr) -> String {
        format!("at {address}")
    }

    fn script(text: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        command
    }

    #[test]
    fn a_server_that_stops_answering_is_replaced_and_one_that_ends_too() {
        // No process listens on port 1.
        let silent = script("echo pages are at http://127.0.0.1:1/; exec sleep 60");
        let (address, why) = supervise(silent, said, &AtomicBool::new(false)).unwrap().unwrap();
        assert_eq!((address.port(), why.as_str()), (1, "doesn't answer any more"));
        let panics = script("echo pages are at http://127.0.0.1:1/; exit 101");
        let (_, why) = supervise(panics, said, &AtomicBool::new(false)).unwrap().unwrap();
        assert_eq!(why, "has ended: exit status: 101");
    }

    #[test]
    fn a_server_that_is_asked_to_end_ends() {
        let server = script("echo pages are at http://127.0.0.1:1/; exec sleep 60");
        assert!(supervise(server, said, &AtomicBool::new(true)).unwrap().is_none());
    }

    #[test]
    fn a_server_that_does_not_hear_that_it_should_end_is_killed() {
        let deaf = script("trap '' TERM; echo pages are at http://127.0.0.1:1/; exec sleep 1000");
        let begin = Instant::now();
        assert!(supervise(deaf, said, &AtomicBool::new(true)).unwrap().is_none());
        assert!(begin.elapsed() < 2 * GRACE, "{:?}", begin.elapsed());
    }

    #[test]
    fn a_server_that_does_not_start_says_so() {
        let error = supervise(script("exit 1"), said, &AtomicBool::new(false)).unwrap_err();
        assert!(error.to_string().contains("didn't start"), "{error}");
    }
}
