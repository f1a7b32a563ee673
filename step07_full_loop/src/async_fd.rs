//! A descriptor of yours on the loop: registered once, edge-triggered, with its readiness kept.
//!
//! Every socket, pipe and child process above the loop is built on it, and you can build a library
//! of your own on it, too. The kernel reports each change once, so it has to be remembered: a
//! direction is ready until a call finds that it would block, and only then does a task wait. So a
//! call that finds something costs one system call. A call that finds nothing has to be made once
//! more, when there's news. (tokio: `AsyncFd`; async-io: `Async<T>`)

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::task::{Context, Poll};

use step03_selector::Interest;
use step06_tasks::Result;

use crate::event_loop::{EventLoop, Readiness, get_running_loop};

/// A non-blocking descriptor in the selector of a loop, which tasks can wait for.
///
/// What it says about the descriptor is only a hint: the call that follows may still return
/// `WouldBlock`. Then clear the direction, and wait again; [`read_io`](AsyncFd::read_io) and
/// [`write_io`](AsyncFd::write_io) do all of that. Several tasks can wait at a time, and an event
/// wakes them all.
///
/// Dropping it unregisters the descriptor first, wakes those that wait, and then drops the
/// descriptor.
///
/// ```
/// use std::io::{Read, Write};
/// use std::os::unix::net::UnixStream;
/// use step07_full_loop::{AsyncFd, run};
/// let said = run(async {
///     let (ours, mut theirs) = UnixStream::pair()?;
///     ours.set_nonblocking(true)?;
///     let ours = AsyncFd::new(ours)?;
///     theirs.write_all(b"hello")?;
///     let mut buffer = [0; 16];
///     let count = ours.read_io(|mut socket| socket.read(&mut buffer)).await?;
///     Ok(buffer[..count].to_vec())
/// })?;
/// assert_eq!(said, b"hello");
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
pub struct AsyncFd<S: AsFd> {
    /// Gone only when it's dropped or taken out.
    inner: Option<S>,
    readiness: Rc<Readiness>,
    event_loop: EventLoop,
}

impl<S: AsFd> AsyncFd<S> {
    /// Registers a descriptor for both directions with the loop that runs in this thread. It has to be
    /// non-blocking.
    ///
    /// Writing is tried first: a new socket has room. Fails if the kernel has no room, or if the
    /// descriptor is registered already.
    pub fn new(inner: S) -> Result<Self> {
        AsyncFd::with_interest(inner, Interest::READABLE | Interest::WRITABLE)
    }

    /// The same for the directions that will ever be waited for.
    pub fn with_interest(inner: S, interest: Interest) -> Result<Self> {
        let event_loop = get_running_loop()?;
        let readiness = Rc::new(Readiness::default());
        readiness.write.ready.set(interest.contains(Interest::WRITABLE));
        event_loop.register(inner.as_fd(), interest, &readiness)?;
        Ok(AsyncFd { inner: Some(inner), readiness, event_loop })
    }

    /// Returns what was registered.
    pub fn get_ref(&self) -> &S {
        self.inner.as_ref().expect("it's there until the drop")
    }

    /// Unregisters the descriptor, and returns it.
    pub fn into_inner(mut self) -> S {
        self.unregister();
        self.inner.take().expect("it's there until the drop")
    }

    /// Forgets the type of what's registered, and keeps its descriptor registered.
    pub fn into_owned(mut self) -> AsyncFd<OwnedFd>
    where
        S: Into<OwnedFd>,
    {
        let inner = self.inner.take().map(S::into);
        let (readiness, event_loop) = (Rc::clone(&self.readiness), self.event_loop.clone());
        AsyncFd { inner, readiness, event_loop }
    }

    /// Returns the loop that it's registered with.
    pub fn event_loop(&self) -> &EventLoop {
        &self.event_loop
    }

    /// Waits until there is something to read: bytes, the end, or an error.
    pub async fn readable(&self) -> Result<()> {
        poll_fn(|context| self.poll_readable(context)).await
    }

    /// Waits until there may be room to write, or an error to fetch.
    pub async fn writable(&self) -> Result<()> {
        poll_fn(|context| self.poll_writable(context)).await
    }

    /// Returns `Ready` if it's readable as far as is known, and otherwise wakes the task once it is.
    /// Fails with `Cancelled` if the task was asked to end. After 64 such polls in a row that were
    /// ready, the task has to let the others run first.
    pub fn poll_readable(&self, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.readiness.read.poll_ready(context)
    }

    /// The same for writing.
    pub fn poll_writable(&self, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.readiness.write.poll_ready(context)
    }

    /// Returns true if it's readable as far as is known, and the task needn't let other tasks run first.
    /// That counts as a poll that was ready.
    pub fn readable_now(&self) -> bool {
        self.readiness.read.take_turn()
    }

    /// Notes that a read would block, or came back short: the kernel reports the next change.
    pub fn clear_readable(&self) {
        self.readiness.read.clear_ready();
    }

    /// Notes that a write would block, or found less room than it needed.
    pub fn clear_writable(&self) {
        self.readiness.write.clear_ready();
    }

    /// Makes a call that reads, until it has an outcome other than "would block" or "interrupted", and
    /// waits before each try until the descriptor is readable. (tokio: `async_io`)
    pub async fn read_io<T>(&self, mut call: impl FnMut(&S) -> io::Result<T>) -> Result<T> {
        self.readiness.read.retry(|| call(self.get_ref())).await
    }

    /// The same for a call that writes.
    pub async fn write_io<T>(&self, mut call: impl FnMut(&S) -> io::Result<T>) -> Result<T> {
        self.readiness.write.retry(|| call(self.get_ref())).await
    }

    fn unregister(&self) {
        self.event_loop.unregister(self.get_ref().as_fd());
        self.readiness.close(&self.event_loop.core.queue);
    }
}

impl<S: AsFd> AsFd for AsyncFd<S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.get_ref().as_fd()
    }
}

impl<S: AsFd> Drop for AsyncFd<S> {
    fn drop(&mut self) {
        if self.inner.is_some() {
            self.unregister();
        }
    }
}

impl<S: AsFd + fmt::Debug> fmt::Debug for AsyncFd<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AsyncFd").field(self.get_ref()).finish()
    }
}
