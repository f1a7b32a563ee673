//! A trial of the calls with which a transport sends its last bytes, and of their errors.

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use kit::{Observer, Refusal};
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

trial!(
    last_calls_of_a_transport,
    1,
    "A call that fails once ends a transport, or is reported, as its docs say."
);
fn last_calls_of_a_transport(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for (name, call, errno) in program.verbs(FAULTS) {
        say!(t, "{name} fails once with errno {errno}");
        let pair = UnixStream::pair()?;
        let argument = Some((0, pair.0.as_raw_fd().unsigned_abs()));
        let refusal = Refusal { call, argument, errno };
        let play = || play_the_end(t, pair).map_err(|error| error.to_string());
        observer.refusing(&[refusal], 0, play).0.map_err(anyhow::Error::msg)?;
    }
    Ok(())
}

/// Writes much, and ends when it's sent.
fn play_the_end(t: Transcript, pair: (UnixStream, UnixStream)) -> anyhow::Result<()> {
    let mut stage = Stage::new(t, pair)?;
    let prelude = [Act::Write(MUCH), Act::WriteEof, Act::Limits(MUCH, MUCH / 2), Act::Tick];
    let the_rest = [Act::Read(MUCH), Act::Tick].repeat(4);
    for act in prelude.into_iter().chain(the_rest) {
        stage.perform(act, t)?;
    }
    stage.event_loop.close()?;
    stage.event_loop.clear_exception_handler();
    Ok(())
}
