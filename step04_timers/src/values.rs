//! What the timers are for, in the order they were made.
//!
//! Each has a number, counted from the first ever, and the list is sorted by it. So a value is
//! found by its number though those before it were swept out.

/// Values by their numbers.
#[derive(Debug)]
pub(crate) struct Values<T> {
    list: Vec<Value<T>>,
    next: u64,
    /// How many have not been taken.
    live: usize,
}

#[derive(Debug)]
struct Value<T> {
    sequence: u64,
    /// Gone once it was taken.
    value: Option<T>,
}

impl<T> Values<T> {
    pub(crate) fn new() -> Self {
        Values { list: Vec::new(), next: 0, live: 0 }
    }

    /// Adds a value and returns its number, one more than the last.
    pub(crate) fn push(&mut self, value: T) -> u64 {
        let sequence = self.next;
        self.next += 1;
        self.live += 1;
        self.list.push(Value { sequence, value: Some(value) });
        sequence
    }

    /// Takes a value out; nothing if it was taken before.
    pub(crate) fn take(&mut self, sequence: u64) -> Option<T> {
        let place = self.place_of(sequence)?;
        let value = self.list[place].value.take()?;
        self.live -= 1;
        Some(value)
    }

    /// Whether the value has not been taken.
    pub(crate) fn contains(&self, sequence: u64) -> bool {
        self.place_of(sequence).is_some_and(|place| self.list[place].value.is_some())
    }

    /// How many have not been taken.
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// How many places there are, with those whose values were taken.
    pub(crate) fn places(&self) -> usize {
        self.list.len()
    }

    /// Gives the places back whose values were taken, and memory for which there is no use.
    pub(crate) fn sweep(&mut self, keep_room_for: usize) {
        self.list.retain(|it| it.value.is_some());
        self.list.shrink_to(keep_room_for);
    }

    // ANCHOR: place_of
    /// A young one stands as far from the end as it is young. Among the old ones there are gaps,
    /// where others were swept out.
    fn place_of(&self, sequence: u64) -> Option<usize> {
        let age = usize::try_from(self.next.checked_sub(sequence)?).ok()?;
        if let Some(place) = self.list.len().checked_sub(age)
            && self.list.get(place)?.sequence == sequence
        {
            return Some(place);
        }
        self.list.binary_search_by_key(&sequence, |it| it.sequence).ok()
    }
    // ANCHOR_END: place_of
}
