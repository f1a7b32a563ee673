//! The sandbox in which the grader judges pages. bubblewrap (`bwrap`) creates the sandbox. A page's
//! program inside sees the system's programs and libraries and otherwise only its own files. It
//! can't reach the network or any process, terminal or socket outside. With `--without-a-sandbox`,
//! the same code runs without bwrap.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use judging::run::SceneRun;
use judging::sandbox::{Asked, Sandbox};
use judging::workbook::Workbook;
use kit::proc::{processes, threads_of};
use rustix::process::getuid;
use serde::{Deserialize, Serialize};

use crate::bwrap::Bwrap;
use crate::cgroup::Cgroup;
use crate::inside::{COMPILE, INSIDE, MOST_PROCESSES, TEMPORARY_FILES, Task};
use crate::outside::do_inside;
use crate::toolchain::Toolchain;

/// The maximum time for compiling a page. A build may have to wait for other builds, so the limit
/// is longer than a single build needs.
const LONGEST_BUILD: Duration = Duration::from_mins(5);
/// The maximum number of bytes in the compiler's temporary directory.
const COMPILERS_FILES: u64 = 1024 * 1024 * 1024;

/// The value of `PATH` in a sandbox, without the toolchain's directory.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin";

/// The sources that a page's build needs in addition to the steps: the workbook's crates, and the
/// files that cargo reads in the workbook's root.
const SOURCES: [&str; 6] =
    ["workbook", "Cargo.toml", "Cargo.lock", ".cargo", "rust-toolchain.toml", "rust-toolchain"];

/// The directories and tools for building and running a notebook's pages.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// The workbook's root.
    pub(crate) root: PathBuf,
    /// The directory for the compiler's intermediate files.
    pub(crate) build: PathBuf,
    /// A directory for temporary files, if there's no sandbox.
    pub(crate) without_a_sandbox: Option<PathBuf>,
    /// The cgroup in which to create a cgroup for each run, if available.
    pub(crate) cgroup: Option<PathBuf>,
    /// The ID of the user that the programs run as, if we're root.
    pub(crate) user: Option<u32>,
    /// The locations of the compiler and of the crates' sources.
    pub(crate) toolchain: Toolchain,
}

impl Sandbox for Settings {
    fn run(&self, asked: &Asked) -> anyhow::Result<SceneRun> {
        self.is_no_link(&asked.program)?;
        match &self.without_a_sandbox {
            None => self.in_a_sandbox(Some(asked)),
            Some(temporary) => self.in_a_directory(temporary, asked),
        }
    }

    fn compiler(&self, cargo: &Command, notebook: &Path) -> anyhow::Result<Command> {
        let mut words: Vec<OsString> =
            [COMPILE, &self.processes().to_string()].map(Into::into).into();
        words.push(self.toolchain.cargo().unwrap_or_else(|| cargo.get_program().to_owned()));
        words.extend(cargo.get_args().map(OsStr::to_owned));
        let path = format!("{}:{PATH}", self.toolchain.root.join("bin").display());
        let home = self.without_a_sandbox.as_deref().unwrap_or(Path::new("/tmp"));
        let variables: [(&str, &OsStr); 8] = [
            ("PATH", path.as_ref()),
            ("HOME", home.as_ref()),
            ("TMPDIR", home.as_ref()),
            ("CARGO_HOME", self.toolchain.home.as_ref()),
            ("CARGO_BUILD_BUILD_DIR", self.build.as_ref()),
            ("CARGO_NET_OFFLINE", "true".as_ref()),
            // We don't compile any crate twice, and we don't need a debugger here.
            ("CARGO_INCREMENTAL", "0".as_ref()),
            ("CARGO_PROFILE_DEV_DEBUG", "false".as_ref()),
        ];
        let dir = cargo.get_current_dir().unwrap_or(notebook);
        if self.without_a_sandbox.is_some() {
            let mut command = Command::new(env::current_exe().context("find this program")?);
            command.args(words).env_clear().envs(variables).current_dir(dir);
            return Ok(command);
        }
        let mut bwrap = Bwrap::new(COMPILERS_FILES)?;
        // If this program runs as root, the compiler also runs as root, though without privileges.
        // So make `/proc` read-only. Hide `/dev/pts`, because the compiler could wait forever for a
        // new terminal's input.
        bwrap.add(["--remount-ro", "/proc", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]);
        // We show no other files in the workbook's directory, because they could belong to other
        // notebooks.
        let workbook = Workbook::at(self.root.clone())?;
        let parts = workbook.parts()?.into_iter().map(|part| workbook.step(&part));
        let sources = SOURCES.iter().map(|name| self.root.join(name)).chain(parts);
        sources.for_each(|path| bwrap.shows(&path));
        self.toolchain.files().iter().for_each(|path| bwrap.shows(path));
        if let Some(config) = &self.toolchain.config {
            bwrap.shows_at(config, &self.toolchain.home.join("config.toml"));
        }
        bwrap.gives(notebook);
        bwrap.gives(&self.build);
        bwrap.command(&variables, dir, words, None)
    }

    fn longest_build(&self) -> Duration {
        LONGEST_BUILD
    }
}

impl Settings {
    /// Checks whether a sandbox can be created.
    pub(crate) fn try_out(&self) -> anyhow::Result<()> {
        let run = self.in_a_sandbox(None)?;
        run.sentence().map_or(Ok(()), |why| bail!("a sandbox that does nothing {why}"))
    }

    /// Fails if a page's program, or a directory above it in `target/grade`, is a symbolic link.
    fn is_no_link(&self, program: &Path) -> anyhow::Result<()> {
        let ours = self.root.join("target/grade");
        let Ok(rest) = program.strip_prefix(&ours) else { return Ok(()) };
        let real = |path: &Path| fs::canonicalize(path).with_context(|| path.display().to_string());
        ensure!(real(program)? == real(&ours)?.join(rest), "{} is a link", program.display());
        Ok(())
    }

    fn in_a_sandbox(&self, asked: Option<&Asked>) -> anyhow::Result<SceneRun> {
        let mut bwrap = Bwrap::new(TEMPORARY_FILES)?;
        bwrap.add(["--as-pid-1"]);
        if self.user.is_some() {
            // The first process gives up root's user before any of the page's code runs.
            bwrap.add(["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]);
        }
        let mut inside = asked.cloned();
        if let Some(Asked { program, .. }) = &mut inside {
            if self.user.is_some() {
                let_others_run(program)?;
            }
            let place = Path::new("/page").join(program.file_name().unwrap_or_default());
            bwrap.add(["--perms", "0755", "--dir", "/page"]);
            bwrap.shows_at(program, &place);
            *program = place;
        }
        let cgroup = self.cgroup.as_deref().map(Cgroup::new).transpose()?;
        let variables: [(&str, &OsStr); 2] = [("PATH", PATH.as_ref()), ("HOME", "/tmp".as_ref())];
        let words = vec![INSIDE.into()];
        let command = bwrap.command(&variables, Path::new("/tmp"), words, cgroup.as_ref())?;
        let run = do_inside(command, &self.task(inside, true))?;
        Ok(match cgroup.and_then(|cgroup| cgroup.exceeded()) {
            Some(fault) => SceneRun { faults: vec![fault], ..run },
            None => run,
        })
    }

    fn in_a_directory(&self, temporary: &Path, asked: &Asked) -> anyhow::Result<SceneRun> {
        let mut command = Command::new(env::current_exe().context("find this program")?);
        command.arg(INSIDE).env_clear().env("PATH", PATH);
        command.current_dir(temporary).env("HOME", temporary).env("TMPDIR", temporary);
        let mut asked = asked.clone();
        if self.user.is_some() {
            asked.program = copy_for_others(&asked.program, temporary)?;
        }
        do_inside(command, &self.task(Some(asked), false))
    }

    fn task(&self, asked: Option<Asked>, is_alone: bool) -> Task {
        Task { asked, user: self.user, processes: self.processes(), is_alone }
    }

    /// Returns the maximum number of processes and threads for the user that the programs run as.
    /// For our own user, the maximum includes the current processes and threads, because the kernel
    /// counts those, too (inside a sandbox, only before Linux 5.14).
    fn processes(&self) -> u64 {
        MOST_PROCESSES + if self.user.is_some() { 0 } else { processes_now() }
    }
}

/// Returns the number of threads in all of this user's processes, including main threads. The
/// kernel counts each of these threads towards the limit.
fn processes_now() -> u64 {
    let user = getuid().as_raw();
    let is_ours = |dir: &Path| fs::metadata(dir).is_ok_and(|it| it.uid() == user);
    let ours = processes().filter(|(_, dir)| is_ours(dir));
    ours.map(|(_, dir)| threads_of(&dir).len()).sum::<usize>() as u64
}

/// Lets users other than root run a program. Root's umask may have made the program private.
fn let_others_run(program: &Path) -> anyhow::Result<()> {
    let mode = fs::metadata(program).context("look at the program")?.mode();
    let wanted = mode | 0o555;
    let changed = (mode != wanted)
        .then(|| fs::set_permissions(program, fs::Permissions::from_mode(wanted)))
        .transpose();
    changed.with_context(|| format!("chmod {}", program.display())).map(drop)
}

/// Copies a program to a place where a user other than root can run it, because the workbook may be
/// in root's home directory.
fn copy_for_others(program: &Path, temporary: &Path) -> anyhow::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let built = fs::metadata(program).context("look at the program")?;
    let identity = format!("{}.{:09}-{}", built.mtime(), built.mtime_nsec(), built.len());
    let dir = programs_beside(temporary).join(identity);
    let copy = dir.join(program.file_name().unwrap_or_default());
    if !copy.exists() {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let unfinished = dir.join(format!("{}-{number}", std::process::id()));
        fs::create_dir_all(&dir)
            .and_then(|()| copy_in_a_process(program, &unfinished))
            .and_then(|()| fs::rename(&unfinished, &copy))
            .with_context(|| format!("copy the program to {}", dir.display()))?;
        let_others_run(&copy)?;
    }
    Ok(copy)
}

/// Copies a program in a separate process, which doesn't start any other processes. If this process
/// had the copy open for writing, another thread could start a process that inherits the
/// descriptor. Until that process has executed another program, the kernel wouldn't let anyone run
/// the copy ("Text file busy").
fn copy_in_a_process(program: &Path, copy: &Path) -> io::Result<()> {
    let copied = Command::new("cp").arg("--").args([program, copy]).output()?;
    if copied.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&copied.stderr).trim().to_owned()))
}

/// Returns the directory for copies of programs. The directory belongs to root.
pub(crate) fn programs_beside(temporary: &Path) -> PathBuf {
    temporary.with_extension("programs")
}
