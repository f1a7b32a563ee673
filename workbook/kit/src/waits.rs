//! The system calls in which a thread can wait, and what each call waits for.

/// Describes a thread's wait, given the line in `/proc/PID/task/TID/syscall`, which contains the
/// call's number and its arguments in hexadecimal. Returns `None` if the thread was running, wasn't
/// in a system call, or was in a call that only polls.
///
/// `descriptor` returns the kind of object that one of the process's descriptors refers to.
pub fn describe(line: &str, descriptor: impl Fn(u64) -> String) -> Option<String> {
    let mut words = line.split_whitespace();
    let number: libc::c_long = words.next()?.parse().ok().filter(|&number| number >= 0)?;
    let arguments: Vec<u64> = words
        .filter_map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok())
        .collect();
    let argument = |index: usize| arguments.get(index).copied().unwrap_or(0);

    let Some(Call { name, waits, .. }) = Call::with_number(number) else {
        return Some(format!("system call {number}"));
    };
    let why = match *waits {
        // With a timeout of 0, the call only polls, and the thread may be repeating the call.
        Waits::Milliseconds(index) if low_half(argument(index)) == 0 => return None,
        Waits::Milliseconds(index) => milliseconds(argument(index)),
        Waits::Timespec(index) if argument(index) == 0 => NO_TIMEOUT.to_owned(),
        Waits::Timespec(_) => "with a timeout: nothing arrived".to_owned(),
        Waits::Futex => "for a lock, a channel or another thread: nothing woke it".to_owned(),
        Waits::Read => {
            format!("on a {}: nothing arrived, not even end of file", descriptor(argument(0)))
        }
        Waits::Write => format!("to a {}: nothing read it", descriptor(argument(0))),
        Waits::Accept => format!("on a {}: no client connected", descriptor(argument(0))),
        Waits::Sleep => "sleeping on the real clock".to_owned(),
        Waits::Child => "for another process to end".to_owned(),
        Waits::Signal => "for a signal that didn't come".to_owned(),
        Waits::Completion => "for a completion: none came".to_owned(),
        Waits::Message => "for a message: none arrived".to_owned(),
        Waits::Semaphore => "for a semaphore: nothing raised it".to_owned(),
        Waits::FileLock => "for a lock on a file: nothing released it".to_owned(),
        Waits::Call => "until another thread makes a call".to_owned(),
    };
    Some(format!("{name}, {why}"))
}

/// Returns true if `call` describes the call by which a scene intercepts other threads' calls.
pub fn stops_others(call: &str) -> bool {
    call.starts_with("ioctl, ")
}

/// Returns true if `call` describes a call in which a thread waits for another thread.
pub fn waits_for_a_thread(call: &str) -> bool {
    call.starts_with("futex")
}

const NO_TIMEOUT: &str = "with no timeout: nothing woke it";

/// Describes a timeout in milliseconds. The kernel treats the argument as an int, and a negative
/// value means no timeout.
fn milliseconds(argument: u64) -> String {
    let timeout = low_half(argument);
    if timeout > i32::MAX.unsigned_abs() {
        NO_TIMEOUT.to_owned()
    } else {
        format!("with a timeout of {timeout} ms: nothing arrived")
    }
}

fn low_half(argument: u64) -> u32 {
    u32::try_from(argument & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}

/// The kind of wait in a call. The number, if any, is the index of the call's timeout argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Waits {
    Milliseconds(usize),
    Timespec(usize),
    Futex,
    Read,
    Write,
    Accept,
    Sleep,
    Child,
    Signal,
    Completion,
    Message,
    Semaphore,
    FileLock,
    Call,
}

/// A call in which a thread can wait.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) number: libc::c_long,
    pub(crate) name: &'static str,
    pub(crate) waits: Waits,
}

impl Call {
    pub(crate) fn with_number(number: libc::c_long) -> Option<&'static Call> {
        CALLS.iter().find(|call| call.number == number)
    }
}

const fn call(number: libc::c_long, name: &'static str, waits: Waits) -> Call {
    Call { number, name, waits }
}

pub(crate) const CALLS: &[Call] = &[
    // aarch64 is newer and only has the later forms of these calls.
    #[cfg(target_arch = "x86_64")]
    call(libc::SYS_epoll_wait, "epoll_wait", Waits::Milliseconds(3)),
    #[cfg(target_arch = "x86_64")]
    call(libc::SYS_poll, "poll", Waits::Milliseconds(2)),
    #[cfg(target_arch = "x86_64")]
    call(libc::SYS_select, "select", Waits::Timespec(4)),
    #[cfg(target_arch = "x86_64")]
    call(libc::SYS_pause, "pause", Waits::Signal),
    call(libc::SYS_epoll_pwait, "epoll_wait", Waits::Milliseconds(3)),
    call(libc::SYS_epoll_pwait2, "epoll_pwait2", Waits::Timespec(3)),
    call(libc::SYS_ppoll, "ppoll", Waits::Timespec(2)),
    call(libc::SYS_pselect6, "select", Waits::Timespec(4)),
    call(libc::SYS_io_uring_enter, "io_uring_enter", Waits::Completion),
    call(libc::SYS_io_getevents, "io_getevents", Waits::Completion),
    call(libc::SYS_futex, "futex", Waits::Futex),
    call(libc::SYS_futex_waitv, "futex_waitv", Waits::Futex),
    // libc doesn't have a name for futex_wait, new in Linux 6.7. The number is the same on nearly
    // all architectures.
    call(455, "futex_wait", Waits::Futex),
    call(libc::SYS_read, "read", Waits::Read),
    call(libc::SYS_readv, "readv", Waits::Read),
    call(libc::SYS_preadv2, "preadv2", Waits::Read),
    call(libc::SYS_splice, "splice", Waits::Read),
    call(libc::SYS_tee, "tee", Waits::Read),
    call(libc::SYS_recvmmsg, "recvmmsg", Waits::Read),
    call(libc::SYS_mq_timedreceive, "mq_receive", Waits::Message),
    call(libc::SYS_msgrcv, "msgrcv", Waits::Message),
    call(libc::SYS_semop, "semop", Waits::Semaphore),
    call(libc::SYS_semtimedop, "semtimedop", Waits::Semaphore),
    call(libc::SYS_flock, "flock", Waits::FileLock),
    call(libc::SYS_fcntl, "fcntl", Waits::FileLock),
    call(libc::SYS_recvfrom, "recv", Waits::Read),
    call(libc::SYS_recvmsg, "recvmsg", Waits::Read),
    call(libc::SYS_write, "write", Waits::Write),
    call(libc::SYS_writev, "writev", Waits::Write),
    call(libc::SYS_sendto, "send", Waits::Write),
    call(libc::SYS_sendmsg, "sendmsg", Waits::Write),
    call(libc::SYS_accept, "accept", Waits::Accept),
    call(libc::SYS_accept4, "accept", Waits::Accept),
    call(libc::SYS_nanosleep, "nanosleep", Waits::Sleep),
    call(libc::SYS_clock_nanosleep, "clock_nanosleep", Waits::Sleep),
    call(libc::SYS_wait4, "wait4", Waits::Child),
    call(libc::SYS_waitid, "waitid", Waits::Child),
    call(libc::SYS_rt_sigtimedwait, "sigwait", Waits::Signal),
    call(libc::SYS_rt_sigsuspend, "sigsuspend", Waits::Signal),
    // A scene waits in this call until another thread makes a system call; see
    // `seccomp_unotify(2)`.
    call(libc::SYS_ioctl, "ioctl", Waits::Call),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: libc::c_long, arguments: &str) -> String {
        format!("{number} {arguments} 0x7ffc5e0 0x7f3b2a\n")
    }

    fn pipe(_: u64) -> String {
        "pipe".to_owned()
    }

    #[test]
    fn a_timeout_is_named() {
        let line = line(libc::SYS_epoll_pwait, "0x3 0x7ffd 0x400 0xa 0x0 0x8");
        let said = describe(&line, pipe);
        assert_eq!(said.as_deref(), Some("epoll_wait, with a timeout of 10 ms: nothing arrived"));
    }

    #[test]
    fn a_wait_for_completions_is_named() {
        let line = line(libc::SYS_io_uring_enter, "0x3 0x0 0x1 0x9 0x7ffd 0x18");
        let said = describe(&line, pipe);
        assert_eq!(said.as_deref(), Some("io_uring_enter, for a completion: none came"));
    }

    #[test]
    fn a_call_that_only_looks_is_no_sleep() {
        let line = line(libc::SYS_epoll_pwait, "0x3 0x7ffd 0x400 0x0 0x0 0x8");
        assert_eq!(describe(&line, pipe), None);
    }

    #[test]
    fn a_thread_outside_the_kernel_is_in_no_call() {
        assert_eq!(describe("running\n", pipe), None);
        assert_eq!(describe("-1 0x7ffd 0x7f3b\n", pipe), None);
    }
}
