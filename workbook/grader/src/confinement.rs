//! What `grade` allows the programs that it judges, and the compiler that builds them: a few files, a
//! limited part of the machine, and no word to other processes.
//!
//! For a reader's own page, nothing here applies.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use judging::limits::{Limited, Limits};
use judging::run::Fault;
use rustix::process::{Pid, Resource, Signal, kill_process_group};
use scene::{FIRST_PROGRAM, RECORDS_ON_STDIN};

use crate::cgroup::Cgroup;
use crate::users::{processes_now, user_of_its_own};
use judging::workbook::file_names;
use kit::{Access, Landlock};
use kit::{Confinement, confine};

/// Where a judged program may write, and how it's kept together.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The workbook's root.
    pub(crate) root: PathBuf,
    /// The only directory in which a judged program may write.
    pub(crate) temporary: PathBuf,
    /// The directory in which the compiler's intermediate files are.
    pub(crate) build: PathBuf,
    /// The cgroup in which to make one for each program, if there is one.
    pub(crate) cgroup: Option<PathBuf>,
}

const MEBIBYTE: u64 = 1024 * 1024;

/// The most memory that a judged program may have.
pub(crate) const MOST_MEMORY: u64 = 1024 * MEBIBYTE;
/// The most processes and threads that the programs of a notebook may have.
pub(crate) const MOST_PROCESSES: u64 = 512;
/// A run that has as many is ended. It's less, because other runs of the notebook may have some.
pub(crate) const TOO_MANY_PROCESSES: u64 = 256;
/// The longest file that a judged program may write.
pub(crate) const LONGEST_FILE: u64 = 64 * MEBIBYTE;
/// The processor time that each of its processes may use, in seconds.
pub(crate) const PROCESSOR_TIME: u64 = 20;
/// The same for the compiler.
pub(crate) const COMPILERS_TIME: u64 = 30;
/// The compiler's memory. Most of it is only reserved.
pub(crate) const COMPILERS_MEMORY: u64 = 4 * 1024 * MEBIBYTE;
/// How long a page may take to compile. Builds wait for each other, so it's more than one takes.
const LONGEST_BUILD: Duration = Duration::from_mins(5);

/// The files that each program needs, such as the C library.
const SYSTEM: [(&str, Access); 21] = [
    ("/", Access::List),
    ("/usr", Access::Execute),
    ("/bin", Access::Execute),
    ("/lib", Access::Execute),
    ("/lib32", Access::Execute),
    ("/lib64", Access::Execute),
    ("/nix/store", Access::Execute),
    ("/etc/ld.so.cache", Access::Read),
    ("/etc/localtime", Access::Read),
    ("/etc/hosts", Access::Read),
    ("/etc/passwd", Access::Read),
    ("/etc/group", Access::Read),
    ("/proc", Access::Read),
    ("/sys/fs/cgroup", Access::Read),
    ("/dev/null", Access::Write),
    ("/dev/zero", Access::Write),
    ("/dev/full", Access::Write),
    // Some scenes make a terminal.
    ("/dev/ptmx", Access::Write),
    ("/dev/pts", Access::Write),
    ("/dev/random", Access::Read),
    ("/dev/urandom", Access::Read),
];

/// What cargo and rustup read above the workbook.
const SETTINGS_ABOVE: [&str; 4] =
    [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];

impl Limits for Settings {
    fn on_a_program(
        &self,
        command: &mut Command,
        program: &Path,
    ) -> anyhow::Result<Box<dyn Limited>> {
        let cgroup = of_a_program(self, command, program)?;
        Ok(Box::new(Confined { watchdog: None, is_compiler: false, cgroup }))
    }

    fn on_a_compiler(
        &self,
        command: &mut Command,
        notebook: &Path,
    ) -> anyhow::Result<Box<dyn Limited>> {
        let cgroup = of_a_compiler(self, command, notebook)?;
        Ok(Box::new(Confined { watchdog: None, is_compiler: true, cgroup }))
    }
}

/// A process that's confined.
struct Confined {
    watchdog: Option<Watchdog>,
    is_compiler: bool,
    cgroup: Option<Cgroup>,
}

impl Limited for Confined {
    fn started(&mut self, group: Pid) {
        // The runner ends a scene that takes too long, but for a reader it waits for the compiler.
        self.watchdog = self.is_compiler.then(|| Watchdog::over(group));
    }

    fn exceeded(&self) -> Option<Fault> {
        let cgroup = self.cgroup.as_ref()?;
        if cgroup.had_too_many_processes() {
            return Some(Fault::TooManyProcesses);
        }
        cgroup.ran_out_of_memory().then_some(Fault::OutOfMemory)
    }
}

/// Confines a program that's judged, or the reference's that it's compared with.
fn of_a_program(
    settings: &Settings,
    command: &mut Command,
    program: &Path,
) -> anyhow::Result<Option<Cgroup>> {
    let own = [(program.to_owned(), Access::Execute), (settings.temporary.clone(), Access::All)];
    let kept = [RECORDS_ON_STDIN, FIRST_PROGRAM];
    let kept = command.get_envs().filter(|(name, _)| kept.iter().any(|kept| name == kept));
    let kept: Vec<_> =
        kept.filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    command.env_clear().envs(kept).env("HOME", &settings.temporary);
    let user = user_of_its_own();
    let processes = if user.is_some() { 0 } else { processes_now() };
    let limits = vec![
        (Resource::Cpu, PROCESSOR_TIME),
        (Resource::Data, MOST_MEMORY),
        (Resource::As, 4 * MOST_MEMORY),
        (Resource::Fsize, LONGEST_FILE),
        (Resource::Core, 0),
        (Resource::Nproc, processes + MOST_PROCESSES),
    ];
    let run = Run { memory: MOST_MEMORY, too_many: TOO_MANY_PROCESSES, user };
    confined(command, settings, &own, limits, &run)
}

/// Confines cargo, and the compiler and the linker that it starts, to what the notebook in a directory is
/// built from.
fn of_a_compiler(
    settings: &Settings,
    command: &mut Command,
    notebook: &Path,
) -> anyhow::Result<Option<Cgroup>> {
    let mut own = vec![
        (notebook.to_owned(), Access::All),
        (settings.build.clone(), Access::All),
        (settings.temporary.clone(), Access::All),
    ];
    // Not `target/` and `work/`: other notebooks can be there.
    let sources = file_names(&settings.root)?;
    let is_source =
        |name: &&String| *name != "target" && !name.starts_with("work-") && *name != ".git";
    let sources = sources.iter().filter(is_source).filter(|name| *name != "work");
    own.extend(sources.map(|name| (settings.root.join(name), Access::Read)));
    // Cargo and rustup look for these in each directory above.
    let above = settings.root.ancestors().skip(1);
    own.extend(above.flat_map(|dir| SETTINGS_ABOVE.map(|name| (dir.join(name), Access::Read))));
    let homes = [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")];
    let homes = homes.map(|(variable, usual)| (variable, home(variable, usual)));
    own.extend(homes.iter().filter_map(|(_, dir)| Some((dir.clone()?, Access::Execute))));
    let cargo = PathBuf::from(command.get_program());
    own.extend(
        cargo
            .parent()
            .and_then(Path::parent)
            .map(|toolchain| (toolchain.to_owned(), Access::Execute)),
    );

    command.env_clear().env("HOME", &settings.temporary);
    command.envs(homes.into_iter().filter_map(|(variable, dir)| Some((variable, dir?))));
    command.envs(env::var_os("RUSTUP_TOOLCHAIN").map(|toolchain| ("RUSTUP_TOOLCHAIN", toolchain)));
    command
        .env("CARGO_BUILD_BUILD_DIR", &settings.build)
        .env("CARGO_NET_OFFLINE", "true")
        // Nothing of this is compiled twice, and nobody looks at it in a debugger.
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "false");
    let limits = vec![
        (Resource::Cpu, COMPILERS_TIME),
        (Resource::Data, COMPILERS_MEMORY),
        (Resource::Fsize, 8 * LONGEST_FILE),
        (Resource::Core, 0),
        (Resource::Nproc, processes_now() + MOST_PROCESSES),
    ];
    // With many processors, compiling takes many threads, and what a compiler starts isn't the page's.
    let run = Run { memory: COMPILERS_MEMORY, too_many: MOST_PROCESSES, user: None };
    confined(command, settings, &own, limits, &run)
}

/// What the processes of a run may have together, and whose they are.
struct Run {
    memory: u64,
    too_many: u64,
    user: Option<u32>,
}

fn confined(
    command: &mut Command,
    settings: &Settings,
    own: &[(PathBuf, Access)],
    most: Vec<(Resource, u64)>,
    run: &Run,
) -> anyhow::Result<Option<Cgroup>> {
    command.env("TMPDIR", &settings.temporary);
    command.envs(["PATH", "LANG"].into_iter().filter_map(|name| Some((name, env::var_os(name)?))));
    let mut landlock = Landlock::new().context("make Landlock's rules")?;
    if let Some(landlock) = &mut landlock {
        for (path, access) in SYSTEM {
            landlock.allow(Path::new(path), access)?;
        }
        for (path, access) in own {
            landlock.allow(path, *access)?;
        }
    }
    let parent = settings.cgroup.as_deref();
    let cgroup = parent
        .map(|parent| Cgroup::new(parent, run.memory, MOST_PROCESSES, run.too_many))
        .transpose()?;
    let processes = cgroup.as_ref().map(Cgroup::processes).transpose()?;
    confine(command, Confinement { most, landlock, cgroup: processes, user: run.user });
    Ok(cgroup)
}

fn home(variable: &str, usual: &str) -> Option<PathBuf> {
    let given = env::var_os(variable).map(PathBuf::from);
    given.or_else(|| Some(env::home_dir()?.join(usual)))
}

/// Ends a process group after a while.
#[derive(Debug)]
pub(crate) struct Watchdog {
    /// Closed when the watchdog is no longer needed.
    _open: Sender<()>,
}

impl Watchdog {
    /// Ends the group of a process that hasn't been reaped when the time is over.
    pub(crate) fn over(group: Pid) -> Watchdog {
        let (open, closed) = channel();
        thread::spawn(move || {
            if closed.recv_timeout(LONGEST_BUILD) == Err(RecvTimeoutError::Timeout) {
                let _ = kill_process_group(group, Signal::KILL);
            }
        });
        Watchdog { _open: open }
    }
}
