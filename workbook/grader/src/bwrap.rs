//! A command line that makes bubblewrap start a program; see bwrap(1).

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use rustix::process::geteuid;

use crate::cgroup::Cgroup;

/// The files that each program needs in addition to `/usr`: directories in `/` and settings in
/// `/etc`. The settings are for the time zone, for `cc`, and for looking up libraries and host
/// names.
const SYSTEM: [&str; 7] = ["bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix"];
const SETTINGS: [&str; 6] =
    ["ld.so.cache", "localtime", "hosts", "host.conf", "nsswitch.conf", "alternatives"];

/// The maximum number of bytes that a program can write to `/dev/shm`.
const SHARED_MEMORY: &str = "67108864";

/// The path of this program inside the sandbox.
const GRADER: &str = "/grader";

/// A command line for bwrap, up to the program to run.
pub(crate) struct Bwrap {
    words: Vec<OsString>,
}

impl Bwrap {
    /// Begins the command line for a sandbox with the system's programs and libraries, this
    /// program, and a temporary directory of limited size.
    pub(crate) fn new(temporary_files: u64) -> anyhow::Result<Bwrap> {
        let mut bwrap = Bwrap { words: vec!["bwrap".into()] };
        bwrap.add(["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]);
        bwrap.add(["--unshare-cgroup-try", "--new-session", "--die-with-parent", "--clearenv"]);
        bwrap.add(["--cap-drop", "ALL"]);
        if !geteuid().is_root() {
            // Only root can create the other namespaces without a user namespace. In a user
            // namespace created by root, the kernel would treat the programs as root's own, with
            // root's limits and access to root's files, some of which are in `/proc/sys`.
            bwrap.add(["--unshare-user", "--disable-userns"]);
        }
        bwrap.add(["--ro-bind", "/usr", "/usr"]);
        for place in SYSTEM.map(|name| Path::new("/").join(name)) {
            match fs::read_link(&place) {
                Ok(link) => bwrap.add([OsStr::new("--symlink"), link.as_ref(), place.as_ref()]),
                Err(_) if place.exists() => bwrap.shows(&place),
                Err(_) => (),
            }
        }
        for place in SETTINGS.map(|name| Path::new("/etc").join(name)) {
            bwrap.shows(&place);
        }
        // NixOS has its programs in this directory.
        bwrap.shows(Path::new("/run/current-system"));
        // `--dev` also mounts a new `/dev/pts`, so programs inside can make terminals but don't see
        // the terminals outside.
        bwrap.add(["--proc", "/proc", "--dev", "/dev"]);
        bwrap.add(["--size", SHARED_MEMORY, "--perms", "1777", "--tmpfs", "/dev/shm"]);
        bwrap.add(["--size", &temporary_files.to_string(), "--perms", "1777", "--tmpfs", "/tmp"]);
        let grader = env::current_exe().context("find this program")?;
        bwrap.shows_at(&grader, Path::new(GRADER));
        Ok(bwrap)
    }

    pub(crate) fn add<Word: AsRef<OsStr>>(&mut self, words: impl IntoIterator<Item = Word>) {
        self.words.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
    }

    /// Makes a file or a directory visible inside the sandbox, read-only, if it exists.
    pub(crate) fn shows(&mut self, path: &Path) {
        self.shows_at(path, path);
    }

    /// Makes a file or a directory visible inside the sandbox at a different path, read-only, if it
    /// exists.
    pub(crate) fn shows_at(&mut self, path: &Path, inside: &Path) {
        self.add([OsStr::new("--ro-bind-try"), path.as_ref(), inside.as_ref()]);
    }

    /// Makes a directory visible and writable inside the sandbox.
    pub(crate) fn gives(&mut self, dir: &Path) {
        self.add([OsStr::new("--bind"), dir.as_ref(), dir.as_ref()]);
    }

    /// Returns the command that starts this program inside the sandbox, in the directory `dir`,
    /// with the arguments `words` and only these environment variables. If `cgroup` is given, the
    /// program is in that cgroup from its first instruction on.
    pub(crate) fn command(
        mut self,
        variables: &[(&str, &OsStr)],
        dir: &Path,
        words: Vec<OsString>,
        cgroup: Option<&Cgroup>,
    ) -> anyhow::Result<Command> {
        for (name, value) in variables {
            self.add([OsStr::new("--setenv"), OsStr::new(name), value]);
        }
        // Programs can't write to the directories that contain these mounts.
        self.add(["--remount-ro", "/dev", "--remount-ro", "/"]);
        self.add([OsStr::new("--chdir"), dir.as_os_str(), OsStr::new("--"), OsStr::new(GRADER)]);
        self.words.extend(words);
        let Some(cgroup) = cgroup else {
            let mut command = Command::new(&self.words[0]);
            command.args(&self.words[1..]);
            return Ok(command);
        };
        let mut command = Command::new(env::current_exe().context("find this program")?);
        command.args(cgroup.words_to_enter()).args(self.words);
        Ok(command)
    }
}
