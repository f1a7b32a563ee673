//! Clients that take their time.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use asyncio::{
    EventLoop, Result, StreamReader, VirtualClock, create_task, get_running_loop,
    open_connection_on, sleep, timeout, yield_now,
};
use scene::{Transcript, say, scene};

const LIMIT: Duration = Duration::from_secs(10);

scene!(
    a_byte_every_nine_seconds,
    "A client sends a byte every 9 s, and the server has a limit of 10 s. When does the server give up?"
);
/// With a limit per read, the time starts over with each byte and is never up:
/// `a limit per read = true: after 90s, a line of 10 bytes`. A client can keep its connection that
/// way for as long as it likes. Slowloris, an attack on web servers, does so with a thousand
/// connections at a time. A limit for the whole line doesn't start over:
/// `a limit per read = false: after 10s, timed out`. asyncio agrees.
fn a_byte_every_nine_seconds(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.run(async move {
        for per_read in [true, false] {
            let (ours, peer) = UnixStream::pair()?;
            let (mut reader, _writer) = open_connection_on(ours)?;
            let client = create_task(send_slowly(peer))?;
            let began = get_running_loop()?.time();
            let line = if per_read {
                read_by_read(&mut reader).await
            } else {
                timeout(LIMIT)?.run(reader.readline()).await
            };
            let took = get_running_loop()?.time() - began;
            say!(t, "a limit per read = {per_read}: after {:?}, {}", took, outcome(line));
            client.cancel();
        }
        Ok(())
    })?;
    Ok(())
}

async fn send_slowly(mut peer: UnixStream) -> Result<()> {
    for byte in b"a request\n" {
        sleep(Duration::from_secs(9)).await?;
        peer.write_all(&[*byte])?;
        // The server sees it before the clock moves on.
        yield_now().await?;
    }
    Ok(())
}

async fn read_by_read(reader: &mut StreamReader) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        line.extend(timeout(LIMIT)?.run(reader.read(100)).await?);
    }
    Ok(line)
}

fn outcome(line: Result<Vec<u8>>) -> String {
    match line {
        Ok(line) => format!("a line of {} bytes", line.len()),
        Err(error) => error.to_string(),
    }
}
