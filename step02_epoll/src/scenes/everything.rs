//! All that can be waited for.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{check, pipe, socketpair, write};
use step02_epoll::{Epoll, Events, Interest, Trigger};

use super::in_words;
use kit::objects::{eventfd, signalfd, terminal, timerfd};

scene!(pollable_descriptors, "What else can be waited for?");
/// Each is put on a list, found silent, and then something happens to it.
fn pollable_descriptors(t: Transcript) -> anyhow::Result<()> {
    let (reader, writer) = pipe()?;
    let piped = told(&reader, || Ok(write(&writer, b"x").map(drop)?))?;
    say!(t, "a pipe, bytes are written:        {piped}");
    let (reader, mut writer) = fifo()?;
    let named = told(&reader, || Ok(std::io::Write::write_all(&mut writer, b"x")?))?;
    say!(t, "a FIFO, bytes are written:        {named}");
    let (near, far) = socketpair()?;
    say!(
        t,
        "a UNIX stream, bytes are sent:    {}",
        told(&near, || Ok(write(&far, b"x").map(drop)?))?
    );
    let (near, far) = UnixDatagram::pair()?;
    say!(t, "a UNIX datagram is sent:          {}", told(&near, || Ok(far.send(b"x").map(drop)?))?);

    let udp = UdpSocket::bind("127.0.0.1:0")?;
    let address = udp.local_addr()?;
    let sent =
        told(&udp, || Ok(UdpSocket::bind("127.0.0.1:0")?.send_to(b"x", address).map(drop)?))?;
    say!(t, "UDP, a datagram is sent:          {sent}");
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut client = None;
    let connected = told(&listener, || {
        client = Some(TcpStream::connect(listener.local_addr()?)?);
        Ok(())
    })?;
    say!(t, "a TCP listener, a client comes:   {connected}");
    let (stream, _) = listener.accept()?;
    let left = told(&stream, || {
        client = None;
        Ok(())
    })?;
    say!(t, "a TCP stream, its client leaves:  {left}");

    let (keyboard, terminal) = terminal()?;
    let typed = told(&terminal, || Ok(write(&keyboard, b"a line\n").map(drop)?))?;
    say!(t, "a terminal, a line is typed:      {typed}");
    let counter = eventfd(0)?;
    let added = told(&counter, || Ok(write(&counter, &1_u64.to_ne_bytes()).map(drop)?))?;
    say!(t, "an eventfd, 1 is added:           {added}");
    let clock = timerfd()?;
    say!(t, "a timerfd, its time comes:        {}", told(&clock, || set_timer(&clock))?);
    let signals = signalfd(libc::SIGUSR2)?;
    say!(t, "a signalfd, a signal is sent:     {}", told(&signals, raise)?);
    let inner = Epoll::new()?;
    let (reader, writer) = pipe()?;
    inner.add(&reader, 0, Interest::READABLE, Trigger::Level)?;
    let nested = told(&inner, || Ok(write(&writer, b"x").map(drop)?))?;
    say!(t, "an epoll, its list has news:      {nested}");
    Ok(())
}

/// What is reported of `fd` before and after something happens.
fn told(fd: impl AsFd, happens: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<String> {
    let epoll = Epoll::new()?;
    epoll.add(fd, 0, Interest::READABLE, Trigger::Level)?;
    let mut events = Events::with_capacity(1);
    epoll.wait(&mut events, Some(Duration::ZERO))?;
    let before = in_words(&events);
    happens()?;
    // What happened may need a moment to arrive.
    epoll.wait(&mut events, None)?;
    Ok(format!("{before}, then {}", in_words(&events)))
}

/// A pipe with a name, which is taken away again as soon as both ends are open.
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
    let number = std::os::fd::AsRawFd::as_raw_fd(&clock.as_fd());
    // SAFETY: `once` is valid, and the old setting is not asked for.
    let set = unsafe { libc::timerfd_settime(number, 0, &raw const once, std::ptr::null_mut()) };
    check(set, || "timerfd_settime".to_string())?;
    Ok(())
}

/// Sends this thread a signal.
fn raise() -> anyhow::Result<()> {
    // SAFETY: raise takes a number and touches no memory of ours.
    let sent = unsafe { libc::raise(libc::SIGUSR2) };
    check(sent, || "raise".to_string())?;
    Ok(())
}
