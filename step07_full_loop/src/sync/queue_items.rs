//! The order in which a queue hands out its items; asyncio's `_init`, `_put` and `_get`, which its
//! other queues override.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What a queue keeps its items in, and which of them it hands out next.
///
/// A queue holds a borrow while it calls these, so none of them can use the queue.
pub trait QueueItems<T>: Default {
    /// Adds an item.
    fn put(&mut self, item: T);
    /// Removes the item that's next.
    fn get(&mut self) -> Option<T>;
    /// Returns the number of items.
    fn count(&self) -> usize;
}

/// First in, first out.
impl<T> QueueItems<T> for VecDeque<T> {
    fn put(&mut self, item: T) {
        self.push_back(item);
    }

    fn get(&mut self) -> Option<T> {
        self.pop_front()
    }

    fn count(&self) -> usize {
        self.len()
    }
}

/// Last in, first out.
impl<T> QueueItems<T> for Vec<T> {
    fn put(&mut self, item: T) {
        self.push(item);
    }

    fn get(&mut self) -> Option<T> {
        self.pop()
    }

    fn count(&self) -> usize {
        self.len()
    }
}

/// The smallest first.
impl<T: Ord> QueueItems<T> for BinaryHeap<Reverse<T>> {
    fn put(&mut self, item: T) {
        self.push(Reverse(item));
    }

    fn get(&mut self) -> Option<T> {
        self.pop().map(|Reverse(item)| item)
    }

    fn count(&self) -> usize {
        self.len()
    }
}
