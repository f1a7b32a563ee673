//! A client that sends and doesn't read the answers.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};

use scene::{Transcript, say, scene};
use step01_fd::check;
use step02_epoll::{Connection, Progress};

/// The length of the message, far more than the socket buffers hold. `connect` makes them small.
const MUCH: usize = 4 << 20;

scene!(
    backpressure,
    "A client sends up to 4 MiB and reads no answer. Does the server take all of it?"
);
/// `the client writes until it would block`, long before its 4 MiB are sent. The server answers,
/// the unread answers fill the kernel's buffers, and the server's own write would block. So
/// `the connection waits to write` and reads nothing more until there's room. Then the client's
/// bytes pile up in the kernel, too, until those buffers are full as well. Once the client reads,
/// everything moves again, and nothing is lost.
fn backpressure(t: Transcript) -> anyhow::Result<()> {
    let (mut client, mut connection) = connect()?;
    let mut scratch = vec![0; 16 * 1024];
    say!(t, "the client has sent nothing");
    say!(t, "  the connection waits to {}", direction(&connection));

    let mut sent = 0;
    let mut stopped = false;
    while sent < MUCH && !stopped {
        let count = now_or_zero(client.write(&pattern(sent, 8192)))?;
        sent += count;
        take_turns(&mut connection, &mut scratch)?;
        stopped = count == 0 && connection.wants_to_write();
    }
    say!(t, "the client writes until {}", if stopped { "it would block" } else { "all is sent" });
    say!(t, "  the connection waits to {}", direction(&connection));

    let mut answered = 0;
    let mut in_order = true;
    let mut buffer = [0; 8192];
    while answered < sent && in_order {
        let count = now_or_zero(client.read(&mut buffer))?;
        in_order = buffer[..count] == pattern(answered, count);
        answered += count;
        take_turns(&mut connection, &mut scratch)?;
    }
    let received = if in_order { "all it has sent, in order" } else { "something else" };
    say!(t, "the client reads {}", received);
    say!(t, "  the connection waits to {}", direction(&connection));

    client.shutdown(Shutdown::Write)?;
    let last = take_turns_until_finished(&mut connection, &mut scratch)?;
    say!(t, "the client shuts down its writing side");
    say!(t, "  echo returns {:?}", last);
    Ok(())
}

fn direction(connection: &Connection) -> &'static str {
    if connection.wants_to_write() { "write" } else { "read" }
}

/// Lets the connection echo as much as it can now.
fn take_turns(connection: &mut Connection, scratch: &mut [u8]) -> io::Result<()> {
    for _ in 0..1000 {
        if connection.echo(scratch)? != Progress::Echoed {
            break;
        }
    }
    Ok(())
}

/// Lets the connection echo until it finds the end, which the kernel might deliver a moment later.
fn take_turns_until_finished(
    connection: &mut Connection,
    scratch: &mut [u8],
) -> io::Result<Progress> {
    loop {
        match connection.echo(scratch)? {
            Progress::Finished => return Ok(Progress::Finished),
            Progress::Echoed | Progress::Waiting => std::thread::yield_now(),
        }
    }
}

/// Makes a client and its connection, with small buffers on both sides.
fn connect() -> anyhow::Result<(TcpStream, Connection)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    shrink_buffers(&listener)?;
    let client = TcpStream::connect(listener.local_addr()?)?;
    shrink_buffers(&client)?;
    client.set_nonblocking(true)?;
    Ok((client, Connection::new(listener.accept()?.0)?))
}

/// Sets both buffer sizes. An accepted socket inherits its listener's sizes.
fn shrink_buffers(socket: impl AsFd) -> io::Result<()> {
    let fd = socket.as_fd().as_raw_fd();
    let size: libc::c_int = 128 * 1024;
    let length = libc::socklen_t::try_from(size_of_val(&size)).unwrap_or_default();
    for buffer in [libc::SO_SNDBUF, libc::SO_RCVBUF] {
        let value = (&raw const size).cast();
        // SAFETY: `value` points to an integer of `length` bytes.
        let set = unsafe { libc::setsockopt(fd, libc::SOL_SOCKET, buffer, value, length) };
        check(set, || "setsockopt".to_string())?;
    }
    Ok(())
}

fn now_or_zero(result: io::Result<usize>) -> io::Result<usize> {
    match result {
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            std::thread::yield_now();
            Ok(0)
        }
        result => result,
    }
}

/// Returns a piece of a long message. Its bytes follow a pattern, so that a lost byte shows.
fn pattern(start: usize, length: usize) -> Vec<u8> {
    (start..start + length).map(|index| (index % 251).to_le_bytes()[0]).collect()
}
