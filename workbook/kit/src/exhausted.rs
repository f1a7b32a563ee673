//! Runs code in a process that can't open another descriptor.

use std::io;

use rustix::process::{Resource, getrlimit, setrlimit};

/// Runs `f` while the process can't open another descriptor (`EMFILE`), restores the limit, and
/// returns the result of `f`. See `getrlimit(2)`, `RLIMIT_NOFILE`.
pub fn without_free_descriptors<T>(f: impl FnOnce() -> T) -> io::Result<T> {
    let before = getrlimit(Resource::Nofile);
    let mut none = before;
    // The limit doesn't close the descriptors that are already open.
    none.current = Some(0);
    setrlimit(Resource::Nofile, none)?;
    let done = f();
    setrlimit(Resource::Nofile, before)?;
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_can_be_opened_until_it_is_over() {
        let refused = without_free_descriptors(io::pipe).unwrap();
        assert_eq!(refused.unwrap_err().raw_os_error(), Some(libc::EMFILE));
        assert!(io::pipe().is_ok());
    }
}
