//! What a descriptor's number says, and what it does not.

use std::fs::{self, File};
use std::io::Read;
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{Kind, pipe, read, set_nonblocking, socketpair, what_is, write};

use kit::objects::{eventfd, own, signalfd, terminal, timerfd};

scene!(lowest_free_descriptor, "Which numbers do new descriptors get?");
/// The numbers say nothing about what they name; only the order in which they are handed out is
/// promised.
fn lowest_free_descriptor(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let (first, second) = (reader.as_raw_fd(), writer.as_raw_fd());
    say!(t, "pipe.w has the number after pipe.r's: {}", second == first + 1);
    drop(reader);
    let (reader, writer) = pipe()?;
    say!(t, "pipe.r was closed, and a second pipe made");
    say!(t, "its pipe.r has the first one's number: {}", reader.as_raw_fd() == first);
    say!(t, "its pipe.w comes after all that are open: {}", writer.as_raw_fd() == second + 1);
    Ok(())
}

scene!(reused_descriptor, "A number is kept after it was closed. Whom does it reach?");
/// A program keeps a number for later, as one does in many languages. Somebody closes it, somebody
/// else is given it, and neither knows of the other.
fn reused_descriptor(t: Transcript) -> anyhow::Result<()> {
    let (ours, _friend) = socketpair()?;
    let kept = ours.as_raw_fd();
    drop(ours);
    let (theirs, stranger) = socketpair()?;
    say!(t, "the number we kept is theirs now: {}", theirs.as_raw_fd() == kept);
    // SAFETY: the number is open. That it is no longer ours is what this scene is about.
    let careless = unsafe { BorrowedFd::borrow_raw(kept) };
    say!(t, "we write to our friend: {:?}", write(careless, b"the key is under the mat")?);
    let mut buffer = [0; 64];
    say!(t, "a stranger reads:       {:?}", read(&stranger, &mut buffer)?);
    Ok(())
}

scene!(what_descriptors_name, "What do numbers name?");
/// Whatever can be read, written or waited for is a number, and the kernel tells what it names.
fn what_descriptors_name(t: Transcript) -> anyhow::Result<()> {
    say!(t, "standard input:  {}", label(&what_is(std::io::stdin())?));
    say!(t, "standard output: {}", label(&what_is(std::io::stdout())?));
    say!(t, "a device:        {}", label(&what_is(File::open("/dev/null")?)?));
    say!(t, "a directory:     {}", label(&what_is(File::open("/proc")?)?));

    let (reader, writer) = std::io::pipe()?;
    let same = what_is(&reader)? == what_is(&writer)?;
    say!(t, "pipe.r:          {}", label(&what_is(&reader)?));
    say!(t, "pipe.w:          {}, the same N: {same}", label(&what_is(&writer)?));
    let (left, right) = socketpair()?;
    let same = what_is(&left)? == what_is(&right)?;
    say!(t, "pair.a:          {}", label(&what_is(&left)?));
    say!(t, "pair.b:          {}, the same N: {same}", label(&what_is(&right)?));
    let listener = TcpListener::bind("127.0.0.1:0")?;
    say!(t, "a TCP listener:  {}", label(&what_is(&listener)?));
    say!(t, "a terminal:      {}", label(&what_is(&terminal()?.1)?));

    // SAFETY: epoll_create1 takes a number and touches no memory of ours.
    let epoll = own("epoll_create1", unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
    say!(t, "epoll:           {}", label(&what_is(&epoll)?));
    say!(t, "a counter:       {}", label(&what_is(&eventfd(0)?)?));
    say!(t, "a clock:         {}", label(&what_is(&timerfd()?)?));
    say!(t, "a signal:        {}", label(&what_is(&signalfd(libc::SIGUSR2)?)?));
    Ok(())
}

/// The kernel's words, without the number that is another one each time.
fn label(kind: &Kind) -> String {
    match kind {
        Kind::Pipe { .. } => "pipe:[N]".to_string(),
        Kind::Socket { .. } => "socket:[N]".to_string(),
        Kind::Path(path) if path.starts_with("/dev/pts") => "/dev/pts/N".to_string(),
        other => other.to_string(),
    }
}

scene!(dup_shares_the_offset, "Two numbers for one file: who remembers how far it was read?");
/// `dup` makes a second number for the same open object, and the object holds the offset. Opening
/// the path again makes a second object.
fn dup_shares_the_offset(t: Transcript) -> anyhow::Result<()> {
    // The program's own file: it begins with the byte 7f and the letters ELF.
    let mut file = File::open("/proc/self/exe")?;
    let mut duplicate = file.try_clone()?;
    say!(t, "file:       {}", two_bytes(&mut file)?);
    say!(t, "its dup:    {}", two_bytes(&mut duplicate)?);
    let mut again = File::open("/proc/self/exe")?;
    say!(t, "open again: {}", two_bytes(&mut again)?);
    Ok(())
}

fn two_bytes(file: &mut File) -> anyhow::Result<String> {
    let mut bytes = [0; 2];
    file.read_exact(&mut bytes)?;
    Ok(bytes.escape_ascii().to_string())
}

scene!(blocking_is_shared, "One number is made non-blocking. Which others are, too?");
/// The flag is not the number's. Whoever shares the object sees it change: a duplicate, a child
/// process, the shell that lent you its terminal.
fn blocking_is_shared(t: Transcript) -> anyhow::Result<()> {
    let file = File::options().append(true).open("/dev/null")?;
    let duplicate = file.try_clone()?;
    say!(t, "before: {}", flags(&file)?);
    set_nonblocking(&file, true)?;
    say!(t, "file:   {}", flags(&file)?);
    say!(t, "dup:    {}", flags(&duplicate)?);
    set_nonblocking(&duplicate, true)?;
    say!(t, "twice:  {}", flags(&duplicate)?);
    let again = File::options().append(true).open("/dev/null")?;
    say!(t, "again:  {}", flags(&again)?);
    set_nonblocking(&duplicate, false)?;
    say!(t, "the dup blocks again");
    say!(t, "file:   {}", flags(&file)?);
    Ok(())
}

scene!(flags_set_at_creation, "What must a descriptor of an event loop be from its first moment?");
/// Non-blocking, or one slow client stops the loop; close-on-exec, or a child process keeps our
/// connections open.
fn flags_set_at_creation(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    say!(t, "pipe.r: {}", flags(&reader)?);
    say!(t, "pipe.w: {}", flags(&writer)?);
    let (left, right) = socketpair()?;
    say!(t, "pair.a: {}", flags(&left)?);
    say!(t, "pair.b: {}", flags(&right)?);
    let opened_by_std = File::open("/dev/null")?;
    say!(t, "a file opened by std: {}", flags(&opened_by_std)?);
    Ok(())
}

/// The flags of a descriptor, as `/proc/self/fdinfo` shows them.
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
