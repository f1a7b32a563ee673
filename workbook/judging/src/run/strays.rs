//! Kills the processes that a scene leaves behind outside its process group, since killing the
//! group doesn't end these processes.
//!
//! While scenes run, the kernel makes us the parent of every descendant whose own parent has ended
//! (see `PR_SET_CHILD_SUBREAPER(2const)`), so we find such processes among our children. If a scene
//! runs alone, all of these processes belong to that scene. Otherwise we recognise a scene's
//! processes by a tag that they inherit in their environment.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use kit::proc::{Stat, children, dir_of};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};
use scene::RECORDS_ON_STDIN;

use super::child_guard::is_ours;

/// The maximum time for which we keep killing strays that start new processes, and for which we
/// wait for a new process's environment.
const LONGEST: Duration = Duration::from_secs(2);

/// The number of running scenes, and the number of all scenes so far.
static RUNNING: Mutex<Running> = Mutex::new(Running { now: 0, begun: 0 });

#[derive(Debug)]
struct Running {
    now: usize,
    /// The total number of scenes that have begun.
    begun: u64,
}

/// One run of a scene. At the end of the run, the scene's strays are killed.
#[derive(Debug)]
pub(super) struct Tagged {
    tag: String,
    /// The number of scenes that had begun before this scene.
    number: u64,
    /// True if no other scene was running when this scene began.
    began_alone: bool,
}

/// Returns the prefix of all tags that this runner creates. Other runners' tags have a different
/// prefix.
fn runners_tag() -> &'static str {
    static TAG: OnceLock<String> = OnceLock::new();
    TAG.get_or_init(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("{}-{}-", getpid().as_raw_pid(), now.as_nanos())
    })
}

impl Tagged {
    /// Begins a run.
    pub(super) fn begin() -> Tagged {
        let mut running = running();
        let (number, began_alone) = (running.begun, running.now == 0);
        if began_alone {
            // If this fails, the only consequence is that strays survive.
            let _ = set_child_subreaper(Some(getpid()));
        }
        running.now += 1;
        running.begun += 1;
        Tagged { tag: format!("{}{number}.", runners_tag()), number, began_alone }
    }

    /// Returns the tag, which is the value of the variable [`RECORDS_ON_STDIN`].
    pub(super) fn tag(&self) -> &str {
        &self.tag
    }

    /// Kills this run's strays, given the scene's group, and returns their names.
    pub(super) fn end_strays(&self, group: Pid) -> Vec<String> {
        let variable = format!("{RECORDS_ON_STDIN}={}", self.tag);
        let our_group = our_group();
        end(strays, |process, stat| {
            // Our own group contains processes that other parts of this program started.
            let is_alones = stat.group != our_group && self.is_alone();
            stat.group != group.as_raw_pid().unsigned_abs()
                && (is_alones || has_in_environment(&dir_of(process), &variable))
        })
    }

    /// Returns true if no other scene has run since this scene began.
    fn is_alone(&self) -> bool {
        self.began_alone && running().begun == self.number + 1
    }
}

impl Drop for Tagged {
    fn drop(&mut self) {
        let mut running = running();
        running.now -= 1;
        if running.now == 0 {
            // The remaining strays have removed their tags. We started nothing else outside our
            // group, so every unknown child there is a stray.
            let our_group = our_group();
            end(strays, |_, stat| stat.group != our_group);
            let _ = set_child_subreaper(None);
        }
    }
}

/// Kills the remaining scenes and the processes that scenes have left behind, since we're about to
/// exit. Spares `judges`: each judge kills the processes that it started and then exits.
pub(super) fn end_all_but(judges: &[Pid]) {
    let variable = format!("{RECORDS_ON_STDIN}={}", runners_tag());
    let our_group = our_group();
    let is_it = |process: Pid, stat: Stat| {
        let is_outside = stat.group != our_group || has_in_environment(&dir_of(process), &variable);
        is_outside && !judges.contains(&process)
    };
    end(children, is_it);
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reaps the dead `children` and kills the living ones that `is_it` chooses. The processes that a
/// killed child started become our children, so `is_it` can choose them, too. Returns the names of
/// all killed processes.
fn end(children: impl Fn() -> Vec<(Pid, Stat)>, is_it: impl Fn(Pid, Stat) -> bool) -> Vec<String> {
    let began = Instant::now();
    let mut names = Vec::new();
    loop {
        let mut ended = false;
        for (process, stat) in children() {
            if !stat.is_alive() {
                let _ = waitpid(Some(process), WaitOptions::NOHANG);
            } else if is_it(process, stat) {
                let name = fs::read_to_string(dir_of(process).join("comm")).unwrap_or_default();
                let name = name.trim().to_owned();
                if !names.contains(&name) {
                    names.push(name);
                }
                let _ = kill_process(process, Signal::KILL);
                let _ = waitpid(Some(process), WaitOptions::empty());
                ended = true;
            }
        }
        // Processes that the killed children started have only now become our children, so look
        // again.
        if !ended || began.elapsed() > LONGEST {
            return names;
        }
    }
}

/// Returns the ID of our process group. The ID is 0 if we're in a container and the group's leader
/// is outside the container. `rustix::process::getpgrp` doesn't expect a 0, so we read `/proc`.
fn our_group() -> u32 {
    Stat::of(Path::new("/proc/self")).map_or(0, |stat| stat.group)
}

/// Lists our children that we didn't start.
fn strays() -> Vec<(Pid, Stat)> {
    let mut children = children();
    children.retain(|(process, _)| !is_ours(*process));
    children
}

/// Returns true if an entry in the process's environment begins with `variable`, which contains a
/// name, `=` and a value. If the process is just starting, waits until its environment is
/// available.
fn has_in_environment(process: &Path, variable: &str) -> bool {
    let began = Instant::now();
    loop {
        let is_being_started =
            Stat::of(process).is_ok_and(|stat| stat.is_alive() && !stat.has_environment);
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|it| it.starts_with(variable.as_bytes())) {
            return true;
        }
        if !is_being_started || began.elapsed() > LONGEST {
            return false;
        }
        thread::yield_now();
    }
}
