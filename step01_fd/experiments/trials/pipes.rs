//! Trials of `pipe`: the flags of both ends, and the error if the kernel refuses to make a pipe.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

use kit::cost::within;
use kit::{Observer, Refusal, errno_name, flags, lasting_errnos, while_zero_is_free};
use scene::{Program, Transcript, say, trial};
use step01_fd::pipe;

use super::answer::failure;

/// The kernel's behaviour while a pipe is made.
#[derive(Debug, Clone, Copy)]
enum Kernel {
    /// Its usual behaviour.
    AsUsual,
    /// Descriptor 0 is free, so it's the reading end.
    ZeroIsFree,
    /// It ignores calls that set a flag of a descriptor that exists.
    IgnoresLaterFlags,
    /// It refuses to make a pipe, once.
    Refuses(i32),
}

fn situations() -> impl Iterator<Item = Kernel> {
    let refusals = lasting_errnos().map(Kernel::Refuses);
    let usual = [Kernel::AsUsual, Kernel::ZeroIsFree, Kernel::IgnoresLaterFlags];
    usual.into_iter().chain(refusals).chain([Kernel::AsUsual])
}

trial!(
    new_pipes,
    1,
    "One call makes a pipe with both flags and no others, and an error keeps the kernel's errno."
);
fn new_pipes(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for kernel in program.verbs(situations()) {
        match kernel {
            Kernel::AsUsual => {
                let (made, calls) = observer.calls_of(pipe);
                say!(t, "pipe: {}; system calls: {}", described(made)?, within(calls, 1));
            }
            Kernel::ZeroIsFree => {
                let described = while_zero_is_free(|| described(pipe()))??;
                say!(t, "pipe, when descriptor 0 is free: {described}");
            }
            Kernel::IgnoresLaterFlags => {
                let made = Refusal::all_during(&later_flags(), pipe)?;
                let described = described(made)?;
                say!(t, "pipe, when fcntl(2) and ioctl(2) have no effect: {described}");
            }
            Kernel::Refuses(errno) => {
                let refusal = Refusal { call: libc::SYS_pipe2, argument: None, errno };
                let (made, calls) = observer.refusing(&[refusal], 0, pipe);
                let (name, made, calls) = (errno_name(errno), described(made)?, within(calls, 1));
                say!(t, "pipe, when pipe2 fails once with {name}: {made}; system calls: {calls}");
            }
        }
    }
    Ok(())
}

/// Returns the refusals of the calls that set a flag later.
fn later_flags() -> [Refusal; 2] {
    [libc::SYS_fcntl, libc::SYS_ioctl].map(|call| Refusal { call, argument: None, errno: 0 })
}

/// Describes a new pipe: the flags of its ends, and whether bytes get from one end to the other.
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
