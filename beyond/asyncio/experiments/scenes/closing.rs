//! The bytes that a close sends, and those that it throws away.

use std::io::{ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::thread;

use asyncio::{Result, TcpListener, TcpStream, open_connection_on, run};
use scene::{Transcript, say, scene};

const MEBIBYTE: usize = 1 << 20;

scene!(
    close_with_a_full_buffer,
    "A server fills a socket's buffer with an answer and closes the socket. Does the client get the whole answer?"
);
/// In one case the server reads the client's question before it closes, and in the other it
/// doesn't.
fn close_with_a_full_buffer(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        for reads in [true, false] {
            let (server, mut client) = connected().await?;
            std::io::Write::write_all(&mut client, b"a question")?;
            server.readable().await?;
            if reads {
                server.try_read(&mut [0; 64])?;
            }
            let sent = write_what_fits(&server)?;
            drop(server);
            let (received, end) = read_to_the_end(client);
            say!(
                t,
                "the question is read: {reads}; all bytes arrive: {}, {}",
                received == sent,
                end
            );
        }
        Ok(())
    })?;
    Ok(())
}

/// Makes a connection. The server's end is a stream of this loop, and the client's end is a std
/// socket.
async fn connected() -> Result<(TcpStream, std::net::TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let client = std::net::TcpStream::connect(listener.local_addr()?)?;
    let (server, _address) = listener.accept().await?;
    Ok((server, client))
}

/// Writes until the kernel takes no more and returns how much it took.
fn write_what_fits(server: &TcpStream) -> Result<usize> {
    let mut total = 0;
    loop {
        let count = server.try_write(&[b'!'; 4096])?;
        if count == 0 {
            return Ok(total);
        }
        total += count;
    }
}

/// Returns how much arrives, and how that ends.
fn read_to_the_end(mut client: impl Read) -> (usize, &'static str) {
    let mut received = Vec::new();
    let end = match client.read_to_end(&mut received) {
        Ok(_) => "then the end",
        Err(error) if error.kind() == ErrorKind::ConnectionReset => "then a reset",
        Err(_) => "then another error",
    };
    (received.len(), end)
}

scene!(
    closed_and_not_waited_for,
    "A program writes 1 MiB, closes the writer, and ends. Does its peer get all the bytes?"
);
/// The peer reads once the program has ended or, if the program waits for the close, during that
/// wait.
fn closed_and_not_waited_for(t: Transcript) -> anyhow::Result<()> {
    let (ours, peer) = UnixStream::pair()?;
    run(answer(ours, false))?;
    let (received, end) = read_to_the_end(peer);
    say!(t, "close alone: all bytes arrive: {}, {}", received == MEBIBYTE, end);

    let (ours, peer) = UnixStream::pair()?;
    let reading = thread::spawn(move || read_to_the_end(peer));
    run(answer(ours, true))?;
    let (received, end) = reading.join().unwrap_or((0, "a panic"));
    say!(t, "with wait_closed: all bytes arrive: {}, {}", received == MEBIBYTE, end);
    Ok(())
}

async fn answer(socket: UnixStream, waits: bool) -> Result<()> {
    let (_reader, writer) = open_connection_on(socket)?;
    writer.write(&vec![b'!'; MEBIBYTE])?;
    writer.close();
    if waits {
        writer.wait_closed().await?;
    }
    Ok(())
}
