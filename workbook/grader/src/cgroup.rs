//! A cgroup for each program that's graded, where the machine lets us make one: nothing that the
//! program starts can leave it, so all of it is counted together, and ends together. See cgroups(7).

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::param::page_size;
use rustix::process::setpriority_process;
use rustix::thread::gettid;

use judging::workbook::file_names;

/// How long the kernel may take to end all processes of a cgroup.
const LONGEST: Duration = Duration::from_secs(10);

/// A cgroup, which ends with all its processes when it's dropped.
#[derive(Debug)]
pub(crate) struct Cgroup {
    dir: PathBuf,
    /// Closed with the cgroup, for the thread that watches it.
    _watching: Option<Sender<()>>,
    seen: Arc<Seen>,
}

/// Why the thread that watches a cgroup has ended all its processes, if it has.
#[derive(Debug, Default)]
struct Seen {
    too_many_processes: AtomicBool,
    too_much_memory: AtomicBool,
}

/// How often we count the processes and their memory.
const BETWEEN_COUNTS: Duration = Duration::from_millis(20);
/// The nice value of the thread that counts, where we may choose it. A fork bomb is a crowd in which
/// an ordinary thread would wait long for its turn.
const FIRST_OF_ALL: i32 = -20;

impl Cgroup {
    /// Makes a cgroup below another one, with a limit of memory in bytes, and one of processes and
    /// threads. Once there are `too_many` processes and threads, they're all ended. Where the kernel
    /// doesn't offer a limit of memory, they're also ended once they have more than that together,
    /// and where it offers none of processes, there's no other.
    pub(crate) fn new(
        parent: &Path,
        memory: u64,
        processes: u64,
        too_many: u64,
    ) -> anyhow::Result<Cgroup> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = parent.join(format!("run-{}-{number}", std::process::id()));
        fs::create_dir(&dir).with_context(|| format!("make the cgroup {}", dir.display()))?;
        let seen = Arc::<Seen>::default();
        let memory_by_us = (!dir.join("memory.max").exists()).then_some(memory);
        let watching = end_if_too_much(dir.clone(), too_many, memory_by_us, Arc::clone(&seen));
        let cgroup = Cgroup { dir, _watching: Some(watching), seen };
        let limits = [
            ("memory.max", memory),
            ("memory.swap.max", 0),
            ("memory.oom.group", 1),
            ("pids.max", processes),
        ];
        for (file, limit) in limits {
            let file = cgroup.dir.join(file);
            if file.exists() {
                fs::write(&file, limit.to_string())
                    .with_context(|| format!("write {}", file.display()))?;
            }
        }
        Ok(cgroup)
    }

    /// Opens the list of its processes, to which a new one adds itself.
    pub(crate) fn processes(&self) -> anyhow::Result<OwnedFd> {
        let file = self.dir.join("cgroup.procs");
        let opened = File::options().write(true).open(&file);
        Ok(opened.with_context(|| format!("open {}", file.display()))?.into())
    }

    /// Returns true if a process was ended because the cgroup had no memory left.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        if self.seen.too_much_memory.load(Ordering::Relaxed) {
            return true;
        }
        let events = fs::read_to_string(self.dir.join("memory.events")).unwrap_or_default();
        let kills = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
        kills.is_some_and(|kills| kills != "0")
    }

    /// Returns true if all its processes were ended because there were too many.
    pub(crate) fn had_too_many_processes(&self) -> bool {
        self.seen.too_many_processes.load(Ordering::Relaxed)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let began = Instant::now();
        let _ = end_all(&self.dir);
        // The directory is busy for as long as it has processes.
        while fs::remove_dir(&self.dir).is_err() && began.elapsed() < LONGEST {
            let _ = end_all(&self.dir);
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Starts a thread that ends all processes of a cgroup once there are too many, or once they have more
/// memory together than `memory`. The kernel's own limit of processes only refuses to start more, and
/// those that are there would keep the processors from everything else.
fn end_if_too_much(
    dir: PathBuf,
    too_many: u64,
    memory: Option<u64>,
    seen: Arc<Seen>,
) -> Sender<()> {
    let (watching, closed) = channel();
    thread::spawn(move || {
        // On Linux, this is about one thread: see setpriority(2).
        let _ = setpriority_process(Some(gettid()), FIRST_OF_ALL);
        while closed.recv_timeout(BETWEEN_COUNTS) == Err(RecvTimeoutError::Timeout) {
            if lines_of(&dir, "cgroup.threads").len() as u64 >= too_many {
                seen.too_many_processes.store(true, Ordering::Relaxed);
                let _ = end_all(&dir);
            } else if memory.is_some_and(|most| own_memory(&dir) > most) {
                seen.too_much_memory.store(true, Ordering::Relaxed);
                let _ = end_all(&dir);
            }
        }
    });
    watching
}

/// Returns how many bytes of memory the processes of a cgroup have for themselves. What a process
/// shares with its children, because neither has written to it since the fork, counts for each.
fn own_memory(dir: &Path) -> u64 {
    let own_pages = |process: &String| {
        // Its size, what's resident, and what of that is a file's or shared; see proc_pid_statm(5).
        let pages = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
        let mut pages = pages.split(' ').skip(1).map_while(|count| count.parse::<u64>().ok());
        Some(pages.next()?.saturating_sub(pages.next()?))
    };
    let pages: u64 = lines_of(dir, "cgroup.procs").iter().filter_map(own_pages).sum();
    pages * page_size() as u64
}

fn lines_of(dir: &Path, file: &str) -> Vec<String> {
    let text = fs::read_to_string(dir.join(file)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Ends all processes of a cgroup at once, even those that are being started.
fn end_all(dir: &Path) -> io::Result<()> {
    // Since Linux 5.14. Before, `grade` makes no cgroup.
    fs::write(dir.join("cgroup.kill"), "1")
}

/// Makes a cgroup in which to make others, below the one that we're in. Returns the reason if the
/// machine doesn't let us.
pub(crate) fn delegated() -> Result<PathBuf, String> {
    let ours = our_cgroup().ok_or("there's no cgroup v2 here")?;
    remove_old_ones(&ours);
    let dir = ours.join(format!("workbook-grade-{}", std::process::id()));
    fs::create_dir(&dir).map_err(|error| format!("{}: {error}", ours.display()))?;
    if !dir.join("cgroup.kill").exists() {
        let _ = fs::remove_dir(&dir);
        return Err("this kernel is older than 5.14".to_owned());
    }
    // Without the controllers, a cgroup still keeps its processes together.
    let _ = offer_controllers(&ours).and_then(|()| offer_controllers(&dir));
    Ok(dir)
}

/// Removes the cgroups of runs that were killed before they could do so.
fn remove_old_ones(ours: &Path) {
    for name in file_names(ours).unwrap_or_default() {
        let Some(process) = name.strip_prefix("workbook-grade-") else { continue };
        if process.parse::<u32>().is_ok() && !Path::new("/proc").join(process).exists() {
            let old = ours.join(&name);
            for run in file_names(&old).unwrap_or_default() {
                let run = old.join(run);
                if run.is_dir() {
                    drop(Cgroup { dir: run, _watching: None, seen: Arc::default() });
                }
            }
            let _ = fs::remove_dir(old);
        }
    }
}

/// Lets the cgroups below this one have limits, if there are any to offer. A cgroup that does so can't
/// have processes itself, so if we're in it, we move into one below, and back if that didn't help.
fn offer_controllers(dir: &Path) -> io::Result<()> {
    let controllers = controllers_of(&fs::read_to_string(dir.join("cgroup.controllers"))?);
    if controllers.is_empty() {
        return Ok(());
    }
    let offer = || fs::write(dir.join("cgroup.subtree_control"), &controllers);
    let move_to = |dir: &Path| fs::write(dir.join("cgroup.procs"), std::process::id().to_string());
    offer().or_else(|_| {
        let below = dir.join("workbook-grade-itself");
        let _ = fs::create_dir(&below);
        let offered = move_to(&below).and_then(|()| offer());
        if offered.is_err() {
            let _ = move_to(dir).and_then(|()| fs::remove_dir(&below));
        }
        offered
    })
}

/// Returns what to write to offer those of our controllers that are there: a single one that isn't
/// would make the kernel refuse them all.
fn controllers_of(available: &str) -> String {
    let ours = available.split_whitespace().filter(|it| ["memory", "pids"].contains(it));
    ours.map(|controller| format!("+{controller}")).collect::<Vec<_>>().join(" ")
}

/// Returns the limits that a cgroup can have here.
pub(crate) fn limits(dir: &Path) -> Vec<String> {
    let offered = fs::read_to_string(dir.join("cgroup.subtree_control")).unwrap_or_default();
    offered.split_whitespace().map(str::to_owned).collect()
}

/// Finds the directory of the cgroup that this process is in.
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
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, ExitStatus};
    use std::sync::{Mutex, PoisonError};

    use kit::limit_time;
    use kit::{Confinement, confine};

    use super::*;

    /// The cgroup above is named after this process.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    /// Runs a shell's script in a cgroup, if one can be made here, and lets `look` see how the shell has ended.
    fn run_in_a_cgroup(
        (memory, processes, too_many): (u64, u64, u64),
        script: &str,
        look: impl FnOnce(&Cgroup, ExitStatus),
    ) {
        limit_time();
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(parent) = delegated() else {
            eprintln!("no cgroup can be made here, so there's nothing to test");
            return;
        };
        let cgroup = Cgroup::new(&parent, memory, processes, too_many).expect("make a cgroup");
        let dir = cgroup.dir.clone();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let processes = Some(cgroup.processes().expect("open its list"));
        confine(&mut command, Confinement { cgroup: processes, ..Confinement::default() });
        let ended = command.status().expect("start a shell");
        look(&cgroup, ended);
        drop(cgroup);
        assert!(!dir.exists());
        fs::remove_dir(parent).expect("remove the cgroup above");
    }

    #[test]
    fn only_controllers_that_are_there_are_offered() {
        assert_eq!(controllers_of("cpuset cpu io memory pids\n"), "+memory +pids");
        assert_eq!(controllers_of("pids\n"), "+pids");
        assert_eq!(controllers_of("cpu\n"), "");
    }

    #[test]
    fn a_program_that_starts_too_many_processes_is_ended_with_all_of_them() {
        // setsid takes them out of the shell's group, but not out of its cgroup.
        let script = "for i in $(seq 30); do setsid sleep 1000 & done; wait";
        run_in_a_cgroup((1 << 30, 20, 10), script, |_, ended| {
            // With a limit of the kernel's, the shell itself reports that it can't fork.
            assert!(ended.signal() == Some(libc::SIGKILL) || !ended.success(), "{ended}");
        });
    }

    #[test]
    fn programs_that_have_too_much_memory_together_are_ended() {
        // Each `tail` keeps 50 MiB, until it has read to an end that doesn't come.
        let keeps = "(head -c 50m /dev/zero; sleep 1000) | tail -c 50m > /dev/null &";
        let script = format!("{} wait", keeps.repeat(6));
        run_in_a_cgroup((200 << 20, 100, 100), &script, |cgroup, ended| {
            assert_eq!(ended.signal(), Some(libc::SIGKILL));
            assert!(cgroup.ran_out_of_memory() && !cgroup.had_too_many_processes());
        });
    }
}
