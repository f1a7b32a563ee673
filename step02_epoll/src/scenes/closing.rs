//! Closed, and still on the list.

use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, write};
use step02_epoll::{Epoll, Event, Events, Interest, Trigger};

use super::look;
use super::refusals::answer;

scene!(closed_but_still_registered, "A registered descriptor is closed. Is it off the list?");
/// The list is of open objects, each under the number it had. Closing the number removes it only if
/// it was the object's last.
fn closed_but_still_registered(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let (reader, writer) = pipe()?;
    epoll.add(&reader, 1, Interest::READABLE, Trigger::Level)?;
    write(&writer, b"hello")?;
    say!(t, "hello came:                {}", look(&epoll)?);
    drop(reader);
    say!(t, "its only number is closed: {}", look(&epoll)?);

    let (reader, writer) = pipe()?;
    epoll.add(&reader, 1, Interest::READABLE, Trigger::Level)?;
    let duplicate = reader.try_clone()?;
    write(&writer, b"hello")?;
    drop(reader);
    say!(t, "closed, with a duplicate:  {}", look(&epoll)?);
    say!(t, "  deleted by the other's number: {}", answer(epoll.delete(&duplicate)));
    say!(t, "  and still:               {}", look(&epoll)?);
    drop(duplicate);
    say!(t, "the duplicate is closed:   {}", look(&epoll)?);
    Ok(())
}

scene!(stale_registration_reports_another_pipe, "And if its number means something else by then?");
/// A loop takes the token for a number and reads there. It finds nothing, and is told again.
fn stale_registration_reports_another_pipe(t: Transcript) -> anyhow::Result<()> {
    let epoll = Epoll::new()?;
    let (reader, writer) = pipe()?;
    let number = reader.as_raw_fd();
    epoll.add(&reader, number.unsigned_abs().into(), Interest::READABLE, Trigger::Level)?;
    // Somebody has a duplicate, perhaps a child process that inherited one.
    let elsewhere = reader.try_clone()?;
    drop(reader);
    let (stranger, _writer) = pipe()?;
    say!(t, "a new pipe has the number: {}", stranger.as_raw_fd() == number);
    write(&writer, b"for the old one")?;
    for turn in 1..=3 {
        let told = tokens(&epoll)? == [u64::from(number.unsigned_abs())];
        let found = read(&stranger, &mut [0; 16])?;
        say!(t, "turn {turn}: told of the number: {told}, a read there: {found:?}");
    }
    let added = epoll.add(&stranger, 1, Interest::READABLE, Trigger::Level);
    say!(t, "the stranger is added: {}", answer(added));
    say!(t, "the number is deleted: {}", answer(epoll.delete(&stranger)));
    say!(t, "still told of the old one: {}", tokens(&epoll)?.len() == 1);
    drop(elsewhere);
    Ok(())
}

fn tokens(epoll: &Epoll) -> io::Result<Vec<u64>> {
    let mut events = Events::with_capacity(8);
    epoll.wait(&mut events, Some(Duration::ZERO))?;
    Ok(events.iter().map(Event::token).collect())
}
