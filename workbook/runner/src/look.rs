//! A look at a process that does not end, before it is killed: does it spin, or sleep, and in what?

use std::fs;
use std::time::Duration;

use rustix::process::Pid;

use crate::fault::Fault;
use crate::system_calls;
use scene::descriptors;

/// The kernel counts processor time in hundredths of a second, whatever its own tick is.
const TICKS_PER_SECOND: u64 = 100;

/// Says what the process group has been doing for all the time it was given.
pub(crate) fn look(group: Pid, waited: Duration) -> Fault {
    let processor = processor_time(group);
    let calls = sleeping_in(group);
    // On a busy machine a loop that spins gets a share of a processor only; a sleeper gets next to
    // nothing.
    if processor * 4 >= waited || (calls.is_empty() && processor * 20 >= waited) {
        Fault::Busy { waited, processor }
    } else {
        Fault::Asleep { waited, calls }
    }
}

/// The processor time of every process in the group, with all their threads.
fn processor_time(group: Pid) -> Duration {
    let stats = fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let path = entry.ok()?.path();
        path.file_name()?.to_str()?.parse::<u32>().ok()?;
        fs::read_to_string(path.join("stat")).ok()
    });
    let ticks: u64 = stats.filter_map(|stat| ticks_if_in(group, &stat)).sum();
    Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
}

/// The fields of `/proc/PID/stat`, counted from the state, which follows the name in parentheses.
fn ticks_if_in(group: Pid, stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let in_group = number(2)? == u64::from(group.as_raw_pid().unsigned_abs());
    let (user, system) = (number(11)?, number(12)?);
    in_group.then_some(user + system)
}

/// What the threads of the process sleep in, its main thread first, each call once.
///
/// A kernel that does not let us look leaves the list empty.
fn sleeping_in(process: Pid) -> Vec<String> {
    let root = format!("/proc/{}", process.as_raw_pid());
    let descriptor = |number: u64| match fs::read_link(format!("{root}/fd/{number}")) {
        Ok(link) => descriptors::kind(&link.display().to_string()),
        Err(_) => "descriptor that is not open".to_owned(),
    };
    let mut threads: Vec<_> = fs::read_dir(format!("{root}/task"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    // The main thread has the lowest number, unless the numbers have wrapped around.
    threads.sort_by_key(|path| (path.file_name().map(std::ffi::OsStr::len), path.clone()));
    let mut calls = Vec::new();
    for thread in threads {
        let line = fs::read_to_string(thread.join("syscall")).unwrap_or_default();
        if let Some(call) = system_calls::describe(&line, descriptor)
            && !calls.contains(&call)
        {
            calls.push(call);
        }
    }
    calls
}
