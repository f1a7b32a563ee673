//! Descriptors that call back: `add_reader`, `add_writer`, and what an event becomes.
//!
//! A descriptor is registered once, for the directions somebody waits for, and stays registered
//! until it is removed. It is level-triggered, as in asyncio: as long as there is something to
//! read the callback runs once a tick.

use std::io;
use std::os::fd::AsFd;
use std::rc::Rc;

use step03_selector::{Interest, ReadyEvent, Selector};
use step06_tasks::Handle;

use crate::event_loop::EventLoop;
use crate::readiness::Readiness;

/// Who waits for a registered descriptor.
#[derive(Clone)]
pub(crate) enum Source {
    /// The loop itself: another thread or a signal has woken it.
    SelfPipe,
    /// Callbacks, at least one of the two.
    Callbacks { reader: Option<Handle>, writer: Option<Handle> },
    /// A stream, which is edge-triggered and keeps what it was told.
    Stream(Rc<Readiness>),
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Read,
    Write,
}

impl EventLoop {
    /// Calls back once a tick for as long as `fd` is readable. A reader that is there already is
    /// replaced.
    ///
    /// The registration is kept until [`remove_reader`](EventLoop::remove_reader): remove it before
    /// you close the descriptor.
    pub fn add_reader(&self, fd: impl AsFd, callback: impl FnMut() + 'static) -> io::Result<()> {
        self.set_callback(fd, Direction::Read, Handle::repeating(callback))
    }

    /// Calls back once a tick for as long as `fd` is writable. A writer that is there already is
    /// replaced.
    pub fn add_writer(&self, fd: impl AsFd, callback: impl FnMut() + 'static) -> io::Result<()> {
        self.set_callback(fd, Direction::Write, Handle::repeating(callback))
    }

    /// Removes the reader of `fd`. Returns whether there was one.
    pub fn remove_reader(&self, fd: impl AsFd) -> io::Result<bool> {
        self.clear_callback(fd, Direction::Read)
    }

    /// Removes the writer of `fd`. Returns whether there was one.
    pub fn remove_writer(&self, fd: impl AsFd) -> io::Result<bool> {
        self.clear_callback(fd, Direction::Write)
    }

    /// Takes the socket of a stream off the list, before it is closed.
    pub(crate) fn forget_stream(&self, socket: impl AsFd) {
        if let Some(selector) = &mut *self.core.selector.borrow_mut() {
            // It was registered when the stream was made, and a drop has nobody to tell.
            let _ = selector.unregister(socket);
        }
    }

    fn set_callback(&self, fd: impl AsFd, way: Direction, handle: Handle) -> io::Result<()> {
        let known = self.callbacks_of(&fd)?;
        let (mut reader, mut writer) = known.clone().unwrap_or_default();
        let place = if way == Direction::Read { &mut reader } else { &mut writer };
        let replaced = place.replace(handle);
        let interest = interest_of(reader.as_ref(), writer.as_ref());
        let source = Source::Callbacks { reader, writer };
        if known.is_some() {
            self.selector().modify(fd, interest, source)?;
        } else {
            self.selector().register(fd, interest, source)?;
        }
        cancel(replaced);
        Ok(())
    }

    fn clear_callback(&self, fd: impl AsFd, way: Direction) -> io::Result<bool> {
        let Some((mut reader, mut writer)) = self.callbacks_of(&fd)? else { return Ok(false) };
        let place = if way == Direction::Read { &mut reader } else { &mut writer };
        let removed = place.take();
        let existed = removed.is_some();
        let interest = interest_of(reader.as_ref(), writer.as_ref());
        if interest.is_empty() {
            self.selector().unregister(fd)?;
        } else {
            let source = Source::Callbacks { reader, writer };
            self.selector().modify(fd, interest, source)?;
        }
        cancel(removed);
        Ok(existed)
    }

    /// The callbacks of `fd`, if it is registered. An error if a stream has it: level- and
    /// edge-triggered do not mix on one descriptor.
    fn callbacks_of(&self, fd: impl AsFd) -> io::Result<Option<Callbacks>> {
        match self.selector().get_key(fd).map(|key| key.data.clone()) {
            None => Ok(None),
            Some(Source::Callbacks { reader, writer }) => Ok(Some((reader, writer))),
            Some(_) => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the descriptor belongs to a stream or to the loop itself",
            )),
        }
    }
}

type Callbacks = (Option<Handle>, Option<Handle>);

fn interest_of(reader: Option<&Handle>, writer: Option<&Handle>) -> Interest {
    let readable = reader.map_or(Interest::NONE, |_| Interest::READABLE);
    let writable = writer.map_or(Interest::NONE, |_| Interest::WRITABLE);
    readable | writable
}

fn cancel(handle: Option<Handle>) {
    if let Some(handle) = handle {
        handle.cancel();
    }
}

/// Brings what the selector found to whoever waits for it: the reader before the writer.
pub(crate) fn queue_event(event_loop: &EventLoop, event: ReadyEvent<Source>) -> io::Result<()> {
    let queue = &event_loop.core.queue;
    match event.data {
        Source::SelfPipe => event_loop.drain_self_pipe()?,
        Source::Stream(ref readiness) => readiness.update(&event),
        Source::Callbacks { reader, writer } => {
            let readable = reader.filter(|_| event.interest.contains(Interest::READABLE));
            let writable = writer.filter(|_| event.interest.contains(Interest::WRITABLE));
            readable.into_iter().chain(writable).for_each(|handle| queue.push(handle));
        }
    }
    Ok(())
}
