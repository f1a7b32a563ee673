//! Callbacks of descriptors: `add_reader` and `add_writer`.
//!
//! A descriptor is registered once, for the directions that have a callback, and stays registered
//! until its last callback is removed. The registration is level-triggered, as in asyncio: while
//! the descriptor has something to read, the callback runs once per tick.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::rc::Rc;

use step03_selector::{Interest, Selector, SelectorKey};
use step06_tasks::Handle;

use super::{EventLoop, Source};

/// The callbacks of one descriptor: a reader, a writer or both.
#[derive(Clone, Default)]
pub(crate) struct FdCallbacks {
    pub(crate) reader: Option<Handle>,
    pub(crate) writer: Option<Handle>,
}

/// The direction of a descriptor's callback.
#[derive(Clone, Copy)]
enum Direction {
    Read,
    Write,
}

impl EventLoop {
    /// Runs the callback once per tick for as long as `fd` is readable. Replaces the previous
    /// reader, if any. Cancelling the handle silences the callback but doesn't unregister `fd`.
    ///
    /// The registration is kept until [`remove_reader`](EventLoop::remove_reader): call that method
    /// before you close the descriptor.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidInput` if `fd` belongs to an [`AsyncFd`](crate::AsyncFd), such as a
    /// stream's, or to the loop itself, and with `PermissionDenied` if epoll can't wait for `fd`,
    /// as with a regular file. Also fails if the kernel has no room for the registration. If a
    /// descriptor with this number was closed before its callbacks were removed, and the kernel
    /// refuses the change, the call fails with the kernel's error and removes those callbacks.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    #[track_caller]
    pub fn add_reader(
        &self,
        fd: impl AsFd,
        callback: impl FnMut() + 'static,
    ) -> io::Result<Handle> {
        self.set_callback(fd, Direction::Read, Handle::repeating(callback))
    }

    /// Runs the callback once per tick for as long as `fd` is writable. Replaces the previous
    /// writer, if any. Cancelling the handle silences the callback but doesn't unregister `fd`.
    ///
    /// # Errors
    ///
    /// Fails as [`add_reader`](EventLoop::add_reader) does.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed.
    #[track_caller]
    pub fn add_writer(
        &self,
        fd: impl AsFd,
        callback: impl FnMut() + 'static,
    ) -> io::Result<Handle> {
        self.set_callback(fd, Direction::Write, Handle::repeating(callback))
    }

    /// Removes the reader of `fd`. Returns false if `fd` has no reader or the loop is closed.
    ///
    /// # Errors
    ///
    /// Fails with `InvalidInput` if `fd` belongs to an [`AsyncFd`](crate::AsyncFd) or to the loop
    /// itself. If the kernel refuses the change because the descriptor was closed, the call fails
    /// with the kernel's error and removes both callbacks, as in asyncio.
    pub fn remove_reader(&self, fd: impl AsFd) -> io::Result<bool> {
        self.clear_callback(fd, Direction::Read)
    }

    /// Removes the writer of `fd`. Returns false if `fd` has no writer or the loop is closed.
    ///
    /// # Errors
    ///
    /// Fails as [`remove_reader`](EventLoop::remove_reader) does.
    pub fn remove_writer(&self, fd: impl AsFd) -> io::Result<bool> {
        self.clear_callback(fd, Direction::Write)
    }

    /// Sets the callback of a direction and cancels the previous callback; asyncio's `_add_reader`.
    fn set_callback(
        &self,
        fd: impl AsFd,
        direction: Direction,
        handle: Handle,
    ) -> io::Result<Handle> {
        // Dropping `fd` or `handle` can run any code. So even if the poller refuses them, both last
        // until the end, when the poller is no longer borrowed.
        let fd = fd.as_fd();
        self.assert_open_to(direction.function());
        let known = self.callbacks_of(fd, direction.function())?;
        let is_known = known.is_some();
        let mut callbacks = known.unwrap_or_default();
        let replaced = callbacks.of(direction).replace(handle.clone());
        let interest = callbacks.interest();
        let source = Source::Callbacks(Rc::new(callbacks), fd.as_raw_fd());
        if is_known {
            let modified = self.poller().selector.modify(fd, interest, source);
            self.forget_if_refused(fd, modified)?;
        } else {
            self.poller().register(fd, interest, source)?;
        }
        cancel(replaced);
        Ok(handle)
    }

    /// Removes and cancels the callback of a direction; asyncio's `_remove_reader`. Returns false
    /// if the direction has no callback or the loop is closed.
    fn clear_callback(&self, fd: impl AsFd, direction: Direction) -> io::Result<bool> {
        if self.is_closed() {
            return Ok(false);
        }
        let fd = fd.as_fd();
        let callbacks = self.callbacks_of(fd, direction.opposite())?;
        let Some(mut callbacks) = callbacks else { return Ok(false) };
        let removed = callbacks.of(direction).take();
        let existed = removed.is_some();
        let interest = callbacks.interest();
        if interest.is_empty() {
            self.poller().unregister(fd)?;
        } else {
            let source = Source::Callbacks(Rc::new(callbacks), fd.as_raw_fd());
            let modified = self.poller().selector.modify(fd, interest, source);
            self.forget_if_refused(fd, modified)?;
        }
        cancel(removed);
        Ok(existed)
    }

    /// Forgets a descriptor and fails if the kernel has refused to change its registration: it was
    /// closed, and its number can be another one's by now. asyncio forgets it, too.
    // Inlined, it would make every tick 31 instructions longer.
    #[cold]
    fn forget_if_refused(
        &self,
        fd: BorrowedFd<'_>,
        modified: io::Result<SelectorKey<Source>>,
    ) -> io::Result<()> {
        if modified.is_err() {
            // Dropped at the end, when the poller is no longer borrowed, since it has callbacks.
            let _forgotten = self.poller().unregister(fd)?;
        }
        modified.map(drop)
    }

    /// Returns the callbacks of `fd`, if it's registered. Fails with `InvalidInput` if `fd` belongs
    /// to the loop itself or to an `AsyncFd`: level- and edge-triggered registrations don't mix on
    /// one descriptor.
    fn callbacks_of(&self, fd: BorrowedFd<'_>, asked: &str) -> io::Result<Option<FdCallbacks>> {
        match self.poller().selector.get_key(fd).map(|key| &key.data) {
            None => Ok(None),
            Some(Source::Callbacks(callbacks, _)) => Ok(Some(FdCallbacks::clone(callbacks))),
            Some(Source::Wakeup | Source::Counter | Source::Fd(..)) => {
                let fd = fd.as_raw_fd();
                let why = "the descriptor belongs to a stream or to the loop itself";
                Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{asked} fd {fd}: {why}")))
            }
        }
    }
}

impl Direction {
    /// Returns the name of the function that sets this direction's callback.
    fn function(self) -> &'static str {
        match self {
            Direction::Read => "add_reader",
            Direction::Write => "add_writer",
        }
    }

    /// Returns the name of the function that removes this direction's callback.
    fn opposite(self) -> &'static str {
        match self {
            Direction::Read => "remove_reader",
            Direction::Write => "remove_writer",
        }
    }
}

impl FdCallbacks {
    fn of(&mut self, direction: Direction) -> &mut Option<Handle> {
        match direction {
            Direction::Read => &mut self.reader,
            Direction::Write => &mut self.writer,
        }
    }

    /// Returns the directions that have a callback.
    fn interest(&self) -> Interest {
        let readable = self.reader.as_ref().map_or(Interest::NONE, |_| Interest::READABLE);
        let writable = self.writer.as_ref().map_or(Interest::NONE, |_| Interest::WRITABLE);
        readable | writable
    }
}

fn cancel(handle: Option<Handle>) {
    if let Some(handle) = handle {
        handle.cancel();
    }
}
