//! Filters for a thread's system calls. A filter is a program that the kernel runs before each of
//! the thread's calls and that decides what becomes of the call. See `seccomp(2)`,
//! `SECCOMP_SET_MODE_FILTER`.

use std::io;

use libc::sock_filter;

use crate::check::check;

/// The flags of a filter that reports no calls.
pub(crate) const NO_FLAGS: libc::c_ulong = 0;

/// Loads the four bytes at this position of `struct seccomp_data`, the filter's input.
pub(crate) fn load(at: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, at)
}

/// Compares what was loaded with `value`, for example by `BPF_JEQ`. Then skips `yes` instructions
/// if the comparison holds, and `no` instructions if it doesn't.
pub(crate) fn jump(how: u32, yes: u8, no: u8, value: u32) -> sock_filter {
    instruction(libc::BPF_JMP | how | libc::BPF_K, yes, no, value)
}

/// Ends the program with this answer, such as `SECCOMP_RET_ALLOW`.
pub(crate) fn answer(value: u32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, 0, 0, value)
}

fn instruction(code: u32, yes: u8, no: u8, operand: u32) -> sock_filter {
    let code = u16::try_from(code).unwrap_or_default();
    sock_filter { code, jt: yes, jf: no, k: operand }
}

/// Returns a program with one answer for these calls and a different answer for all other calls.
pub(crate) fn answer_by_call(
    calls: &[libc::c_long],
    listed: u32,
    other: u32,
) -> io::Result<Vec<sock_filter>> {
    // The call's number is the first field of a filter's input.
    let mut program = vec![load(0)];
    for (index, &call) in calls.iter().enumerate() {
        let after = u8::try_from(calls.len() - index).map_err(io::Error::other)?;
        let call = u32::try_from(call).map_err(io::Error::other)?;
        program.push(jump(libc::BPF_JEQ, after, 0, call));
    }
    program.extend([answer(other), answer(listed)]);
    Ok(program)
}

/// Installs a filter in the calling thread. With the flag `SECCOMP_FILTER_FLAG_NEW_LISTENER`,
/// returns the descriptor that reports the thread's calls.
pub(crate) fn install(program: &[sock_filter], flags: libc::c_ulong) -> io::Result<libc::c_int> {
    let length = u16::try_from(program.len()).map_err(io::Error::other)?;
    // The kernel doesn't write to the program, although the pointer's type allows that.
    let program = libc::sock_fprog { len: length, filter: program.as_ptr().cast_mut() };
    // SAFETY: the call takes numbers and touches no memory of ours.
    let set = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    check(set, "prctl PR_SET_NO_NEW_PRIVS")?;
    let mode = libc::SECCOMP_SET_MODE_FILTER;
    // SAFETY: `program` points to as many instructions as it says, and the kernel copies them.
    let set = unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program) };
    check(libc::c_int::try_from(set).map_err(io::Error::other)?, "seccomp SECCOMP_SET_MODE_FILTER")
}
