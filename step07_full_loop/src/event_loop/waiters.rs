//! The tasks that wait for one direction of a descriptor. A task is listed for a *wait*, such as
//! `readable().await`, or for a *poll*: a call to `poll_readable` or `poll_writable`.
//!
//! A wait is a future, and its place in the list is freed when the future is dropped. A task that
//! has only polled doesn't say when it loses interest, so the list of polls is swept now and then:
//! the entry of a task that has ended is dropped, and so is a second entry of the same task.

use std::cell::Cell;
use std::collections::HashSet;
use std::iter;
use std::mem;

use step06_tasks::{LocalWaker, Places};

thread_local! {
    /// The number of the thread's last wait. With a count in each list, a descriptor would take 16
    /// more bytes.
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// The waiters of one direction. A single waiter needs no allocation: it's in `first`. When that
/// place is free, the next newcomer gets it. The others stay in the order in which they came.
#[derive(Default)]
pub(super) struct Waiters {
    first: Option<Waiter>,
    others: Option<Box<Others>>,
}

struct Waiter {
    /// The number of a wait, or 0 for a task that has polled.
    number: u64,
    waker: LocalWaker,
}

#[derive(Default)]
struct Others {
    waits: Places<LocalWaker>,
    polled: Vec<LocalWaker>,
    /// The length at which `polled` is swept; a number below 16 counts as 16.
    sweep_at: usize,
}

impl Waiters {
    /// Takes all wakers out: the one in `first`, then those of the other waits, then those of the
    /// other tasks that have polled. A wait that was taken out keeps its number, which no other
    /// wait gets.
    #[inline]
    pub(super) fn take(&mut self) -> impl Iterator<Item = LocalWaker> + use<> {
        let mut first = self.first.take().map(|first| first.waker);
        let mut others = self.others.take().map(|others| others.into_wakers());
        iter::from_fn(move || first.take().or_else(|| others.as_mut()?.next()))
    }

    /// Lists a wait under a new number, or gives it another waker if it's listed already. Returns
    /// the replaced waker, if any, for the caller to drop once no borrow is held.
    #[inline]
    pub(super) fn add(&mut self, number: &mut u64, waker: LocalWaker) -> Option<LocalWaker> {
        let listed = match &mut self.first {
            Some(first) if *number > 0 && first.number == *number => Some(&mut first.waker),
            _ => self.others.as_mut().and_then(|others| others.waits.get_mut(*number)),
        };
        if let Some(listed) = listed {
            return Some(mem::replace(listed, waker));
        }
        *number = LAST.get() + 1;
        LAST.set(*number);
        if self.first.is_none() {
            self.first = Some(Waiter { number: *number, waker });
        } else {
            self.others.get_or_insert_default().waits.push(*number, waker);
        }
        None
    }

    /// Removes a wait, if it's still listed. The caller drops the returned waker once no borrow is
    /// held.
    pub(super) fn remove(&mut self, number: u64) -> Option<LocalWaker> {
        match self.first.take_if(|first| first.number == number) {
            Some(first) => Some(first.waker),
            None => self.others.as_mut()?.waits.remove(number),
        }
    }

    /// Lists a task that has polled, unless the first waiter or the last of the other polls is a
    /// poll by the same task. Returns the wakers that the list doesn't need.
    pub(super) fn add_polled(&mut self, waker: LocalWaker) -> Needless {
        match &mut self.first {
            None => self.first = Some(Waiter { number: 0, waker }),
            Some(Waiter { number: 0, waker: first }) if first.will_wake(&waker) => {
                return Needless::One(waker);
            }
            Some(Waiter { number: 0, waker: first }) if first.wakes_nothing() => {
                return Needless::One(mem::replace(first, waker));
            }
            Some(_) => return self.others.get_or_insert_default().add_polled(waker),
        }
        Needless::None
    }
}

/// Wakers that were never listed or are no longer listed. The caller drops them once no borrow is
/// held, since dropping a waker can run any code.
#[expect(dead_code, reason = "it's there to be dropped")]
pub(super) enum Needless {
    None,
    One(LocalWaker),
    Many(Vec<LocalWaker>),
}

impl Others {
    fn into_wakers(self) -> Box<dyn Iterator<Item = LocalWaker>> {
        Box::new(self.waits.into_values().chain(self.polled))
    }

    fn add_polled(&mut self, waker: LocalWaker) -> Needless {
        if self.polled.last().is_some_and(|last| last.will_wake(&waker)) {
            return Needless::One(waker);
        }
        self.polled.push(waker);
        if self.polled.len() < self.sweep_at.max(16) {
            return Needless::None;
        }
        let mut listed = HashSet::new();
        let is_needless =
            |waker: &mut LocalWaker| waker.wakes_nothing() || !listed.insert(waker.id());
        let needless = self.polled.extract_if(.., is_needless).collect();
        self.sweep_at = 2 * self.polled.len();
        Needless::Many(needless)
    }
}
