//! What the benchmarks share: a clock, rounds in which contestants take turns, many pipes.

#![forbid(unsafe_code)]

mod options;
mod rounds;

use std::future::poll_fn;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::task::Poll;
use std::time::Duration;

use anyhow::{Context, ensure};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Resource, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

pub use options::BenchmarkOptions;
pub use rounds::{Contestant, Figures, Quartiles, compete, table};

/// Returns the processor time that the calling thread has used so far.
///
/// The time of other programs doesn't count, so a busy machine changes little.
pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Wakes itself and waits for its next turn: the same leaf for all contestants.
pub async fn wake_oneself() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Returns the nanoseconds of each operation.
#[expect(clippy::cast_precision_loss, reason = "a time need not be exact to the last bit")]
pub fn per_operation(nanos: u64, count: u64) -> f64 {
    nanos as f64 / count as f64
}

/// Raises the soft limit of descriptors as far as the hard one allows, and returns it.
pub fn raise_descriptor_limit() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If the limit can't be raised, the old one remains, and we measure with fewer descriptors.
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// The reading ends of pipes to which nothing more is ever written.
///
/// Ten thousand pipes need twenty thousand descriptors, which is more than some systems allow. So
/// we send the writing ends through a socket and never receive them: messages in flight (`unix(7)`,
/// `SCM_RIGHTS`) keep them open, but use no descriptors of ours.
#[derive(Debug)]
pub struct Pipes {
    readers: Vec<OwnedFd>,
    _in_flight: (OwnedFd, OwnedFd),
}

/// The largest number of descriptors that one message can carry (`SCM_MAX_FD`).
const A_MESSAGE: usize = 253;
/// The lowest descriptor for a writing end until it's sent. The descriptors below are for the
/// reading ends, because select(2) can wait only for those.
const WRITERS_FROM: i32 = 1024;

impl Pipes {
    /// Makes `count` pipes with `content` in each of them.
    pub fn with(content: &[u8], count: usize) -> anyhow::Result<Self> {
        let in_flight = step01_fd::socketpair()?;
        let mut readers = Vec::with_capacity(count);
        while readers.len() < count {
            let mut writers = Vec::new();
            for _ in 0..A_MESSAGE.min(count - readers.len()) {
                let (reader, writer) = step01_fd::pipe()?;
                step01_fd::write(&writer, content)?;
                writers.push(fcntl_dupfd_cloexec(&writer, WRITERS_FROM).context("a high number")?);
                readers.push(reader);
            }
            send(&in_flight.0, &writers)?;
        }
        Ok(Pipes { readers, _in_flight: in_flight })
    }

    /// Returns the reading ends.
    pub fn readers(&self) -> &[OwnedFd] {
        &self.readers
    }
}

/// Sends descriptors in one message of one byte.
fn send(socket: &OwnedFd, descriptors: &[OwnedFd]) -> anyhow::Result<()> {
    let descriptors: Vec<BorrowedFd> = descriptors.iter().map(AsFd::as_fd).collect();
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(A_MESSAGE))];
    let mut attached = SendAncillaryBuffer::new(&mut room);
    ensure!(attached.push(SendAncillaryMessage::ScmRights(&descriptors)), "too many descriptors");
    sendmsg(socket, &[IoSlice::new(b"x")], &mut attached, SendFlags::empty())
        .context("send the writing ends")?;
    Ok(())
}
