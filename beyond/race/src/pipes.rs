//! Many pipes that use few descriptors.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use anyhow::{Context, Result, ensure};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// The read ends of pipes that receive no more data.
///
/// Ten thousand pipes need twenty thousand descriptors, which is more than some systems allow. So
/// we send the write ends through a socket and never receive them: messages in flight (`unix(7)`,
/// `SCM_RIGHTS`) keep the write ends open but take up none of our descriptors.
#[derive(Debug)]
pub(crate) struct Pipes {
    readers: Vec<OwnedFd>,
    _in_flight: (OwnedFd, OwnedFd),
}

/// The largest number of descriptors that one message can carry (`SCM_MAX_FD`).
const A_MESSAGE: usize = 253;
/// The lowest number that a write end's descriptor may have before it's sent. Lower numbers are
/// kept for the read ends, because select(2) can't handle larger numbers.
const WRITERS_FROM: i32 = 1024;

impl Pipes {
    /// Makes `count` pipes, each containing `content`.
    pub(crate) fn with(content: &[u8], count: usize) -> Result<Self> {
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

    /// Returns the read ends.
    pub(crate) fn readers(&self) -> &[OwnedFd] {
        &self.readers
    }
}

/// Sends descriptors along with a one-byte message.
fn send(socket: &OwnedFd, descriptors: &[OwnedFd]) -> Result<()> {
    let descriptors: Vec<BorrowedFd> = descriptors.iter().map(AsFd::as_fd).collect();
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(A_MESSAGE))];
    let mut attached = SendAncillaryBuffer::new(&mut room);
    ensure!(attached.push(SendAncillaryMessage::ScmRights(&descriptors)), "too many descriptors");
    sendmsg(socket, &[IoSlice::new(b"x")], &mut attached, SendFlags::empty())
        .context("send the writing ends")?;
    Ok(())
}
