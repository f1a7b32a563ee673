//! The boundary between messages, which a datagram keeps and a stream doesn't.

use std::io::Write;
use std::os::unix::net::UnixStream;

use asyncio::{StreamReader, StreamWriter, UdpSocket, open_connection_on, run};
use scene::{Transcript, say, scene};

/// Makes a reader, a writer, and the peer of both.
fn connected() -> asyncio::Result<(StreamReader, StreamWriter, UnixStream)> {
    let (ours, peer) = UnixStream::pair()?;
    let (reader, writer) = open_connection_on(ours)?;
    Ok((reader, writer, peer))
}

fn shown(bytes: &[u8]) -> String {
    format!("b'{}'", bytes.escape_ascii())
}

scene!(
    three_lines_in_pieces,
    "A peer sends three lines, but its writes don't match the lines. What does each read return?"
);
/// Each of the first two reads ends in the middle of a line, and the next read gets the rest of it.
fn three_lines_in_pieces(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let (mut reader, _writer, mut peer) = connected()?;
        peer.write_all(b"Ann\n")?;
        peer.write_all(b"Bo")?;
        say!(t, "read 100: b'{}'", reader.read(100).await?.escape_ascii());
        peer.write_all(b"b\nCy\n")?;
        say!(t, "read 4: b'{}'", reader.read(4).await?.escape_ascii());
        say!(t, "readline: b'{}'", reader.readline().await?.escape_ascii());
        Ok(())
    })?;
    Ok(())
}

scene!(
    four_datagrams,
    "A peer sends four datagrams, one of them empty. What does each receive return?"
);
/// A receive takes one datagram, and the kernel drops what the buffer has no room for, so Bob loses
/// a byte: `receive 2: b'Bo'`. A stream would keep the rest for the next receive, but
/// here it's gone: `receive 100: b'Cy'`. Datagrams are neither joined nor split, so the empty one
/// arrives, too (`receive 100: b''`). It doesn't mean the end, because a UDP socket has no end.
fn four_datagrams(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let ours = UdpSocket::bind("127.0.0.1:0").await?;
        let peer = UdpSocket::bind("127.0.0.1:0").await?;
        peer.connect(ours.local_addr()?).await?;
        for message in ["Ann", "", "Bob", "Cy"] {
            peer.send(message.as_bytes()).await?;
        }
        let mut buffer = [0; 100];
        for room in [100, 100, 2, 100] {
            let (count, _from) = ours.recv_from(&mut buffer[..room]).await?;
            say!(t, "receive {room}: {}", shown(&buffer[..count]));
        }
        Ok(())
    })?;
    Ok(())
}
