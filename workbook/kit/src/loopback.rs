//! Both ends of a TCP connection in one process.
//!
//! Bytes that one end has written arrive at the other end a moment later, even on the loopback
//! interface. A trial waits until they arrive, so that its next observation doesn't depend on
//! timing. The kernel counts the bytes for us; see `TCP_INFO` in `tcp(7)`, and `struct tcp_info` in
//! `linux/tcp.h`.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::thread;

use crate::Refusal;
use crate::check::check;

/// The positions of the fields of `struct tcp_info`, in bytes.
const UNACKED: usize = 24;
const BYTES_RECEIVED: usize = 128;
const NOTSENT_BYTES: usize = 144;
const BYTES_SENT: usize = 200;
const BYTES_RETRANS: usize = 208;
const LENGTH: usize = 216;

/// The kernel's information about a TCP socket.
struct Info([u8; LENGTH]);

impl Info {
    fn of(socket: BorrowedFd<'_>) -> io::Result<Self> {
        let mut info = [0; LENGTH];
        fill(socket, &mut info)?;
        Ok(Info(info))
    }

    fn u32(&self, at: usize) -> u32 {
        self.0[at..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes))
    }

    fn u64(&self, at: usize) -> u64 {
        self.0[at..].first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes))
    }
}

/// Asks the kernel for as many bytes of its `struct tcp_info` as `info` has room for. Fails if the
/// kernel returns fewer bytes. An emulator may return only the first four bytes, and code that
/// waits for a later field to change would then wait forever.
fn fill(socket: BorrowedFd<'_>, info: &mut [u8]) -> io::Result<()> {
    let mut length = libc::socklen_t::try_from(info.len()).map_err(io::Error::other)?;
    let value = info.as_mut_ptr().cast();
    // SAFETY: the kernel writes at most `length` bytes to `info`, which is that long.
    let got = unsafe {
        let (level, name) = (libc::IPPROTO_TCP, libc::TCP_INFO);
        libc::getsockopt(socket.as_raw_fd(), level, name, value, &raw mut length)
    };
    check(got, "getsockopt TCP_INFO")?;
    if usize::try_from(length).is_ok_and(|length| length < info.len()) {
        let why = format!("getsockopt TCP_INFO: {length} of {} bytes", info.len());
        return Err(io::Error::new(io::ErrorKind::Unsupported, why));
    }
    Ok(())
}

/// Waits until all bytes that were written to `from` have arrived at `to`. The receiving end must
/// have room for all these bytes.
pub fn wait_until_delivered(from: impl AsFd, to: impl AsFd) -> io::Result<()> {
    loop {
        let (sender, receiver) = (Info::of(from.as_fd())?, Info::of(to.as_fd())?);
        let sent = sender.u64(BYTES_SENT) - sender.u64(BYTES_RETRANS);
        if sender.u32(NOTSENT_BYTES) == 0 && receiver.u64(BYTES_RECEIVED) >= sent {
            return Ok(());
        }
        thread::yield_now();
    }
}

/// Waits until the peer's end of stream or a reset has arrived.
pub fn wait_for_the_end(socket: impl AsFd) -> io::Result<()> {
    is_ready(socket, libc::POLLRDHUP, -1).map(drop)
}

/// Connects to a listener and waits until the connection is ready to be accepted.
pub fn connect(listener: impl AsFd, address: SocketAddr) -> io::Result<TcpStream> {
    let before = waiting_at(&listener)?;
    let client = TcpStream::connect(address)?;
    while waiting_at(&listener)? <= before {
        thread::yield_now();
    }
    Ok(client)
}

/// Returns the number of connections that are ready to be accepted.
pub fn waiting_at(listener: impl AsFd) -> io::Result<u32> {
    Ok(Info::of(listener.as_fd())?.u32(UNACKED))
}

/// Makes a socket's future peer send segments of at most 536 bytes. Call this before the socket is
/// connected. Small segments keep the kernel's buffer small, because the buffer's initial size is a
/// fixed number of segments. With the loopback interface's normal segments of 64 KiB, the buffer
/// would take megabytes.
pub fn small_segments(socket: impl AsFd) -> io::Result<()> {
    let size: libc::c_int = 536;
    let length = libc::socklen_t::try_from(size_of_val(&size)).map_err(io::Error::other)?;
    let (fd, value) = (socket.as_fd().as_raw_fd(), (&raw const size).cast());
    // SAFETY: the kernel reads an int of the length that's passed.
    let set = unsafe { libc::setsockopt(fd, libc::IPPROTO_TCP, libc::TCP_MAXSEG, value, length) };
    check(set, "setsockopt TCP_MAXSEG").map(drop)
}

/// Returns true if a read wouldn't block or, for an epoll object, if a wait would return an event.
pub fn is_readable(fd: impl AsFd) -> io::Result<bool> {
    is_ready(fd, libc::POLLIN, 0)
}

/// Returns true if a write wouldn't block.
pub fn is_writable(fd: impl AsFd) -> io::Result<bool> {
    is_ready(fd, libc::POLLOUT, 0)
}

/// Waits until a socket has room for a write or has an error to report.
pub fn wait_until_writable(socket: impl AsFd) -> io::Result<()> {
    is_ready(socket, libc::POLLOUT, -1).map(drop)
}

fn is_ready(fd: impl AsFd, events: libc::c_short, timeout: libc::c_int) -> io::Result<bool> {
    let mut entry = libc::pollfd { fd: fd.as_fd().as_raw_fd(), events, revents: 0 };
    // SAFETY: the kernel reads and writes one entry, and the pointer is to one entry.
    let found = unsafe { libc::poll(&raw mut entry, 1, timeout) };
    Ok(check(found, "poll")? > 0)
}

/// Returns the number of bytes that have arrived at a socket and haven't been read yet.
pub fn unread_bytes(socket: impl AsFd) -> io::Result<u64> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: FIONREAD stores an int where the pointer says.
    let got = unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), libc::FIONREAD, &raw mut bytes) };
    check(got, "ioctl FIONREAD")?;
    Ok(u64::try_from(bytes).unwrap_or_default())
}

/// Returns the number of bytes that have been read from a socket so far. The peer's end of stream
/// counts as one more byte as soon as it has arrived.
pub fn bytes_read(socket: impl AsFd) -> io::Result<u64> {
    loop {
        let received = Info::of(socket.as_fd())?.u64(BYTES_RECEIVED);
        let unread = unread_bytes(&socket)?;
        // If more bytes have arrived between the two checks, we try again.
        if Info::of(socket.as_fd())?.u64(BYTES_RECEIVED) == received {
            return Ok(received - unread);
        }
    }
}

/// Returns a duplicate of the server's end of a client's connection, if this process has accepted
/// the connection and holds that end.
pub fn server_of(client: SocketAddr) -> io::Result<Option<OwnedFd>> {
    let found = find(|stream| stream.peer_addr().is_ok_and(|peer| peer == client))?;
    Ok(found.map(|(_, copy)| copy))
}

/// Returns the descriptor of this process's listener at an address and a duplicate of that
/// descriptor. The listener mustn't have any connections yet.
pub fn listener_at(address: SocketAddr) -> io::Result<Option<(RawFd, OwnedFd)>> {
    find(|stream| stream.local_addr().is_ok_and(|local| local == address))
}

fn find(is_it: impl Fn(&TcpStream) -> bool) -> io::Result<Option<(RawFd, OwnedFd)>> {
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let Ok(fd) = entry?.file_name().to_string_lossy().parse() else { continue };
        let Ok(copy) = duplicate(fd) else { continue };
        // The calls in `is_it` fail for descriptors that aren't sockets, so such descriptors don't
        // match.
        let stream = TcpStream::from(copy);
        if is_it(&stream) {
            return Ok(Some((fd, stream.into())));
        }
    }
    Ok(None)
}

/// Returns a duplicate of a descriptor, given its number from `/proc`.
pub fn duplicate(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the descriptor is borrowed only for this call, which fails if the descriptor is
    // closed.
    unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned()
}

/// Runs `f` in a thread in which `write`, `writev`, `sendto` and `sendmsg` fail with `EAGAIN`, as
/// if no socket had room.
pub fn without_room<T: Send>(f: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    Refusal::all_during(&Refusal::of_writes(libc::EAGAIN), f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_kernel_that_says_less_than_we_need_is_an_error() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        fill(listener.as_fd(), &mut [0; LENGTH]).unwrap();
        // No kernel's struct is as large as this buffer, just as an emulator's struct is smaller
        // than `LENGTH`.
        let error = fill(listener.as_fd(), &mut [0; 64 * LENGTH]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
    }
}
