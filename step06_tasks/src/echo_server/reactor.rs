//! The reactor, where tasks meet the selector, and its leaf future, which waits for a descriptor.
//!
//! A task that waits registers its descriptor, stores its waker, and unregisters the descriptor
//! when the wait ends. That's the simplest scheme, but it costs two extra system calls per wait. In
//! step 07, a stream registers its descriptor only once.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::Duration;

use step03_selector::{EpollSelector, Interest, ReadyEvent, Selector};

use crate::{Result, check_cancelled};

/// Wakes the tasks that wait for a selector's descriptors.
#[derive(Debug)]
pub struct Reactor {
    selector: RefCell<EpollSelector<Rc<Waiting>>>,
    events: RefCell<Vec<ReadyEvent<Rc<Waiting>>>>,
}

/// One task that waits for one descriptor.
#[derive(Debug, Default)]
struct Waiting {
    is_over: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Reactor {
    /// Makes a reactor with its own epoll object.
    ///
    /// # Errors
    ///
    /// Fails as [`EpollSelector::new`] does.
    pub fn new() -> io::Result<Self> {
        let selector = RefCell::new(EpollSelector::new()?);
        Ok(Reactor { selector, events: RefCell::default() })
    }

    // ANCHOR: ready
    /// Waits until `fd` is ready in the direction of `interest`. Only one task at a time can wait
    /// for a descriptor.
    ///
    /// # Errors
    ///
    /// Fails as [`register`](Selector::register) does, and with `Cancelled` if the task is
    /// cancelled.
    pub async fn ready(&self, fd: impl AsFd, interest: Interest) -> Result<()> {
        let waiting = Rc::new(Waiting::default());
        self.selector.borrow_mut().register(&fd, interest, Rc::clone(&waiting))?;
        let _until_the_wait_is_over = Registered { reactor: self, fd: &fd };
        poll_fn(|context| {
            check_cancelled()?;
            if waiting.is_over.get() {
                return Poll::Ready(Ok(()));
            }
            waiting.waker.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await
    }
    // ANCHOR_END: ready

    /// Sleeps in the selector, then wakes the tasks whose descriptors are ready.
    ///
    /// # Errors
    ///
    /// Fails if the selector's wait fails.
    pub fn select(&self, timeout: Option<Duration>) -> io::Result<()> {
        let mut events = self.events.take();
        self.selector.borrow_mut().select(timeout, &mut events)?;
        for event in events.drain(..) {
            event.data.is_over.set(true);
            if let Some(waker) = event.data.waker.take() {
                waker.wake();
            }
        }
        self.events.replace(events);
        Ok(())
    }
}

/// A guard that unregisters the descriptor when the wait is over or given up.
struct Registered<'a, F: AsFd> {
    reactor: &'a Reactor,
    fd: &'a F,
}

impl<F: AsFd> Drop for Registered<'_, F> {
    fn drop(&mut self) {
        // The descriptor is registered, so this shouldn't fail; a drop couldn't report the error.
        let _ = self.reactor.selector.borrow_mut().unregister(self.fd);
    }
}
