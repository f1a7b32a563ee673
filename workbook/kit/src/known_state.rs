//! The state in which a program starts. A process inherits a lot from the terminal, the editor or
//! the script that started it: open descriptors, blocked and ignored signals, limits, and a umask.
//! A scene counts descriptors and sends signals, so such leftovers would look like faults in the
//! reader's code.
//!
//! - [`start_afresh`]: for a scene or a trial, which should start like any program in a login
//!   shell;
//! - [`start_as_a_parent`]: for a program that starts other programs and waits for them;
//! - [`is_ignored`]: checks whether a signal is ignored, for programs that leave it ignored.

use std::env;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;

use libc::c_int;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::check::check;
use crate::close_at_exec;

/// The soft limit for descriptors on most machines.
const DESCRIPTORS: u64 = 1024;
/// The soft limit for the main thread's stack on most machines, in bytes.
const STACK: u64 = 8 * 1024 * 1024;
/// The maximum time by which the kernel may prolong a thread's timed wait to combine wake-ups, in
/// nanoseconds; see `PR_SET_TIMERSLACK(2const)`.
const TIMER_SLACK: libc::c_ulong = 50_000;

/// The usual umask, with which other users can read our files but can't write to them.
const UMASK: libc::mode_t = 0o022;

/// The limits that this process raises as far as it's allowed to.
const AS_FAR_AS_ALLOWED: [(Resource, Option<u64>); 7] = [
    (Resource::Cpu, None),
    (Resource::Fsize, None),
    (Resource::Data, None),
    (Resource::As, None),
    (Resource::Nproc, None),
    (Resource::Memlock, None),
    (Resource::Sigpending, None),
];

/// The environment variable with the ID of a process that has restarted itself. The variable keeps
/// the process from restarting more than once.
const BEGAN_ANEW: &str = "WORKBOOK_BEGAN_ANEW";

/// Gives this process the state that a login shell gives its programs: no descriptors except 0, 1
/// and 2, no blocked signals, no ignored signals except SIGPIPE (which std ignores), the usual
/// limits and the usual umask. Call this first in `main`.
///
/// Some inherited state, such as open descriptors, can be fixed only by a restart. In that case,
/// the process executes its own program again, with the same arguments and the same process ID.
///
/// Fails if the kernel refuses any of these steps.
pub fn start_afresh() -> io::Result<()> {
    // SAFETY: umask(2) takes a number and always succeeds.
    unsafe { libc::umask(UMASK) };
    set_soft_limits(&[(Resource::Nofile, Some(DESCRIPTORS)), (Resource::Core, Some(0))])?;
    set_soft_limits(&AS_FAR_AS_ALLOWED)?;
    // A smaller stack is too small for some programs, and a larger stack does no harm.
    if getrlimit(Resource::Stack).current.is_some_and(|soft| soft < STACK) {
        set_soft_limits(&[(Resource::Stack, Some(STACK))])?;
    }
    // SAFETY: with this option, prctl(2) takes a number.
    let set = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, TIMER_SLACK) };
    check(set, "prctl PR_SET_TIMERSLACK")?;
    let were_ignored = stop_ignoring(|_| true);
    let were_blocked = unblock_all()?;
    let were_open = is_any_open();
    let own_id = std::process::id().to_string();
    let began_anew = env::var(BEGAN_ANEW).is_ok_and(|id| id == own_id);
    if began_anew || !(were_ignored || were_blocked || were_open) {
        return Ok(());
    }
    close_at_exec()?;
    // std's startup code has already run with the inherited signals, so only a restart gives the
    // program a normal start.
    let arguments: Vec<_> = env::args_os().collect();
    let mut command = Command::new("/proc/self/exe");
    if let Some((name, rest)) = arguments.split_first() {
        command.arg0(name).args(rest);
    }
    Err(command.env(BEGAN_ANEW, own_id).exec())
}

/// Prepares this process to start other processes and wait for them, whatever it has inherited.
/// Unblocks all signals, raises limits such as the number of descriptors, and stops ignoring
/// signals: if SIGCHLD were ignored, for example, `waitpid(2)` would find no child. But a signal
/// with which a terminal or a user ends or stops programs stays ignored, such as SIGHUP after
/// `nohup`.
///
/// Call this first in `main`. A setting that can't be fixed stays as it is.
pub fn start_as_a_parent() {
    let is_for_the_terminal = |signal| {
        [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM].contains(&signal)
            || [libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU].contains(&signal)
    };
    stop_ignoring(|signal| !is_for_the_terminal(signal));
    let _ = unblock_all();
    let _ = set_soft_limits(&AS_FAR_AS_ALLOWED);
    if getrlimit(Resource::Nofile).current.is_some_and(|soft| soft < 4 * DESCRIPTORS) {
        let _ = set_soft_limits(&[(Resource::Nofile, Some(4 * DESCRIPTORS))]);
    }
}

/// Returns true if this process ignores a signal.
pub fn is_ignored(signal: c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: the null pointer means that nothing is changed, and the kernel writes to `action`.
    let asked = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
    // SAFETY: the call has succeeded, so it has written the whole value.
    asked == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}

/// Sets each soft limit to the given number or, if there's no number or the hard limit is lower, to
/// the hard limit.
fn set_soft_limits(limits: &[(Resource, Option<u64>)]) -> io::Result<()> {
    for &(resource, wanted) in limits {
        let Rlimit { current, maximum } = getrlimit(resource);
        let soft = match (wanted, maximum) {
            (Some(wanted), Some(hard)) => Some(wanted.min(hard)),
            (wanted, hard) => wanted.or(hard),
        };
        if soft != current {
            setrlimit(resource, Rlimit { current: soft, maximum })?;
        }
    }
    Ok(())
}

/// Restores the default action for those ignored signals for which `is_chosen` returns true.
/// Returns true if there were any such signals.
fn stop_ignoring(is_chosen: impl Fn(c_int) -> bool) -> bool {
    let mut found = false;
    // Skip SIGPIPE, because std itself ignores it.
    let all = (1..=libc::SIGRTMAX()).filter(|&signal| signal != libc::SIGPIPE);
    for signal in all.filter(|&signal| is_chosen(signal) && is_ignored(signal)) {
        // SAFETY: the default action runs no code of ours.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        found = true;
    }
    found
}

/// Unblocks all signals in this thread. Returns true if any signal was blocked.
fn unblock_all() -> io::Result<bool> {
    let mut none = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the call writes an empty set.
    unsafe { libc::sigemptyset(none.as_mut_ptr()) };
    let mut before = none;
    // SAFETY: both pointers are to sets that live until the call has returned.
    let set = unsafe { libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), before.as_mut_ptr()) };
    check(set, "sigprocmask SIG_SETMASK")?;
    let is_blocked = |signal| {
        // SAFETY: the set was empty at first, and the kernel has written the mask over it.
        unsafe { libc::sigismember(before.as_ptr(), signal) == 1 }
    };
    Ok((1..=libc::SIGRTMAX()).any(is_blocked))
}

/// Returns true if a descriptor above 2 is open.
fn is_any_open() -> bool {
    let entries = fs::read_dir("/proc/self/fd").into_iter().flatten();
    let open: Vec<u32> =
        entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    // The descriptor that listed the directory is closed by now, so we don't count it.
    open.iter().any(|fd| *fd > 2 && fs::symlink_metadata(format!("/proc/self/fd/{fd}")).is_ok())
}
