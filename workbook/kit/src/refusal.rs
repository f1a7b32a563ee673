//! System calls that fail on purpose: for one thread, the kernel refuses a call with an error that
//! we choose.
//!
//! Most of a system call's errors are hard to provoke. They require, for example, a full disk, a
//! kernel that's out of memory, or an address that isn't allowed. A filter makes such an error
//! certain. A filter can't be removed, so each filter is installed in a separate thread and lasts
//! as long as that thread. See `seccomp(2)`, `SECCOMP_SET_MODE_FILTER`.

use std::any::Any;
use std::io;
use std::thread;

use crate::filter::{NO_FLAGS, answer, install, jump, load};

/// A system call to refuse, and the error to return.
#[derive(Debug, Clone, Copy)]
pub struct Refusal {
    /// The call's number, such as `libc::SYS_epoll_ctl`.
    pub call: libc::c_long,
    /// The condition for refusing the call: the index of an argument (from 0) and its value, as in
    /// `(1, libc::F_SETFL as u32)` for `fcntl`. `None` refuses every call.
    pub argument: Option<(u32, u32)>,
    /// The error, such as `libc::ENOSPC`.
    pub errno: i32,
}

/// An error that suits most refusals, for crates that don't otherwise need libc.
pub const EPERM: i32 = libc::EPERM;

/// Errors for trials of code that treats them all alike. Unlike `EINTR` and `EAGAIN`, they get no
/// special treatment there.
pub const PLAIN_ERRORS: [i32; 14] = [
    libc::EPERM,
    libc::EIO,
    libc::EBADF,
    libc::ENOMEM,
    libc::EACCES,
    libc::EFAULT,
    libc::EEXIST,
    libc::EINVAL,
    libc::ENOSPC,
    libc::EPIPE,
    libc::ELOOP,
    libc::ENOBUFS,
    libc::ECONNRESET,
    libc::ETIMEDOUT,
];

/// Returns all of the kernel's error numbers, and another number that some drivers return by
/// mistake.
pub fn errnos() -> impl Iterator<Item = i32> + Clone {
    const EHWPOISON: i32 = 133;
    const ENOTSUPP: i32 = 524;
    (1..=EHWPOISON).chain([ENOTSUPP])
}

/// Returns the errors after which it's pointless to repeat a call immediately: all errors except
/// EINTR.
pub fn lasting_errnos() -> impl Iterator<Item = i32> + Clone {
    errnos().filter(|&errno| errno != libc::EINTR)
}

/// The calls that read bytes from a descriptor and, below, the calls that write bytes to a
/// descriptor.
pub(crate) const READS: [libc::c_long; 4] =
    [libc::SYS_read, libc::SYS_readv, libc::SYS_recvfrom, libc::SYS_recvmsg];
pub(crate) const WRITES: [libc::c_long; 4] =
    [libc::SYS_write, libc::SYS_writev, libc::SYS_sendto, libc::SYS_sendmsg];

/// The calls that wait on an epoll object. The architecture determines which of them a C library's
/// `epoll_wait` makes.
const EPOLL_WAITS: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
];

/// The positions of the fields of `struct seccomp_data`. An argument takes eight bytes, and we
/// compare only the lower four.
const CALL: u32 = 0;
const ARGUMENTS: u32 = 16;
const LOWER_HALF: u32 = if cfg!(target_endian = "big") { 4 } else { 0 };

impl Refusal {
    /// Returns refusals for every call that waits on an epoll object.
    pub fn of_epoll_waits(errno: i32) -> Vec<Refusal> {
        EPOLL_WAITS.iter().map(|&call| Refusal { call, argument: None, errno }).collect()
    }

    /// Returns refusals for `read(2)`, `readv(2)`, `recvfrom(2)` and `recvmsg(2)`.
    pub fn of_reads(errno: i32) -> [Refusal; 4] {
        READS.map(|call| Refusal { call, argument: None, errno })
    }

    /// Returns refusals for `write(2)`, `writev(2)`, `sendto(2)` and `sendmsg(2)`.
    pub fn of_writes(errno: i32) -> [Refusal; 4] {
        WRITES.map(|call| Refusal { call, argument: None, errno })
    }

    /// Runs `f` in a thread for which the kernel refuses the call. Returns the result of `f`.
    ///
    /// Fails if the kernel can't filter a thread's system calls or doesn't let this process install
    /// a filter.
    ///
    /// # Panics
    /// Panics if `f` panics, with the same message. The thread's own report of the panic is lost if
    /// the kernel refuses the write.
    pub fn during<T: Send>(self, f: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
        Refusal::all_during(&[self], f)
    }

    /// Runs `f` in a thread for which the kernel refuses several calls, for example a call and all
    /// its variants.
    ///
    /// Fails and panics in the same cases as [`during`](Refusal::during).
    pub fn all_during<T: Send>(
        refusals: &[Refusal],
        f: impl FnOnce() -> T + Send,
    ) -> anyhow::Result<T> {
        let run = || -> io::Result<T> {
            install_all(refusals)?;
            Ok(f())
        };
        match thread::scope(|scope| scope.spawn(run).join()) {
            Ok(done) => Ok(done?),
            Err(panic) => panic!("{}", message(&*panic)),
        }
    }

    /// Returns the filter's instructions for this refusal. They compare the call's number and, if
    /// requested, an argument, and skip the refusal if either differs.
    fn program(self) -> io::Result<Vec<libc::sock_filter>> {
        let number = u32::try_from(self.call).map_err(io::Error::other)?;
        let refuse = answer(libc::SECCOMP_RET_ERRNO | self.errno.unsigned_abs());
        let unless_equal_skip = |value, skip| jump(libc::BPF_JEQ, 0, skip, value);
        Ok(match self.argument {
            None => vec![load(CALL), unless_equal_skip(number, 1), refuse],
            Some((argument, value)) => vec![
                load(CALL),
                unless_equal_skip(number, 3),
                load(ARGUMENTS + 8 * argument + LOWER_HALF),
                unless_equal_skip(value, 1),
                refuse,
            ],
        })
    }
}

/// Installs all the refusals in the calling thread, as one filter.
fn install_all(refusals: &[Refusal]) -> io::Result<()> {
    let programs = refusals.iter().map(|refusal| refusal.program());
    let mut program = programs.collect::<io::Result<Vec<_>>>()?.concat();
    program.push(answer(libc::SECCOMP_RET_ALLOW));
    install(&program, NO_FLAGS).map(drop)
}

/// Returns the message of a panic.
pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&'static str>().copied();
    let formatted = panic.downcast_ref::<String>().map(String::as_str);
    literal.or(formatted).unwrap_or("the thread with the refused call panicked")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

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

    #[test]
    fn several_calls_are_refused_each_with_its_own_error() {
        let refuse = |call, errno| Refusal { call, argument: None, errno };
        let refusals = [refuse(libc::SYS_read, libc::EIO), refuse(libc::SYS_write, 0)];
        let (mut reader, mut writer) = io::pipe().unwrap();
        let transfer = || (reader.read(&mut [0]), writer.write(b"hello"));
        let (read, written) = Refusal::all_during(&refusals, transfer).unwrap();
        assert_eq!(read.unwrap_err().raw_os_error(), Some(libc::EIO));
        assert_eq!(written.unwrap(), 0, "a call that does nothing");
        drop(writer);
        assert_eq!(reader.read(&mut [0]).unwrap(), 0, "nothing was written");
    }
}
