//! Starts a program that can't do much: with limits, Landlock and a cgroup, from its first
//! instruction on.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Gid, Resource, Rlimit, Uid, getrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set,
    set_keep_capabilities, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

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
    /// The user that it's run as, if not ours; see [`can_change_user`]. The program can open the
    /// files that root can, but the kernel limits its processes, as it never does for root.
    pub user: Option<u32>,
}

/// Returns true if we can start programs as another user, and still watch and end them.
pub fn can_change_user() -> bool {
    let needed = CapabilitySet::SETUID
        | CapabilitySet::SETGID
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::KILL
        | CapabilitySet::SYS_PTRACE;
    capabilities(None).is_ok_and(|sets| sets.effective.contains(needed))
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
    let kept = match confinement.user {
        Some(user) => become_user(user)?,
        None => CapabilitySet::empty(),
    };
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: kept };
    rustix::thread::set_capabilities(None, sets)?;
    if !kept.is_empty() {
        // Another user's program has only these capabilities left after exec: see capabilities(7).
        configure_capability_in_ambient_set(kept, true)?;
    }
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

/// Returns the capability that the user needs. The program and its files can be in root's home.
fn become_user(user: u32) -> io::Result<CapabilitySet> {
    let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
    set_thread_groups(&[])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_keep_capabilities(true)?;
    set_thread_res_uid(uid, uid, uid)?;
    Ok(CapabilitySet::DAC_OVERRIDE)
}

/// Returns a limit that's no higher than the present one.
fn lowered(resource: Resource, most: u64) -> Rlimit {
    let now = getrlimit(resource);
    let lower = |now: Option<u64>| Some(now.map_or(most, |now| now.min(most)));
    Rlimit { current: lower(now.current), maximum: lower(now.maximum) }
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, Signal, kill_process_group};

    use super::*;

    #[test]
    fn the_processes_of_a_user_of_its_own_are_limited_even_if_root_starts_them() {
        if !can_change_user() {
            eprintln!("this takes root's capabilities, so there's nothing to test");
            return;
        }
        let mut command = Command::new("sh");
        command.args(["-c", "for i in $(seq 40); do sleep 1000 & done 2> /dev/null"]);
        command.process_group(0);
        let most = vec![(Resource::Nproc, 20)];
        confine(&mut command, Confinement { most, user: Some(61_000), ..Confinement::default() });
        let mut shell = command.spawn().expect("start a shell");
        let group = Pid::from_child(&shell);
        let status = shell.wait().expect("wait for it");
        let _ = kill_process_group(group, Signal::KILL);
        assert!(!status.success(), "it started all of them");
    }
}
