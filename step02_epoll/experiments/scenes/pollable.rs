//! The kinds of descriptors that epoll can wait for, including another epoll.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{check, pipe, read, socketpair, write};
use step02_epoll::{Epoll, Events, Interest, Trigger};

use super::errors::answer;
use super::{in_words, ready_now};
use kit::objects::{eventfd, signalfd, terminal, timerfd};

scene!(
    pollable_descriptors,
    "Which of these can epoll wait for: a terminal, a counter, a clock, a signal, another epoll?"
);
/// `an epoll, its pipe gets a byte:   nothing, then readable`, like the other lines: epoll can wait
/// for any object that has a `poll` method in the kernel, and one wait covers bytes, clients,
/// timers, signals and counters, without a thread for each. What "readable" means depends on the
/// object: a listener has a client to accept, and an epoll has an event to report. A regular file
/// on a disk has no such method and is refused.
fn pollable_descriptors(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let piped = before_and_after(&reader, || Ok(write(&writer, b"x").map(drop)?))?;
    say!(t, "a pipe, a byte is written:        {}", piped);
    let (reader, mut writer) = fifo()?;
    let named = before_and_after(&reader, || Ok(std::io::Write::write_all(&mut writer, b"x")?))?;
    say!(t, "a FIFO, a byte is written:        {}", named);
    let (near, far) = socketpair()?;
    say!(
        t,
        "a UNIX stream, a byte is sent:    {}",
        before_and_after(&near, || Ok(write(&far, b"x").map(drop)?))?
    );
    let (near, far) = UnixDatagram::pair()?;
    say!(
        t,
        "UNIX, a datagram is sent:         {}",
        before_and_after(&near, || Ok(far.send(b"x").map(drop)?))?
    );

    let udp = UdpSocket::bind("127.0.0.1:0")?;
    let address = udp.local_addr()?;
    let sent = before_and_after(&udp, || {
        Ok(UdpSocket::bind("127.0.0.1:0")?.send_to(b"x", address).map(drop)?)
    })?;
    say!(t, "UDP, a datagram is sent:          {}", sent);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut client = None;
    let connected = before_and_after(&listener, || {
        client = Some(TcpStream::connect(listener.local_addr()?)?);
        Ok(())
    })?;
    say!(t, "a TCP listener, a client:         {}", connected);
    let (stream, _) = listener.accept()?;
    let left = before_and_after(&stream, || {
        client = None;
        Ok(())
    })?;
    say!(t, "a TCP stream, the client closes:  {}", left);

    let (keyboard, terminal) = terminal()?;
    let typed = before_and_after(&terminal, || Ok(write(&keyboard, b"a line\n").map(drop)?))?;
    say!(t, "a terminal, a line is typed:      {}", typed);
    let counter = eventfd(0)?;
    let added =
        before_and_after(&counter, || Ok(write(&counter, &1_u64.to_ne_bytes()).map(drop)?))?;
    say!(t, "an eventfd, 1 is added:           {}", added);
    let clock = timerfd()?;
    say!(
        t,
        "a timerfd, it expires:            {}",
        before_and_after(&clock, || set_timer(&clock))?
    );
    let signals = signalfd(libc::SIGUSR2)?;
    say!(t, "a signalfd, a signal is sent:     {}", before_and_after(&signals, raise)?);
    let inner = Epoll::new()?;
    let (reader, writer) = pipe()?;
    inner.add(&reader, 0, Interest::READABLE, Trigger::Level)?;
    let nested = before_and_after(&inner, || Ok(write(&writer, b"x").map(drop)?))?;
    say!(t, "an epoll, its pipe gets a byte:   {}", nested);
    Ok(())
}

/// Says what epoll reports about `fd` before and after something happens.
fn before_and_after(
    fd: impl AsFd,
    happens: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let epoll = Epoll::new()?;
    epoll.add(fd, 0, Interest::READABLE, Trigger::Level)?;
    let mut events = Events::with_capacity(1);
    epoll.wait(&mut events, Some(Duration::ZERO))?;
    let before = in_words(&events);
    happens()?;
    // Over TCP and UDP, the kernel can take a moment to deliver.
    epoll.wait(&mut events, None)?;
    Ok(format!("{before}, then {}", in_words(&events)))
}

/// Makes a FIFO, a pipe with a name, and removes the name as soon as both ends are open.
fn fifo() -> anyhow::Result<(File, File)> {
    let path = std::env::temp_dir().join(format!("workbook-fifo-{}", std::process::id()));
    let name = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: `name` ends in a zero byte.
    let made = unsafe { libc::mkfifo(name.as_ptr(), 0o600) };
    check(made, || "mkfifo".to_string())?;
    let reader = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
    let writer = File::options().write(true).custom_flags(libc::O_NONBLOCK).open(&path);
    fs::remove_file(&path)?;
    Ok((reader?, writer?))
}

fn set_timer(clock: impl AsFd) -> anyhow::Result<()> {
    let soon = libc::timespec { tv_sec: 0, tv_nsec: 1 };
    let never = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let once = libc::itimerspec { it_interval: never, it_value: soon };
    let fd = clock.as_fd().as_raw_fd();
    // SAFETY: `once` is valid, and the old setting is not asked for.
    let set = unsafe { libc::timerfd_settime(fd, 0, &raw const once, std::ptr::null_mut()) };
    check(set, || "timerfd_settime".to_string())?;
    Ok(())
}

/// Sends this thread a signal.
fn raise() -> anyhow::Result<()> {
    // SAFETY: raise takes an integer and touches no memory of ours.
    let sent = unsafe { libc::raise(libc::SIGUSR2) };
    check(sent, || "raise".to_string())?;
    Ok(())
}

scene!(
    epoll_in_epoll,
    "An epoll watches another epoll. When is the outer one readable, and does the kernel allow a cycle?"
);
/// `outer: readable  inner: readable`: an epoll is itself readable while a wait on it would report
/// something. In a cycle, a check of one epoll would check the other, and so on without end. So the
/// kernel refuses a cycle, or a long chain:
/// `add outer to inner:  Too many levels of symbolic links (os error 40)`. That's `ELOOP`, an error
/// made for links; adding an epoll to itself fails with `EINVAL`.
fn epoll_in_epoll(t: Transcript) -> anyhow::Result<()> {
    let (outer, inner) = (Epoll::new()?, Epoll::new()?);
    let (reader, writer) = pipe()?;
    let add = |list: &Epoll, fd: BorrowedFd<'_>| {
        answer(list.add(fd, 0, Interest::READABLE, Trigger::Level))
    };
    say!(t, "add a pipe to inner: {}", add(&inner, reader.as_fd()));
    say!(t, "add inner to outer:  {}", add(&outer, inner.as_fd()));
    say!(t, "  outer: {:<9} inner: {}", ready_now(&outer)?, ready_now(&inner)?);
    write(&writer, b"hello")?;
    say!(t, "5 bytes arrive in the pipe");
    say!(t, "  outer: {:<9} inner: {}", ready_now(&outer)?, ready_now(&inner)?);
    read(&reader, &mut [0; 16])?;
    say!(t, "the bytes are read");
    say!(t, "  outer: {:<9} inner: {}", ready_now(&outer)?, ready_now(&inner)?);
    say!(t, "add outer to outer:  {}", add(&outer, outer.as_fd()));
    say!(t, "add outer to inner:  {}", add(&inner, outer.as_fd()));
    say!(t, "a chain of 20:       {}", chain()?);
    Ok(())
}

/// Adds each of many epolls to the next, until the kernel refuses.
fn chain() -> anyhow::Result<String> {
    let mut chain = vec![Epoll::new()?];
    for _ in 0..20 {
        let next = Epoll::new()?;
        let last = &chain[chain.len() - 1];
        if let Err(error) = next.add(last, 0, Interest::READABLE, Trigger::Level) {
            return Ok(answer(Err(error)));
        }
        chain.push(next);
    }
    Ok("ok".to_string())
}
