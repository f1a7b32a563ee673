//! The directories that grading needs. All of these directories, except `target/grade` itself and
//! its directories for compiled code, are removed when grading ends or, if grading is killed, by
//! the next run.

use std::env;
use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, bail};
use judging::run::on_exit;
use judging::workbook::{Workbook, file_names};
use kit::proc::children;
use rustix::process::{Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};

use crate::cgroup;
use crate::sandbox::programs_beside;

const TEMPORARY: &str = "workbook-grade-";

/// The directories and cgroups to remove at the end, even if a signal ends this process.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The directory in `target/` that grading needs.
pub(super) struct GradingDirectory {
    pub(super) workbook: Workbook,
    pub(super) dir: PathBuf,
    /// A file that's locked while we grade, since another run would use the same directories.
    _lock: File,
}

impl GradingDirectory {
    /// Creates the directory and removes anything that a killed run has left behind.
    ///
    /// Fails if another run is still using the directory.
    pub(super) fn make(workbook: &Workbook) -> anyhow::Result<GradingDirectory> {
        let dir = workbook.root.join("target/grade");
        fs::create_dir_all(&dir).with_context(|| format!("make {}", dir.display()))?;
        let lock = File::create(dir.join("lock")).context("make a file to lock")?;
        if lock.try_lock().is_err() {
            bail!(
                "another run of grade is using this copy of the workbook: wait, or use another copy"
            );
        }
        // A process that loses its parent becomes our child, so we can kill it.
        let _ = set_child_subreaper(Some(getpid()));
        on_exit(leave_nothing);
        let directory = GradingDirectory { workbook: workbook.clone(), dir, _lock: lock };
        directory.remove_what_is_left();
        Ok(directory)
    }

    /// Returns a worker's directory for compiled code. The worker's notebooks share the directory,
    /// and the next run uses it again. Each worker has a separate directory, because cargo locks
    /// the directory while it compiles.
    pub(super) fn build(&self, worker: usize) -> PathBuf {
        self.dir.join(format!("build-{worker}"))
    }

    /// Returns the directory for a notebook's copy. The directory is removed when the notebook's
    /// [`Used`] is dropped.
    pub(super) fn notebook(&self, index: usize) -> PathBuf {
        self.dir.join(format!("notebook-{index}"))
    }

    fn remove_what_is_left(&self) {
        for name in file_names(&self.dir).unwrap_or_default() {
            if name.starts_with("notebook-") {
                remove(&self.dir.join(name));
            }
        }
        let temporary = env::temp_dir();
        for name in file_names(&temporary).unwrap_or_default() {
            let process = name.strip_prefix(TEMPORARY).and_then(|rest| rest.split('-').next());
            if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
                remove(&temporary.join(name));
            }
        }
    }
}

/// The directories of a notebook, which are removed when this value is dropped.
pub(super) struct Used {
    dirs: Vec<PathBuf>,
}

impl Used {
    /// Records a notebook's directory and the directory that the judge creates next to it.
    pub(super) fn for_a_notebook(notebook: &Path) -> Used {
        let name = notebook.file_name().unwrap_or_default().to_string_lossy();
        let blame = notebook.with_file_name(format!("{name}-blame"));
        let dirs = vec![notebook.to_owned(), blame];
        made().extend(dirs.iter().cloned());
        Used { dirs }
    }

    /// Creates a directory for temporary files, outside of the checkout and with a short name,
    /// because a socket's path can't be long. If `user` is given, the directory belongs to that
    /// user.
    pub(super) fn temporary(&mut self, index: usize, user: Option<u32>) -> anyhow::Result<PathBuf> {
        let dir = env::temp_dir().join(format!("{TEMPORARY}{}-{index}", std::process::id()));
        let both = [dir.clone(), programs_beside(&dir)];
        made().extend(both.iter().cloned());
        self.dirs.extend(both);
        let made = fs::DirBuilder::new().mode(0o700).create(&dir);
        let made =
            made.and_then(|()| user.map_or(Ok(()), |user| chown(&dir, Some(user), Some(user))));
        made.with_context(|| format!("make {}", dir.display()))?;
        Ok(dir)
    }
}

impl Drop for Used {
    fn drop(&mut self) {
        self.dirs.iter().for_each(|dir| remove(dir));
        made().retain(|dir| !self.dirs.contains(dir));
    }
}

/// Records a cgroup that has to be removed at the end.
pub(super) fn made_a_cgroup(dir: &Path) {
    made().push(dir.to_owned());
}

fn made() -> MutexGuard<'static, Vec<PathBuf>> {
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all processes that we've started and all processes that they have left behind. Removes
/// everything that we've created.
pub(super) fn leave_nothing() {
    end_all_children();
    for dir in made().drain(..) {
        // A cgroup contains files that can't be removed individually and vanish with the cgroup's
        // directory.
        if dir.join("cgroup.procs").exists() { cgroup::remove(&dir) } else { remove(&dir) }
    }
}

/// Kills all our children, and any processes that become our children as a result, and waits until
/// they have ended.
fn end_all_children() {
    loop {
        for (child, _) in children() {
            let _ = kill_process(child, Signal::KILL);
        }
        if let Err(rustix::io::Errno::CHILD) = wait(WaitOptions::empty()) {
            return;
        }
    }
}

/// Runs `rm` to remove a directory. A notebook's programs may have nested directories to any depth.
/// `rm` can handle such directories, whereas std's function would need an equally deep stack.
fn remove(dir: &Path) {
    let script = "rm -rf -- \"$1\" || { chmod -R u+rwx -- \"$1\"; rm -rf -- \"$1\"; }";
    if fs::symlink_metadata(dir).is_ok() {
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(dir).stderr(Stdio::null());
        let _ = shell.status();
    }
}
