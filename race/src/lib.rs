//! What the benchmarks share: many pipes.

#![forbid(unsafe_code)]

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use anyhow::{Context, ensure};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the soft limit of descriptors as far as the hard one allows, and returns it.
pub fn raise_descriptor_limit() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If it cannot be raised, the old limit stands, and there is less to measure.
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// The reading ends of pipes, with nobody at the other end who would ever write.
///
/// Ten thousand pipes are twenty thousand descriptors, which is more than some systems allow. So
/// the writing ends have no number: they lie, unread, in a socket, as messages (`unix(7)`,
/// `SCM_RIGHTS`), and that keeps them open.
#[derive(Debug)]
pub struct Pipes {
    readers: Vec<OwnedFd>,
    _in_flight: (OwnedFd, OwnedFd),
}

/// How many descriptors a message may hold (`SCM_MAX_FD`).
const A_MESSAGE: usize = 253;
/// Writers have larger numbers until they are sent: select(2) can wait for the lower ones alone,
/// and those are for the readers.
const WRITERS_FROM: i32 = 1024;

impl Pipes {
    /// Pipes with `content` in each of them.
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

    /// The ends to read from.
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
