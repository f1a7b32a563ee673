//! What the timers are for, in the order they were made.
//!
//! Each has a number, counted from the first ever, and the list is sorted by it. So a value is
//! found by its number though those before it were swept out.

/// Payloads by their numbers.
#[derive(Debug)]
pub(crate) struct Payloads<T> {
    slots: Vec<Slot<T>>,
    next_sequence: u64,
    /// How many have not been taken.
    live: usize,
}

#[derive(Debug)]
struct Slot<T> {
    sequence: u64,
    /// Gone once it was taken.
    payload: Option<T>,
}

impl<T> Payloads<T> {
    pub(crate) fn new() -> Self {
        Payloads { slots: Vec::new(), next_sequence: 0, live: 0 }
    }

    /// Adds a value and returns its number, one more than the last.
    pub(crate) fn push(&mut self, payload: T) -> u64 {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        self.live += 1;
        self.slots.push(Slot { sequence, payload: Some(payload) });
        sequence
    }

    /// Takes a value out; nothing if it was taken before.
    pub(crate) fn take(&mut self, sequence: u64) -> Option<T> {
        let index = self.index_of(sequence)?;
        let payload = self.slots[index].payload.take()?;
        self.live -= 1;
        Some(payload)
    }

    /// Whether the value has not been taken.
    pub(crate) fn contains(&self, sequence: u64) -> bool {
        self.index_of(sequence).is_some_and(|index| self.slots[index].payload.is_some())
    }

    /// How many have not been taken.
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// How many places there are, with those whose values were taken.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Gives the places back whose values were taken, and memory for which there is no use.
    pub(crate) fn compact(&mut self, keep_room_for: usize) {
        self.slots.retain(|it| it.payload.is_some());
        self.slots.shrink_to(keep_room_for);
    }

    // ANCHOR: index_of
    /// A young one stands as far from the end as it is young. Among the old ones there are gaps,
    /// where others were swept out.
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
