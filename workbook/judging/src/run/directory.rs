//! A directory for each run of a scene. The scene starts in this directory, and `TMPDIR` names the
//! directory, so the scene's files don't interfere with other programs. After the run, we remove
//! the directory with all its files.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::{env, process};

use anyhow::Context;

use super::child_guard::output_of;

const PREFIX: &str = "workbook-run-";

/// The directories that runs are using.
static IN_USE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A run's directory, which is removed when this value is dropped.
#[derive(Debug)]
pub(crate) struct RunDirectory {
    pub(crate) dir: PathBuf,
    /// The open directory, which we keep locked so that no other runner removes it. The kernel
    /// releases the lock when this process ends.
    _lock: File,
}

impl RunDirectory {
    /// Creates a run's directory. The first call also removes the unused directories of earlier
    /// runners.
    pub(crate) fn make() -> anyhow::Result<RunDirectory> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        static SWEEP: Once = Once::new();
        let base = base();
        SWEEP.call_once(|| remove_unused(&base));
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = base.join(format!("{PREFIX}{}-{number}", process::id()));
        let made = || -> io::Result<File> {
            if dir.exists() {
                remove(&dir);
            }
            DirBuilder::new().mode(0o700).create(&dir)?;
            let lock = File::open(&dir)?;
            lock.try_lock()?;
            Ok(lock)
        };
        let lock = made().with_context(|| format!("make the directory {}", dir.display()))?;
        in_use().push(dir.clone());
        Ok(RunDirectory { dir, _lock: lock })
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        remove(&self.dir);
        in_use().retain(|dir| *dir != self.dir);
    }
}

/// Removes the directories of all runs. Called after the scenes have ended, just before the runner
/// exits.
pub(super) fn remove_all() {
    for dir in &*in_use() {
        // We don't use `remove` here, because at this point our own functions can't start processes
        // any more.
        let _ = rm(dir).status();
    }
}

fn in_use() -> MutexGuard<'static, Vec<PathBuf>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the directory for temporary files on this machine. Ignores a relative `TMPDIR`. Also
/// ignores a `TMPDIR` that doesn't exist, since the variable may come from another machine or from
/// a session that has ended.
pub(crate) fn base() -> PathBuf {
    let named = env::temp_dir();
    if named.is_absolute() && named.is_dir() { named } else { PathBuf::from("/tmp") }
}

/// Removes the directories that killed runners have left behind.
fn remove_unused(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().filter_map(Result::ok) {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let process = rest.split('-').next().unwrap_or_default();
        // The directory may be in use in another container, whose processes we can't see.
        let is_unused = || File::open(entry.path()).is_ok_and(|dir| dir.try_lock().is_ok());
        if !Path::new("/proc").join(process).exists() && is_unused() {
            remove(&entry.path());
        }
    }
}

/// Removes a directory. A scene may have nested directories so deeply that a recursive function
/// can't remove them, so we use `rm`.
fn remove(dir: &Path) {
    if fs::remove_dir(dir).is_err() {
        let _ = output_of(&mut rm(dir));
    }
}

fn rm(dir: &Path) -> Command {
    let mut command = Command::new("rm");
    command.args(["-rf", "--"]).arg(dir);
    command
}
