//! A server in a separate process, which exits when its parent does.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// A running server. Dropping this value kills the server.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts one of the servers: `loop` or `tokio`.
    pub(crate) fn start(name: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_compare"));
        command.args(["serve", name]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program is there");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("it's piped");
        BufReader::new(output).read_line(&mut line).expect("its address");
        Server { child, address: line.trim().parse().expect("an address") }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
