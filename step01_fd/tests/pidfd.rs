//! The behaviour of a descriptor that names a process.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use step01_fd::{errno, pidfd_open, pidfd_send_signal};

/// Starts a process that ends when its input does.
fn start() -> Child {
    Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
}

/// Returns true if a read wouldn't block, as poll(2) says.
fn is_readable(fd: &impl AsRawFd, timeout: i32) -> bool {
    let mut asked = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: `asked` is one pollfd, which the kernel reads and writes.
    let count = unsafe { libc::poll(&raw mut asked, 1, timeout) };
    assert_ne!(count, -1);
    asked.revents & libc::POLLIN != 0
}

#[test]
fn it_is_readable_once_the_process_has_ended() {
    let mut child = start();
    let pidfd = pidfd_open(child.id()).unwrap();
    assert!(!is_readable(&pidfd, 0));
    drop(child.stdin.take());
    assert!(is_readable(&pidfd, -1), "though its status wasn't fetched");
    assert!(child.wait().unwrap().success());
    assert!(is_readable(&pidfd, 0), "nor does that change when it was");
}

#[test]
fn a_signal_hits_that_process_and_no_other() {
    let mut child = start();
    let pidfd = pidfd_open(child.id()).unwrap();
    pidfd_send_signal(&pidfd, 0).unwrap();
    pidfd_send_signal(&pidfd, libc::SIGTERM).unwrap();
    assert!(is_readable(&pidfd, -1));
    pidfd_send_signal(&pidfd, libc::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM));
    let error = pidfd_send_signal(&pidfd, libc::SIGTERM).unwrap_err();
    assert_eq!(errno(&error), Some(libc::ESRCH));
    let fd = pidfd.as_raw_fd();
    assert!(error.to_string().starts_with(&format!("pidfd_send_signal fd {fd} signal 15: ")));
}

#[test]
fn it_is_close_on_exec() {
    let mut child = start();
    let pidfd = pidfd_open(child.id()).unwrap();
    // SAFETY: F_GETFD takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(pidfd.as_raw_fd(), libc::F_GETFD) };
    assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn a_process_that_is_gone_has_none() {
    let mut child = start();
    let pid = child.id();
    drop(child.stdin.take());
    child.wait().unwrap();
    let error = pidfd_open(pid).unwrap_err();
    assert_eq!(errno(&error), Some(libc::ESRCH));
    assert!(error.to_string().starts_with(&format!("pidfd_open pid {pid}: ")));
    assert_eq!(errno(&pidfd_open(0).unwrap_err()), Some(libc::EINVAL));
}
