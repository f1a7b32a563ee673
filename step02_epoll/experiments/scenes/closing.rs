//! Closing a registered descriptor without deleting its entry.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, write};
use step02_epoll::{Epoll, Event, Events, Interest, Trigger};

use super::errors::answer;
use super::ready_now;

scene!(
    closed_without_a_delete,
    "A registered descriptor is closed without a delete. Does epoll still report the descriptor?"
);
/// Registers the reading end of a pipe, writes 5 bytes, and closes the end: once without a
/// duplicate of its descriptor, and once while a duplicate is open.
fn closed_without_a_delete(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let (reader, writer) = pipe()?;
    epoll.add(&reader, 1, Interest::READABLE, Trigger::Level)?;
    write(&writer, b"hello")?;
    say!(t, "pipe.r is registered and has 5 bytes");
    say!(t, "  it's open:                    {}", ready_now(&epoll)?);
    drop(reader);
    say!(t, "  it's closed:                  {}", ready_now(&epoll)?);

    let (reader, writer) = pipe()?;
    epoll.add(&reader, 1, Interest::READABLE, Trigger::Level)?;
    let duplicate = reader.try_clone()?;
    write(&writer, b"hello")?;
    drop(reader);
    say!(t, "a second pipe.r is registered and has 5 bytes and a duplicate");
    say!(t, "  pipe.r is closed:             {}", ready_now(&epoll)?);
    say!(t, "  delete through the duplicate: {}", answer(epoll.delete(&duplicate)));
    say!(t, "  after that:                   {}", ready_now(&epoll)?);
    drop(duplicate);
    say!(t, "  the duplicate is closed:      {}", ready_now(&epoll)?);
    Ok(())
}

scene!(
    a_token_as_a_descriptor,
    "A closed pipe's token is N, and descriptor N is another pipe now. What does a read of N return?"
);
/// `wait 1: token N; read descriptor N: WouldBlock`: a duplicate keeps the old pipe open, so its
/// registration outlived the close. epoll reports token N, but descriptor N is the new pipe, which
/// is empty. The read changes nothing, and the loop spins. `delete descriptor N: ok` removed the
/// new pipe's registration, because N is that pipe now. The old registration stays:
/// `wait 4: token N`. So delete a descriptor before you close it.
fn a_token_as_a_descriptor(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let (reader, writer) = pipe()?;
    let n = reader.as_raw_fd();
    epoll.add(&reader, n.unsigned_abs().into(), Interest::READABLE, Trigger::Level)?;
    // Such a duplicate could also be in a child process that inherited it.
    let elsewhere = reader.try_clone()?;
    drop(reader);
    let (new_reader, _writer) = pipe()?;
    let reused = if new_reader.as_raw_fd() == n { "N" } else { "not N" };
    say!(t, "the old pipe.r was descriptor N; the new pipe.r is {}", reused);
    write(&writer, b"for the old one")?;
    say!(t, "15 bytes arrive in the old pipe");
    for wait in 1..=3 {
        say!(
            t,
            "  wait {wait}: {}; read descriptor N: {:?}",
            token(&epoll, n)?,
            read(&new_reader, &mut [0; 16])?
        );
    }
    let added = epoll.add(&new_reader, 1, Interest::READABLE, Trigger::Level);
    say!(t, "add descriptor N:    {}", answer(added));
    say!(t, "delete descriptor N: {}", answer(epoll.delete(&new_reader)));
    say!(t, "  wait 4: {}", token(&epoll, n)?);
    drop(elsewhere);
    Ok(())
}

/// Waits with a timeout of zero and says which token was reported.
fn token(epoll: &Epoll, n: RawFd) -> io::Result<String> {
    let mut events = Events::with_capacity(8);
    epoll.wait(&mut events, Some(Duration::ZERO))?;
    let tokens: Vec<u64> = events.iter().map(Event::token).collect();
    Ok(match tokens.as_slice() {
        [token] if *token == u64::from(n.unsigned_abs()) => "token N".to_string(),
        other => format!("tokens {other:?}"),
    })
}
