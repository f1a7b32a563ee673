//! The readiness that a stream remembers for its socket, and the times when it's out of date.

use std::future::poll_fn;
use std::io::Write;
use std::os::unix::net;
use std::pin::pin;
use std::task::Poll;

use asyncio::{Result, UnixStream, run};
use scene::{Transcript, say, scene};

scene!(
    two_bytes_at_a_time,
    "A socket is read two bytes at a time. After which reads does the next wait return at once?"
);
/// Five bytes arrive, then two, and then the end.
fn two_bytes_at_a_time(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let (ours, mut peer) = net::UnixStream::pair()?;
        let stream = UnixStream::from_std(ours)?;
        peer.write_all(b"hello")?;
        stream.readable().await?;
        say!(t, "5 bytes have arrived");
        for _ in 0..3 {
            read_two(&stream, t).await?;
        }
        peer.write_all(b"hi")?;
        stream.readable().await?;
        say!(t, "2 bytes have arrived");
        for _ in 0..2 {
            read_two(&stream, t).await?;
        }
        drop(peer);
        stream.readable().await?;
        say!(t, "the end has arrived");
        for _ in 0..2 {
            read_two(&stream, t).await?;
        }
        Ok(())
    })?;
    Ok(())
}

async fn read_two(stream: &UnixStream, t: Transcript) -> Result<()> {
    let read = stream.try_read(&mut [0; 2])?;
    let at_once = is_over_at_once(stream.readable()).await;
    say!(t, "  {:?}; the next wait is over at once = {}", read, at_once);
    Ok(())
}

/// Polls a wait once and gives it up.
async fn is_over_at_once(wait: impl Future<Output = Result<()>>) -> bool {
    let mut wait = pin!(wait);
    poll_fn(|context| Poll::Ready(wait.as_mut().poll(context).is_ready())).await
}
