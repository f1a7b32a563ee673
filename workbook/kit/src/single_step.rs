//! A child process that we run instruction by instruction, as a debugger does.
//!
//! A signal can interrupt a program between any two instructions. Most instructions aren't system
//! calls or anything else that we could wait for, so we stop the program after each instruction.
//! See `ptrace(2)`.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;

use crate::check::check;

/// `PTRACE_GET_SYSCALL_INFO`. Some C libraries' headers define neither this constant nor the next.
const GET_SYSCALL_INFO: libc::c_uint = 0x420e;
/// `PTRACE_GETSIGMASK`.
const GET_SIGMASK: libc::c_uint = 0x420a;
/// The exit code of a child that can't be traced.
const NOT_TRACED: i32 = 97;

/// The place where a child is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoppedAt {
    /// The next instruction.
    Instruction,
    /// The beginning of a system call. Contains the call's number and first argument.
    Call(u64, u64),
    /// The end of a system call.
    Return,
    /// The arrival of a signal that the child hasn't handled yet.
    Signal(i32),
    /// The end of the child.
    End,
}

/// A child process whose main thread we run instruction by instruction.
#[derive(Debug)]
pub struct Tracee {
    pid: libc::pid_t,
    has_ended: bool,
}

impl Tracee {
    /// Starts a child process and runs `f` in it, up to the first signal that arrives in the child.
    /// Returns `None` if the kernel doesn't let us trace the child, or if the child ends before a
    /// signal arrives.
    ///
    /// Call this only while the process has no other threads.
    pub fn start(f: impl FnOnce()) -> io::Result<Option<Tracee>> {
        // SAFETY: this process has one thread, so the child inherits no lock held by another
        // thread.
        let pid = check(unsafe { libc::fork() }, "fork")?;
        if pid == 0 {
            run_child(f);
        }
        let mut tracee = Tracee { pid, has_ended: false };
        // The child stops itself as soon as it's traced.
        if tracee.wait()? != StoppedAt::Signal(libc::SIGSTOP) {
            return Ok(None);
        }
        let options = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_EXITKILL;
        tracee.request(libc::PTRACE_SETOPTIONS, i64::from(options))?;
        let first = tracee.go_on(0)?;
        Ok((first != StoppedAt::End).then_some(tracee))
    }

    /// Runs one instruction or, if `signal` isn't 0, delivers that signal and runs up to the first
    /// instruction of its handler. If the child is stopped at the end of a system call, the signal
    /// is only sent and arrives later. Returns the place where the child is stopped.
    pub fn step(&mut self, signal: i32) -> io::Result<StoppedAt> {
        self.request(libc::PTRACE_SINGLESTEP, i64::from(signal))?;
        self.wait()
    }

    /// Delivers `signal` and runs up to the first instruction of its handler.
    pub fn interrupt(&mut self, signal: i32) -> io::Result<()> {
        // At the end of a system call, a step only sends the signal, and the signal arrives later.
        while self.step(signal)? == StoppedAt::Signal(signal) {}
        Ok(())
    }

    /// Runs up to the next beginning or end of a system call, or up to the next signal. Returns the
    /// place where the child is stopped.
    pub fn to_the_next_call(&mut self) -> io::Result<StoppedAt> {
        self.request(libc::PTRACE_SYSCALL, 0)?;
        self.wait()
    }

    /// Delivers `signal` if it isn't 0. Then runs up to the next signal or to the child's end.
    /// Returns the place where the child is stopped.
    pub fn go_on(&mut self, signal: i32) -> io::Result<StoppedAt> {
        self.request(libc::PTRACE_CONT, i64::from(signal))?;
        self.wait()
    }

    /// Returns true if the child is currently blocking a signal, as it does while it handles that
    /// signal.
    pub fn blocks(&self, signal: i32) -> io::Result<bool> {
        let mut mask = 0_u64;
        let size = ptr::without_provenance_mut::<libc::c_void>(size_of_val(&mask));
        // SAFETY: the kernel writes as many bytes as `size` says, and `mask` is that long.
        let got = unsafe { libc::ptrace(GET_SIGMASK, self.pid, size, &raw mut mask) };
        check(i32::try_from(got).unwrap_or(0), "ptrace PTRACE_GETSIGMASK")?;
        Ok(mask >> (signal - 1) & 1 == 1)
    }

    /// Returns the child's process ID.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    fn request(&self, request: libc::c_uint, data: i64) -> io::Result<()> {
        let nothing = ptr::null_mut::<libc::c_void>();
        // SAFETY: these requests take a number in place of the data.
        let done = unsafe { libc::ptrace(request, self.pid, nothing, data) };
        check(i32::try_from(done).unwrap_or(0), "ptrace")?;
        Ok(())
    }

    fn wait(&mut self) -> io::Result<StoppedAt> {
        let mut status = 0;
        // SAFETY: waitpid writes one int, and `status` is an int.
        check(unsafe { libc::waitpid(self.pid, &raw mut status, 0) }, "waitpid")?;
        if !libc::WIFSTOPPED(status) {
            self.has_ended = true;
            return Ok(StoppedAt::End);
        }
        match libc::WSTOPSIG(status) {
            libc::SIGTRAP => Ok(StoppedAt::Instruction),
            signal if signal == libc::SIGTRAP | 0x80 => self.call(),
            signal => Ok(StoppedAt::Signal(signal)),
        }
    }

    /// Determines whether the child is stopped at the beginning or at the end of a system call. See
    /// `PTRACE_GET_SYSCALL_INFO` in `ptrace(2)`.
    fn call(&self) -> io::Result<StoppedAt> {
        let mut info = [0_u64; 11];
        let size = ptr::without_provenance_mut::<libc::c_void>(size_of_val(&info));
        // SAFETY: the kernel writes at most as many bytes as `size` says, and `info` is that long.
        let got = unsafe { libc::ptrace(GET_SYSCALL_INFO, self.pid, size, info.as_mut_ptr()) };
        check(i32::try_from(got).unwrap_or(0), "ptrace PTRACE_GET_SYSCALL_INFO")?;
        // The first byte is 1 at a call's beginning and 2 at its end. The number comes after three
        // words, and the arguments follow the number.
        let [kind, ..] = info[0].to_ne_bytes();
        Ok(if kind == 1 { StoppedAt::Call(info[3], info[4]) } else { StoppedAt::Return })
    }
}

impl Drop for Tracee {
    fn drop(&mut self) {
        if !self.has_ended {
            // SAFETY: the child isn't reaped yet, so no other process can have its ID.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
            while self.wait().is_ok_and(|stopped| stopped != StoppedAt::End) {}
        }
    }
}

/// Runs in the child: asks to be traced, calls `f`, and exits.
fn run_child(f: impl FnOnce()) -> ! {
    let nothing = ptr::null_mut::<libc::c_void>();
    // SAFETY: PTRACE_TRACEME takes nothing and touches no memory of ours.
    let traced = unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, nothing, nothing) };
    if traced == -1 {
        // SAFETY: _exit ends the process at once and runs no code of ours.
        unsafe { libc::_exit(NOT_TRACED) };
    }
    // SAFETY: raise takes a number and touches no memory of ours.
    unsafe { libc::raise(libc::SIGSTOP) };
    let done = panic::catch_unwind(AssertUnwindSafe(f));
    // SAFETY: as above.
    unsafe { libc::_exit(i32::from(done.is_err())) };
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn do_nothing(_: libc::c_int) {}

    #[test]
    fn a_handler_is_stepped_through_and_can_be_interrupted() {
        let handler = do_nothing as extern "C" fn(libc::c_int) as usize;
        let child = || {
            // SAFETY: the handler does nothing.
            unsafe { libc::signal(libc::SIGUSR1, handler) };
            // SAFETY: raise takes a number and touches no memory of ours.
            unsafe { libc::raise(libc::SIGUSR1) };
        };
        let Some(mut tracee) = Tracee::start(child).unwrap() else { return };
        assert_eq!(tracee.step(libc::SIGUSR1).unwrap(), StoppedAt::Instruction);
        let mut calls = Vec::new();
        loop {
            match tracee.to_the_next_call().unwrap() {
                StoppedAt::Call(number, _) => calls.push(number),
                StoppedAt::End => break,
                _ => {}
            }
        }
        assert_eq!(calls.first(), Some(&u64::try_from(libc::SYS_rt_sigreturn).unwrap()));
    }
}
