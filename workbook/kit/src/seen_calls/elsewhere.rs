//! On other processors than those whose registers `mod.rs` knows, a process doesn't see its calls.

use std::io;

/// A call that has been seen.
#[derive(Debug, Clone)]
pub struct SeenCall {
    /// The call in words.
    pub what: String,
    /// What it did to the descriptors.
    pub more: Vec<(&'static str, String)>,
}

/// Fails.
pub fn see_calls(_unseen: fn() -> bool, _see: fn(SeenCall)) -> io::Result<()> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "system calls can be recorded on x86-64 and on AArch64 only",
    ))
}
