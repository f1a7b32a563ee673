//! A trial of the calls with which a transport sends its last bytes and of their errors.

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use kit::{Observer, Refusal, errno_name};
use scene::{Program, Transcript, say, trial};

use super::last_bytes::{Act, MUCH, Stage};

/// A call that fails once, when there's room again: its name, its number and its errno.
const FAULTS: [(&str, libc::c_long, i32); 10] = [
    // The event was one that proves nothing.
    ("write", libc::SYS_write, libc::EAGAIN),
    ("write", libc::SYS_write, libc::EINTR),
    ("write", libc::SYS_write, libc::EPIPE),
    ("write", libc::SYS_write, libc::ECONNRESET),
    ("write", libc::SYS_write, libc::ENOBUFS),
    ("write", libc::SYS_write, libc::EIO),
    ("write", libc::SYS_write, libc::ETIMEDOUT),
    ("shutdown", libc::SYS_shutdown, libc::ENOTCONN),
    ("shutdown", libc::SYS_shutdown, libc::EIO),
    ("shutdown", libc::SYS_shutdown, libc::ENOBUFS),
];

const AN_END: [Act; 4] = [Act::Write(MUCH), Act::WriteEof, Act::Limits(MUCH, MUCH / 2), Act::Tick];
/// With this much to send, the first write of the tick can succeed, and the second fail.
const A_LOT: [Act; 4] =
    [Act::Write(3 * MUCH), Act::Limits(4 * MUCH, 4 * MUCH), Act::Limits(MUCH, 2), Act::Tick];
/// The first write of the tick would resume the protocol.
const A_LOW_MARK_ABOVE_IT: [Act; 3] =
    [Act::Write(3 * MUCH), Act::Limits(4 * MUCH, 4 * MUCH), Act::Tick];
const AN_ABORT: [Act; 2] = [Act::Write(MUCH), Act::Abort];

trial!(
    last_calls_of_a_transport,
    1,
    "If a call fails once, the transport tries again, ends, or reports the error, as the docs say."
);
fn last_calls_of_a_transport(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for (name, call, errno) in program.verbs(FAULTS) {
        say!(t, "{name} fails once with {}", errno_name(errno));
        let pair = UnixStream::pair()?;
        let argument = Some((0, pair.0.as_raw_fd().unsigned_abs()));
        let refusal = Refusal { call, argument, errno };
        observer.refusing(&[refusal], 0, || play_the_end(&AN_END, t, pair)).0?;
    }
    let after_a_part =
        [(libc::EIO, &A_LOT[..]), (libc::EPIPE, &A_LOT), (libc::EIO, &A_LOW_MARK_ABOVE_IT)];
    for (errno, prelude) in program.verbs(after_a_part) {
        say!(t, "write fails once with {}, after some bytes were sent", errno_name(errno));
        let pair = UnixStream::pair()?;
        let argument = Some((0, pair.0.as_raw_fd().unsigned_abs()));
        let refusal = Refusal { call: libc::SYS_write, argument, errno };
        observer.refusing(&[refusal], 1, || play_the_end(prelude, t, pair)).0?;
    }
    say!(t, "the transport is aborted, but epoll_ctl fails to remove the writer");
    let argument = Some((1, libc::EPOLL_CTL_MOD.cast_unsigned()));
    let refusal = Refusal { call: libc::SYS_epoll_ctl, argument, errno: libc::ENOMEM };
    let pair = UnixStream::pair()?;
    // The first change adds the writer.
    observer.refusing(&[refusal], 1, || play_the_end(&AN_ABORT, t, pair)).0
}

/// Writes a lot and ends when everything is sent, or is aborted before that.
fn play_the_end(
    prelude: &[Act],
    t: Transcript,
    pair: (UnixStream, UnixStream),
) -> anyhow::Result<()> {
    let mut stage = Stage::new(t, pair)?;
    let the_rest = [Act::Read(MUCH), Act::Tick].repeat(4);
    for act in prelude.iter().copied().chain(the_rest) {
        stage.perform(act, t)?;
    }
    stage.event_loop.close()?;
    Ok(())
}
