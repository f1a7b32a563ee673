//! The regular files that an epoll object accepts.

use std::fs::File;
use std::io::ErrorKind;

use anyhow::Context;
use scene::{Transcript, say, scene};
use step02_epoll::{Epoll, Interest, Trigger};

scene!(
    files_that_can_wait,
    "Both are regular files: a program on disk, and /proc/self/mounts. Which will epoll accept?"
);
/// `/proc/self/mounts  a regular file, taken or refused: taken`, because epoll doesn't care about
/// the kind of file. It needs a `poll` method in the kernel, and this file has one: the kernel
/// makes up its bytes when they're read and can say whether anything has been mounted or unmounted
/// since the file was opened (`proc_pid_mounts(5)`). A file on a disk has no such method, so
/// `epoll_ctl` refuses it with `EPERM`.
fn files_that_can_wait(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let on_disk = std::env::current_exe()?;
    let mounts = "/proc/self/mounts".into();
    for (token, (name, path)) in
        [("a program on disk", on_disk), ("/proc/self/mounts", mounts)].into_iter().enumerate()
    {
        let file = File::open(&path).with_context(|| format!("open {}", path.display()))?;
        let kind = if file.metadata()?.is_file() { "a regular file" } else { "something else" };
        let answer = match epoll.add(&file, token as u64, Interest::READABLE, Trigger::Level) {
            Ok(()) => "taken".to_string(),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => "refused".to_string(),
            Err(error) => error.to_string(),
        };
        say!(t, "{name:<18} {kind}, taken or refused: {}", answer);
    }
    Ok(())
}
