//! The loop's poller: its selector, what is registered in that, and when it asks the kernel.
//!
//! A wait is a system call, even one that doesn't sleep, and it's most of what a tick costs. While
//! callbacks are ready, and the queue's wake-up descriptor is the only one that's registered, the
//! kernel can report nothing that isn't in memory already: what other threads have sent is in the
//! queue's inbox, and the signals are flags. So this answers for the kernel, and nothing in a
//! program changes but its speed.
//!
//! With other descriptors, the loop asks in each tick, as asyncio's does. [`EventLoop::poll_every`]
//! makes it ask less often, as tokio does.

use std::io;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::time::Duration;

use step03_selector::{EpollSelector, Interest, ReadyEvent, Selector, SelectorKey};
use step04_timers::MonotonicClock;
use step05_selfpipe::signal_is_pending;
use step06_tasks::{Handle, ReadyQueue};

use crate::LoopResult;
use crate::event_loop::EventLoop;
use crate::event_loop::async_fd::Readiness;

/// The data of a registration: what an event on the descriptor means to the loop.
#[derive(Clone)]
pub(crate) enum Source {
    /// The ready queue: another thread has sent something, or a signal has woken the loop.
    Wakeup,
    /// The ready queue's eventfd: another thread has sent something.
    Counter,
    /// The callbacks of `add_reader` and `add_writer`.
    Callbacks(FdCallbacks),
    /// An `AsyncFd`, which is edge-triggered and remembers its readiness.
    Fd(Rc<Readiness>),
}

/// The callbacks of one descriptor, at least one of the two.
#[derive(Clone, Default)]
pub(crate) struct FdCallbacks {
    pub(crate) reader: Option<Handle>,
    pub(crate) writer: Option<Handle>,
}

/// The room for events that's kept in any case.
const KEPT_EVENTS: usize = 128;

/// The selector, which is asked only if there can be something new.
pub(crate) struct Poller {
    selector: EpollSelector<Source>,
    queue: ReadyQueue,
    /// The number of descriptors, apart from the queue's own (its pipe and its eventfd).
    registered: usize,
    /// In how many busy ticks the kernel is asked once.
    every: u32,
    /// The number of ticks since it was last asked.
    skipped: u32,
}

impl Poller {
    /// Makes a poller in which the queue is registered.
    pub(crate) fn new(queue: &ReadyQueue) -> io::Result<Self> {
        let mut selector = EpollSelector::new()?;
        selector.register(queue, Interest::READABLE, Source::Wakeup)?;
        if let Some(counter) = queue.counter() {
            selector.register_edge(counter, Interest::READABLE, Source::Counter)?;
        }
        Ok(Poller { selector, queue: queue.clone(), registered: 0, every: 1, skipped: 0 })
    }

    /// Returns the number of descriptors, apart from the queue's own.
    pub(crate) fn registered(&self) -> usize {
        self.registered
    }

    /// Registers `fd`, edge-triggered; see [`EpollSelector::register_edge`].
    pub(crate) fn register_edge(
        &mut self,
        fd: impl AsFd,
        interest: Interest,
        source: Source,
    ) -> io::Result<()> {
        self.selector.register_edge(fd, interest, source)?;
        self.registered += 1;
        Ok(())
    }

    /// Returns what all the descriptors are registered for.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Source> {
        self.selector.keys().map(|key| key.data.clone())
    }

    /// Decides whether a tick that doesn't sleep needs the kernel.
    fn can_skip(&mut self) -> bool {
        if self.queue.has_been_woken() || signal_is_pending() {
            return false;
        }
        self.skipped = self.skipped.saturating_add(1);
        self.registered == 0 || self.skipped < self.every
    }
}

impl Selector<Source> for Poller {
    fn register(&mut self, fd: impl AsFd, interest: Interest, source: Source) -> io::Result<()> {
        self.selector.register(fd, interest, source)?;
        self.registered += 1;
        Ok(())
    }

    fn modify(
        &mut self,
        fd: impl AsFd,
        interest: Interest,
        source: Source,
    ) -> io::Result<SelectorKey<Source>> {
        self.selector.modify(fd, interest, source)
    }

    fn unregister(&mut self, fd: impl AsFd) -> io::Result<SelectorKey<Source>> {
        let key = self.selector.unregister(fd)?;
        self.registered -= 1;
        Ok(key)
    }

    fn get_key(&self, fd: impl AsFd) -> Option<&SelectorKey<Source>> {
        self.selector.get_key(fd)
    }

    /// Waits as the selector does, or finds nothing without asking the kernel.
    fn select(
        &mut self,
        timeout: Option<Duration>,
        ready: &mut Vec<ReadyEvent<Source>>,
    ) -> io::Result<()> {
        if timeout == Some(Duration::ZERO) && self.can_skip() {
            ready.clear();
            return Ok(());
        }
        self.skipped = 0;
        self.selector.select(timeout, ready)?;
        // Of a load that's over, the list keeps no room for descriptors that are gone.
        if ready.capacity() > KEPT_EVENTS + 4 * self.registered {
            ready.shrink_to(KEPT_EVENTS);
        }
        Ok(())
    }
}

impl EventLoop {
    /// Makes a loop that other threads wake through an eventfd, like tokio's runtime, instead of the
    /// self-pipe. Signals still come through the pipe.
    ///
    /// A wake-up then costs less: an eventfd's write is cheaper than a socket's, and the loop reads
    /// nothing, because the counter is registered edge-triggered. The loop needs one more
    /// descriptor.
    ///
    /// ```
    /// use step07_full_loop::{EventLoop, to_thread};
    /// let answer = EventLoop::with_eventfd()?.run(async { to_thread(|| Ok(6 * 7)).await })?;
    /// assert_eq!(answer, 42);
    /// # Ok::<(), step07_full_loop::LoopError>(())
    /// ```
    pub fn with_eventfd() -> LoopResult<Self> {
        EventLoop::with_queue(ReadyQueue::with_eventfd()?, MonotonicClock::new())
    }

    /// Lets the loop ask the kernel for events in every `ticks`-th tick only, as long as callbacks
    /// or tasks are ready. The default is 1, as in asyncio. (tokio: `event_interval`, 61
    /// by default)
    ///
    /// A program whose tasks yield often saves a system call per tick. In return, a descriptor that
    /// becomes ready waits for up to this many ticks. A loop that has nothing to run isn't affected,
    /// and what other threads send, and signals, are seen in the next tick as before.
    pub fn poll_every(&self, ticks: u32) {
        self.assert_open_to("poll_every");
        self.poller().every = ticks;
    }
}
