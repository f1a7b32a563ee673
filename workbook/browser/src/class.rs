//! The class's server for a test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, ensure};

use crate::{book, forget_cargo};

/// A server, which is killed when this value is dropped.
pub struct Class {
    child: Child,
    /// The address for students, with the code after the `#`.
    pub students: String,
    /// The teacher's address, with the token after the `#`.
    pub teacher: String,
}

impl Class {
    /// Starts the server on 127.0.0.1. The server keeps its state in the file `state`. With port 0,
    /// the kernel chooses a free port.
    pub fn start(state: &Path, port: u16) -> Result<Self> {
        let program = book()?.join("../debug/book");
        ensure!(program.exists(), "build the book first: cargo run -p book");
        let mut command = Command::new(program);
        command.args(["class", "--address", &format!("127.0.0.1:{port}"), "--state"]).arg(state);
        command.stdout(Stdio::piped());
        forget_cargo(&mut command);
        let mut child = command.spawn()?;
        let mut output = BufReader::new(child.stdout.take().context("a pipe")?);
        let mut printed = |before: &str| -> Result<String> {
            let mut line = String::new();
            while output.read_line(&mut line)? > 0 {
                if let Some(rest) = line.strip_prefix(before) {
                    return Ok(rest.trim().to_owned());
                }
                line.clear();
            }
            anyhow::bail!("the server hasn't printed a line with {before:?}")
        };
        let (students, teacher) = (printed("Students open")?, printed("You open")?);
        // Continue to read, because the server continues to print.
        thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        Ok(Class { child, students, teacher })
    }

    /// Returns the port that the server listens on.
    pub fn port(&self) -> Result<u16> {
        let (_, port) =
            self.students.split('/').nth(2).and_then(|it| it.split_once(':')).context("a port")?;
        Ok(port.parse()?)
    }

    /// Kills the server without giving it a chance to write anything.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Class {
    fn drop(&mut self) {
        // The server may have exited by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
