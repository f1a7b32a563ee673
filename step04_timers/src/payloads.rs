//! The payloads of the timers, in the order the timers were made.
//!
//! Why not a slab? A slab reuses its slots, so an entry would need the index of its slot in
//! addition to the sequence number that orders equal deadlines, and would grow from 16 to 24 bytes.
//! Why not a `HashMap`? Each push, cancel and pop would compute a hash. Here the sequence number is
//! enough: new payloads go to the end, so the list is sorted by sequence number, and a subtraction
//! finds the slot of a young timer.

// ANCHOR: payloads
/// Payloads by sequence number.
#[derive(Debug)]
pub(crate) struct Payloads<T> {
    slots: Vec<Slot<T>>,
    next_sequence: u64,
    /// The number of payloads that haven't been taken.
    live: usize,
}

#[derive(Debug)]
struct Slot<T> {
    sequence: u64,
    /// `None` once the payload is taken.
    payload: Option<T>,
}
// ANCHOR_END: payloads

impl<T> Payloads<T> {
    pub(crate) fn new() -> Self {
        Payloads { slots: Vec::new(), next_sequence: 0, live: 0 }
    }

    /// Adds a payload and returns its sequence number, one more than the last.
    pub(crate) fn push(&mut self, payload: T) -> u64 {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        self.live += 1;
        self.slots.push(Slot { sequence, payload: Some(payload) });
        sequence
    }

    /// Takes a payload, or returns `None` if the payload has been taken.
    pub(crate) fn take(&mut self, sequence: u64) -> Option<T> {
        let index = self.index_of(sequence)?;
        let payload = self.slots[index].payload.take()?;
        self.live -= 1;
        Some(payload)
    }

    /// Returns a payload, or `None` if the payload has been taken.
    pub(crate) fn get(&self, sequence: u64) -> Option<&T> {
        let index = self.index_of(sequence)?;
        self.slots[index].payload.as_ref()
    }

    /// Returns a mutable reference to a payload, or `None` if the payload has been taken.
    pub(crate) fn get_mut(&mut self, sequence: u64) -> Option<&mut T> {
        let index = self.index_of(sequence)?;
        self.slots[index].payload.as_mut()
    }

    /// Returns true if the payload hasn't been taken.
    pub(crate) fn contains(&self, sequence: u64) -> bool {
        self.index_of(sequence).is_some_and(|index| self.slots[index].payload.is_some())
    }

    /// Returns the number of payloads that haven't been taken.
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// Returns the number of slots, including those whose payloads have been taken.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Removes the slots whose payloads have been taken and frees unused memory, except room for
    /// `keep_room_for` slots.
    pub(crate) fn compact(&mut self, keep_room_for: usize) {
        self.slots.retain(|it| it.payload.is_some());
        self.slots.shrink_to(keep_room_for);
    }

    // ANCHOR: index_of
    /// Returns the index of a slot, or `None` if the slot has been removed. If no later slot has
    /// been removed, the slot is `next_sequence - sequence` places from the end. Otherwise, a
    /// binary search finds the slot.
    fn index_of(&self, sequence: u64) -> Option<usize> {
        let age = usize::try_from(self.next_sequence.checked_sub(sequence)?).ok()?;
        if let Some(index) = self.slots.len().checked_sub(age)
            && self.slots.get(index)?.sequence == sequence
        {
            return Some(index);
        }
        self.slots.binary_search_by_key(&sequence, |it| it.sequence).ok()
    }
    // ANCHOR_END: index_of
}
