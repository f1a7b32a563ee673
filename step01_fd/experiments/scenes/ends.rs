//! The meaning of a read that returns 0, and the errors after a peer has left.

use std::fs::File;
use std::io::Write;
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd;

use kit::loopback;
use kit::objects::terminal;
use scene::{Transcript, say, scene};
use step01_fd::{Read, read, write};

scene!(
    another_read_after_zero,
    "A read has returned 0. From which kinds of descriptors can another read still return bytes?"
);
/// `5 more bytes:      5`, after a 0: a datagram socket returns 0 for an empty datagram, and
/// another datagram can follow. A terminal returns 0 for Ctrl-D at the start of a line and stays
/// open: `a line is typed:   5`. The pipe's 0 is the end, because its only writer has closed, and
/// so is the 0 of a TCP connection. What a 0 means depends on the kind of descriptor.
fn another_read_after_zero(t: Transcript) -> anyhow::Result<()> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let peer = UdpSocket::bind("127.0.0.1:0")?;
    peer.connect(socket.local_addr()?)?;
    say!(t, "a datagram socket");
    peer.send(b"")?;
    say!(t, "  an empty datagram: {}", returned(&socket)?);
    peer.send(b"hello")?;
    say!(t, "  5 more bytes:      {}", returned(&socket)?);

    let (keyboard, terminal) = terminal()?;
    let mut keyboard = File::from(keyboard);
    say!(t, "a terminal");
    keyboard.write_all(b"\x04")?;
    say!(t, "  Ctrl-D is typed:   {}", returned(&terminal)?);
    keyboard.write_all(b"hey!\n")?;
    say!(t, "  a line is typed:   {}", returned(&terminal)?);

    let (reader, writer) = step01_fd::pipe()?;
    drop(writer);
    say!(t, "a pipe");
    say!(t, "  pipe.w is closed:  {}", returned(&reader)?);
    say!(t, "  read again:        {}", returned(&reader)?);
    Ok(())
}

/// Reads once and returns what read(2) itself has returned.
fn returned(fd: impl AsFd) -> anyhow::Result<String> {
    Ok(match read(fd, &mut [0; 16])? {
        Read::Bytes(count) => count.to_string(),
        Read::End => "0".to_string(),
        Read::WouldBlock => "would block".to_string(),
    })
}

scene!(
    half_close,
    "A client sends its request and then shuts down its sending side. Can the server still answer?"
);
/// `shutdown(2)` can close one direction of a connection and leave the other direction open.
fn half_close(t: Transcript) -> anyhow::Result<()> {
    let (mut client, server) = connection()?;
    let mut buffer = [0; 16];
    client.write_all(b"hello")?;
    client.shutdown(Shutdown::Write)?;
    loopback::wait_for_the_end(&server)?;
    say!(t, "the client sends 5 bytes and shuts down its sending side");
    say!(t, "  the server reads:       {:?}", read(&server, &mut buffer)?);
    say!(t, "  the server reads again: {:?}", read(&server, &mut buffer)?);
    say!(t, "  the server writes 7:    {:?}", write(&server, b"answer!")?);
    loopback::wait_until_delivered(&server, &client)?;
    say!(t, "  the client reads:       {:?}", read(&client, &mut buffer)?);
    Ok(())
}

scene!(
    reset,
    "A client leaves without reading its answer. What does the server's next read return?"
);
/// `the server reads:  Bytes(5)`, because the client's bytes had arrived before the client closed.
/// But the client closed without reading its answer, so the kernel sends a reset, which tells the
/// server that data was lost, though not which. The server gets an error once, `ConnectionReset`.
/// After that, a read returns the end, and a write fails with `BrokenPipe`. This is a reason to
/// close one connection but not to end the server.
fn reset(t: Transcript) -> anyhow::Result<()> {
    let (mut client, server) = connection()?;
    write(&server, b"answer!")?;
    loopback::wait_until_delivered(&server, &client)?;
    client.write_all(b"hello")?;
    loopback::wait_until_delivered(&client, &server)?;
    drop(client);
    loopback::wait_for_the_end(&server)?;
    say!(t, "the client sends 5 bytes and closes, with 7 bytes unread");
    for _ in 0..3 {
        say!(t, "  the server reads:  {}", kind_of(read(&server, &mut [0; 16])));
    }
    say!(t, "  the server writes: {}", kind_of(write(&server, b"answer!")));
    Ok(())
}

/// Returns both ends of a TCP connection. Both ends are non-blocking, so this layer can read from
/// them.
fn connection() -> anyhow::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let client = loopback::connect(&listener, listener.local_addr()?)?;
    let (server, _) = listener.accept()?;
    server.set_nonblocking(true)?;
    client.set_nonblocking(true)?;
    Ok((client, server))
}

fn kind_of<T: std::fmt::Debug>(answer: std::io::Result<T>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("{:?}", error.kind()),
    }
}
