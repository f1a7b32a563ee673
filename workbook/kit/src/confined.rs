//! Starts a program that can't do much: with limits, Landlock and a cgroup, from its first
//! instruction on.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Resource, Rlimit, getrlimit};

use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::landlock::Landlock;

/// What a program can't exceed, and neither can any program that it starts.
#[derive(Debug, Default)]
pub struct Confinement {
    /// The resources, each with the most of it: see getrlimit(2). A limit that's lower already
    /// stays.
    pub most: Vec<(Resource, u64)>,
    /// The files that it may open; `None` allows all that its user may.
    pub landlock: Option<Landlock>,
    /// The file `cgroup.procs` of its cgroup, open for writing.
    pub cgroup: Option<OwnedFd>,
}

/// Confines the program that a command starts.
pub fn confine(command: &mut Command, confinement: Confinement) {
    let limits: Vec<(Resource, Rlimit)> = confinement
        .most
        .iter()
        .map(|&(resource, most)| (resource, lowered(resource, most)))
        .collect();
    let apply = move || apply(&confinement, &limits);
    // SAFETY: `apply` runs after a fork in a process with many threads. It makes system calls and
    // nothing else: it neither allocates nor takes a lock.
    unsafe { command.pre_exec(apply) };
}

fn apply(confinement: &Confinement, limits: &[(Resource, Rlimit)]) -> io::Result<()> {
    if let Some(processes) = &confinement.cgroup {
        // 0 is the process that writes: see cgroups(7).
        rustix::io::write(processes, b"0")?;
    }
    for (resource, limit) in limits {
        rustix::process::setrlimit(*resource, *limit)?;
    }
    // Without this, root could do all that no file is needed for, such as a reboot.
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, none)?;
    // Landlock insists on this. It also disarms programs such as sudo.
    rustix::thread::set_no_new_privs(true)?;
    if let Some(landlock) = &confinement.landlock {
        let ruleset = landlock.ruleset().as_raw_fd();
        // SAFETY: takes no pointer.
        let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset, 0) };
        if done == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Returns a limit that's no higher than the present one.
fn lowered(resource: Resource, most: u64) -> Rlimit {
    let now = getrlimit(resource);
    let lower = |now: Option<u64>| Some(now.map_or(most, |now| now.min(most)));
    Rlimit { current: lower(now.current), maximum: lower(now.maximum) }
}
