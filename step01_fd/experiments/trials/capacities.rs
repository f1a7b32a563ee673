//! Trials of `pipe_with_capacity`: the room in a pipe of each size, and the descriptors that an
//! error leaves open.

use std::os::fd::{AsFd, AsRawFd};

use kit::{Observer, Refusal, errno_name, lasting_errnos};
use scene::{Program, Transcript, say, trial};
use step01_fd::{check, pipe_with_capacity};

use super::pipes::described;
use crate::scenes::page_size;

/// A capacity to ask for, or a call that the kernel refuses once.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Make { bytes: u32 },
    Refused { call: &'static str, errno: i32 },
}

/// The largest capacity that any user can ask for, by default.
const LARGEST: u32 = 1 << 20;

/// Returns capacities to ask for: more and fewer pages than a new pipe has, each power of two and
/// its neighbours, and more than any pipe can hold.
fn verbs() -> anyhow::Result<Vec<Verb>> {
    let page = u32::try_from(page_size()?)?;
    let others = [0, 3 * page, 3 * page + 1, 100_000, 1_000_000];
    let impossible = [(1 << 31) + 1, u32::MAX - 1, u32::MAX];
    let sizes = others.into_iter().chain(at_powers_of_two(LARGEST)).chain(impossible);
    let refused = lasting_errnos()
        .flat_map(|errno| ["F_SETPIPE_SZ", "pipe2"].map(|call| Verb::Refused { call, errno }));
    Ok(refused.chain(sizes.map(|bytes| Verb::Make { bytes })).collect())
}

/// Returns the powers of two up to `largest` with their neighbours.
fn at_powers_of_two(largest: u32) -> impl Iterator<Item = u32> {
    let powers = (0..u32::BITS).map(|bit| 1 << bit).take_while(move |&power| power <= largest);
    let beside = powers.flat_map(|power: u32| [power - 1, power, power + 1]);
    beside.filter(move |&bytes| bytes <= largest)
}

trial!(
    pipes_of_every_capacity,
    1,
    "A pipe has the capacity that was asked for, rounded up, and the same flags as other pipes."
);
fn pipes_of_every_capacity(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
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
                let refusals = [refusal(call, errno)];
                let (made, _) = observer.refusing(&refusals, 0, || pipe_with_capacity(8192));
                let (name, pipe) = (errno_name(errno), described(made)?);
                say!(t, "pipe_with_capacity(8192), when {call} fails once with {name}: {pipe}");
            }
        }
    }
    Ok(())
}

trial!(
    no_capacity_goes_unasked,
    1,
    "A pipe's default capacity varies, so pipe_with_capacity always asks the kernel for the given capacity."
);
fn no_capacity_goes_unasked(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let sizes = program.verbs([0].into_iter().chain(at_powers_of_two(1 << 30)));
    let make = || sizes.into_iter().map(|bytes| (bytes, pipe_with_capacity(bytes))).collect();
    let answers: Vec<_> = Refusal::all_during(&no_resizing(), make)?;
    for (bytes, made) in answers {
        let pipe = described(made)?;
        say!(t, "pipe_with_capacity({bytes}), when no pipe can be resized: {pipe}");
    }
    Ok(())
}

/// Returns the refusal to make any pipe, or to set a capacity of 8,192 bytes; the kernel would
/// accept any other capacity.
fn refusal(call: &str, errno: i32) -> Refusal {
    if call == "pipe2" {
        return Refusal { call: libc::SYS_pipe2, argument: None, errno };
    }
    Refusal { call: libc::SYS_fcntl, argument: Some((2, 8192)), errno }
}

/// Returns the refusals that keep every pipe from being resized or asked for its capacity.
fn no_resizing() -> [Refusal; 2] {
    let errno = libc::EPERM;
    let commands = [libc::F_SETPIPE_SZ, libc::F_GETPIPE_SZ].map(libc::c_int::unsigned_abs);
    let refuse = |command| Refusal { call: libc::SYS_fcntl, argument: Some((1, command)), errno };
    commands.map(refuse)
}

fn room_of(fd: impl AsFd) -> anyhow::Result<i32> {
    // SAFETY: F_GETPIPE_SZ takes no argument and touches no memory of ours.
    let room = unsafe { libc::fcntl(fd.as_fd().as_raw_fd(), libc::F_GETPIPE_SZ) };
    Ok(check(room, || "fcntl F_GETPIPE_SZ".to_owned())?)
}
