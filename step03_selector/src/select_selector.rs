//! The selector on select(2): the same face once more, on what every system has.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use step02_epoll::{Events, Select};

use crate::{Interest, ReadyEvent, Registry, Selector, SelectorKey, Trigger};

/// A selector on select(2). (asyncio: `selectors.SelectSelector`)
///
/// It takes only numbers below [`Select::LIMIT`]: `InvalidInput` for others. And it knows
/// "readable" and "writable" and nothing else, so [`ReadyEvent::read_closed`] and
/// [`ReadyEvent::write_closed`] are never true: the read or the write will tell.
#[derive(Debug)]
pub struct SelectSelector<T> {
    select: Select,
    registry: Registry<T>,
    events: Events,
}

impl<T: Clone> SelectSelector<T> {
    /// An empty selector.
    pub fn new() -> Self {
        SelectSelector {
            select: Select::new(),
            registry: Registry::new(),
            events: Events::with_capacity(64),
        }
    }
}

impl<T: Clone> Default for SelectSelector<T> {
    fn default() -> Self {
        SelectSelector::new()
    }
}

impl<T: Clone> Selector<T> for SelectSelector<T> {
    fn register(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<()> {
        if interest.is_empty() {
            let message = "register: there is no direction to wait for";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let token = self.registry.next_token(&fd)?;
        self.select.add(&fd, token, interest)?;
        self.registry.insert(&fd, SelectorKey { interest, trigger: Trigger::Level, data });
        Ok(())
    }

    fn modify(&mut self, fd: impl AsFd, interest: Interest, data: T) -> io::Result<SelectorKey<T>> {
        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest {
            self.select.modify(&fd, token, interest)?;
        }
        let changed = SelectorKey { interest, trigger: Trigger::Level, data };
        Ok(std::mem::replace(key, changed))
    }

    fn unregister(&mut self, fd: impl AsFd) -> io::Result<SelectorKey<T>> {
        let key = self.registry.remove(&fd)?;
        // Its only error: select had taken it off its list, because it was closed.
        let _ = self.select.delete(&fd);
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
        self.select.wait(&mut self.events, timeout)?;
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
    }
}
