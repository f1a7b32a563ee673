//! A table with generations, which finds a value by a small index or by a token that belongs to one
//! entry.
//!
//! Indices are reused: the kernel hands out the lowest free descriptor, and a queue of tasks fills
//! its gaps. So an event or a wake-up can carry the token of a removed entry whose index now
//! belongs to another entry. A token also carries a *generation*, the number of entries made so
//! far, so that such a stale token finds nothing. The chapter's section "A token with a generation"
//! explains how far you can rely on generations.

/// Values by index, each under a token of its own.
///
/// Indices should be dense: the values are kept in a plain list with a slot for every index, so a
/// lookup is a single access without a hash. With 40 times as many values, the trials allow an
/// insert or a lookup ten times the CPU time, because measured times vary on a busy machine.
///
/// ```
/// let mut table = step03_selector::Table::new();
/// let token = table.next_token(3);
/// table.insert(3, "Ann");
/// assert_eq!(table.by_token(token), Some(&"Ann"));
/// table.remove(3);
/// table.insert(3, "Bob");
/// assert_eq!(table.by_token(token), None);
/// ```
// ANCHOR: table
#[derive(Debug)]
pub struct Table<V> {
    slots: Vec<Option<Slot<V>>>,
    /// The number of entries made so far.
    generation: u32,
}

#[derive(Debug)]
struct Slot<V> {
    generation: u32,
    value: V,
}
// ANCHOR_END: table

impl<V> Table<V> {
    /// Makes an empty table, which allocates nothing until it's used.
    pub fn new() -> Self {
        Table { slots: Vec::new(), generation: 0 }
    }

    /// Advances the generation as if `entries` more entries had been inserted and removed, so that
    /// you can test old tokens after that many entries.
    pub fn skip(&mut self, entries: u32) {
        self.generation = self.generation.wrapping_add(entries);
    }

    /// Returns the token of the next entry, if that entry is made at `index`.
    pub fn next_token(&self, index: u32) -> u64 {
        token(self.generation.wrapping_add(1), index)
    }

    // ANCHOR: insert
    /// Puts a value at `index`, as a new entry with a new generation. The entry's token is the one
    /// that [`next_token`](Table::next_token) would have returned just before the call. Drops the
    /// previous value at `index` and no other value. On average an insert costs the same, however
    /// many values there are: let the `Vec` grow by itself (`push`, `resize_with`) instead of
    /// making room for one slot at a time. The `Vec` may be reallocated at most four times while
    /// its length doubles, and not at all for an index that it already has.
    pub fn insert(&mut self, index: u32, value: V) {
        let index = index as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        self.generation = self.generation.wrapping_add(1);
        self.slots[index] = Some(Slot { generation: self.generation, value });
    }
    // ANCHOR_END: insert

    // ANCHOR: by_token
    /// Returns the value for which a token was made, if the token's entry still exists, however old
    /// the token is. You can pass any number, even one that isn't the token of an entry. A lookup
    /// costs the same, however many values there are.
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a token are 32 bits each")]
    pub fn by_token(&self, token: u64) -> Option<&V> {
        let (generation, index) = ((token >> 32) as u32, token as u32);
        let slot = self.slots.get(index as usize)?.as_ref()?;
        (slot.generation == generation).then_some(&slot.value)
    }
    // ANCHOR_END: by_token

    /// Returns the index of a token, if the token's entry still exists.
    #[expect(clippy::cast_possible_truncation, reason = "the lower half of a token is its index")]
    pub fn index_of(&self, token: u64) -> Option<u32> {
        self.by_token(token).map(|_| token as u32)
    }

    /// Returns the value at `index`.
    pub fn get(&self, index: u32) -> Option<&V> {
        let slot = self.slots.get(index as usize)?.as_ref()?;
        Some(&slot.value)
    }

    /// Returns the token of the entry at `index` and a mutable reference to its value.
    pub fn find(&mut self, index: u32) -> Option<(u64, &mut V)> {
        let slot = self.slots.get_mut(index as usize)?.as_mut()?;
        Some((token(slot.generation, index), &mut slot.value))
    }

    /// Removes the value at `index` and returns it. From now on, the entry's token finds nothing,
    /// at least until the generations wrap around.
    pub fn remove(&mut self, index: u32) -> Option<V> {
        let slot = self.slots.get_mut(index as usize)?.take()?;
        Some(slot.value)
    }

    /// Returns the number of places, filled or empty: one more than the largest index so far.
    pub fn places(&self) -> usize {
        self.slots.len()
    }

    /// Iterates over all values, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = &V> {
        self.slots.iter().flatten().map(|slot| &slot.value)
    }
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Table::new()
    }
}

// ANCHOR: token
/// Makes a token: the generation is its upper half, and the index its lower half.
fn token(generation: u32, index: u32) -> u64 {
    u64::from(generation) << 32 | u64::from(index)
}
// ANCHOR_END: token
