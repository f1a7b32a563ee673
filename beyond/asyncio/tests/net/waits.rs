//! Reads and writes that have to wait and that needn't: what a stream, a pipe and a reader know
//! from the previous call.

use std::future::poll_fn;
use std::io::{Read as _, Write as _};
use std::os::unix::net;
use std::pin::{Pin, pin};
use std::process::{Command, Stdio};
use std::task::Poll;

use crate::test;
use asyncio::{
    Read, Result, TcpStream, UnixStream, create_subprocess, open_connection_on, run, yield_now,
};
use kit::cost::Calls;
use kit::{Observer, Transfers, limit_time};
use step01_fd::Outbox;

/// The most that a reader receives with one call.
const SCRATCH: usize = 64 * 1024;

fn pair() -> Result<(UnixStream, net::UnixStream)> {
    let (ours, theirs) = net::UnixStream::pair()?;
    theirs.set_nonblocking(true)?;
    Ok((UnixStream::from_std(ours)?, theirs))
}

fn tcp_pair() -> Result<(TcpStream, std::net::TcpStream)> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let ours = std::net::TcpStream::connect(listener.local_addr()?)?;
    Ok((TcpStream::from_std(ours)?, listener.accept()?.0))
}

/// Polls a coroutine once. Returns the result of `look`.
async fn polled<C: Future, T>(
    mut coroutine: Pin<&mut C>,
    look: impl Fn(&mut dyn FnMut() -> Poll<C::Output>) -> T,
) -> T {
    poll_fn(|context| Poll::Ready(look(&mut || coroutine.as_mut().poll(context)))).await
}

/// Returns true if a wait is over at once.
async fn at_once(wait: impl Future<Output = Result<()>>) -> bool {
    polled(pin!(wait), |poll| poll().is_ready()).await
}

#[test]
fn a_stream_is_readable_until_a_read_has_taken_less_than_it_could() {
    test(async {
        // A Unix socket's short read doesn't mean that there's no more.
        let (ours, mut theirs) = tcp_pair()?;
        assert!(!at_once(ours.readable()).await, "nothing has arrived");
        theirs.write_all(b"hello, hello")?;
        ours.readable().await?;
        let mut buffer = [0; 6];
        for _ in 0..2 {
            assert!(at_once(ours.readable()).await);
            assert!(matches!(ours.try_read(&mut buffer)?, Read::Bytes(6)));
        }
        assert!(at_once(ours.readable()).await, "there might be more");
        assert!(matches!(ours.try_read(&mut buffer)?, Read::WouldBlock));
        assert!(!at_once(ours.readable()).await);
        theirs.write_all(b"bye")?;
        ours.readable().await?;
        assert!(matches!(ours.try_read(&mut buffer)?, Read::Bytes(3)));
        assert!(!at_once(ours.readable()).await, "a short read says that there's no more");
        Ok(())
    });
}

#[test]
fn a_read_without_room_for_a_byte_is_not_taken_for_the_end() {
    test(async {
        let (ours, mut theirs) = pair()?;
        theirs.write_all(b"hello")?;
        assert!(matches!(ours.try_read(&mut [])?, Read::Bytes(0)));
        assert_eq!(ours.read(&mut [0; 16]).await?, 5);
        Ok(())
    });
}

#[test]
fn a_stream_is_writable_until_the_kernel_takes_less_than_it_was_offered() {
    test(async {
        let (ours, mut theirs) = pair()?;
        let mut outbox = Outbox::new();
        while ours.try_send(&mut outbox, &[0; 4096])? {
            assert!(at_once(ours.writable()).await, "all was sent");
        }
        assert!(!at_once(ours.writable()).await, "there's no room");
        let mut all = Vec::new();
        assert!(theirs.read_to_end(&mut all).is_err(), "it isn't the end");
        ours.writable().await
    });
}

#[test]
fn a_pipe_that_was_read_to_the_last_byte_is_not_read_in_vain() {
    test(async {
        let mut process =
            create_subprocess(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let (stdin, stdout) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        stdin.write_all(b"hello, hello").await?;
        let mut buffer = [0; 6];
        assert_eq!(stdout.read(&mut buffer).await?, 6);
        let (mut rest, mut longer) = ([0; 6], [0; 16]);
        let second = polled(pin!(stdout.read(&mut rest)), |poll| poll().is_ready()).await;
        assert!(second, "a full buffer leaves the rest for the next read");
        stdin.write_all(b"bye").await?;
        assert_eq!(stdout.read(&mut longer).await?, 3);
        let vain = polled(pin!(stdout.read(&mut buffer)), |poll| Calls::of(poll).unwrap()).await;
        assert!(vain.0.is_pending());
        assert_eq!(vain.1.reads, 0, "the short read has said that there's no more");
        drop(stdin);
        process.wait().await?;
        Ok(())
    });
}

/// Polls two reads of a reader after `count` bytes have arrived. Returns the number of bytes that
/// each took, if it didn't have to wait, and the number of its calls.
fn two_reads(count: usize) -> [(Option<usize>, u64); 2] {
    limit_time();
    let observer = Observer::new().unwrap();
    let transfers: Transfers = observer.transfers();
    let read_twice = || {
        run(async move {
            let (ours, theirs) = net::UnixStream::pair()?;
            let (mut reader, _writer) = open_connection_on(ours)?;
            step01_fd::write(&theirs, &vec![b'!'; count])?;
            // The loop hears that the stream is readable.
            yield_now().await?;
            yield_now().await?;
            let mut reads = [(None, 0); 2];
            for (taken, calls) in &mut reads {
                let read = pin!(reader.read(usize::MAX));
                let (outcome, made) = polled(read, |poll| transfers.of(poll)).await;
                if let Poll::Ready(bytes) = outcome {
                    *taken = Some(bytes?.len());
                }
                *calls = made.reads;
            }
            Ok(reads)
        })
    };
    observer.calls_of(read_twice).0.unwrap()
}

#[test]
fn a_reader_receives_once_for_a_read_and_not_in_vain_after_a_short_one() {
    assert_eq!(two_reads(5), [(Some(5), 1), (None, 0)]);
    // A full buffer leaves the rest for the next read.
    assert_eq!(two_reads(SCRATCH + 5), [(Some(SCRATCH), 1), (Some(5), 1)]);
}
