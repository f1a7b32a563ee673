//! The state of a descriptor, and that of the open file description behind it (`open(2)`).

use std::fs::{self, File};
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd};

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{pipe, set_nonblocking, socketpair};

scene!(
    offset_of_a_duplicate,
    "We read two bytes from a file and then two from a duplicate. Which two bytes does the duplicate return?"
);
/// `its dup:      LF`, the file's third and fourth bytes: the kernel stores the offset of the next
/// read in the open object, and the dup is a second descriptor for the same object. So its read
/// begins where the first read stopped. `opened again: \x7fE`, because another `open` makes another
/// object, whose offset begins at 0.
fn offset_of_a_duplicate(t: Transcript) -> anyhow::Result<()> {
    // The program's own executable: it begins with the byte 7f and the letters ELF.
    let mut file = File::open("/proc/self/exe")?;
    let mut duplicate = file.try_clone()?;
    say!(t, "the file:     {}", two_bytes(&mut file)?);
    say!(t, "its dup:      {}", two_bytes(&mut duplicate)?);
    let mut again = File::open("/proc/self/exe")?;
    say!(t, "opened again: {}", two_bytes(&mut again)?);
    Ok(())
}

fn two_bytes(file: &mut File) -> anyhow::Result<String> {
    let mut bytes = [0; 2];
    file.read_exact(&mut bytes)?;
    Ok(bytes.escape_ascii().to_string())
}

scene!(
    blocking_of_a_duplicate,
    "One descriptor is made non-blocking. Do its duplicate and the reopened file still block?"
);
/// `its dup:      non-blocking, close-on-exec, append`, although the flag was set on the file: a
/// descriptor and its dup lead to the same open object in the kernel, and `O_NONBLOCK` belongs to
/// that object. That's also why clearing it through the dup changes the file.
/// `opened again: close-on-exec, append`, because another `open` makes another object, with flags
/// of its own. Close-on-exec is different: each descriptor has its own.
fn blocking_of_a_duplicate(t: Transcript) -> anyhow::Result<()> {
    let file = File::options().append(true).open("/dev/null")?;
    let duplicate = file.try_clone()?;
    say!(t, "at first         file:         {}", flags(&file)?);
    set_nonblocking(&file, true)?;
    say!(t, "set on the file  file:         {}", flags(&file)?);
    say!(t, "                 its dup:      {}", flags(&duplicate)?);
    set_nonblocking(&duplicate, true)?;
    say!(t, "set on the dup   its dup:      {}", flags(&duplicate)?);
    let again = File::options().append(true).open("/dev/null")?;
    say!(t, "                 opened again: {}", flags(&again)?);
    set_nonblocking(&duplicate, false)?;
    say!(t, "cleared there    file:         {}", flags(&file)?);
    Ok(())
}

scene!(
    flags_set_at_creation,
    "Which flags does this layer set on a new pipe, and which does std set on a file it opens?"
);
/// `a std file:    close-on-exec`: std's files block, so `File::open` asks for `O_CLOEXEC` only,
/// while this layer's pipes and socket pairs have both flags. The kernel sets close-on-exec in the
/// call that makes the descriptors. If a second call set it, another thread could start a program
/// in between, and that program would inherit the descriptors.
fn flags_set_at_creation(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    say!(t, "pipe.r:        {}", flags(&reader)?);
    say!(t, "pipe.w:        {}", flags(&writer)?);
    let (left, right) = socketpair()?;
    say!(t, "pair.a:        {}", flags(&left)?);
    say!(t, "pair.b:        {}", flags(&right)?);
    let opened_by_std = File::open("/dev/null")?;
    say!(t, "a std file:    {}", flags(&opened_by_std)?);
    Ok(())
}

/// Returns the flags of a descriptor, as `/proc/self/fdinfo` shows them.
fn flags(fd: impl AsFd) -> anyhow::Result<String> {
    let path = format!("/proc/self/fdinfo/{}", fd.as_fd().as_raw_fd());
    let info = fs::read_to_string(&path).with_context(|| path.clone())?;
    let octal = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = i32::from_str_radix(octal.context("no flags in fdinfo")?.trim(), 8)?;
    let names = [
        (libc::O_NONBLOCK, "non-blocking"),
        (libc::O_CLOEXEC, "close-on-exec"),
        (libc::O_APPEND, "append"),
    ];
    let set = names.iter().filter(|(bit, _)| flags & bit != 0);
    Ok(set.map(|(_, name)| *name).collect::<Vec<_>>().join(", "))
}
