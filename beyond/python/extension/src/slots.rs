//! A numbered list of handles.
//!
//! A callback in the loop holds its handle's number and no Python object. So the garbage collector
//! sees every handle that a loop holds, in one list, and can collect a forgotten loop along with
//! its remaining callbacks.

/// A list of numbered values. A number is reused once its value has been removed.
pub(crate) struct Slots<T> {
    values: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Slots<T> {
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.values[slot as usize] = Some(value);
            return slot;
        }
        self.values.push(Some(value));
        u32::try_from(self.values.len() - 1).expect("fewer than 4 thousand million handles")
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&T> {
        self.values.get(slot as usize)?.as_ref()
    }

    pub(crate) fn remove(&mut self, slot: u32) -> Option<T> {
        let value = self.values.get_mut(slot as usize)?.take()?;
        self.free.push(slot);
        if self.free.len() == self.values.len() && self.values.len() > KEPT {
            self.values = Vec::new();
            self.free = Vec::new();
        }
        Some(value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter().flatten()
    }
}

/// The maximum capacity that an empty list keeps.
const KEPT: usize = 1024;

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots { values: Vec::new(), free: Vec::new() }
    }
}
