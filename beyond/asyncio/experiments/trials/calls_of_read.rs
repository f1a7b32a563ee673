//! A trial of a stream's receiving: the calls that it makes, and what happens to their errors.

use std::fmt;
use std::future::Future;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use asyncio::{
    EventLoop, LoopResult, Result, TimeoutError, VirtualClock, open_connection_on, timeout,
};
use kit::cost::within;
use kit::{Observer, PLAIN_ERRORS, Refusal, Transfers, errno_name};
use scene::{Program, Transcript, say, trial};

use super::reads::Got;
use super::receiving::{SCRATCH, Stage, Verb};

/// A situation in which the calls to recv(2) are counted.
#[derive(Debug, Clone, Copy)]
enum Case {
    Few,
    AlmostFull,
    Full,
    MoreThanFull,
    Nothing,
    AfterTheEnd,
    Closing,
}

const CASES: [Case; 7] = [
    Case::Few,
    Case::AlmostFull,
    Case::Full,
    Case::MoreThanFull,
    Case::Nothing,
    Case::AfterTheEnd,
    Case::Closing,
];

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Case::Few => "five bytes arrive",
            Case::AlmostFull => "bytes arrive, one fewer than the scratch buffer holds",
            Case::Full => "bytes arrive, as many as the scratch buffer holds",
            Case::MoreThanFull => "bytes arrive, five more than the scratch buffer holds",
            Case::Nothing => "bytes arrive, but another reader takes them",
            Case::AfterTheEnd => "the end of the stream arrives",
            Case::Closing => "bytes arrive, and then the connection is aborted",
        })
    }
}

trial!(
    calls_of_read,
    1,
    "A receive makes no needless call to recv(2) and keeps the outcome of every call, even an error."
);
fn calls_of_read(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for case in program.verbs(CASES) {
        say!(t, "{case}");
        let transfers = observer.transfers();
        let count = || count_calls(case, &transfers, t);
        observer.calls_of(count).0?;
    }
    for errno in program.verbs(PLAIN_ERRORS) {
        say!(t, "recv(2) fails with {}: {}", errno_name(errno), refused(errno)?);
    }
    Ok(())
}

/// Has two tasks read, one after the other, and counts.
fn count_calls(case: Case, transfers: &Transfers, t: Transcript) -> anyhow::Result<()> {
    let mut stage = Stage::new(t, UnixStream::pair()?)?;
    let verbs = match case {
        Case::Few => vec![Verb::Send(5)],
        Case::AlmostFull => vec![Verb::Send(SCRATCH - 1)],
        Case::Full => vec![Verb::Send(SCRATCH)],
        Case::MoreThanFull => vec![Verb::Send(SCRATCH + 5)],
        Case::Nothing => vec![Verb::Send(5), Verb::Tick, Verb::Steal],
        Case::AfterTheEnd => vec![Verb::End],
        // Nothing is read any more, though something has arrived.
        Case::Closing => vec![Verb::Send(5), Verb::Tick, Verb::Abort],
    };
    for verb in verbs {
        stage.perform(verb, t)?;
    }
    for number in 0..2 {
        stage.perform(Verb::Read(number, 10 * SCRATCH), t)?;
        let (ticked, calls) =
            transfers.of(|| stage.perform(Verb::Tick, t).and(stage.perform(Verb::Tick, t)));
        ticked?;
        // After a full buffer, a body can ask the kernel in another way whether bytes are left.
        let calls = match (case, number) {
            (Case::Full, 1) => within(calls.reads, 1),
            _ => calls.reads.to_string(),
        };
        say!(t, "  calls of recv(2): {calls}");
    }
    stage.close(t)
}

/// Reads in a thread whose reads the kernel refuses.
fn refused(errno: i32) -> anyhow::Result<String> {
    Refusal::all_during(&Refusal::of_reads(errno), || {
        let ended = || -> LoopResult<String> {
            let event_loop = EventLoop::with_clock(VirtualClock::new())?;
            let ended = event_loop.run_until_complete(after_an_error())?;
            event_loop.close()?;
            Ok(ended)
        };
        ended().unwrap_or_else(|error| error.to_string())
    })
}

/// Reads twice and waits for the end of the connection.
async fn after_an_error() -> Result<String> {
    let (ours, mut peer) = UnixStream::pair()?;
    let (mut reader, writer) = open_connection_on(ours)?;
    peer.write_all(b"hello")?;
    let first = within_a_minute(reader.read(16)).await;
    let (at_eof, closing) = (reader.at_eof(), writer.is_closing());
    let second = within_a_minute(reader.read(16)).await;
    let end = within_a_minute(async { writer.wait_closed().await.map(|()| Vec::new()) }).await;
    Ok(format!(
        "{first}; at_eof: {at_eof}, closing: {closing}; second read: {second}; wait_closed: {end}"
    ))
}

/// Limits a wait to a minute: if it never ended, we'd see that something sleeps but not after which
/// error.
async fn within_a_minute(wait: impl Future<Output = Result<Vec<u8>>>) -> String {
    let limited = async { timeout(Duration::from_mins(1))?.run(wait).await };
    match limited.await {
        Err(error) if TimeoutError::is(&error) => "is still waiting after a minute".to_owned(),
        outcome => Got(outcome).to_string(),
    }
}
