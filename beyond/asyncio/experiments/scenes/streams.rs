//! Streams with buffers: lines that are too long, ends that come too early, writers that are too
//! fast.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use asyncio::{
    IncompleteReadError, Result, StreamReader, StreamWriter, create_task, open_connection_on, run,
    yield_now,
};
use scene::{Transcript, say, scene};

const CHUNK: usize = 64 * 1024;

/// Makes a reader, a writer, and the peer of both.
fn connected() -> Result<(StreamReader, StreamWriter, UnixStream)> {
    let (ours, peer) = UnixStream::pair()?;
    let (reader, writer) = open_connection_on(ours)?;
    Ok((reader, writer, peer))
}

fn shown(bytes: &[u8]) -> String {
    format!("b'{}'", bytes.escape_ascii())
}

fn outcome(read: Result<Vec<u8>>) -> String {
    read.map_or_else(|error| error.to_string(), |bytes| shown(&bytes))
}

scene!(
    readline_with_a_limit,
    "A line is longer than the limit. What happens to that line and to the next one?"
);
/// `readline` drops a line that's too long, as far as it has arrived, so the next line comes
/// through: `readline: b'short\n'`. `read_until` drops nothing, so it fails with the same error
/// again, until the caller reads the bytes in another way: `read: b'too long as well|'`. Without a
/// limit, a client that never ends its line could fill your memory. asyncio's streams do the same.
fn readline_with_a_limit(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let (mut reader, _writer, mut peer) = connected()?;
        reader.set_limit(10)?;
        peer.write_all(b"just right\na line too long\nshort\n")?;
        for _ in 0..3 {
            say!(t, "readline: {}", outcome(reader.readline().await));
        }
        peer.write_all(b"too long as well|next|")?;
        for _ in 0..2 {
            say!(t, "read_until '|': {}", outcome(reader.read_until(b"|").await));
        }
        say!(t, "read: {}", outcome(reader.read(17).await));
        say!(t, "read_until '|': {}", outcome(reader.read_until(b"|").await));
        Ok(())
    })?;
    Ok(())
}

scene!(
    what_write_and_drain_do,
    "A task writes more than its peer reads. What does write do, and what does drain?"
);
/// `write` never waits. It sends what the kernel takes and keeps the rest:
/// `500,000 bytes are written: more than 1,000 are unsent = true`. Once more than the
/// high-water mark is unsent, the task waits in `drain` until no more than the low-water mark is.
/// After 500 bytes, which the kernel took at once, `drain` returned immediately. It isn't a flush:
/// when it returns, bytes may still be unsent. asyncio's streams do the same.
fn what_write_and_drain_do(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let (_reader, writer, mut peer) = connected()?;
        peer.set_nonblocking(true)?;
        let writer = Rc::new(writer);
        writer.set_write_buffer_limits(1000, 10)?;
        writer.write(&[b'!'; 500])?;
        writer.drain().await?;
        say!(t, "500 bytes are written: {} are unsent", writer.get_write_buffer_size());
        writer.write(&vec![b'!'; 500_000])?;
        let unsent = writer.get_write_buffer_size();
        say!(t, "500,000 bytes are written: more than 1,000 are unsent = {}", unsent > 1000);
        let draining = Rc::clone(&writer);
        let drain = create_task(async move { draining.drain().await })?;
        for _ in 0..5 {
            yield_now().await?;
        }
        say!(t, "five turns later: drain has returned = {}", drain.done());
        let mut received = Vec::new();
        while !drain.done() {
            // It ends with an error while the connection is open.
            let _ = peer.read_to_end(&mut received);
            yield_now().await?;
        }
        let unsent = writer.get_write_buffer_size();
        say!(t, "the peer has read: drain returned, at most 10 bytes unsent = {}", unsent <= 10);
        Ok(())
    })?;
    Ok(())
}

scene!(
    a_writer_that_never_drains,
    "A task sends 100 chunks of 64 KiB to a peer that doesn't read. How many bytes remain unsent?"
);
/// The first time, the task never drains; the second time, it drains after each chunk. Each time,
/// it has 200 turns, enough for 100 chunks.
fn a_writer_that_never_drains(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        for drains in [false, true] {
            let (_reader, writer, _peer) = connected()?;
            let writer = Rc::new(writer);
            let sending = create_task(send(Rc::clone(&writer), drains))?;
            for _ in 0..200 {
                yield_now().await?;
            }
            let unsent = amount(writer.get_write_buffer_size());
            say!(t, "drains = {drains}: done = {}, unsent: {}", sending.done(), unsent);
            sending.cancel();
        }
        Ok(())
    })?;
    Ok(())
}

async fn send(writer: Rc<StreamWriter>, drains: bool) -> Result<()> {
    for _ in 0..100 {
        writer.write(&vec![b'!'; CHUNK])?;
        if drains {
            writer.drain().await?;
        }
    }
    Ok(())
}

/// How much the kernel takes differs from system to system.
fn amount(bytes: usize) -> &'static str {
    match bytes / CHUNK {
        0..=1 => "at most 128 KiB",
        80.. => "more than 5 MiB",
        _ => "another amount",
    }
}

scene!(
    read_exactly_with_an_early_end,
    "A reader expects five bytes, but the stream ends after three. Are those three lost?"
);
/// The peer sends three bytes and shuts down its sending side.
fn read_exactly_with_an_early_end(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let (mut reader, writer, mut peer) = connected()?;
        peer.write_all(b"hel")?;
        peer.shutdown(Shutdown::Write)?;
        let Err(error) = reader.read_exactly(5).await else { return Ok(()) };
        say!(t, "read_exactly 5: {}", error);
        if let Some(incomplete) = IncompleteReadError::in_error(&error) {
            say!(t, "the error holds: {}", shown(&incomplete.partial));
        }
        say!(t, "at_eof: {}", reader.at_eof());
        say!(t, "read: {}", outcome(reader.read(5).await));
        writer.write(b"the other direction is open")?;
        writer.close();
        writer.wait_closed().await?;
        let mut received = Vec::new();
        peer.read_to_end(&mut received)?;
        say!(t, "the peer receives: {}", shown(&received));
        Ok(())
    })?;
    Ok(())
}
