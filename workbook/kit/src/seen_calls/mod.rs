//! Lets a process see its own system calls, for a recording: each call's arguments, its result, and
//! the line of source code that made the call.
//!
//! strace(1) sees the calls from outside, and only some builds of it can show the lines that made
//! them (`-kk`). Here, the kernel doesn't carry out the calls on our list. Instead, it sends SIGSYS
//! to the thread that makes such a call. The signal's handler runs on the stack of the code that
//! made the call, so a backtrace shows which lines led to the call. The handler then makes the call
//! itself, through libc's `syscall`, which the filter lets pass; see `seccomp(2)`,
//! `SECCOMP_RET_TRAP`. This approach requires neither another program nor a debugger's privileges.
//!
//! A filter can't be removed. The programs that this process starts inherit the filter but not the
//! handler.

mod words;

use std::io;
use std::ptr;
use std::sync::OnceLock;

use crate::check::check;
use crate::filter::{NO_FLAGS, answer, answer_by_call, install, jump, load};

/// An observed call.
#[derive(Debug, Clone)]
pub struct SeenCall {
    /// A description of the call, such as `read(⟨3⟩, 16 bytes) = 5 "hello"`. Descriptors are
    /// between `⟨` and `⟩`.
    pub what: String,
    /// Details of the call, as pairs of a name and a value. `words.rs` lists the names.
    pub more: Vec<(&'static str, String)>,
}

/// A function that returns true while calls shouldn't be reported.
type Unseen = fn() -> bool;
/// A function that receives an observed call.
type See = fn(SeenCall);

static SEE: OnceLock<(Unseen, See)> = OnceLock::new();

/// An upper limit for the size of the C library's `syscall`, which is a dozen instructions long.
const LENGTH_OF_SYSCALL: usize = 64;

/// Makes this thread, and the threads that it starts from now on, report their calls on our list to
/// `see`. Each call is reported when it ends, and a wait that can sleep is also reported when it
/// begins. Calls of `fcntl(2)` with any command but `F_DUPFD_CLOEXEC`, and calls made while
/// `unseen` returns true, aren't reported.
///
/// Fails if the kernel can't filter a thread's system calls or doesn't let this process install a
/// filter, or if libc's `syscall` spans a 4 GiB boundary, which the filter can't handle.
pub fn see_calls(unseen: Unseen, see: See) -> io::Result<()> {
    let _ = SEE.set((unseen, see));
    handle_the_signal()?;
    install(&filter(&words::calls())?, NO_FLAGS).map(drop)
}

/// The registers that hold a call's number and arguments.
#[derive(Clone, Copy)]
struct Registers {
    number: libc::c_long,
    arguments: [libc::c_long; 6],
}

fn handle_the_signal() -> io::Result<()> {
    // SAFETY: all zeros is a valid sigaction.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = handle;
    action.sa_sigaction = handler as libc::sighandler_t;
    // The handler itself makes system calls, so SIGSYS mustn't be blocked while it runs.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
    // SAFETY: `handle` has the signature that SA_SIGINFO requires, and the last pointer may be
    // null.
    let set = unsafe { libc::sigaction(libc::SIGSYS, &raw const action, ptr::null_mut()) };
    check(set, "sigaction SIGSYS").map(drop)
}

/// Makes the call that the kernel didn't carry out. The handler may allocate memory, because it
/// interrupts only the calls on our list, and the allocator of the thread that starts the program
/// makes none of these.
extern "C" fn handle(_signal: i32, _info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: the kernel hands a valid context to the handler, and nothing else uses it meanwhile.
    let context = unsafe { &mut *context };
    let call = registers(context);
    // SAFETY: the call returns this thread's errno, which lives as long as the thread.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    set_result(context, carry_out(call));
    // SAFETY: as above.
    unsafe { *errno = before };
}

fn carry_out(call: Registers) -> libc::c_long {
    let Some((_, see)) = SEE.get().filter(|(unseen, _)| !unseen()) else { return make(call) };
    if let Some(begun) = words::beginning(call) {
        see(begun);
    }
    let result = make(call);
    if let Some(seen) = words::end(call, result) {
        see(seen);
    }
    result
}

/// Makes the call and returns the kernel's result, with an error as a negative number.
fn make(call: Registers) -> libc::c_long {
    let of = call.arguments;
    // SAFETY: the program makes this very call, with these arguments; here it's only made later.
    let returned = unsafe { libc::syscall(call.number, of[0], of[1], of[2], of[3], of[4], of[5]) };
    if returned == -1 {
        let errno = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
        return -libc::c_long::from(errno);
    }
    returned
}

#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    let of = |register: i32| context.uc_mcontext.gregs[usize::try_from(register).unwrap_or(0)];
    let arguments =
        [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX, libc::REG_R10, libc::REG_R8, libc::REG_R9];
    Registers { number: of(libc::REG_RAX), arguments: arguments.map(of) }
}

#[cfg(target_arch = "x86_64")]
fn set_result(context: &mut libc::ucontext_t, result: libc::c_long) {
    context.uc_mcontext.gregs[usize::try_from(libc::REG_RAX).unwrap_or(0)] = result;
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> Registers {
    let of = |register: usize| context.uc_mcontext.regs[register].cast_signed();
    Registers { number: of(8), arguments: [0, 1, 2, 3, 4, 5].map(of) }
}

#[cfg(target_arch = "aarch64")]
fn set_result(context: &mut libc::ucontext_t, result: libc::c_long) {
    context.uc_mcontext.regs[0] = result.cast_unsigned();
}

/// Returns a filter that makes the kernel send SIGSYS for these calls, unless libc's `syscall`
/// makes them.
fn filter(calls: &[libc::c_long]) -> io::Result<Vec<libc::sock_filter>> {
    let begin = libc::syscall as *const () as usize as u64;
    let end = begin + LENGTH_OF_SYSCALL as u64;
    if begin >> 32 != end >> 32 {
        return Err(io::Error::other("libc's syscall function spans a 4 GiB boundary"));
    }
    let lower = |address: u64| u32::try_from(address & u64::from(u32::MAX)).unwrap_or_default();
    let upper = u32::try_from(begin >> 32).unwrap_or_default();
    // The positions of an address's halves in `struct seccomp_data`; both architectures are
    // little-endian.
    let (lower_half, upper_half) = (8, 12);
    let mut filter = vec![
        load(upper_half),
        jump(libc::BPF_JEQ, 0, 4, upper),
        load(lower_half),
        jump(libc::BPF_JGE, 0, 2, lower(begin)),
        jump(libc::BPF_JGE, 1, 0, lower(end)),
        answer(libc::SECCOMP_RET_ALLOW),
    ];
    filter.extend(answer_by_call(calls, libc::SECCOMP_RET_TRAP, libc::SECCOMP_RET_ALLOW)?);
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::io::{Read, Write};
    use std::thread;

    thread_local! {
        static SEEN: RefCell<Option<Vec<SeenCall>>> = const { RefCell::new(None) };
    }

    fn note(call: SeenCall) {
        SEEN.with_borrow_mut(|seen| seen.as_mut().unwrap().push(call));
    }

    #[test]
    fn a_thread_sees_its_calls_in_words_and_they_do_what_they_always_do() {
        let play = || {
            see_calls(|| SEEN.with_borrow(Option::is_none), note).unwrap();
            SEEN.set(Some(Vec::new()));
            let (mut reader, mut writer) = io::pipe().unwrap();
            writer.write_all(b"hello").unwrap();
            let mut buffer = [0; 16];
            let count = reader.read(&mut buffer).unwrap();
            drop(writer);
            assert_eq!(reader.read(&mut [0]).unwrap(), 0);
            // SAFETY: the descriptor isn't open, and the call changes nothing.
            let refused = unsafe { libc::close(-1) };
            let error = io::Error::last_os_error().raw_os_error();
            let seen = SEEN.take().unwrap();
            (buffer[..count].to_vec(), refused, error, seen)
        };
        let (read, refused, error, seen) = thread::spawn(play).join().unwrap();
        assert_eq!((&*read, refused, error), (&b"hello"[..], -1, Some(libc::EBADF)));
        let opened = seen[0].more[0].1.clone();
        let (reader, writer) = opened.split_once(' ').unwrap();
        let what: Vec<String> = seen
            .iter()
            .map(|call| call.what.replace(reader, "reader").replace(writer, "writer"))
            .collect();
        let expected = [
            "pipe2() = reader, writer",
            "write(writer, \"hello\") = 5",
            "read(reader, 16 bytes) = 5 \"hello\"",
            "close(writer) = 0",
            "read(reader, 1 byte) = 0, the end",
            "close(⟨-1⟩) = EBADF",
        ];
        assert_eq!(what, expected);
    }
}
