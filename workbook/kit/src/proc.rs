//! The state and CPU time of a process or thread, from `/proc`; see `proc_pid_stat(5)`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Pid;

/// `USER_HZ`, the number of `/proc`'s units of CPU time in a second. The number is 100 on nearly
/// every architecture, including `x86_64` and `aarch64`, regardless of the kernel's own tick.
const TICKS_PER_SECOND: u64 = 100;

/// The fields that the workbook needs from a `stat` file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The state, as a letter: `R` for running or ready to run, `S` for sleeping, `Z` for ended but
    /// not reaped.
    pub state: char,
    /// The parent's process ID.
    pub parent: u32,
    /// The process group.
    pub group: u32,
    /// The CPU time used in user space and in the kernel.
    pub cpu_time: Duration,
    /// True unless `env_end` is 0, which it is while `execve` hasn't filled the new memory yet and
    /// after an exiting process has released its memory.
    pub has_environment: bool,
}

impl Stat {
    /// Reads the `stat` file in a directory, which is `/proc/PID` or `/proc/PID/task/TID`.
    pub fn of(dir: &Path) -> io::Result<Stat> {
        let file = dir.join("stat");
        let text = fs::read_to_string(&file)?;
        Stat::parse(&text).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{}: {text}", file.display()))
        })
    }

    /// Parses a `stat` file. The command's name, in parentheses, can itself contain spaces and
    /// parentheses, so we start counting the fields at the state, which follows the name.
    fn parse(text: &str) -> Option<Stat> {
        let (_, fields) = text.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        let ticks = number(11)? + number(12)?;
        Some(Stat {
            state: fields.first()?.chars().next()?,
            parent: u32::try_from(number(1)?).ok()?,
            group: u32::try_from(number(2)?).ok()?,
            cpu_time: Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND),
            has_environment: number(48)? != 0,
        })
    }

    /// Returns true if the process or thread is asleep until something wakes it, as in a blocking
    /// system call. A process's state is its main thread's state.
    pub fn is_asleep(self) -> bool {
        self.state == 'S'
    }

    /// Returns true if the process or thread is running, would run if a processor were free, or is
    /// in uninterruptible sleep, for example because it's waiting for a page from the disk.
    pub fn is_runnable(self) -> bool {
        matches!(self.state, 'R' | 'D')
    }

    /// Returns true if a signal such as SIGSTOP has stopped the process. Only SIGCONT makes a
    /// stopped process continue.
    pub fn is_stopped(self) -> bool {
        self.state == 'T'
    }

    /// Returns true unless the process or thread has ended. A zombie isn't alive.
    pub fn is_alive(self) -> bool {
        !matches!(self.state, 'Z' | 'X')
    }
}

/// Returns the CPU time of all processes in a group, including their threads.
pub fn cpu_time_of_group(group: u32) -> Duration {
    processes_of_group(group).iter().map(|(_, stat)| stat.cpu_time).sum()
}

/// Returns the processes in a group, each with its directory, `/proc/PID`.
pub fn processes_of_group(group: u32) -> Vec<(PathBuf, Stat)> {
    let processes = processes().filter_map(|(_, dir)| Stat::of(&dir).ok().map(|stat| (dir, stat)));
    processes.filter(|(_, stat)| stat.group == group).collect()
}

/// Returns all processes, each with its directory, `/proc/PID`.
pub fn processes() -> impl Iterator<Item = (Pid, PathBuf)> {
    fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let dir = entry.ok()?.path();
        let process = Pid::from_raw(dir.file_name()?.to_str()?.parse().ok()?)?;
        Some((process, dir))
    })
}

/// Returns this process's children, including those that have ended and that nobody has reaped.
pub fn children() -> Vec<(Pid, Stat)> {
    let us = std::process::id();
    let processes = listed_children().unwrap_or_else(|| processes().map(|(it, _)| it).collect());
    let children = processes.into_iter().filter_map(|process| {
        let stat = Stat::of(&dir_of(process)).ok()?;
        (stat.parent == us).then_some((process, stat))
    });
    children.collect()
}

/// Collects our children from the lists that the kernel provides for each of our threads. Returns
/// `None` if the kernel doesn't provide such lists; see `proc_pid_task(5)`.
fn listed_children() -> Option<Vec<Pid>> {
    let threads = threads_of(Path::new("/proc/self"));
    let lists = threads.iter().map(|thread| fs::read_to_string(thread.join("children")).ok());
    let lists: Option<Vec<String>> = lists.collect();
    let words = lists?.join(" ");
    Some(words.split_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)).collect())
}

/// Returns a process's directory in `/proc`.
pub fn dir_of(process: Pid) -> PathBuf {
    Path::new("/proc").join(process.as_raw_pid().to_string())
}

/// Returns the directories of a process's threads, `/proc/PID/task/TID`, normally starting with the
/// main thread's.
pub fn threads_of(process: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(process.join("task")).into_iter().flatten();
    let mut threads: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    // The main thread has the lowest ID, unless the IDs have wrapped around.
    threads.sort_by_key(|path| (path.file_name().map(std::ffi::OsStr::len), path.clone()));
    threads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let text = "4711 (a) S (b)) S 1 4700 4711 0 -1 4194560 9 0 0 0 150 25 0 0 20 0 1 0";
        let rest = "0 ".repeat(30);
        let stat = Stat::parse(&format!("{text} {rest}")).expect("a stat line");
        assert!(stat.is_asleep());
        assert_eq!(stat.parent, 1);
        assert_eq!(stat.group, 4700);
        assert_eq!(stat.cpu_time, Duration::from_millis(1750));
    }

    #[test]
    fn a_process_has_its_environment_until_it_ends() {
        assert!(Stat::of(Path::new("/proc/self")).expect("our own stat file").has_environment);
        let mut child = std::process::Command::new("true").spawn().expect("a process");
        let dir = PathBuf::from(format!("/proc/{}", child.id()));
        let stat = || Stat::of(&dir).expect("the child's stat file");
        while stat().is_alive() {
            std::thread::yield_now();
        }
        assert!(!stat().has_environment);
        child.wait().expect("its end");
    }
}
