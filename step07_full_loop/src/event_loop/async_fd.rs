//! Your own descriptor on the loop: it's registered once, edge-triggered, and its readiness is
//! remembered.
//!
//! This crate's sockets and the streams and subprocess pipes of the crate `asyncio` are built on
//! [`AsyncFd`], and your own library can use `AsyncFd`, too. The kernel reports each change once,
//! so a direction counts as ready until a call would block or comes back short. A task waits only
//! while its direction isn't ready: after such a call, or, in order to read, before the first
//! event. So a call that finds bytes or room costs one system call. A call that finds neither has
//! to be repeated after the next event. tokio's `AsyncFd` works this way, too, whereas async-io's
//! `Async<T>` registers a one-shot interest for each wait.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use step03_selector::Interest;
use step06_tasks::{LocalWaker, ReadyQueue, Result, check_cancelled};

use super::waiters::Waiters;
use super::{EventLoop, Source, get_running_loop};

/// A non-blocking descriptor that's registered with a loop, so that tasks can wait for it.
///
/// Its readiness is only a hint: the call that follows may still return `WouldBlock`. In that case,
/// clear the direction and wait again; [`read_io`](AsyncFd::read_io) and
/// [`write_io`](AsyncFd::write_io) wait, call and clear for you. Several tasks can wait at once,
/// and an event wakes all that wait for its direction.
///
/// Dropping an `AsyncFd` first unregisters the descriptor and wakes the waiting tasks, and then
/// drops the descriptor.
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
    /// `None` only during the drop, or once the descriptor was taken out.
    inner: Option<S>,
    readiness: Rc<Readiness>,
}

impl<S: AsFd> AsyncFd<S> {
    /// Registers a descriptor for both directions with the loop running in this thread. The
    /// descriptor has to be non-blocking.
    ///
    /// The writing direction starts out ready, since a new socket usually has room.
    ///
    /// # Errors
    ///
    /// Fails if no loop is running in this thread, if the kernel has no room for the registration,
    /// with `AlreadyExists` if the descriptor is already registered, and with `PermissionDenied` if
    /// epoll can't wait for the object behind it.
    pub fn new(inner: S) -> Result<Self> {
        AsyncFd::with_interest(inner, Interest::READABLE | Interest::WRITABLE)
    }

    /// Registers a descriptor only for the directions in `interest`.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](AsyncFd::new) does, and with `InvalidInput` if `interest` has no direction.
    pub fn with_interest(inner: S, interest: Interest) -> Result<Self> {
        let event_loop = get_running_loop()?;
        // Before the poller is borrowed, since the `as_fd` of `S` can run any code.
        let fd = inner.as_fd();
        let (read, write) = Default::default();
        let readiness = Rc::new(Readiness { event_loop, read, write });
        readiness.write.ready.set(interest.contains(Interest::WRITABLE));
        let source = Source::Fd(Rc::clone(&readiness), fd.as_raw_fd());
        readiness.event_loop.assert_open_to("register");
        readiness.event_loop.poller().register_edge(fd, interest, source)?;
        Ok(AsyncFd { inner: Some(inner), readiness })
    }

    /// Returns the registered value.
    #[expect(clippy::missing_panics_doc, reason = "it's there until the drop")]
    pub fn get_ref(&self) -> &S {
        self.inner.as_ref().expect("it's there until the drop")
    }

    /// Unregisters the descriptor and returns it.
    #[expect(clippy::missing_panics_doc, reason = "it's there until the drop")]
    pub fn into_inner(mut self) -> S {
        self.unregister();
        self.inner.take().expect("it's there until the drop")
    }

    /// Erases the type of the registered value and keeps its descriptor registered.
    pub fn into_owned(mut self) -> AsyncFd<OwnedFd>
    where
        S: Into<OwnedFd>,
    {
        AsyncFd { inner: self.inner.take().map(S::into), readiness: Rc::clone(&self.readiness) }
    }

    /// Returns the loop with which the descriptor is registered.
    pub fn event_loop(&self) -> &EventLoop {
        &self.readiness.event_loop
    }

    /// Waits until there may be something to read: bytes, the end of the stream, or an error.
    ///
    /// # Errors
    ///
    /// Fails with `Cancelled` if the task is cancelled.
    pub fn readable(&self) -> impl Future<Output = Result<()>> {
        Wait::on(&self.readiness.read, || Ok(()))
    }

    /// Waits until there may be room to write, or an error to fetch.
    ///
    /// # Errors
    ///
    /// Fails with `Cancelled` if the task is cancelled.
    pub fn writable(&self) -> impl Future<Output = Result<()>> {
        Wait::on(&self.readiness.write, || Ok(()))
    }

    /// Returns `Ready` if the descriptor seems readable. Otherwise wakes the task once the
    /// descriptor is readable. After 64 polls in a row that returned `Ready`, the next poll lets
    /// other tasks run first.
    ///
    /// A task that stops waiting is woken anyway, unless the task has ended by then. By contrast,
    /// dropping the future of [`readable`](AsyncFd::readable) ends its wait.
    ///
    /// # Errors
    ///
    /// Fails with `Cancelled` if the task was asked to end.
    pub fn poll_readable(&self, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.readiness.read.poll_ready(context)
    }

    /// Does for writing what [`poll_readable`](AsyncFd::poll_readable) does for reading.
    pub fn poll_writable(&self, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.readiness.write.poll_ready(context)
    }

    /// Returns true if the descriptor seems readable and the task needn't let other tasks run
    /// first. Each `true` counts as a poll that returned `Ready`.
    pub fn readable_now(&self) -> bool {
        self.readiness.read.take_turn()
    }

    /// Notes that a read would block or came back short: the kernel reports the next change. If the
    /// end, a hang-up or an error was reported, there may be no further event, so the descriptor
    /// stays readable for one more call.
    pub fn clear_readable(&self) {
        self.readiness.read.clear_ready();
    }

    /// Notes that a read came back short: the kernel has no more bytes and reports the next change.
    /// This saves a call that would only return `WouldBlock`. On TCP, a read can also end in front
    /// of urgent data; the bytes behind it then wait for the next event, perhaps forever.
    ///
    /// For a descriptor whose reads [can come back short](AsyncFd::expect_short_reads) although
    /// there's more to read, the method first asks the kernel whether bytes are left (`FIONREAD`,
    /// see `unix(7)`).
    pub fn note_short_read(&self) {
        let can_have_more = self.readiness.read.can_come_back_short.get();
        // If the kernel can't answer, the next read finds out.
        if !can_have_more || rustix::io::ioctl_fionread(self) == Ok(0) {
            self.clear_readable();
        }
    }

    /// Notes that a write would block or found less room than it needed.
    pub fn clear_writable(&self) {
        self.readiness.write.clear_ready();
    }

    /// Notes that a read can come back short although there's more to read. A Unix socket, for
    /// example, ends a receive after bytes that came with descriptors. An edge-triggered loop that
    /// took such a read for the last would wait for the next bytes, perhaps forever.
    pub fn expect_short_reads(&self) {
        self.readiness.read.can_come_back_short.set(true);
    }

    /// Repeats a reading call until its outcome is neither "would block" nor "interrupted". Waits
    /// before each try until the descriptor seems readable; tokio's `async_io`.
    ///
    /// # Errors
    ///
    /// Fails with the call's error, and with `Cancelled` if the task is cancelled.
    pub async fn read_io<T>(&self, mut call: impl FnMut(&S) -> io::Result<T>) -> Result<T> {
        Wait::on(&self.readiness.read, || call(self.get_ref())).await
    }

    /// Does the same as [`read_io`](AsyncFd::read_io), with a call that writes.
    ///
    /// # Errors
    ///
    /// Fails as [`read_io`](AsyncFd::read_io) does.
    pub async fn write_io<T>(&self, mut call: impl FnMut(&S) -> io::Result<T>) -> Result<T> {
        Wait::on(&self.readiness.write, || call(self.get_ref())).await
    }

    /// Unregisters the descriptor before it's closed and wakes the tasks that wait: the kernel
    /// reports no more events, so both directions become ready.
    fn unregister(&self) {
        // Before the poller is borrowed, since the `as_fd` of `S` can run any code.
        let fd = self.as_fd();
        let mut poller = self.event_loop().core.poller.borrow_mut();
        let forgotten = poller.as_mut().map(|poller| poller.unregister(fd));
        drop(poller);
        // Now that nothing is borrowed: `forgotten` owns wakers. The descriptor was registered when
        // this was made, and a drop can't report an error.
        drop(forgotten);
        let queue = &self.event_loop().core.queue;
        self.readiness.read.becomes_ready(true, queue);
        self.readiness.write.becomes_ready(true, queue);
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

/// After this many calls in a row for one direction, the task yields, so that other tasks run. The
/// number is large enough that the system call of the extra tick hardly counts, and small enough
/// that 64 reads don't delay the other tasks for long.
const TURNS_IN_A_ROW: u32 = 64;

/// The readiness of a descriptor's two directions. The kernel reports each change once, so the
/// change is remembered here until a call would block or comes back short.
pub(crate) struct Readiness {
    event_loop: EventLoop,
    pub(super) read: DirectionState,
    pub(super) write: DirectionState,
}

// ANCHOR: direction
/// One direction: the note that it may be ready, and the tasks that wait for it.
#[derive(Default)]
pub(super) struct DirectionState {
    ready: Cell<bool>,
    /// True if an end or an error was reported: a call finds it, perhaps after the last bytes, and
    /// the direction stays ready for that call, since there may be no further event. But neither is
    /// always final: a FIFO can get another writer, and an error such as `ECONNREFUSED` ends a
    /// stream but not a datagram socket.
    closed: Cell<bool>,
    /// True if a call that reads can come back short although there's more to read.
    can_come_back_short: Cell<bool>,
    /// The number of turns taken since a task last waited or yielded.
    turns: Cell<u32>,
    waiting: RefCell<Waiters>,
}
// ANCHOR_END: direction

impl DirectionState {
    // ANCHOR: becomes_ready
    /// Notes an event of this direction and wakes every waiter once, in the order of
    /// `Waiters::take`. If `closed` is true, a call finds the end or an error, perhaps after the
    /// last bytes, and there may be no further event.
    ///
    /// An event without `closed` doesn't take back an end that an earlier event noted. If that end
    /// is gone, this costs one needless call.
    pub(super) fn becomes_ready(&self, closed: bool, queue: &ReadyQueue) {
        // Before any waker is called, since a waker can ask at once.
        self.ready.set(true);
        if closed {
            self.closed.set(true);
        }
        // In a statement of its own: a waker can wait here once more.
        let wakers = self.waiting.borrow_mut().take();
        for waker in wakers {
            queue.run_reporting("Exception in a waker", || waker.wake());
        }
    }
    // ANCHOR_END: becomes_ready

    // ANCHOR: clear_ready
    /// Notes that a call would block or came back short; tokio's `clear_readiness`. The direction
    /// is ready again when the kernel reports the next change. If an end was reported, the
    /// direction stays ready for one more call, which can find the end. If the direction stayed
    /// ready for good, a task whose calls would block every time would spin.
    fn clear_ready(&self) {
        self.ready.set(self.closed.take());
    }
    // ANCHOR_END: clear_ready

    // ANCHOR: take_turn
    /// Takes one of the direction's turns. Returns false if the direction isn't ready or the task
    /// has to let other tasks run first.
    fn take_turn(&self) -> bool {
        let has_turn = self.ready.get() && self.turns.get() < TURNS_IN_A_ROW;
        self.turns.set(self.turns.get() + u32::from(has_turn));
        has_turn
    }
    // ANCHOR_END: take_turn

    // ANCHOR: poll_io
    /// Repeats a call until it has an outcome and returns the outcome. If the direction isn't
    /// ready, perhaps because the call would block, `list()` lists the current task among the tasks
    /// that the next event wakes.
    ///
    /// - A call that finds nothing is made again after the next event, and the loop can sleep until
    ///   then. Once an end or an error was reported, there may be no next event, so the call is
    ///   made a second time without waiting (`calls_of_a_socket`).
    /// - A signal can interrupt a call. An interruption is no outcome either, but no event follows
    ///   it. The same poll makes the call again, since another tick would only take time
    ///   (`calls_of_a_socket`).
    /// - An outcome, even an error, says nothing about the next call (`calls_of_a_socket`).
    /// - If the task was asked to end, the poll fails with `Cancelled` and makes no call
    ///   (`calls_of_a_socket`).
    /// - When the turns are used up, the other tasks run first, even if no event ever comes and
    ///   every call fails. A task that had to wait for an event has all its turns again
    ///   (`turns_of_a_socket`).
    ///
    /// Free: whether a call that was interrupted takes a turn, and whether a task whose turns are
    /// used up is listed, too, which costs a needless wake.
    #[inline]
    fn poll_io<T>(
        &self,
        context: &Context<'_>,
        list: impl FnOnce(),
        mut call: impl FnMut() -> io::Result<T>,
    ) -> Poll<Result<T>> {
        check_cancelled()?;
        while self.take_turn() {
            match call() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.clear_ready(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => return Poll::Ready(Ok(outcome?)),
            }
        }
        self.turns.set(0);
        if self.ready.get() {
            context.waker().wake_by_ref();
        } else {
            list();
        }
        Poll::Pending
    }
    // ANCHOR_END: poll_io

    // ANCHOR: poll_ready
    fn poll_ready(&self, context: &Context<'_>) -> Poll<Result<()>> {
        let list = || {
            // Each in a statement of its own: making or dropping a waker can run any code.
            let waker = LocalWaker::of(context);
            let needless = self.waiting.borrow_mut().add_polled(waker);
            drop(needless);
        };
        self.poll_io(context, list, || Ok(()))
    }
    // ANCHOR_END: poll_ready
}

/// A wait for one direction, until a call has an outcome. Dropping the wait frees its place among
/// the waiters.
struct Wait<'a, C> {
    direction: &'a DirectionState,
    call: C,
    /// The wait's number among the waiters, or 0 before the wait is listed.
    number: u64,
}

impl<'a, T, C: FnMut() -> io::Result<T>> Wait<'a, C> {
    fn on(direction: &'a DirectionState, call: C) -> Self {
        Wait { direction, call, number: 0 }
    }
}

impl<T, C: FnMut() -> io::Result<T> + Unpin> Future for Wait<'_, C> {
    type Output = Result<T>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let Wait { direction, call, number } = &mut *self;
        let waiting = &direction.waiting;
        let list = || {
            // Each in a statement of its own: making or dropping a waker can run any code.
            let waker = LocalWaker::of(context);
            let before = waiting.borrow_mut().add(number, waker);
            drop(before);
        };
        direction.poll_io(context, list, call)
    }
}

impl<C> Drop for Wait<'_, C> {
    fn drop(&mut self) {
        if self.number > 0 {
            let removed = self.direction.waiting.borrow_mut().remove(self.number);
            drop(removed);
        }
    }
}
