//! A list of entries in the order of their arrival, in which each entry can be removed cheaply.
//!
//! In a plain list, finding an entry and closing its gap means going through all entries: if 80,000
//! tasks wait for one future and all are cancelled, that takes 3 s. Here a binary search finds an
//! entry by its number. A removed entry leaves an empty place, and the empty places are swept once
//! they make up more than half of the list. So removing an entry takes logarithmic time on average,
//! and the list is never more than twice as long as its contents.

/// Values in order, each under a number that's greater than the previous value's number.
///
/// ```
/// let mut list = step06_tasks::Places::default();
/// for (number, name) in [(3, "Ann"), (5, "Bob"), (9, "Cat")] {
///     list.push(number, name);
/// }
/// assert_eq!(list.remove(5), Some("Bob"));
/// assert_eq!(list.remove(5), None);
/// assert!(list.into_values().eq(["Ann", "Cat"]));
/// ```
#[derive(Debug)]
pub struct Places<T> {
    /// A place is empty once its value has been removed.
    places: Vec<(u64, Option<T>)>,
    empty: usize,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Places { places: Vec::new(), empty: 0 }
    }
}

impl<T> Places<T> {
    /// Adds a value after the existing values. The number has to be greater than the numbers of all
    /// values added before, even of removed ones.
    pub fn push(&mut self, number: u64, value: T) {
        debug_assert!(self.places.last().is_none_or(|(last, _)| *last < number));
        self.places.push((number, Some(value)));
    }

    /// Returns a mutable reference to the value with this number, or `None` if it isn't in the
    /// list.
    pub fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let index = self.index_of(number)?;
        self.places[index].1.as_mut()
    }

    /// Removes the value with this number and returns it, or returns `None` if it isn't in the
    /// list.
    pub fn remove(&mut self, number: u64) -> Option<T> {
        let index = self.index_of(number)?;
        let removed = self.places[index].1.take()?;
        self.empty += 1;
        if self.empty > self.places.len() / 2 {
            self.places.retain(|(_, value)| value.is_some());
            self.places.shrink_to(2 * self.places.len());
            self.empty = 0;
        }
        Some(removed)
    }

    /// Iterates over all values, in order.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.places.iter().filter_map(|(_, value)| value.as_ref())
    }

    /// Returns all values, in order.
    pub fn into_values(self) -> impl Iterator<Item = T> {
        self.places.into_iter().filter_map(|(_, value)| value)
    }

    fn index_of(&self, number: u64) -> Option<usize> {
        self.places.binary_search_by_key(&number, |(number, _)| *number).ok()
    }
}
