//! Reports, before any page is built, which limits hold for pages on this machine.

use std::path::{Path, PathBuf};

use judging::terminal::Terminal;
use rustix::process::geteuid;

use crate::cgroup;
use crate::inside::{
    COMPILERS_FILE, COMPILERS_MEMORY, COMPILERS_TIME, LONGEST_FILE, MOST_ASKED_FOR, MOST_MEMORY,
    MOST_PROCESSES, PROCESSOR_TIME, TEMPORARY_FILES, TOO_MANY_PROCESSES,
};

/// The limits that hold while the grader runs pages.
pub(super) struct Limits {
    pub(super) has_sandbox: bool,
    /// The cgroup inside which each run gets its own cgroup, or the reason why there's none.
    cgroup: Result<PathBuf, String>,
}

impl Limits {
    /// Creates the cgroup for the runs if there's a sandbox and the machine allows it. Otherwise,
    /// the result contains the reason why there's none.
    pub(super) fn find(has_sandbox: bool) -> Limits {
        let without = || Err("without a sandbox".to_owned());
        Limits { has_sandbox, cgroup: if has_sandbox { cgroup::delegated() } else { without() } }
    }

    pub(super) fn cgroup(&self) -> Option<&Path> {
        self.cgroup.as_deref().ok()
    }

    /// Returns the warning to print above the table if there's no sandbox.
    pub(super) fn warning(&self) -> Option<&'static str> {
        (!self.has_sandbox)
            .then_some("WITHOUT A SANDBOX: these pages could do whatever you can here.")
    }

    /// Lists the limits that hold.
    pub(super) fn active(&self) -> Vec<String> {
        let mebibytes = |bytes: u64| format!("{} MiB", bytes / 1024 / 1024);
        let memory = mebibytes(MOST_MEMORY);
        let mut active = Vec::new();
        if self.has_sandbox {
            active.extend([
                "files: a page's program sees only itself, the grader, the system's programs \
                 and libraries, and a few of the system's settings; the compiler also sees the \
                 workbook's sources, the notebook and the sources of crates"
                    .to_owned(),
                "no access to the network or to other programs' processes, terminals, \
                 sockets or shared memory"
                    .to_owned(),
                "a sandbox for each run: every process of the run ends with the sandbox".to_owned(),
                format!("a run's temporary files: at most {} in total", mebibytes(TEMPORARY_FILES)),
                format!(
                    "a run that has {TOO_MANY_PROCESSES} processes and threads, or {memory} of \
                     memory for all of them together, is killed"
                ),
            ]);
        } else {
            active.push("a separate session without a terminal".to_owned());
        }
        active.push(format!(
            "each process of a run: {PROCESSOR_TIME} s of processor time, {} of memory, files of \
             up to {}; each process of the compiler: {COMPILERS_TIME} s, {} and {}; no core dumps",
            mebibytes(MOST_ASKED_FOR),
            mebibytes(LONGEST_FILE),
            mebibytes(COMPILERS_MEMORY),
            mebibytes(COMPILERS_FILE)
        ));
        active.push(if geteuid().is_root() {
            format!(
                "{MOST_PROCESSES} processes and threads for each notebook, whose programs aren't run \
                 as root"
            )
        } else {
            format!("{MOST_PROCESSES} more processes and threads than your user runs now")
        });
        if self.offers("memory") {
            active.push(format!(
                "{} of memory for a whole run, including files in memory (cgroup)",
                mebibytes(cgroup::MOST_WITH_FILES)
            ));
        }
        active
    }

    /// Lists the limits that don't hold.
    pub(super) fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        if !self.has_sandbox {
            missing.extend([
                "files, the network, processes and sockets, because there's no sandbox".to_owned(),
                "processes that a page leaves behind, if it hides them".to_owned(),
                "the total memory of a run's processes, and the number of processes of a single run"
                    .to_owned(),
            ]);
        }
        match &self.cgroup {
            Ok(_) if self.offers("memory") => (),
            Ok(_) => missing.push(NO_MEMORY.to_owned()),
            Err(why) if self.has_sandbox => missing.push(format!("{NO_MEMORY}: no cgroup ({why})")),
            Err(_) => (),
        }
        missing.push(
            "a body that lies on purpose about what it does: see .github/SECURITY.md".to_owned(),
        );
        missing
    }

    fn offers(&self, limit: &str) -> bool {
        self.cgroup().is_some_and(|dir| cgroup::limits(dir).iter().any(|it| it == limit))
    }

    /// Describes the limits that hold and the limits that don't, with advice.
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

const NO_MEMORY: &str =
    "memory that isn't a process's own: files in memory and the kernel's memory for a page";

const ADVICE: &str = "No sandbox withstands every bug in the kernel: other people's programs are \
                      safest in an account of their own on a machine that you can throw away.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runs_memory_with_its_files_is_what_its_cgroup_allows() {
        let dir = std::env::temp_dir().join(format!("workbook-limits-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("cgroup.subtree_control"), "memory pids\n").unwrap();
        let active = Limits { has_sandbox: true, cgroup: Ok(dir.clone()) }.active();
        std::fs::remove_dir_all(dir).unwrap();
        let told = "1280 MiB of memory for a whole run, including files in memory (cgroup)";
        assert!(active.iter().any(|line| line == told), "{active:?}");
    }
}
