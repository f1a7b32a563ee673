//! Trials of `pipe`: its flags, and what happens when the kernel makes none.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

use kit::{Refusal, flags};
use scene::{Program, Transcript, say, trial};
use step01_fd::pipe;

use super::answer::{failure, name};

/// What the kernel does while a pipe is made.
#[derive(Debug, Clone, Copy)]
enum Kernel {
    /// What it always does.
    AsUsual,
    /// It ignores calls that set close-on-exec on a descriptor that exists.
    IgnoresLaterFlags,
    /// It refuses to make a pipe.
    Refuses(i32),
}

const SITUATIONS: &[Kernel] = &[
    Kernel::AsUsual,
    Kernel::IgnoresLaterFlags,
    Kernel::Refuses(libc::EMFILE),
    Kernel::Refuses(libc::ENFILE),
    Kernel::AsUsual,
];

trial!(
    new_pipes,
    1,
    "A pipe has its flags from the start and no others, and an error comes back as it is."
);
fn new_pipes(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for kernel in program.verbs(SITUATIONS.iter().copied()) {
        match kernel {
            Kernel::AsUsual => say!(t, "pipe: {}", described(pipe())?),
            Kernel::IgnoresLaterFlags => {
                let made = Refusal::all_during(&later_flags(), pipe)?;
                let described = described(made)?;
                say!(t, "pipe, while F_SETFD and FIOCLEX have no effect: {described}");
            }
            Kernel::Refuses(errno) => {
                let refusal = Refusal { call: libc::SYS_pipe2, argument: None, errno };
                let described = described(refusal.during(pipe)?)?;
                say!(t, "pipe, while pipe2 fails with {}: {described}", name(errno));
            }
        }
    }
    Ok(())
}

/// Returns the ways to set close-on-exec later.
fn later_flags() -> [Refusal; 2] {
    let set = |call, command| Refusal { call, argument: Some((1, command)), errno: 0 };
    [
        set(libc::SYS_fcntl, libc::F_SETFD.unsigned_abs()),
        set(libc::SYS_ioctl, u32::try_from(libc::FIOCLEX).unwrap_or_default()),
    ]
}

/// Describes a new pipe: the flags of its ends, and whether bytes get from one to the other.
pub(crate) fn described(made: io::Result<(OwnedFd, OwnedFd)>) -> anyhow::Result<String> {
    let (reader, writer) = match made {
        Ok(ends) => ends,
        Err(error) => return Ok(failure(&error)),
    };
    let (of_reader, of_writer) = (flags(&reader)?, flags(&writer)?);
    let passes = if passes_bytes_on(reader, writer) { "bytes pass" } else { "bytes don't pass" };
    Ok(format!("{passes}\n  pipe.r is {of_reader}\n  pipe.w is {of_writer}"))
}

fn passes_bytes_on(reader: OwnedFd, writer: OwnedFd) -> bool {
    let written = File::from(writer).write_all(b"hello");
    let mut bytes = Vec::new();
    let read = File::from(reader).read_to_end(&mut bytes);
    written.is_ok() && read.is_ok() && bytes == b"hello"
}
