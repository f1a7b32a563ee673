//! Diagnoses a process that doesn't end, before we kill it: is it spinning or asleep, and if it's
//! asleep, in which system call?

use std::fs;
use std::path::Path;
use std::time::Duration;

use kit::proc::{cpu_time_of_group, threads_of};
use rustix::process::Pid;

use super::fault::Fault;
use super::system_calls;
use scene::descriptors;

/// Returns what a process group was doing until its time was up.
pub(crate) fn diagnose_hang(group: Pid, waited: Duration) -> Fault {
    let processor = cpu_time_of_group(group.as_raw_pid().unsigned_abs());
    let calls = sleeping_in(group);
    // On a busy machine, even a spinning loop gets only part of a processor's time, but a sleeping
    // thread uses almost none.
    if processor * 4 >= waited || (calls.is_empty() && processor * 20 >= waited) {
        Fault::Busy { waited, processor }
    } else {
        Fault::Asleep { waited, calls }
    }
}

/// Returns the system calls that the threads of a process sleep in, each call once, beginning with
/// the main thread's. The list is empty if no thread is in a call, or if the kernel doesn't let us
/// look.
fn sleeping_in(process: Pid) -> Vec<String> {
    let dir = format!("/proc/{}", process.as_raw_pid());
    let descriptor = |fd: u64| match fs::read_link(format!("{dir}/fd/{fd}")) {
        Ok(link) => descriptors::kind(&link.display().to_string()),
        Err(_) => "descriptor that isn't open".to_owned(),
    };
    let mut calls = Vec::new();
    for thread in threads_of(Path::new(&dir)) {
        let line = fs::read_to_string(thread.join("syscall")).unwrap_or_default();
        if let Some(call) = system_calls::describe(&line, descriptor)
            && !calls.contains(&call)
        {
            calls.push(call);
        }
    }
    calls
}
