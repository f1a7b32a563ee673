//! Two system calls by hand, for the page "Ten minutes of Linux": one makes a descriptor, and one
//! writes into a buffer of ours.
//!
//! Run it and then run it again under strace, which shows the calls that make a file:
//!
//! ```text
//! cargo run -q -p step01_fd --example call_the_kernel
//! strace -e trace=memfd_create target/debug/examples/call_the_kernel
//! ```

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Makes an empty file in memory, without a path. See `memfd_create(2)`.
fn memory_file(name: &CStr) -> io::Result<OwnedFd> {
    // SAFETY: `name` ends with a zero byte, and the kernel only reads it.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: memfd_create succeeded, so `fd` is open and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Puts random bytes into `buffer` and returns their number. See `getrandom(2)`.
fn random_bytes(buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the kernel writes at most `buffer.len()` bytes, so it stays inside `buffer`.
    let count = unsafe { libc::getrandom(buffer.as_mut_ptr().cast(), buffer.len(), 0) };
    if count == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(count.cast_unsigned())
}

fn main() -> io::Result<()> {
    let mut buffer = [0; 8];
    let count = random_bytes(&mut buffer)?;

    let mut file = File::from(memory_file(c"dice")?);
    file.write_all(&buffer[..count])?;
    println!("descriptor {} holds {} bytes", file.as_raw_fd(), file.metadata()?.len());

    let too_long = CString::new("x".repeat(250))?;
    println!("{:?}", memory_file(&too_long));
    Ok(())
}
