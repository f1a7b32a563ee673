//! A process without a free descriptor.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Runs `f` while the process can open no descriptor (`EMFILE`). Those that are open stay open.
///
/// The limit is the whole process's, so nothing else may run meanwhile.
pub fn without_free_descriptors<T>(f: impl FnOnce() -> T) -> io::Result<T> {
    let lowest_free = File::open("/dev/null")?.as_raw_fd();
    let before = getrlimit(Resource::Nofile);
    let current = Some(lowest_free.unsigned_abs().into());
    setrlimit(Resource::Nofile, Rlimit { current, maximum: before.maximum })?;
    let done = f();
    setrlimit(Resource::Nofile, before)?;
    Ok(done)
}
