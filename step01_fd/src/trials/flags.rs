//! Trials of `set_nonblocking`: on descriptors of all kinds, again and again, and when it can't be
//! done.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;

use kit::objects::own;
use kit::{Refusal, flags, without_free_descriptors};
use scene::{Program, Transcript, say, trial};
use step01_fd::{check, pipe, set_nonblocking};

use super::answer::{ERRORS, name, outcome};

/// What success is called in a transcript.
#[derive(Debug)]
struct Done;

const OBJECTS: [&str; 6] = [
    "a pipe's reading end",
    "an appending file",
    "an inheritable dup of that file",
    "a socket with O_ASYNC",
    "a memfd with O_APPEND and O_NOATIME",
    "a pipe with O_DIRECT and O_ASYNC",
];

trial!(
    flags_of_every_descriptor,
    100,
    "O_NONBLOCK is set or cleared, however often, and no other flag changes."
);
fn flags_of_every_descriptor(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = (0..12).map(|_| (random.below(OBJECTS.len()), random.once_in(2)));
    let verbs = program.verbs(verbs);
    let objects = objects()?;
    for (index, nonblocking) in verbs {
        let done = set_nonblocking(&objects[index], nonblocking).map(|()| Done);
        let (object, done) = (OBJECTS[index], outcome(&done));
        let flags = flags(&objects[index])?;
        say!(t, "set_nonblocking({object}, {nonblocking}): {done}; {flags}");
    }
    Ok(())
}

/// Opens one object of each kind.
fn objects() -> anyhow::Result<[OwnedFd; 6]> {
    let (reader, _) = pipe()?;
    let (packets, _) = pipe()?;
    set_flags(&packets, libc::O_DIRECT | libc::O_ASYNC)?;
    let file = File::options().append(true).open("/dev/null")?;
    // SAFETY: dup takes an integer and touches no memory of ours.
    let duplicate = own("dup", unsafe { libc::dup(file.as_raw_fd()) })?;
    let (socket, _) = UnixStream::pair()?;
    set_flags(&socket, libc::O_ASYNC)?;
    // SAFETY: the name is a C string, which the kernel copies.
    let memfd = unsafe { libc::memfd_create(c"flags".as_ptr(), libc::MFD_CLOEXEC) };
    let memfd = own("memfd_create", memfd)?;
    set_flags(&memfd, libc::O_APPEND | libc::O_NOATIME)?;
    Ok([reader, file.into(), duplicate, socket.into(), memfd, packets])
}

fn set_flags(fd: impl AsFd, flags: libc::c_int) -> anyhow::Result<()> {
    // SAFETY: F_SETFL takes an integer and touches no memory of ours.
    let set = unsafe { libc::fcntl(fd.as_fd().as_raw_fd(), libc::F_SETFL, flags) };
    check(set, || format!("fcntl F_SETFL {flags:#o}"))?;
    Ok(())
}

/// A reason why the flag can't be changed.
#[derive(Debug, Clone, Copy)]
enum Obstacle {
    /// The descriptor only names a place in the file system (`O_PATH`).
    OnlyAPath,
    /// No descriptor is free, which is no obstacle.
    NoFreeDescriptor,
    /// The kernel refuses to tell the flags.
    FlagsAreSecret(i32),
    /// The kernel refuses to change them.
    FlagsAreFixed(i32),
}

fn obstacles() -> impl Iterator<Item = Obstacle> {
    let errors = || ERRORS.iter().chain(&[libc::EAGAIN]).copied();
    let secret = errors().map(Obstacle::FlagsAreSecret);
    let fixed = errors().map(Obstacle::FlagsAreFixed);
    [Obstacle::OnlyAPath, Obstacle::NoFreeDescriptor].into_iter().chain(secret).chain(fixed)
}

trial!(
    flags_that_cannot_change,
    1,
    "When the kernel refuses, the error comes back and all flags are as before."
);
fn flags_that_cannot_change(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for obstacle in program.verbs(obstacles()) {
        let [blocking, nonblocking] = [0, libc::O_NONBLOCK].map(appending_file);
        let (blocking, nonblocking) = (blocking?, nonblocking?);
        let set = || {
            let set = set_nonblocking(&blocking, true).map(|()| Done);
            let cleared = set_nonblocking(&nonblocking, false).map(|()| Done);
            format!("setting it: {}, clearing it: {}", outcome(&set), outcome(&cleared))
        };
        let did = match obstacle {
            Obstacle::OnlyAPath => {
                let place = File::options().read(true).custom_flags(libc::O_PATH).open("/")?;
                let done = outcome(&set_nonblocking(&place, true).map(|()| Done));
                format!("a descriptor opened with O_PATH: {done}")
            }
            Obstacle::NoFreeDescriptor => {
                format!("a file, while no descriptor is free: {}", without_free_descriptors(set)?)
            }
            Obstacle::FlagsAreSecret(errno) => {
                let done = refused(libc::F_GETFL, errno, set)?;
                format!("a file, while F_GETFL and FIONBIO fail with {}: {done}", name(errno))
            }
            Obstacle::FlagsAreFixed(errno) => {
                let done = refused(libc::F_SETFL, errno, set)?;
                format!("a file, while F_SETFL and FIONBIO fail with {}: {done}", name(errno))
            }
        };
        say!(t, "set_nonblocking of {did}");
        say!(t, "  the files are {} and {}", flags(&blocking)?, flags(&nonblocking)?);
    }
    Ok(())
}

fn appending_file(flags: libc::c_int) -> anyhow::Result<File> {
    Ok(File::options().append(true).custom_flags(flags).open("/dev/null")?)
}

/// Runs `f` while the kernel refuses a command of `fcntl(2)`, and `ioctl(2)`, which can do the same.
fn refused(
    command: libc::c_int,
    errno: i32,
    f: impl FnOnce() -> String + Send,
) -> anyhow::Result<String> {
    let refuse = |call, command| Refusal { call, argument: Some((1, command)), errno };
    let ioctl = refuse(libc::SYS_ioctl, u32::try_from(libc::FIONBIO)?);
    Refusal::all_during(&[refuse(libc::SYS_fcntl, command.unsigned_abs()), ioctl], f)
}
