//! What a child process gets from us, wanted or not.

use std::io::{BufRead, BufReader};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{pipe, read};

use kit::objects::own;

scene!(inherited_by_a_child, "A pipe's writer is closed. Why does its reader not see the end?");
/// `dup(2)` leaves close-on-exec out, so the duplicate passes to the child. And a pipe comes to its
/// end when its last writer is gone, whichever process holds it.
fn inherited_by_a_child(t: Transcript) -> anyhow::Result<()> {
    say!(t, "pipe.w, as we made it");
    let (reader, writer) = pipe()?;
    outlive(t, &reader, writer)?;

    say!(t, "pipe.w, a dup of it");
    let (reader, writer) = pipe()?;
    // SAFETY: dup takes a number and touches no memory of ours.
    let duplicate = own("dup", unsafe { libc::dup(writer.as_raw_fd()) })?;
    drop(writer);
    outlive(t, &reader, duplicate)
}

/// Starts a child, closes our writer, and asks the pipe whether more may come.
fn outlive(t: Transcript, reader: &OwnedFd, writer: OwnedFd) -> anyhow::Result<()> {
    let (mut child, stdin, has_it) = start_child(&writer)?;
    say!(t, "  the child has it: {has_it}");
    drop(writer);
    say!(t, "  we closed ours:   {:?}", read(reader, &mut [0; 16])?);
    drop(stdin);
    child.wait()?;
    say!(t, "  the child ended:  {:?}", read(reader, &mut [0; 16])?);
    Ok(())
}

/// A child that tells whether it has the number, and then lives until its input ends. Once it has
/// told, it has certainly begun its own program.
fn start_child(writer: &OwnedFd) -> anyhow::Result<(Child, ChildStdin, String)> {
    let script = r#"[ -e "/proc/self/fd/$0" ] && echo yes || echo no; read end"#;
    let number = writer.as_raw_fd().to_string();
    let mut child = Command::new("sh")
        .args(["-c", script, &number])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("start sh")?;
    let stdin = child.stdin.take().context("no input")?;
    let mut answer = String::new();
    BufReader::new(child.stdout.take().context("no output")?).read_line(&mut answer)?;
    Ok((child, stdin, answer.trim().to_string()))
}

scene!(sigpipe, "Nobody reads what a program prints. How does it learn of it?");
/// Two children write to a pipe that nobody reads. SIGPIPE ends the one; the other ignores it, and
/// is told by an error as we were. Then it is up to the program what it makes of the error.
fn sigpipe(t: Transcript) -> anyhow::Result<()> {
    say!(t, "SIGPIPE as it comes: {}", write_to_nobody("echo hello; exit 7")?);
    say!(t, "SIGPIPE ignored:     {}", write_to_nobody("trap '' PIPE; echo hello; exit 7")?);
    Ok(())
}

/// How a shell ends whose output nobody can read. std gives every child the default SIGPIPE back.
fn write_to_nobody(script: &str) -> anyhow::Result<String> {
    let (reader, writer) = pipe()?;
    drop(reader);
    let mut child = Command::new("sh");
    child.args(["-c", script]).stdout(writer).stderr(Stdio::null());
    let status = child.status().context("start sh")?;
    Ok(match (status.signal(), status.code()) {
        (Some(libc::SIGPIPE), _) => "ended by the signal".to_string(),
        (_, Some(7)) => "went on to its last line".to_string(),
        _ => status.to_string(),
    })
}
