//! A server in a separate process, which reports the resources it uses.

use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

use asyncio::{Error, Result};
use rustix::time::{ClockId, clock_gettime};

use crate::{on_tokio, on_your_loop};

/// A running server. Dropping this value kills the server.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

/// The resources that a process has used so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used {
    pub(crate) processor: Duration,
    pub(crate) kilobytes: u64,
}

impl Server {
    /// Starts the named server with this argument and with additional environment variables.
    pub(crate) fn start(name: &str, argument: &str, variables: &[(&str, &str)]) -> Result<Server> {
        let mut command = Command::new(env::current_exe()?);
        command.envs(variables.iter().copied());
        command.args(["serve", name, argument]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let input = child.stdin.take().expect("it's piped");
        let mut output = BufReader::new(child.stdout.take().expect("it's piped"));
        let mut line = String::new();
        output.read_line(&mut line)?;
        let address = line.trim().parse().map_err(Error::other)?;
        Ok(Server { child, input, output, address })
    }

    pub(crate) fn used(&mut self) -> Result<Used> {
        self.input.write_all(b"?\n")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
        let (Some(nanoseconds), Some(kilobytes)) = (numbers.next(), numbers.next()) else {
            return Err(Error::other("the server has ended"));
        };
        Ok(Used { processor: Duration::from_nanos(nanoseconds), kilobytes })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs in the child process: serves until the parent has ended.
pub(crate) fn serve(name: &str, argument: &str) -> Result<()> {
    thread::spawn(|| {
        for _ in stdin().lines() {
            let now = clock_gettime(ClockId::ProcessCPUTime);
            let nanoseconds = now.tv_sec * 1_000_000_000 + now.tv_nsec;
            let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
            let kilobytes = line.and_then(|line| line.split_whitespace().next()).unwrap_or("0");
            println!("{nanoseconds} {kilobytes}");
        }
        std::process::exit(0);
    });
    // Some handlers panic on purpose, and printing a backtrace takes longer than an answer.
    std::panic::set_hook(Box::new(|_| ()));
    match name {
        "loop" => on_your_loop::serve(argument),
        "tokio" => on_tokio::serve(argument),
        "files" => on_your_loop::serve_files(argument),
        other => Err(Error::other(format!("no server {other}"))),
    }
}

/// Reports the server's address to the parent.
pub(crate) fn listening(address: SocketAddr) -> Result<()> {
    println!("{address}");
    Ok(stdout().flush()?)
}
