//! The map from a descriptor to its key, which all backends keep.
//!
//! The kernel hands out the lowest free number, so numbers are dense and a plain list is the
//! quickest map. What goes to the kernel as the token is more than the number: it also says which
//! registration it was. An event that was meant for an earlier one, of a descriptor that is closed
//! by now and whose number has come back, finds nobody.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::SelectorKey;

/// The keys, by number.
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
    places: Vec<Option<Registered<T>>>,
    /// How many registrations there ever were; wraps after four thousand million.
    generation: u32,
}

#[derive(Debug)]
struct Registered<T> {
    generation: u32,
    key: SelectorKey<T>,
}

impl<T> Registry<T> {
    /// No keys.
    pub fn new() -> Self {
        Registry { places: Vec::new(), generation: 0 }
    }

    /// The token for the next registration of `fd`, which [`insert`](Self::insert) will use.
    /// `AlreadyExists` if there is one.
    pub fn next_token(&self, fd: impl AsFd) -> io::Result<u64> {
        let number = number_of(&fd);
        if self.get(fd).is_some() {
            let message = format!("register fd {number}: it is registered already");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        Ok(token(self.generation.wrapping_add(1), number))
    }

    // ANCHOR: insert
    /// Files a key under the number of `fd`, as a registration of its own: with a generation that
    /// no earlier one had.
    pub fn insert(&mut self, fd: impl AsFd, key: SelectorKey<T>) {
        let place = number_of(&fd) as usize;
        if place >= self.places.len() {
            self.places.resize_with(place + 1, || None);
        }
        self.generation = self.generation.wrapping_add(1);
        self.places[place] = Some(Registered { generation: self.generation, key });
    }
    // ANCHOR_END: insert

    /// The key of `fd`, if it is registered.
    pub fn get(&self, fd: impl AsFd) -> Option<&SelectorKey<T>> {
        let registered = self.places.get(number_of(&fd) as usize)?.as_ref()?;
        Some(&registered.key)
    }

    /// The key of `fd` and its token. `NotFound` for a stranger.
    pub fn find(&mut self, fd: impl AsFd) -> io::Result<(u64, &mut SelectorKey<T>)> {
        let number = number_of(&fd);
        match self.places.get_mut(number as usize) {
            Some(Some(found)) => Ok((token(found.generation, number), &mut found.key)),
            _ => Err(stranger(number)),
        }
    }

    /// Takes the key of `fd` out. `NotFound` for a stranger.
    pub fn remove(&mut self, fd: impl AsFd) -> io::Result<SelectorKey<T>> {
        let number = number_of(&fd);
        let place = self.places.get_mut(number as usize);
        let registered = place.and_then(Option::take).ok_or_else(|| stranger(number))?;
        Ok(registered.key)
    }

    // ANCHOR: by_token
    /// The key that a token was given for, if that registration still stands.
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a token are 32 bits each")]
    pub fn by_token(&self, token: u64) -> Option<&SelectorKey<T>> {
        let (generation, number) = ((token >> 32) as u32, token as u32);
        let registered = self.places.get(number as usize)?.as_ref()?;
        (registered.generation == generation).then_some(&registered.key)
    }
    // ANCHOR_END: by_token
}

impl<T> Default for Registry<T> {
    fn default() -> Self {
        Registry::new()
    }
}

fn number_of(fd: &impl AsFd) -> u32 {
    fd.as_fd().as_raw_fd().unsigned_abs()
}

fn token(generation: u32, number: u32) -> u64 {
    u64::from(generation) << 32 | u64::from(number)
}

fn stranger(number: u32) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("fd {number} is not registered"))
}
