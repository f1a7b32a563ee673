//! Trials of `set_nonblocking`: on descriptors of all kinds, again and again, and when the kernel
//! refuses.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;

use kit::cost::within;
use kit::objects::own;
use kit::{
    Observer, Refusal, as_descriptor_zero, errno_name, flags, lasting_errnos,
    without_free_descriptors,
};
use scene::{Program, Transcript, say, trial};
use step01_fd::{check, pipe, set_nonblocking};

use super::answer::outcome;

/// The word for success in a transcript.
#[derive(Debug)]
struct Done;

const OBJECTS: [&str; 7] = [
    "a pipe's reading end",
    "an appending file",
    "an inheritable dup of the appending file",
    "a socket with O_ASYNC",
    "a memfd with O_APPEND and O_NOATIME",
    "a pipe with O_DIRECT and O_ASYNC",
    "a pipe that is descriptor 0",
];
const ZERO: usize = 6;

trial!(
    flags_of_every_descriptor,
    100,
    "Each call sets or clears O_NONBLOCK as asked and changes no other flag."
);
fn flags_of_every_descriptor(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = (0..12).map(|_| (random.below(OBJECTS.len()), random.once_in(2)));
    let verbs = program.verbs(verbs);
    let objects = objects()?;
    for (index, nonblocking) in verbs {
        let done = if index == ZERO {
            as_descriptor_zero(&objects[index], |zero| set_nonblocking(zero, nonblocking))?
        } else {
            set_nonblocking(&objects[index], nonblocking)
        };
        let done = done.map(|()| Done);
        let (object, done) = (OBJECTS[index], outcome(&done));
        let flags = flags(&objects[index])?;
        say!(t, "set_nonblocking({object}, {nonblocking}): {done}; {flags}");
    }
    Ok(())
}

/// Opens one object of each kind.
fn objects() -> anyhow::Result<[OwnedFd; 7]> {
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
    Ok([reader, file.into(), duplicate, socket.into(), memfd, packets, pipe()?.0])
}

fn set_flags(fd: impl AsFd, flags: libc::c_int) -> anyhow::Result<()> {
    // SAFETY: F_SETFL takes an integer and touches no memory of ours.
    let set = unsafe { libc::fcntl(fd.as_fd().as_raw_fd(), libc::F_SETFL, flags) };
    check(set, || format!("fcntl F_SETFL {flags:#o}"))?;
    Ok(())
}

trial!(
    flags_that_cannot_change,
    1,
    "If the kernel refuses a call, the error is returned and no flag changes."
);
fn flags_that_cannot_change(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for () in program.verbs([()]) {
        let place = File::options().read(true).custom_flags(libc::O_PATH).open("/")?;
        let done = outcome(&set_nonblocking(&place, true).map(|()| Done));
        say!(t, "set_nonblocking on a descriptor opened with O_PATH: {done}");
    }
    for () in program.verbs([()]) {
        let files = Files::open()?;
        let did = without_free_descriptors(|| described(&files.set(), &files.clear()))?;
        say!(t, "set_nonblocking on a file, when no descriptor is free: {did}");
        say!(t, "  {}", files.flags()?);
    }
    // Either the kernel doesn't tell the flags, or it doesn't change them.
    let commands = [("F_GETFL", libc::F_GETFL), ("F_SETFL", libc::F_SETFL)];
    let refused = lasting_errnos().flat_map(|errno| commands.map(|command| (command, errno)));
    let observer = Observer::new()?;
    for ((command, number), errno) in program.verbs(refused) {
        let (files, refusals) = (Files::open()?, refusals(number, errno));
        let (set, calls) = observer.refusing(&refusals, 0, || files.set());
        let (cleared, more) = observer.refusing(&refusals, 0, || files.clear());
        let (name, did) = (errno_name(errno), described(&set, &cleared));
        say!(t, "set_nonblocking, when {command} or FIONBIO fails once with {name}: {did}");
        // The refused call is the last.
        let budget = if number == libc::F_GETFL { 1 } else { 2 };
        say!(t, "  system calls of each: {}", within(calls.max(more), budget));
        say!(t, "  {}", files.flags()?);
    }
    Ok(())
}

/// A file whose flag can be set, and a file whose flag can be cleared.
struct Files {
    blocking: File,
    nonblocking: File,
}

impl Files {
    fn open() -> anyhow::Result<Self> {
        let open = |flags| File::options().append(true).custom_flags(flags).open("/dev/null");
        Ok(Files { blocking: open(0)?, nonblocking: open(libc::O_NONBLOCK)? })
    }

    fn set(&self) -> io::Result<Done> {
        set_nonblocking(&self.blocking, true).map(|()| Done)
    }

    fn clear(&self) -> io::Result<Done> {
        set_nonblocking(&self.nonblocking, false).map(|()| Done)
    }

    fn flags(&self) -> anyhow::Result<String> {
        let (blocking, nonblocking) = (flags(&self.blocking)?, flags(&self.nonblocking)?);
        Ok(format!("flags after setting: {blocking}; flags after clearing: {nonblocking}"))
    }
}

fn described(set: &io::Result<Done>, cleared: &io::Result<Done>) -> String {
    format!("setting the flag: {}; clearing the flag: {}", outcome(set), outcome(cleared))
}

/// Returns the refusals of a command of `fcntl(2)` and of `ioctl(2)`, which can set the same flag.
fn refusals(command: libc::c_int, errno: i32) -> [Refusal; 2] {
    let refuse = |call, command| Refusal { call, argument: Some((1, command)), errno };
    let fionbio = u32::try_from(libc::FIONBIO).unwrap_or_default();
    [refuse(libc::SYS_fcntl, command.unsigned_abs()), refuse(libc::SYS_ioctl, fionbio)]
}
