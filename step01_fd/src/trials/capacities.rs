//! Trials of `pipe_with_capacity`: how much a pipe of a size holds, and what an error leaves open.

use std::os::fd::{AsFd, AsRawFd};

use kit::Refusal;
use scene::{Program, Transcript, say, trial};
use step01_fd::{check, pipe_with_capacity};

use super::answer::name;
use super::pipes::described;
use crate::scenes::page_size;

/// A capacity to ask for, and a call that the kernel refuses, if any.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Make { bytes: u32 },
    Refused { call: &'static str, errno: i32 },
}

/// What can be asked for: numbers of pages more or less than a pipe has, next to powers of two, and
/// more than any pipe can hold.
fn verbs() -> anyhow::Result<Vec<Verb>> {
    let page = u32::try_from(page_size()?)?;
    let sizes = [
        0,
        1,
        page - 1,
        page,
        page + 1,
        2 * page - 1,
        2 * page,
        2 * page + 1,
        65_535,
        65_536,
        65_537,
        100_000,
        1 << 20,
        (1 << 31) + 1,
        u32::MAX - 1,
        u32::MAX,
    ];
    let refused = [
        ("F_SETPIPE_SZ", libc::EPERM),
        ("F_SETPIPE_SZ", libc::EBUSY),
        ("F_SETPIPE_SZ", libc::ENOMEM),
        ("pipe2", libc::EMFILE),
    ];
    let refused = refused.map(|(call, errno)| Verb::Refused { call, errno });
    Ok(refused.into_iter().chain(sizes.map(|bytes| Verb::Make { bytes })).collect())
}

trial!(
    pipes_of_every_capacity,
    1,
    "A pipe has the room that was asked for, rounded up, and the flags of any other pipe."
);
fn pipes_of_every_capacity(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for verb in program.verbs(verbs()?) {
        match verb {
            Verb::Make { bytes } => {
                let made = pipe_with_capacity(bytes);
                let room = match &made {
                    Ok((_, writer)) => format!("room for {} bytes, ", room_of(writer)?),
                    Err(_) => String::new(),
                };
                say!(t, "pipe_with_capacity({bytes}): {room}{}", described(made)?);
            }
            Verb::Refused { call, errno } => {
                let pipe = described(refusal(call, errno).during(|| pipe_with_capacity(8192))?)?;
                let name = name(errno);
                say!(t, "pipe_with_capacity(8192), while {call} fails with {name}: {pipe}");
            }
        }
    }
    Ok(())
}

fn refusal(call: &str, errno: i32) -> Refusal {
    if call == "pipe2" {
        return Refusal { call: libc::SYS_pipe2, argument: None, errno };
    }
    let command = libc::F_SETPIPE_SZ.unsigned_abs();
    Refusal { call: libc::SYS_fcntl, argument: Some((1, command)), errno }
}

fn room_of(fd: impl AsFd) -> anyhow::Result<i32> {
    // SAFETY: F_GETPIPE_SZ takes no argument and touches no memory of ours.
    let room = unsafe { libc::fcntl(fd.as_fd().as_raw_fd(), libc::F_GETPIPE_SZ) };
    Ok(check(room, || "fcntl F_GETPIPE_SZ".to_owned())?)
}
