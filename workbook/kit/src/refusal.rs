//! System calls that fail on purpose: in one thread, the kernel refuses a call with the error that
//! we choose.
//!
//! Most errors of a system call are hard to provoke: the disk is full, the kernel is out of memory,
//! an address isn't allowed. A filter makes them certain. It can't be removed again, so each gets a
//! thread of its own, which ends with it. See `seccomp(2)`, `SECCOMP_SET_MODE_FILTER`.

use std::io;
use std::thread;

use anyhow::Context;

use crate::check::check;

/// A system call to refuse, and the error to refuse it with.
#[derive(Debug, Clone, Copy)]
pub struct Refusal {
    /// The call's number, such as `libc::SYS_epoll_ctl`.
    pub call: libc::c_long,
    /// Refuse the call only if this argument (counted from 0) has this value, as in
    /// `(1, libc::F_SETFL as u32)` for `fcntl`. `None` refuses every call.
    pub argument: Option<(u32, u32)>,
    /// The error, such as `libc::ENOSPC`.
    pub errno: i32,
}

/// Where the fields of `struct seccomp_data` are. An argument has eight bytes, of which we compare
/// the lower four.
const CALL: u32 = 0;
const ARGUMENTS: u32 = 16;
const LOWER_HALF: u32 = if cfg!(target_endian = "big") { 4 } else { 0 };

impl Refusal {
    /// Returns the refusal of every sleep in `epoll_wait(2)`, with EPERM. Not every architecture has
    /// that system call: the C library of the others calls `epoll_pwait(2)`.
    pub fn of_epoll_wait() -> Refusal {
        #[cfg(any(target_arch = "x86_64", target_arch = "x86", target_arch = "arm"))]
        let call = libc::SYS_epoll_wait;
        #[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "arm")))]
        let call = libc::SYS_epoll_pwait;
        Refusal { call, argument: None, errno: libc::EPERM }
    }

    /// Returns the refusal of every `read(2)`, with EPERM.
    pub fn of_read() -> Refusal {
        Refusal { call: libc::SYS_read, argument: None, errno: libc::EPERM }
    }

    /// Runs `f` in a thread in which the kernel refuses the call.
    ///
    /// Fails if the kernel has no such filters or doesn't allow one here, or if `f` panics.
    pub fn during<T: Send>(self, f: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
        let run = || -> io::Result<T> {
            self.install()?;
            Ok(f())
        };
        let joined = thread::scope(|scope| scope.spawn(run).join());
        Ok(joined.ok().context("the thread with the refused call panicked")??)
    }

    /// Makes the filter part of the calling thread.
    fn install(self) -> io::Result<()> {
        let program = self.program()?;
        let length = u16::try_from(program.len()).map_err(io::Error::other)?;
        // The kernel doesn't write to the program, although the pointer's type allows that.
        let program = libc::sock_fprog { len: length, filter: program.as_ptr().cast_mut() };
        // SAFETY: takes numbers and touches no memory of ours.
        let set = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
        check(set, "prctl PR_SET_NO_NEW_PRIVS")?;
        // SAFETY: `program` points to as many instructions as it says, and lives until the call is
        // over; the kernel copies them.
        let set = unsafe {
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
        };
        check(set, "prctl PR_SET_SECCOMP")?;
        Ok(())
    }

    /// Returns the filter's instructions: compare, and jump over the refusal if something differs.
    fn program(self) -> io::Result<Vec<libc::sock_filter>> {
        let number = u32::try_from(self.call).map_err(io::Error::other)?;
        let refuse = libc::SECCOMP_RET_ERRNO | self.errno.unsigned_abs();
        let load = |at| instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, at);
        let unless_equal_skip =
            |value, skip| instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, skip, value);
        let answer = |value| instruction(libc::BPF_RET | libc::BPF_K, 0, value);
        let mut program = vec![load(CALL)];
        match self.argument {
            None => program.push(unless_equal_skip(number, 1)),
            Some((argument, value)) => {
                program.push(unless_equal_skip(number, 3));
                program.push(load(ARGUMENTS + 8 * argument + LOWER_HALF));
                program.push(unless_equal_skip(value, 1));
            }
        }
        program.extend([answer(refuse), answer(libc::SECCOMP_RET_ALLOW)]);
        Ok(program)
    }
}

fn instruction(code: u32, skip_if_different: u8, operand: u32) -> libc::sock_filter {
    let code = u16::try_from(code).unwrap_or_default();
    libc::sock_filter { code, jt: 0, jf: skip_if_different, k: operand }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_call_with_the_named_argument_is_refused() {
        let duplicate = u32::try_from(libc::F_DUPFD_CLOEXEC).unwrap();
        let refusal =
            Refusal { call: libc::SYS_fcntl, argument: Some((1, duplicate)), errno: libc::EIO };
        let (reader, _writer) = io::pipe().unwrap();
        let (copied, flags) =
            refusal.during(|| (reader.try_clone(), rustix::io::fcntl_getfd(&reader))).unwrap();
        assert_eq!(copied.unwrap_err().raw_os_error(), Some(libc::EIO));
        assert!(flags.is_ok(), "another argument");
        assert!(reader.try_clone().is_ok(), "the filter ends with its thread");
    }
}
