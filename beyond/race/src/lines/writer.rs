//! The other end of the socket: a process that writes lines in large pieces. It's another instance
//! of this program.

use std::fs::File;
use std::io::{Write, stdout};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// The number of bytes to write at once, rounded down to whole lines.
const PIECE: u64 = 64 * 1024;

/// A process that writes lines.
pub(crate) struct Writer {
    process: Child,
}

impl Writer {
    /// Starts a process that writes `lines` lines of `length` bytes each. Returns the socket on
    /// which the lines arrive.
    pub(crate) fn start(length: u64, lines: u64) -> Result<(Self, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--writer").args([length, lines].map(|it| it.to_string()));
        command.stdin(Stdio::null()).stdout(OwnedFd::from(theirs));
        Ok((Writer { process: command.spawn().context("start the writer")? }, ours))
    }

    /// Waits for the process to exit.
    pub(crate) fn wait(mut self) -> Result<()> {
        ensure!(self.process.wait()?.success(), "the writer failed");
        Ok(())
    }
}

/// Writes the lines if this process was started as the writer: `--writer LENGTH LINES`.
pub(crate) fn in_this_process() -> Option<Result<()>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (option, numbers) = arguments.split_first()?;
    (option == "--writer").then(|| write_all(numbers))
}

fn write_all(numbers: &[String]) -> Result<()> {
    let [length, lines] = numbers else { bail!("--writer LENGTH LINES") };
    let (length, mut lines) = (length.parse::<u64>()?, lines.parse::<u64>()?);
    let at_once = (PIECE / length).max(1);
    let line = "x".repeat(usize::try_from(length)? - 1) + "\n";
    let piece = line.repeat(usize::try_from(at_once)?);
    // Bypass standard output's buffer.
    let mut socket = File::from(stdout().as_fd().try_clone_to_owned()?);
    while lines > 0 {
        let count = at_once.min(lines);
        socket.write_all(&piece.as_bytes()[..usize::try_from(count * length)?])?;
        lines -= count;
    }
    Ok(())
}
