//! The selector on poll(2): the same face, for where there is no epoll.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use step02_epoll::{Events, Poll};

use crate::{Interest, ReadyEvent, Registry, Selector, SelectorKey, Trigger};

/// A selector on poll(2). (asyncio: `selectors.PollSelector`)
///
/// Each wait costs a look at every registered descriptor, ready or not. And as poll(2) keeps
/// nothing, it cannot see that a closed number has come back: unregister before you close.
#[derive(Debug)]
pub struct PollSelector<T> {
    poll: Poll,
    registry: Registry<T>,
    events: Events,
}

impl<T: Clone> PollSelector<T> {
    /// An empty selector.
    pub fn new() -> Self {
        PollSelector {
            poll: Poll::new(),
            registry: Registry::new(),
            events: Events::with_capacity(64),
        }
    }
}

impl<T: Clone> Default for PollSelector<T> {
    fn default() -> Self {
        PollSelector::new()
    }
}

impl<T: Clone> Selector<T> for PollSelector<T> {
    fn register(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<()> {
        if interest.is_empty() {
            let message = "register: there is no direction to wait for";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let token = self.registry.next_token(&fd)?;
        self.poll.add(&fd, token, interest)?;
        self.registry.insert(&fd, SelectorKey { interest, trigger: Trigger::Level, data });
        Ok(())
    }

    fn modify(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<SelectorKey<T>> {
        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest {
            self.poll.modify(&fd, token, interest)?;
        }
        let changed = SelectorKey { interest, trigger: Trigger::Level, data };
        Ok(std::mem::replace(key, changed))
    }

    fn unregister(&mut self, fd: impl AsFd) -> io::Result<SelectorKey<T>> {
        let key = self.registry.remove(&fd)?;
        // Its only error: poll had taken it off its list, because it was closed.
        let _ = self.poll.delete(&fd);
        Ok(key)
    }

    fn get_key(&self, fd: impl AsFd) -> Option<&SelectorKey<T>> {
        self.registry.get(fd)
    }

    fn select(
        &mut self,
        timeout: Option<Duration>,
        ready: &mut Vec<ReadyEvent<T>>,
    ) -> io::Result<()> {
        ready.clear();
        self.poll.wait(&mut self.events, timeout)?;
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
    }
}
