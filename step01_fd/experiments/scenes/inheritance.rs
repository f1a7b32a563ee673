//! Which descriptors a child process inherits.

use std::io::{BufRead, BufReader};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{pipe, read};

use kit::objects::own;

scene!(
    inherited_by_a_child,
    "A program starts a child and then closes a pipe's writing end. Does the reader see the end?"
);
/// Starts a child twice: with the writing end as the layer makes it, and with a duplicate of that
/// end, to which `dup(2)` doesn't copy close-on-exec.
fn inherited_by_a_child(t: Transcript) -> anyhow::Result<()> {
    say!(t, "pipe.w itself");
    let (reader, writer) = pipe()?;
    close_beside_a_child(t, &reader, writer)?;

    say!(t, "a dup of pipe.w");
    let (reader, writer) = pipe()?;
    // SAFETY: dup takes an integer and touches no memory of ours.
    let duplicate = own("dup", unsafe { libc::dup(writer.as_raw_fd()) })?;
    drop(writer);
    close_beside_a_child(t, &reader, duplicate)
}

/// Starts a child, closes our writing end, and reads while the child runs and after it has ended.
fn close_beside_a_child(t: Transcript, reader: &OwnedFd, writer: OwnedFd) -> anyhow::Result<()> {
    let (mut child, stdin, has_it) = start_child(&writer)?;
    say!(t, "  the child has it open:    {}", has_it);
    drop(writer);
    say!(t, "  we close ours, then read: {:?}", read(reader, &mut [0; 16])?);
    drop(stdin);
    child.wait()?;
    say!(t, "  the child ends, we read:  {:?}", read(reader, &mut [0; 16])?);
    Ok(())
}

/// Starts a child that prints whether it has the descriptor and then runs until its input ends.
/// Its output proves that execve has happened.
fn start_child(writer: &OwnedFd) -> anyhow::Result<(Child, ChildStdin, String)> {
    let script = r#"[ -e "/proc/self/fd/$0" ] && echo yes || echo no; read end"#;
    let fd = writer.as_raw_fd().to_string();
    let mut child = Command::new("sh")
        .args(["-c", script, &fd])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("start sh")?;
    let stdin = child.stdin.take().context("no input")?;
    let mut answer = String::new();
    BufReader::new(child.stdout.take().context("no output")?).read_line(&mut answer)?;
    Ok((child, stdin, answer.trim().to_string()))
}
