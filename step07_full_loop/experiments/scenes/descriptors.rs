//! Readers and writers that are replaced or removed while they're ready.

use std::cell::Cell;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, socketpair, write};
use step07_full_loop::EventLoop;

/// Makes a pipe with a byte in it.
fn readable() -> anyhow::Result<(Rc<OwnedFd>, OwnedFd)> {
    let (reader, writer) = pipe()?;
    write(&writer, b"!")?;
    Ok((Rc::new(reader), writer))
}

/// Runs exactly one tick, which doesn't sleep.
fn tick(t: Transcript, event_loop: &EventLoop) -> anyhow::Result<()> {
    say!(t, "one tick");
    event_loop.stop();
    event_loop.run_forever()?;
    Ok(())
}

scene!(
    add_reader_twice,
    "A socket with a reader and a writer gets another reader. Which of the three callbacks run?"
);
/// The writer and `the second reader` run, and the first reader never does: a descriptor has at
/// most one reader and one writer, and `add_reader` replaces the reader. The writer stays, because
/// each direction is removed separately. After `remove_reader: true` no reader is left, so the
/// second call returns false. Closing the loop removes the third reader, so a call after that
/// returns false, too: `after close(), remove_reader: false`. asyncio does the same.
fn add_reader_twice(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let (one, other) = socketpair()?;
    write(&other, b"!")?;
    event_loop.add_reader(&one, move || say!(t, "  the first reader"))?;
    event_loop.add_writer(&one, move || say!(t, "  the writer"))?;
    event_loop.add_reader(&one, move || say!(t, "  the second reader"))?;
    tick(t, &event_loop)?;
    say!(t, "remove_reader: {}", event_loop.remove_reader(&one)?);
    say!(t, "remove_reader again: {}", event_loop.remove_reader(&one)?);
    tick(t, &event_loop)?;
    say!(t, "remove_writer: {}", event_loop.remove_writer(&one)?);
    tick(t, &event_loop)?;
    event_loop.add_reader(&one, move || say!(t, "  the third reader"))?;
    tick(t, &event_loop)?;
    event_loop.close()?;
    say!(t, "after close(), remove_reader: {}", event_loop.remove_reader(&one)?);
    say!(t, "after close(), remove_writer: {}", event_loop.remove_writer(&one)?);
    Ok(())
}

scene!(
    a_reader_removed_while_it_is_ready: order,
    "Two pipes are readable in one tick, and the first reader removes the second. Does the second reader run?"
);
/// The second reader never runs, although its pipe was readable in that tick, too. The loop doesn't
/// call the callback of a ready descriptor but queues it, so an earlier callback in the same tick
/// can still remove a queued reader: `the first reader removes the second`. Otherwise the loop
/// could call a reader whose descriptor another callback has just closed. asyncio does the same.
fn a_reader_removed_while_it_is_ready(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let (first, _first_writer) = readable()?;
    let (second, _second_writer) = readable()?;
    let (inner, fd) = (event_loop.clone(), Rc::clone(&second));
    event_loop.add_reader(&*first, move || {
        say!(t, "  the first reader removes the second");
        if inner.remove_reader(&*fd).is_err() {
            say!(t, "  it can't be removed");
        }
    })?;
    event_loop.add_reader(&*second, move || say!(t, "  the second reader"))?;
    tick(t, &event_loop)?;
    let (inner, fd) = (event_loop.clone(), Rc::clone(&first));
    event_loop.call_soon(move || {
        say!(t, "  a callback removes the first reader");
        if inner.remove_reader(&*fd).is_err() {
            say!(t, "  it can't be removed");
        }
    });
    tick(t, &event_loop)?;
    say!(t, "remove_reader of both: {}", event_loop.remove_reader(&*first)?);
    say!(t, "                       {}", event_loop.remove_reader(&*second)?);
    event_loop.close()?;
    Ok(())
}

scene!(
    an_event_in_a_stopped_run: order,
    "The loop is stopped in the tick in which it finds a pipe readable. How often does the pipe's reader run?"
);
/// The reader runs once, although the selector reports the pipe in two ticks. The callback that the
/// reader has scheduled belongs to the next run. In that run's tick the pipe is still readable, so
/// the reader is queued once more but behind the callback. The callback reads the byte and removes
/// the reader, and the loop skips a removed reader's place in the queue: `the reader has run 1
/// time`. asyncio does the same.
fn an_event_in_a_stopped_run(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let (reader, _writer) = readable()?;
    let (inner, fd, calls) = (event_loop.clone(), Rc::clone(&reader), Rc::new(Cell::new(0)));
    let counted = Rc::clone(&calls);
    event_loop.add_reader(&*reader, move || {
        counted.set(counted.get() + 1);
        say!(t, "  the reader's call {}", counted.get());
        let (remover, fd) = (inner.clone(), Rc::clone(&fd));
        inner.call_soon(move || {
            let is_read = read(&*fd, &mut [0; 8]).is_ok();
            let is_removed = remover.remove_reader(&*fd).unwrap_or(false);
            say!(t, "  the callback reads: {}; remove_reader: {}", is_read, is_removed);
        });
    })?;
    for run in 1..=3 {
        say!(t, "run {run}");
        let stopper = event_loop.clone();
        event_loop.call_soon(move || stopper.stop());
        event_loop.run_forever()?;
    }
    say!(t, "the reader has run {} time", calls.get());
    event_loop.close()?;
    Ok(())
}
