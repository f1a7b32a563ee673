//! Finds out why a process didn't end in time: whether the process is suspended, is spinning, keeps
//! waking up or is asleep and, in the last two cases, in which system calls its threads are.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use kit::proc::{Stat, cpu_time_of_group, dir_of, processes_of_group, threads_of};
use kit::waits;
use rustix::process::Pid;

use super::fault::Fault;
use scene::descriptors;

/// The number of checks on a process that may be ready to run, and the interval between checks.
const LOOKS: u32 = 5;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
/// The number of times that a watched thread has to fall asleep before we report that it keeps
/// waking up.
const FEW_SLEEPS: u64 = 3;

/// Returns true if a process group has used less processor time than half of the time limit and one
/// of its threads is ready to run. In that case, the scene is late because the machine is busy.
pub(crate) fn is_starved(group: Pid, patience: Duration) -> bool {
    if processor_time(group) * 2 >= patience {
        return false;
    }
    (0..LOOKS).any(|look| {
        if look > 0 {
            thread::sleep(BETWEEN_LOOKS);
        }
        // Check the whole group, since a scene can sleep while it waits for a process that it
        // started.
        processes_of_group(group.as_raw_pid().unsigned_abs())
            .iter()
            .flat_map(|(process, _)| threads_of(process))
            .any(|thread| Stat::of(&thread).is_ok_and(Stat::is_runnable))
    })
}

/// Returns true if all threads of a process that hasn't been reaped yet have ended.
pub(crate) fn has_ended(process: Pid) -> bool {
    let threads = threads_of(&dir_of(process));
    threads.iter().all(|thread| Stat::of(thread).is_ok_and(|stat| !stat.is_alive()))
}

/// Returns the fault that describes a process group whose time is up.
pub(crate) fn diagnose_hang(group: Pid, waited: Duration) -> Fault {
    if Stat::of(&dir_of(group)).is_ok_and(Stat::is_stopped) {
        return Fault::Stopped { waited };
    }
    let processor = processor_time(group);
    let calls = sleeping_in(group);
    // On a busy machine, even a spinning loop gets only part of a processor's time, but a sleeping
    // thread uses almost none.
    if processor * 4 >= waited || (calls.is_empty() && processor * 20 >= waited) {
        return Fault::Busy { waited, processor };
    }
    match watch(group) {
        Seen::Runs => Fault::Busy { waited, processor },
        Seen::WakesUp => Fault::Slow { waited, calls },
        Seen::Sleeps => Fault::Asleep { waited, calls },
    }
}

/// The behaviour of a process while we watch it.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    /// A thread of the process was ready to run at every check.
    Runs,
    /// A thread of the process keeps falling asleep and waking up.
    WakesUp,
    Sleeps,
}

/// Watches a process briefly and returns its behaviour.
fn watch(process: Pid) -> Seen {
    let threads = threads_of(&dir_of(process));
    let sleeps = || -> Vec<Option<u64>> { threads.iter().map(|it| sleeps_of(it)).collect() };
    let before = sleeps();
    let mut always_run = threads.clone();
    for _ in 0..LOOKS {
        thread::sleep(BETWEEN_LOOKS);
        always_run.retain(|thread| Stat::of(thread).is_ok_and(Stat::is_runnable));
    }
    if !always_run.is_empty() {
        return Seen::Runs;
    }
    let is_often = |(before, after): (Option<u64>, Option<u64>)| {
        before.zip(after).is_some_and(|(before, after)| after >= before + FEW_SLEEPS)
    };
    let wakes_up = before.into_iter().zip(sleeps()).any(is_often);
    if wakes_up { Seen::WakesUp } else { Seen::Sleeps }
}

/// Returns the number of times that a thread has fallen asleep.
fn sleeps_of(thread: &Path) -> Option<u64> {
    let status = fs::read_to_string(thread.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    line?.trim().parse().ok()
}

fn processor_time(group: Pid) -> Duration {
    cpu_time_of_group(group.as_raw_pid().unsigned_abs())
}

/// Returns the system calls in which a process's threads are asleep, without duplicates. A wait for
/// another thread comes last, because such a wait is usually just the scene's own thread joining
/// the loop's thread. The list is empty if no thread is in a call, or if the kernel doesn't let us
/// read the calls.
fn sleeping_in(process: Pid) -> Vec<String> {
    let dir = dir_of(process);
    let descriptor = |fd: u64| match fs::read_link(dir.join(format!("fd/{fd}"))) {
        Ok(link) => descriptors::kind(&link.display().to_string()),
        Err(_) => "descriptor that isn't open".to_owned(),
    };
    let mut calls = Vec::new();
    for thread in threads_of(&dir) {
        let line = fs::read_to_string(thread.join("syscall")).unwrap_or_default();
        if let Some(call) = waits::describe(&line, descriptor)
            && !calls.contains(&call)
        {
            calls.push(call);
        }
    }
    // If a thread of the scene intercepts other threads' calls, leave out that thread's own call,
    // because the other threads' calls are more informative.
    if calls.iter().any(|call| !waits::stops_others(call)) {
        calls.retain(|call| !waits::stops_others(call));
    }
    calls.sort_by_key(|call| waits::waits_for_a_thread(call));
    calls
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::run::child_guard::{ChildGuard, spawn_group};

    /// A shell that is killed when the test ends.
    struct Shell(ChildGuard);

    impl Shell {
        fn runs(script: &str) -> Self {
            Shell(spawn_group(Command::new("sh").args(["-c", script])).expect("start a shell"))
        }

        fn pid(&self) -> Pid {
            self.0.pid()
        }
    }

    impl Drop for Shell {
        fn drop(&mut self) {
            self.0.end();
            self.0.wait().expect("its end");
        }
    }

    #[test]
    fn a_program_that_would_run_and_has_had_little_time_is_starved() {
        let spins = Shell::runs("while :; do :; done");
        assert!(is_starved(spins.pid(), Duration::from_hours(1)));
    }

    #[test]
    fn so_is_one_that_waits_for_a_child_that_would_run() {
        let waits = Shell::runs("sh -c 'while :; do :; done'; true");
        let is_asleep = || Stat::of(&dir_of(waits.pid())).is_ok_and(Stat::is_asleep);
        let has_a_child = || processes_of_group(waits.pid().as_raw_pid().unsigned_abs()).len() == 2;
        while !(is_asleep() && has_a_child()) {
            thread::yield_now();
        }
        assert!(is_starved(waits.pid(), Duration::from_hours(1)));
    }

    #[test]
    fn a_program_that_has_had_its_time_is_not_starved() {
        let spins = Shell::runs("while :; do :; done");
        let patience = Duration::from_millis(40);
        while processor_time(spins.pid()) < patience / 2 {
            thread::yield_now();
        }
        assert!(!is_starved(spins.pid(), patience));
    }

    #[test]
    fn a_program_that_spins_runs_at_every_look_and_one_that_ticks_wakes_up() {
        let spins = Shell::runs("while :; do :; done");
        while watch(spins.pid()) != Seen::Runs {
            thread::yield_now();
        }
        let ticks = Shell::runs("while :; do sleep 0.001; done");
        // The shell falls asleep whenever it waits for one of its children.
        while watch(ticks.pid()) != Seen::WakesUp {
            thread::yield_now();
        }
        let sleeps = Shell::runs("exec sleep 1000");
        while watch(sleeps.pid()) != Seen::Sleeps {
            thread::yield_now();
        }
    }

    #[test]
    fn a_program_that_has_ended_does_not_hang() {
        let (ends, sleeps) = (Shell::runs("exit 0"), Shell::runs("exec sleep 1000"));
        while !has_ended(ends.pid()) {
            thread::yield_now();
        }
        assert!(!has_ended(sleeps.pid()));
    }

    #[test]
    fn a_program_that_sleeps_is_not_starved() {
        let sleeps = Shell::runs("exec sleep 1000");
        // The shell also waits for its own pages while it starts.
        let is_a_sleep = |call: &String| call.contains("nanosleep");
        while !sleeping_in(sleeps.pid()).iter().any(is_a_sleep) {
            thread::yield_now();
        }
        assert!(!is_starved(sleeps.pid(), Duration::from_hours(1)));
    }
}
