//! Trials of `write_all`: a peer that reads late, or not at all, or is gone.

use std::future::{Future, poll_fn};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};

use kit::cost::{resident_bytes, within};
use kit::loopback::smallest_send_buffer;
use kit::{Observer, PLAIN_ERRORS, QuickPeer, Refusal, Transfers, errno_name};
use scene::{Program, Transcript, say, trial};
use step01_fd::errno;
use step07_full_loop::{
    Error, EventLoop, Result, TcpStream, create_task, get_running_loop, yield_now,
};

use super::peer::{connected, outcome, poll_once, received, ticks, write_in_a_task};

const MEGABYTE: usize = 1024 * 1024;

/// A situation in which `write_all` is called.
#[derive(Debug, Clone, Copy)]
enum Case {
    Room,
    Nothing,
    NothingAndNoRoom,
    Broken,
    PeerLeaves,
    CancelledBefore,
    CancelledWhileItWaits,
    Waits,
    WritesALot,
    Megabytes,
    ReadsAtOnce,
    ReadsLate(usize),
}

const TABLE: [Case; 15] = [
    Case::Room,
    Case::Nothing,
    Case::NothingAndNoRoom,
    Case::Broken,
    Case::PeerLeaves,
    Case::CancelledBefore,
    Case::CancelledWhileItWaits,
    Case::Waits,
    Case::WritesALot,
    Case::Megabytes,
    Case::ReadsAtOnce,
    Case::ReadsLate(1),
    Case::ReadsLate(4097),
    Case::ReadsLate(300_000),
    Case::ReadsLate(700_001),
];

trial!(
    writes_to_a_slow_peer,
    1,
    "Whether the peer reads early, late or never, write_all writes everything, waits or returns an error."
);
fn writes_to_a_slow_peer(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for case in program.verbs(TABLE) {
        let transfers = observer.transfers();
        let line = if case.has_calls_to_count() {
            observer.calls_of(move || write_in(case, transfers)).0?
        } else {
            write_in(case, transfers)?
        };
        say!(t, "{line}");
    }
    for error in program.verbs(PLAIN_ERRORS) {
        say!(t, "a write that fails with {}: {}", errno_name(error), refused(error)?);
    }
    for mebibytes in program.verbs([1, 2, 4]) {
        say!(
            t,
            "write_all of {mebibytes} MiB, if a write of all its bytes at once fails: {}",
            offered(mebibytes)?
        );
    }
    Ok(())
}

/// Writes in a new loop and describes the outcome.
fn write_in(case: Case, transfers: Transfers) -> anyhow::Result<String> {
    let event_loop = EventLoop::new()?;
    // A write that's left over fails when its peer is dropped.
    event_loop.set_exception_handler(|_| {});
    let line = event_loop.run_until_complete(async move { case.line(&transfers).await })?;
    event_loop.close()?;
    Ok(line)
}

fn refused(error: i32) -> anyhow::Result<String> {
    refused_with(&Refusal::of_writes(error), b"hello")
}

/// Writes while the kernel refuses only a call with the whole length as its third argument.
fn offered(mebibytes: usize) -> anyhow::Result<String> {
    let bytes = vec![0; mebibytes * MEGABYTE];
    let length = u32::try_from(bytes.len())?;
    let whole = |refusal| Refusal { argument: Some((2, length)), ..refusal };
    refused_with(&Refusal::of_writes(libc::ENOSPC).map(whole), &bytes)
}

/// Writes in a thread in which the kernel refuses some or all writes. The kernel takes other writes
/// until there's no more room, and then the writer is cancelled.
fn refused_with(refusals: &[Refusal], bytes: &[u8]) -> anyhow::Result<String> {
    Refusal::all_during(refusals, || {
        let run = || {
            let event_loop = EventLoop::new().map_err(Error::other)?;
            let bytes = bytes.to_vec();
            let ran = event_loop.run_until_complete(async move {
                let (stream, _peer) = connected()?;
                let writer = write_in_a_task(&stream, bytes)?;
                ticks(8).await?;
                writer.cancel();
                writer.await
            });
            event_loop.close().map_err(Error::other)?;
            ran.map_err(Error::from)
        };
        match run() {
            Err(Error::Io(error)) => format!("Err(Io({}))", errno_name(errno(&error))),
            other => format!("{other:?}"),
        }
    })
}

impl Case {
    /// Returns true for a case whose calls are counted. Other cases start threads, whose calls
    /// would be counted, too.
    fn has_calls_to_count(self) -> bool {
        matches!(self, Case::Room | Case::Nothing | Case::NothingAndNoRoom | Case::Megabytes)
    }

    async fn line(self, transfers: &Transfers) -> Result<String> {
        let (stream, peer) = connected()?;
        Ok(match self {
            Case::Room => {
                let (outcome, calls) = poll_once(stream.write_all(b"hello"), transfers).await;
                let got = received(&peer).len();
                format!(
                    "with room for all bytes: {outcome}; calls: {}; bytes that arrive: {got}",
                    within(calls, 1)
                )
            }
            Case::Nothing => {
                let (outcome, calls) = poll_once(stream.write_all(b""), transfers).await;
                format!("no bytes: {outcome}; calls: {}", within(calls, 0))
            }
            Case::NothingAndNoRoom => {
                while stream.try_write(&[0; 4096])? > 0 {}
                let (outcome, calls) = poll_once(stream.write_all(b""), transfers).await;
                format!("no bytes and no room: {outcome}; calls: {}", within(calls, 0))
            }
            Case::Broken => {
                stream.shutdown(Shutdown::Write)?;
                format!("after shutdown: {}", outcome(stream.write_all(b"hello").await))
            }
            Case::PeerLeaves => {
                let writer = write_in_a_task(&stream, vec![0; MEGABYTE])?;
                ticks(3).await?;
                drop(peer);
                format!("the peer leaves while write_all waits: {}", outcome(writer.await))
            }
            Case::CancelledBefore => cancelled_before(&stream, &peer).await?,
            Case::CancelledWhileItWaits => cancelled_while_it_waits(&stream, &peer).await?,
            Case::Waits => waits(&stream).await?,
            Case::WritesALot => writes_a_lot(&stream).await?,
            Case::Megabytes => megabytes(&stream, transfers).await?,
            Case::ReadsAtOnce => reads_at_once(&stream, peer).await?,
            Case::ReadsLate(count) => reads_late(&stream, &peer, count).await?,
        })
    }
}

async fn cancelled_before(stream: &Rc<TcpStream>, peer: &UnixStream) -> Result<String> {
    let stream = Rc::clone(stream);
    let writer = create_task(async move {
        // A wait that knows nothing of cancellation leaves it to the next one.
        let mut was_polled = false;
        poll_fn(|context| {
            if std::mem::replace(&mut was_polled, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        stream.write_all(b"hello").await
    })?;
    yield_now().await?;
    writer.cancel();
    let outcome = outcome(writer.await);
    Ok(format!(
        "cancelled before write_all writes: {outcome}; {} bytes arrive",
        received(peer).len()
    ))
}

async fn cancelled_while_it_waits(stream: &Rc<TcpStream>, peer: &UnixStream) -> Result<String> {
    let writer = write_in_a_task(stream, vec![0; MEGABYTE])?;
    ticks(3).await?;
    writer.cancel();
    let first = outcome(writer.await);
    while !received(peer).is_empty() {}
    ticks(3).await?;
    let next = outcome(stream.write_all(b"hello").await);
    let got = received(peer).len();
    Ok(format!(
        "cancelled while write_all waits: {first}; the next write: {next}; {got} bytes arrive"
    ))
}

async fn waits(stream: &Rc<TcpStream>) -> Result<String> {
    write_in_a_task(stream, vec![0; MEGABYTE])?;
    ticks(3).await?;
    // Only a writer that waits leaves the queue empty.
    let event_loop = get_running_loop()?;
    let question = event_loop.create_future();
    let (answer, inner) = (question.clone(), event_loop.clone());
    event_loop.call_soon(move || drop(answer.set_result(inner.select_timeout())));
    let timeout = question.await?;
    let sleeps = timeout.map_or("forever".to_owned(), |timeout| format!("for {timeout:?}"));
    Ok(format!("without room, the loop can sleep {sleeps}"))
}

/// Writes so often that another task must have its turn meanwhile.
async fn writes_a_lot(stream: &Rc<TcpStream>) -> Result<String> {
    let other = create_task(yield_now())?;
    let mut waits = 0;
    for _ in 0..150 {
        let mut write = pin!(stream.write_all(b"!"));
        poll_fn(|context| {
            let polled = write.as_mut().poll(context);
            waits += u32::from(polled.is_pending());
            polled
        })
        .await?;
    }
    let (had_its_turn, waits) = (other.done(), within(waits, 2));
    Ok(format!("150 writes: another task had its turn: {had_its_turn}; turns given: {waits}"))
}

/// Writes to a peer that reads at once: each attempt finds some room but never enough.
async fn reads_at_once(stream: &Rc<TcpStream>, peer: UnixStream) -> Result<String> {
    smallest_send_buffer(stream)?;
    let _peer = QuickPeer::new(peer)?;
    let other = create_task(yield_now())?;
    let written = outcome(stream.write_all(&vec![0; MEGABYTE]).await);
    let had_its_turn = other.done();
    Ok(format!(
        "writing to a peer that reads at once: {written}; another task had its turn: {had_its_turn}"
    ))
}

/// A waker that counts its calls.
#[derive(Default)]
struct Wakes(AtomicU32);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

async fn megabytes(stream: &Rc<TcpStream>, transfers: &Transfers) -> Result<String> {
    let bytes = vec![0; 16 * MEGABYTE];
    let before = resident_bytes().map_err(Error::other)?;
    let mut write = pin!(stream.write_all(&bytes));
    let counter = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&counter));
    let mut context = Context::from_waker(&waker);
    let (polled, calls) = transfers.of(|| write.as_mut().poll(&mut context));
    let count = counter.0.load(Relaxed);
    let more = resident_bytes().map_err(Error::other)?.saturating_sub(before) / MEGABYTE;
    let waits = polled.is_pending();
    let (calls, more) = (within(calls.writes, 2), within(more, 4));
    Ok(format!(
        "16 MiB, of which little fits: waits = {waits}, woken before there's room: {count}, \
         calls: {calls}, MiB of memory: {more}"
    ))
}

async fn reads_late(stream: &Rc<TcpStream>, peer: &UnixStream, count: usize) -> Result<String> {
    let mut bytes = (0..=250).collect::<Vec<u8>>().repeat(1 + count / 250);
    bytes.truncate(count);
    let writer = write_in_a_task(stream, bytes.clone())?;
    let mut got = Vec::new();
    while !writer.done() {
        ticks(2).await?;
        got.extend(received(peer));
    }
    got.extend(received(peer));
    let what = if got == bytes { "all of them" } else { "other bytes" };
    Ok(format!(
        "write_all of {count} bytes to a peer that reads late: {}; the peer gets {what}",
        outcome(writer.await)
    ))
}
