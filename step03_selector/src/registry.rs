//! Every selector's map from descriptors to keys.
//!
//! The kernel hands out the lowest free descriptor, so descriptors are usually dense and can serve
//! as indices into a [`Table`]. An event carries the token of its entry in the table, and that
//! token identifies one registration, not just a descriptor. So an event of an earlier
//! registration, whose descriptor has since been closed and reused, finds no key.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::{SelectorKey, Table};

/// The keys by descriptor. A registry never frees a place: it has one place for each number up to
/// the highest descriptor registered so far, so the process's limit on descriptors also limits the
/// registry's size.
///
/// ```
/// use step03_selector::{Interest, Registry, SelectorKey, Trigger};
/// let key = SelectorKey { interest: Interest::READABLE, trigger: Trigger::Level, data: "Ann" };
/// let (reader, _writer) = step01_fd::pipe()?;
/// let mut registry = Registry::new();
/// let token = registry.next_token(&reader)?;
/// registry.insert(&reader, key.clone());
/// assert_eq!(registry.by_token(token), Some(&key));
/// registry.remove(&reader)?;
/// registry.insert(&reader, key);
/// assert_eq!(registry.by_token(token), None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Registry<T> {
    keys: Table<SelectorKey<T>>,
}

impl<T> Registry<T> {
    /// Makes an empty registry.
    pub fn new() -> Self {
        Registry { keys: Table::new() }
    }

    /// Returns the token that [`insert`](Self::insert) will use for `fd`, unless another key is
    /// inserted first.
    ///
    /// # Errors
    ///
    /// Fails with `AlreadyExists` if `fd` is registered.
    pub fn next_token(&self, fd: impl AsFd) -> io::Result<u64> {
        let index = index_of(&fd);
        if self.get(fd).is_some() {
            let message = format!("register fd {index}: it is registered already");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        Ok(self.keys.next_token(index))
    }

    /// Files a key under `fd`, as a new registration. Drops the previous key of `fd`, if any.
    pub fn insert(&mut self, fd: impl AsFd, key: SelectorKey<T>) {
        self.keys.insert(index_of(&fd), key);
    }

    /// Returns the key of `fd`, if it's registered.
    pub fn get(&self, fd: impl AsFd) -> Option<&SelectorKey<T>> {
        self.keys.get(index_of(&fd))
    }

    /// Returns the token and the key of `fd`'s registration.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if `fd` isn't registered.
    pub fn find(&mut self, fd: impl AsFd) -> io::Result<(u64, &mut SelectorKey<T>)> {
        let index = index_of(&fd);
        self.keys.find(index).ok_or_else(|| not_registered("modify", index))
    }

    /// Returns the keys of all registered descriptors.
    pub fn keys(&self) -> impl Iterator<Item = &SelectorKey<T>> {
        self.keys.iter()
    }

    /// Returns the number of places, including the empty places.
    pub fn places(&self) -> usize {
        self.keys.places()
    }

    /// Removes the key of `fd` and returns it.
    ///
    /// # Errors
    ///
    /// Fails with `NotFound` if `fd` isn't registered.
    pub fn remove(&mut self, fd: impl AsFd) -> io::Result<SelectorKey<T>> {
        let index = index_of(&fd);
        self.keys.remove(index).ok_or_else(|| not_registered("unregister", index))
    }

    /// Returns the key of a token, if the token's registration still exists.
    pub fn by_token(&self, token: u64) -> Option<&SelectorKey<T>> {
        self.keys.by_token(token)
    }
}

impl<T> Default for Registry<T> {
    fn default() -> Self {
        Registry::new()
    }
}

/// Returns the index of a descriptor, which is the descriptor itself.
fn index_of(fd: &impl AsFd) -> u32 {
    fd.as_fd().as_raw_fd().unsigned_abs()
}

fn not_registered(call: &str, index: u32) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("{call} fd {index}: it is not registered"))
}
