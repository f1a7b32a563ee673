//! A trial of a server's `accept` whose system call fails, or is asked for less than it should be.

use std::fs;

use anyhow::Context;
use kit::loopback::server_of;
use kit::{Observer, Refusal, errno_name, flags};
use scene::{Program, Transcript, say, trial};

use super::accepting::{Stage, Verb};

/// Errors of accept(2), each of which a single call returns.
const ERRORS: [i32; 27] = [
    libc::EAGAIN,
    libc::ECONNABORTED,
    libc::EINTR,
    libc::EMFILE,
    libc::ENFILE,
    libc::ENOBUFS,
    libc::ENOMEM,
    libc::ENOSPC,
    libc::EPERM,
    libc::EPROTO,
    libc::ENOPROTOOPT,
    libc::EOPNOTSUPP,
    libc::EHOSTDOWN,
    libc::EHOSTUNREACH,
    libc::ENONET,
    libc::ENETDOWN,
    libc::ENETUNREACH,
    libc::ENOSR,
    libc::ESOCKTNOSUPPORT,
    libc::EPROTONOSUPPORT,
    libc::ETIMEDOUT,
    libc::EBADF,
    libc::EINVAL,
    libc::ENOTSOCK,
    libc::EFAULT,
    libc::EIO,
    libc::ECONNRESET,
];

trial!(
    errors_of_accept,
    1,
    "Whatever accept4 returns, the server does what the docs say. Unless it stops for good, it loses no client."
);
fn errors_of_accept(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let observer = Observer::new()?;
    for errno in program.verbs(ERRORS) {
        say!(t, "the second accept fails with {}", errno_name(errno));
        say_how_it_goes(
            t,
            &observer,
            Refusal { call: libc::SYS_accept4, argument: None, errno },
            1,
        )?;
    }
    for () in program.verbs([()]) {
        let both = (libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC).unsigned_abs();
        let (argument, errno) = (Some((3, both)), libc::EPROTO);
        say!(t, "the first accept4 with SOCK_NONBLOCK | SOCK_CLOEXEC fails with EPROTO");
        say_how_it_goes(t, &observer, Refusal { call: libc::SYS_accept4, argument, errno }, 0)?;
    }
    for () in program.verbs([()]) {
        say!(t, "accept4 without an error: {}", flags_of_a_client()?);
    }
    Ok(())
}

/// Lets three clients connect while the kernel refuses one call, after a number that it lets pass.
fn say_how_it_goes(
    t: Transcript,
    observer: &Observer,
    refusal: Refusal,
    spared: usize,
) -> anyhow::Result<()> {
    let serve = || three_clients().map_err(|error| error.to_string());
    let (lines, _) = observer.refusing(&[refusal], spared, serve);
    for line in lines.map_err(anyhow::Error::msg)? {
        say!(t, "{line}");
    }
    Ok(())
}

/// Three clients wait for a server.
fn three_clients() -> anyhow::Result<Vec<String>> {
    let stage = Stage::new(100)?;
    for verb in [Verb::Connect(3), Verb::Tick, Verb::Tick, Verb::Tick, Verb::Pass(999)] {
        stage.perform(verb)?;
    }
    for verb in [Verb::Pass(1), Verb::Tick, Verb::Tick] {
        stage.perform(verb)?;
    }
    stage.close()
}

/// Returns the flags of an accepted client's socket, in words.
fn flags_of_a_client() -> anyhow::Result<String> {
    let stage = Stage::new(100)?;
    let inherited = inherited()?;
    for verb in [Verb::Connect(1), Verb::Tick, Verb::Tick] {
        stage.perform(verb)?;
    }
    let client = stage.clients.borrow()[0].local_addr()?;
    let socket = server_of(client)?.context("the client wasn't accepted")?;
    let is_nonblocking = flags(&socket)?.contains("non-blocking");
    let more = self::inherited()?.saturating_sub(inherited);
    drop(socket);
    stage.close()?;
    Ok(format!("non-blocking = {is_nonblocking}, descriptors that a child would inherit: {more}"))
}

/// Counts the descriptors without close-on-exec.
fn inherited() -> anyhow::Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir("/proc/self/fdinfo")? {
        // The directory's own is gone by then.
        let Ok(text) = fs::read_to_string(entry?.path()) else { continue };
        let words = text.lines().find_map(|line| line.strip_prefix("flags:"));
        let bits = i32::from_str_radix(words.context("a line with flags")?.trim(), 8)?;
        count += usize::from(bits & libc::O_CLOEXEC == 0);
    }
    Ok(count)
}
