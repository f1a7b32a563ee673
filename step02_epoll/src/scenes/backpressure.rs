//! A client that does not read what it is sent.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};

use scene::{Transcript, say, scene};
use step01_fd::check;
use step02_epoll::{Connection, Progress};

/// Far more than the kernel's buffers hold when they are made small.
const PLENTY: usize = 4 << 20;

scene!(backpressure, "A client sends and sends and never reads. Where do its bytes pile up?");
/// While the client does not read, the connection does not read on either. What was sent then waits
/// in the kernel's buffers, which have an end, and at last the client itself has to wait. Nothing
/// is lost: as soon as the client reads, everything moves again.
fn backpressure(t: Transcript) -> anyhow::Result<()> {
    let (mut client, mut connection) = connect()?;
    let mut scratch = vec![0; 16 * 1024];
    say!(t, "the connection waits to write: {}", connection.wants_to_write());

    let mut sent = 0;
    let mut stopped = false;
    while sent < PLENTY && !stopped {
        let count = now_or_zero(client.write(&pattern(sent, 8192)))?;
        sent += count;
        take_turns(&mut connection, &mut scratch)?;
        stopped = count == 0 && connection.wants_to_write();
    }
    say!(t, "the client sends until nothing more fits: {stopped}");
    say!(t, "the connection waits to write: {}", connection.wants_to_write());

    let mut answered = 0;
    let mut in_order = true;
    let mut buffer = [0; 8192];
    while answered < sent && in_order {
        let count = now_or_zero(client.read(&mut buffer))?;
        in_order = buffer[..count] == pattern(answered, count);
        answered += count;
        take_turns(&mut connection, &mut scratch)?;
    }
    say!(t, "the client reads: all came back, in order: {in_order}");
    say!(t, "the connection waits to write: {}", connection.wants_to_write());

    client.shutdown(Shutdown::Write)?;
    let farewell = take_turns_until_finished(&mut connection, &mut scratch)?;
    say!(t, "the client sends no more: {farewell:?}");
    Ok(())
}

/// Lets the connection do all it can do now.
fn take_turns(connection: &mut Connection, scratch: &mut [u8]) -> io::Result<()> {
    for _ in 0..1000 {
        if connection.echo(scratch)? != Progress::Echoed {
            break;
        }
    }
    Ok(())
}

/// The news that the client sends no more may take a moment to cross over.
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

/// A client and its connection, with small buffers on both sides.
fn connect() -> anyhow::Result<(TcpStream, Connection)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    shrink_buffers(&listener)?;
    let client = TcpStream::connect(listener.local_addr()?)?;
    shrink_buffers(&client)?;
    client.set_nonblocking(true)?;
    Ok((client, Connection::new(listener.accept()?.0)?))
}

/// Sockets that a listener accepts have its buffer sizes.
fn shrink_buffers(socket: impl AsFd) -> io::Result<()> {
    let number = socket.as_fd().as_raw_fd();
    let size: libc::c_int = 128 * 1024;
    let length = libc::socklen_t::try_from(size_of_val(&size)).unwrap_or_default();
    for buffer in [libc::SO_SNDBUF, libc::SO_RCVBUF] {
        let value = (&raw const size).cast();
        // SAFETY: `value` points to an integer of `length` bytes.
        let set = unsafe { libc::setsockopt(number, libc::SOL_SOCKET, buffer, value, length) };
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

/// A piece of a long message in which every place shows.
fn pattern(start: usize, length: usize) -> Vec<u8> {
    let places = start..start + length;
    places.map(|place| (place % 251).to_le_bytes()[0]).collect()
}
