//! Both ends of a TCP connection in one process.
//!
//! What one end has written arrives at the other a moment later, even on the loopback interface. A
//! trial waits for that moment, so that what it sees next doesn't depend on luck. The kernel counts
//! for us: see `TCP_INFO` in `tcp(7)`, and `struct tcp_info` in `linux/tcp.h`.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::thread;

use crate::Refusal;
use crate::check::check;

/// Where the fields of `struct tcp_info` are, in bytes.
const UNACKED: usize = 24;
const BYTES_RECEIVED: usize = 128;
const NOTSENT_BYTES: usize = 144;
const BYTES_SENT: usize = 200;
const BYTES_RETRANS: usize = 208;
const LENGTH: usize = 216;

/// What the kernel says about a TCP socket.
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

/// Asks the kernel for as many bytes of its `struct tcp_info` as there is room for. Fails if it has
/// fewer: an emulator can have only the first four, and code that waits for one of the others to
/// change would wait forever.
fn fill(socket: BorrowedFd<'_>, info: &mut [u8]) -> io::Result<()> {
    let mut length = libc::socklen_t::try_from(info.len()).map_err(io::Error::other)?;
    let value = info.as_mut_ptr().cast();
    // SAFETY: the kernel writes at most `length` bytes to `info`, which has that many.
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

/// Waits until everything that was written to one end has arrived at the other. There must be room
/// for it.
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

/// Waits until the end of what the peer sends has arrived, or a reset.
pub fn wait_for_the_end(socket: impl AsFd) -> io::Result<()> {
    is_ready(socket, libc::POLLRDHUP, -1).map(drop)
}

/// Connects to a listener and waits until the connection is there to be accepted.
pub fn connect(listener: impl AsFd, address: SocketAddr) -> io::Result<TcpStream> {
    let before = waiting_at(&listener)?;
    let client = TcpStream::connect(address)?;
    while waiting_at(&listener)? <= before {
        thread::yield_now();
    }
    Ok(client)
}

/// Counts the connections that are there to be accepted.
pub fn waiting_at(listener: impl AsFd) -> io::Result<u32> {
    Ok(Info::of(listener.as_fd())?.u32(UNACKED))
}

/// Gives a socket the smallest send buffer that the kernel allows.
pub fn smallest_send_buffer(socket: impl AsFd) -> io::Result<()> {
    set(socket.as_fd(), libc::SOL_SOCKET, libc::SO_SNDBUF, 1, "setsockopt SO_SNDBUF")
}

/// Has the peer of a socket, which isn't connected yet, send in segments of 536 bytes. The kernel
/// begins with a buffer for that many segments, and on the loopback interface one has 64 KiB:
/// that's megabytes.
pub fn small_segments(socket: impl AsFd) -> io::Result<()> {
    set(socket.as_fd(), libc::IPPROTO_TCP, libc::TCP_MAXSEG, 536, "setsockopt TCP_MAXSEG")
}

fn set(
    socket: BorrowedFd<'_>,
    level: libc::c_int,
    name: libc::c_int,
    value: libc::c_int,
    call: &'static str,
) -> io::Result<()> {
    let length = libc::socklen_t::try_from(size_of_val(&value)).map_err(io::Error::other)?;
    let value = (&raw const value).cast();
    // SAFETY: the kernel reads an int of the length that's passed.
    let done = unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, value, length) };
    check(done, call).map(drop)
}

/// Returns true if a read wouldn't block. For an epoll: if a wait would find something.
pub fn is_readable(fd: impl AsFd) -> io::Result<bool> {
    is_ready(fd, libc::POLLIN, 0)
}

/// Returns true if a write wouldn't block.
pub fn is_writable(fd: impl AsFd) -> io::Result<bool> {
    is_ready(fd, libc::POLLOUT, 0)
}

/// Waits until a socket has room for a write, or an error for its owner.
pub fn wait_until_writable(socket: impl AsFd) -> io::Result<()> {
    is_ready(socket, libc::POLLOUT, -1).map(drop)
}

fn is_ready(fd: impl AsFd, events: libc::c_short, timeout: libc::c_int) -> io::Result<bool> {
    let mut entry = libc::pollfd { fd: fd.as_fd().as_raw_fd(), events, revents: 0 };
    // SAFETY: the kernel reads and writes one entry, and there is one.
    let found = unsafe { libc::poll(&raw mut entry, 1, timeout) };
    Ok(check(found, "poll")? > 0)
}

/// Returns the number of bytes that have arrived and that the socket's owner hasn't read.
pub fn unread_bytes(socket: impl AsFd) -> io::Result<u64> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: FIONREAD stores an int where the pointer says.
    let got = unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), libc::FIONREAD, &raw mut bytes) };
    check(got, "ioctl FIONREAD")?;
    Ok(u64::try_from(bytes).unwrap_or_default())
}

/// Returns the number of bytes that the socket's owner has ever read. The peer's end counts as
/// one.
pub fn bytes_read(socket: impl AsFd) -> io::Result<u64> {
    loop {
        let received = Info::of(socket.as_fd())?.u64(BYTES_RECEIVED);
        let unread = unread_bytes(&socket)?;
        // More can arrive between the two looks.
        if Info::of(socket.as_fd())?.u64(BYTES_RECEIVED) == received {
            return Ok(received - unread);
        }
    }
}

/// Returns a duplicate of the other end of a client's connection, if that's in this process and was
/// accepted.
pub fn server_of(client: SocketAddr) -> io::Result<Option<OwnedFd>> {
    let found = find(|stream| stream.peer_addr().is_ok_and(|peer| peer == client))?;
    Ok(found.map(|(_, copy)| copy))
}

/// Returns the listener at an address of this process, and a duplicate of it. There must be no
/// connections yet.
pub fn listener_at(address: SocketAddr) -> io::Result<Option<(RawFd, OwnedFd)>> {
    find(|stream| stream.local_addr().is_ok_and(|local| local == address))
}

fn find(is_it: impl Fn(&TcpStream) -> bool) -> io::Result<Option<(RawFd, OwnedFd)>> {
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let Ok(fd) = entry?.file_name().to_string_lossy().parse() else { continue };
        let Ok(copy) = duplicate(fd) else { continue };
        // Questions to what isn't a socket fail.
        let stream = TcpStream::from(copy);
        if is_it(&stream) {
            return Ok(Some((fd, stream.into())));
        }
    }
    Ok(None)
}

/// Returns a duplicate of the descriptor with a number that was found in `/proc`.
pub fn duplicate(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the descriptor is borrowed only for this call, which refuses one that isn't open.
    unsafe { BorrowedFd::borrow_raw(fd) }.try_clone_to_owned()
}

/// Runs `f` in a thread in which no socket takes a byte: each write would block.
pub fn without_room<T: Send>(f: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    let writes = [libc::SYS_write, libc::SYS_writev, libc::SYS_sendto, libc::SYS_sendmsg];
    let refusals = writes.map(|call| Refusal { call, argument: None, errno: libc::EAGAIN });
    Refusal::all_during(&refusals, f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_kernel_that_says_less_than_we_need_is_an_error() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        fill(listener.as_fd(), &mut [0; LENGTH]).unwrap();
        // More than any kernel has. An emulator has less than `LENGTH`.
        let error = fill(listener.as_fd(), &mut [0; 64 * LENGTH]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
    }
}
