//! Which limits hold on this machine, said before anything runs.

use std::path::{Path, PathBuf};

use kit::can_change_user;
use kit::landlock_version;
use rustix::process::geteuid;

use crate::cgroup;
use crate::confinement::{
    COMPILERS_TIME, LONGEST_FILE, MOST_MEMORY, MOST_PROCESSES, PROCESSOR_TIME, TOO_MANY_PROCESSES,
};
use judging::terminal::Terminal;

/// The limits of this machine and this user.
pub(super) struct Limits {
    landlock: u32,
    /// The cgroup for this run, or the reason why there's none.
    cgroup: Result<PathBuf, String>,
    is_root: bool,
}

impl Limits {
    /// Finds out which limits hold, and makes a cgroup if it can.
    pub(super) fn find() -> Limits {
        Limits {
            landlock: landlock_version(),
            cgroup: cgroup::delegated(),
            is_root: geteuid().is_root(),
        }
    }

    pub(super) fn cgroup(&self) -> Option<&Path> {
        self.cgroup.as_deref().ok()
    }

    /// Removes the cgroup.
    pub(super) fn clean_up(&self) {
        if let Some(dir) = self.cgroup() {
            let _ = std::fs::remove_dir(dir);
        }
    }

    /// Lists what is limited.
    pub(super) fn active(&self) -> Vec<String> {
        let mebibytes = |bytes: u64| format!("{} MiB", bytes / 1024 / 1024);
        let memory = mebibytes(MOST_MEMORY);
        let mut active = vec![format!(
            "each process: {PROCESSOR_TIME} s of processor time ({COMPILERS_TIME} s for the compiler), \
             {memory} of memory, files of {}, no core dumps, no privileges",
            mebibytes(LONGEST_FILE)
        )];
        if can_change_user() {
            active.push(format!(
                "{MOST_PROCESSES} processes for each notebook, whose programs run as a user of their own"
            ));
        } else if !self.is_root {
            active.push(format!("{MOST_PROCESSES} processes more than your user has now"));
        }
        if self.landlock > 0 {
            active.push(format!(
                "Landlock {}: it reads the system's programs and libraries, and writes in a temporary \
                 directory of its own; the compiler also reads the workbook",
                self.landlock
            ));
        }
        if self.landlock >= 6 {
            active.push("no signals to other programs, and no abstract Unix sockets".to_owned());
        }
        if self.cgroup.is_ok() {
            active.push("a cgroup for each run, so whatever it starts ends with it".to_owned());
            active.push(format!(
                "a run that has {TOO_MANY_PROCESSES} processes, or {memory} of memory for all of them \
                 together, is ended"
            ));
        }
        active
    }

    /// Lists what isn't limited.
    pub(super) fn missing(&self) -> Vec<String> {
        let mut missing = vec![
            "the network: a page can connect wherever this machine can".to_owned(),
            "the names in directories: a page can list them".to_owned(),
            "your terminals: a page can write to them".to_owned(),
            "how many files it writes in its temporary directory".to_owned(),
        ];
        if self.landlock == 0 {
            missing.push(
                "files: this kernel has no Landlock, so a page can read and write whatever you can"
                    .to_owned(),
            );
        }
        if self.landlock < 6 {
            missing.push(
                "signals: a page can end your programs (Landlock 6, Linux 6.12, prevents that)"
                    .to_owned(),
            );
        }
        let offered = self.cgroup().map(cgroup::limits).unwrap_or_default();
        if let Err(why) = &self.cgroup {
            missing.push(format!("what a page leaves behind, if it hides it: no cgroup ({why})"));
        }
        if self.cgroup.is_err() {
            missing.push("the memory of a run's processes together".to_owned());
        } else if !offered.iter().any(|limit| limit == "memory") {
            missing.push("memory that a run's processes share, in memory files".to_owned());
        }
        if self.is_root && !can_change_user() && !offered.iter().any(|limit| limit == "pids") {
            missing.push("the number of processes, because you're root".to_owned());
        }
        missing
    }

    /// Describes both, with an advice.
    pub(super) fn described(&self, terminal: &Terminal) -> String {
        let list = |items: Vec<String>| -> String {
            items.iter().map(|item| terminal.wrap_hanging("  - ", "    ", item)).collect()
        };
        format!(
            "Limited while these notebooks are built and run:\n{}Not limited:\n{}{}\n",
            list(self.active()),
            list(self.missing()),
            terminal.wrap("", ADVICE)
        )
    }
}

const ADVICE: &str = "These limits stop mistakes and most malice, but other people's programs are safest \
     in an account of their own on a machine that can be thrown away.";
