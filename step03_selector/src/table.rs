//! A table with generations: values found by a small index, and by a token that is never reused.
//!
//! An index comes back: the kernel hands out the lowest free descriptor, and a queue of tasks fills
//! its gaps. So a token that has left the table, with an event or a wake-up, can come home after its
//! entry has ended, and find another one at the same index. The token therefore also carries a
//! *generation*, which counts the entries ever made: a stale token matches none of those that are
//! there.

/// Values by index, each under a token of its own.
///
/// Indices should be dense, since the values are kept in a plain list: that makes a lookup one
/// access, with nothing to hash.
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
#[derive(Debug)]
pub struct Table<V> {
    slots: Vec<Option<Slot<V>>>,
    /// Entries made so far; wraps at 2³². A token would have to be kept for that long, and be for
    /// the same index, to match a later entry.
    generation: u32,
}

#[derive(Debug)]
struct Slot<V> {
    generation: u32,
    value: V,
}

impl<V> Table<V> {
    /// Makes an empty table; it allocates nothing before it is used.
    pub fn new() -> Self {
        Table { slots: Vec::new(), generation: 0 }
    }

    /// Returns the token of the next entry, if it is made at `index`.
    pub fn next_token(&self, index: u32) -> u64 {
        token(self.generation.wrapping_add(1), index)
    }

    // ANCHOR: insert
    /// Puts a value at `index`, as a new entry: with a generation that no earlier one had. Its token
    /// is what [`next_token`](Table::next_token) has just promised. What was there before is dropped.
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
    /// Returns the value that a token was made for, if that entry is still there.
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a token are 32 bits each")]
    pub fn by_token(&self, token: u64) -> Option<&V> {
        let (generation, index) = ((token >> 32) as u32, token as u32);
        let slot = self.slots.get(index as usize)?.as_ref()?;
        (slot.generation == generation).then_some(&slot.value)
    }
    // ANCHOR_END: by_token

    /// Returns the index that a token was made for, if that entry is still there.
    #[expect(clippy::cast_possible_truncation, reason = "the lower half of a token is its index")]
    pub fn index_of(&self, token: u64) -> Option<u32> {
        self.by_token(token).map(|_| token as u32)
    }

    /// Returns the value at `index`.
    pub fn get(&self, index: u32) -> Option<&V> {
        let slot = self.slots.get(index as usize)?.as_ref()?;
        Some(&slot.value)
    }

    /// Returns the value at `index`, to be changed, and its token.
    pub fn find(&mut self, index: u32) -> Option<(u64, &mut V)> {
        let slot = self.slots.get_mut(index as usize)?.as_mut()?;
        Some((token(slot.generation, index), &mut slot.value))
    }

    /// Takes the value at `index` out. Its token finds nothing from now on.
    pub fn remove(&mut self, index: u32) -> Option<V> {
        let slot = self.slots.get_mut(index as usize)?.take()?;
        Some(slot.value)
    }

    /// Goes through all values, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = &V> {
        self.slots.iter().flatten().map(|slot| &slot.value)
    }
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Table::new()
    }
}

/// The generation is the upper half of a token, and the index the lower one.
fn token(generation: u32, index: u32) -> u64 {
    u64::from(generation) << 32 | u64::from(index)
}
