//! A trial of the memory that a transport keeps once it has sent everything: none. At any moment,
//! most of a server's clients are in that state.

use std::io::Read as _;
use std::os::unix::net::UnixStream;

use asyncio::{EventLoop, EventLoopExt as _, Protocol, Transport, VirtualClock};
use kit::cost::{resident_bytes, within};
use scene::{Program, Transcript, say, trial};

use super::last_bytes::MUCH;

/// This many transports send before we measure, so that the allocator has memory that it can use
/// again.
const BEFORE: usize = 8;

/// The number of transports that are measured, each of which could keep 180 KiB.
const MEASURED: usize = 40;

const ALLOWED_KIB: usize = 2048;

/// What's asked of a transport while its bytes are unsent.
#[derive(Clone, Copy)]
enum End {
    Open,
    WriteEof,
    Close,
}

struct Silent;

impl Protocol for Silent {}

trial!(
    transports_that_have_sent_all,
    1,
    "A transport keeps no memory for the bytes that it has sent."
);
fn transports_that_have_sent_all(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    let mut transports = Vec::new();
    for _ in program.verbs(0..BEFORE) {
        transports.push(that_has_sent_all(&event_loop, End::Open)?);
    }
    for (end, after) in [(End::Open, "write"), (End::WriteEof, "write_eof"), (End::Close, "close")]
    {
        let before = resident_bytes()?;
        for _ in program.verbs(0..MEASURED) {
            transports.push(that_has_sent_all(&event_loop, end)?);
        }
        let kept = resident_bytes()?.saturating_sub(before) / 1024;
        let kept = within(kept, ALLOWED_KIB);
        say!(t, "KiB that {MEASURED} transports keep after {after}: {kept}");
    }
    let unsent: usize = transports.iter().map(|(ours, _)| ours.get_write_buffer_size()).sum();
    say!(t, "bytes unsent: {unsent}");
    event_loop.close()?;
    Ok(())
}

/// Makes a transport that writes more than the kernel takes, with a peer that reads it all.
fn that_has_sent_all(event_loop: &EventLoop, end: End) -> anyhow::Result<(Transport, UnixStream)> {
    let (socket, peer) = UnixStream::pair()?;
    peer.set_nonblocking(true)?;
    let maker = event_loop.clone();
    let connected = async move { maker.connect_accepted_socket(|| Silent, socket).await };
    let (transport, _) = event_loop.run_until_complete(connected)?;
    transport.write(&vec![b'!'; MUCH])?;
    match end {
        End::Open => {}
        End::WriteEof => transport.write_eof()?,
        End::Close => transport.close(),
    }
    // The kernel takes about half of it at a time.
    for _ in 0..4 {
        received(&peer);
        event_loop.stop();
        event_loop.run_forever()?;
    }
    Ok((transport, peer))
}

/// Reads all that the peer has received.
fn received(mut peer: &UnixStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // It ends with an error, because the socket is non-blocking; the bytes are kept.
    let _ = peer.read_to_end(&mut bytes);
    bytes
}
