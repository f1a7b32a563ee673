//! A cgroup for each run in a sandbox, if the machine lets us create a cgroup with limits; see
//! cgroups(7). Unlike the limits of a process, a cgroup also limits memory that doesn't belong to a
//! process, such as files in memory. The compiler's sandbox has no cgroup.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail};
use judging::run::Fault;
use judging::workbook::file_names;

use crate::inside::{MOST_MEMORY, MOST_PROCESSES, TEMPORARY_FILES};

/// The command that enters a cgroup and then executes another program.
pub const ENTER: &str = "grade-in-cgroup";

const PREFIX: &str = "workbook-grade-";

/// The maximum memory of a whole run: that of its processes, and of its temporary files, which are
/// in memory, too.
pub(crate) const MOST_WITH_FILES: u64 = MOST_MEMORY + TEMPORARY_FILES;

/// A cgroup, which is removed when this value is dropped, after its sandbox has ended.
#[derive(Debug)]
pub(crate) struct Cgroup {
    dir: PathBuf,
}

impl Cgroup {
    /// Creates a cgroup inside another cgroup, with the limits that the kernel offers there.
    pub(crate) fn new(parent: &Path) -> anyhow::Result<Cgroup> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = parent.join(format!("run-{}-{number}", std::process::id()));
        fs::create_dir(&dir).with_context(|| format!("make the cgroup {}", dir.display()))?;
        for (file, most) in [
            ("memory.max", MOST_WITH_FILES.to_string()),
            ("memory.swap.max", "0".to_owned()),
            ("pids.max", MOST_PROCESSES.to_string()),
        ] {
            let file = dir.join(file);
            if file.exists() {
                fs::write(&file, most).with_context(|| format!("set {}", file.display()))?;
            }
        }
        Ok(Cgroup { dir })
    }

    /// Returns the words with which this program starts another program in the cgroup.
    pub(crate) fn words_to_enter(&self) -> [OsString; 2] {
        [ENTER.into(), self.dir.clone().into()]
    }

    /// Returns a fault if the kernel killed a process because no memory was left.
    pub(crate) fn exceeded(&self) -> Option<Fault> {
        let events = fs::read_to_string(self.dir.join("memory.events")).unwrap_or_default();
        let kills = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
        kills.is_some_and(|kills| kills != "0").then_some(Fault::OutOfMemory)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.dir);
    }
}

/// Enters a cgroup and executes a program, given the cgroup's directory, the program and its
/// arguments.
pub fn enter_cgroup(words: &[&str]) -> anyhow::Result<ExitCode> {
    let [dir, program, words @ ..] = words else { bail!("there's no program to start") };
    // 0 stands for the process that writes to the file; see cgroups(7).
    let entered = fs::write(Path::new(dir).join("cgroup.procs"), "0");
    entered.with_context(|| format!("enter the cgroup {dir}"))?;
    let error = Command::new(program).args(words).exec();
    Err(error).with_context(|| format!("start {program}"))
}

/// Creates a cgroup for other cgroups, inside our own cgroup. If the machine doesn't let us create
/// the cgroup or has no limits to offer, returns the reason.
pub(crate) fn delegated() -> Result<PathBuf, String> {
    let ours = our_cgroup().ok_or("there's no cgroup v2 here")?;
    remove_old_ones(&ours);
    let dir = ours.join(format!("{PREFIX}{}", std::process::id()));
    fs::create_dir(&dir)
        .map_err(|error| format!("can't make one in {}: {error}", ours.display()))?;
    let offered = offer_controllers(&ours).and_then(|()| offer_controllers(&dir));
    match offered {
        Ok(()) if !limits(&dir).is_empty() => Ok(dir),
        offered => {
            let _ = fs::remove_dir(&dir);
            let none = || "neither memory nor pids is available".to_owned();
            let why = offered.err().map_or_else(none, |error| error.to_string());
            Err(format!("{} offers no limits: {why}", ours.display()))
        }
    }
}

/// Removes a cgroup, along with the cgroups that a run has left inside it. A cgroup that still
/// contains a process isn't removed.
pub(crate) fn remove(dir: &Path) {
    for name in file_names(dir).unwrap_or_default() {
        let _ = fs::remove_dir(dir.join(name));
    }
    let _ = fs::remove_dir(dir);
}

/// Removes the cgroups that killed runs have left behind.
fn remove_old_ones(ours: &Path) {
    for name in file_names(ours).unwrap_or_default() {
        let Some(process) = name.strip_prefix(PREFIX) else { continue };
        if process.parse::<u32>().is_ok() && !Path::new("/proc").join(process).exists() {
            remove(&ours.join(&name));
        }
    }
}

/// Enables our controllers, as far as they're available, for the cgroups inside this cgroup. A
/// cgroup other than the root can't do that while it contains processes itself. So if the
/// kernel refuses, we move this process into a new cgroup inside this cgroup and try again. If the
/// kernel refuses again, we move the process back.
fn offer_controllers(dir: &Path) -> io::Result<()> {
    let controllers = controllers_of(&fs::read_to_string(dir.join("cgroup.controllers"))?);
    if controllers.is_empty() {
        return Ok(());
    }
    let offer = || fs::write(dir.join("cgroup.subtree_control"), &controllers);
    let move_to = |dir: &Path| fs::write(dir.join("cgroup.procs"), std::process::id().to_string());
    offer().or_else(|_| {
        let below = dir.join(format!("{PREFIX}itself"));
        let _ = fs::create_dir(&below);
        let offered = move_to(&below).and_then(|()| offer());
        if offered.is_err() {
            let _ = move_to(dir).and_then(|()| fs::remove_dir(&below));
        }
        offered
    })
}

/// Returns the text that enables our controllers, without the controllers that aren't available,
/// because a single missing controller would make the kernel refuse all of them.
fn controllers_of(available: &str) -> String {
    let ours = available.split_whitespace().filter(|it| ["memory", "pids"].contains(it));
    ours.map(|controller| format!("+{controller}")).collect::<Vec<_>>().join(" ")
}

/// Returns the names of the controllers that are enabled for the cgroups inside this cgroup.
pub(crate) fn limits(dir: &Path) -> Vec<String> {
    let offered = fs::read_to_string(dir.join("cgroup.subtree_control")).unwrap_or_default();
    offered.split_whitespace().map(str::to_owned).collect()
}

/// Returns the directory of this process's cgroup.
fn our_cgroup() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mount = mounts.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let place = words.next()?;
        (words.next()? == "cgroup2").then(|| place.to_owned())
    })?;
    let ours = fs::read_to_string("/proc/self/cgroup").ok()?;
    let ours = ours.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(Path::new(&mount).join(ours.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_controllers_that_are_there_are_offered() {
        assert_eq!(controllers_of("cpuset cpu io memory pids\n"), "+memory +pids");
        assert_eq!(controllers_of("pids\n"), "+pids");
        assert_eq!(controllers_of("cpu\n"), "");
    }
}
