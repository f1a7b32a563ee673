//! A queue, which passes items from task to task and can limit the number of items that it holds;
//! asyncio's `Queue`, `PriorityQueue` and `LifoQueue`. A program can wait until all items are done
//! and can shut a queue down.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::marker::PhantomData;

use step06_tasks::Result;

use super::waiters::{LoopBound, Waiters};
use crate::{Event, SyncError, get_running_loop};

/// A queue that hands out its items in the order in which they were put.
pub type Queue<T> = QueueOf<T, VecDeque<T>>;

/// A queue that hands out its smallest item first, and equal items in any order, as in asyncio.
pub type PriorityQueue<T> = QueueOf<T, BinaryHeap<Reverse<T>>>;

/// A queue that hands out its newest item first.
pub type LifoQueue<T> = QueueOf<T, Vec<T>>;

/// A queue with room for a limited number of items, or for any number.
///
/// A task that puts an item into a full queue waits for room, so a fast producer can't get far
/// ahead of a slow consumer. Tasks that wait are woken in the order in which they began to wait.
/// But a task that runs before a woken task can take the item or the room first, and then the woken
/// task goes to the end of the line.
///
/// All tasks of a loop run on one thread, and no other task runs until you await. So the results of
/// `full` and `qsize` still hold in the next line.
///
/// ```
/// use std::rc::Rc;
/// use asyncio::{Queue, create_task, run};
///
/// let sum = run(async {
///     let queue = Rc::new(Queue::new(1));
///     let items = Rc::clone(&queue);
///     let consumer = create_task(async move {
///         let mut sum = 0;
///         for _ in 0..3 {
///             sum += items.get().await?;
///         }
///         Ok(sum)
///     })?;
///     for item in [1, 20, 300] {
///         queue.put(item).await?;
///     }
///     consumer.await
/// })?;
/// assert_eq!(sum, 321);
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Debug)]
pub struct QueueOf<T, I> {
    items: RefCell<I>,
    maxsize: usize,
    getters: Waiters,
    putters: Waiters,
    bound: LoopBound,
    /// The number of items that were put and aren't done.
    unfinished: Cell<usize>,
    /// Set while all items are done.
    pub(crate) finished: Event,
    is_shut_down: Cell<bool>,
    of: PhantomData<T>,
}

impl<T, I: QueueItems<T>> QueueOf<T, I> {
    /// Makes an empty queue with room for `maxsize` items; 0 means any number.
    pub fn new(maxsize: usize) -> Self {
        let finished = Event::new();
        finished.set();
        QueueOf {
            items: RefCell::default(),
            maxsize,
            getters: Waiters::default(),
            putters: Waiters::default(),
            bound: LoopBound::default(),
            unfinished: Cell::new(0),
            finished,
            is_shut_down: Cell::new(false),
            of: PhantomData,
        }
    }

    /// Returns the maximum number of items in the queue; 0 means any number.
    pub fn maxsize(&self) -> usize {
        self.maxsize
    }

    /// Returns the number of items in the queue.
    pub fn qsize(&self) -> usize {
        self.items.borrow().count()
    }

    /// Returns true if there are no items in the queue.
    pub fn empty(&self) -> bool {
        self.qsize() == 0
    }

    /// Returns true if there's no room for another item.
    pub fn full(&self) -> bool {
        self.maxsize > 0 && self.qsize() >= self.maxsize
    }

    /// Waits for room and puts an item. If there's room, the call costs no tick.
    ///
    /// If the call fails, or is cancelled or dropped while it waits, the item is dropped. In
    /// asyncio the caller keeps the item, whereas here the item was moved into the call.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::QueueShutDown`] if the queue is shut down. A wait fails as
    /// [`Event::wait`] does.
    pub async fn put(&self, item: T) -> Result<()> {
        self.wait_until(&self.putters, || !self.full()).await?;
        self.put_nowait(item)
    }

    /// Puts an item without waiting.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::QueueFull`] if there's no room, or with [`SyncError::QueueShutDown`]
    /// if the queue is shut down. Either way, the item is dropped. To keep an item for which
    /// there's no room, call [`full`](QueueOf::full) first.
    pub fn put_nowait(&self, item: T) -> Result<()> {
        self.check_not_shut_down()?;
        if self.full() {
            return Err(SyncError::QueueFull.into());
        }
        self.items.borrow_mut().put(item);
        self.unfinished.set(self.unfinished.get() + 1);
        self.finished.clear();
        self.getters.wake_next();
        Ok(())
    }

    /// Waits for an item and takes it. If the queue has an item, the call costs no tick. If the
    /// call is cancelled or dropped while it waits, it takes no item, so no item gets lost.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::QueueShutDown`] if the queue is shut down and there are no items
    /// left. A wait fails as [`Event::wait`] does.
    pub async fn get(&self) -> Result<T> {
        self.wait_until(&self.getters, || !self.empty()).await?;
        self.get_nowait()
    }

    /// Takes an item without waiting.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::QueueEmpty`] if there's no item, or with
    /// [`SyncError::QueueShutDown`] if the queue is also shut down.
    pub fn get_nowait(&self) -> Result<T> {
        // The borrow ends here, since a waker can run any code and use the queue.
        let item = self.items.borrow_mut().get();
        let Some(item) = item else {
            self.check_not_shut_down()?;
            return Err(SyncError::QueueEmpty.into());
        };
        self.putters.wake_next();
        Ok(item)
    }

    // ANCHOR: wait_until
    /// Waits in the given line until `can_go_on()` is true: there's an item, or there's room. Fails
    /// if the task would have to wait and the queue is shut down, even if the task has already
    /// waited.
    ///
    /// - If there's already an item, or room, the call costs no tick, needs no loop, and succeeds
    ///   even if the queue is shut down or the task is being cancelled (`queues_of_many_tasks`).
    /// - A task that has heard of its cancellation and cleans up can wait like any other
    ///   (`queues_of_many_tasks`).
    /// - Being woken is a chance, not a promise. If another task was faster, this task waits again,
    ///   at the end of the line (`queues_of_many_tasks`).
    /// - No chance gets lost. If this task was woken and is cancelled before it continues, or if
    ///   its wait is dropped, even by the task itself or by a panic, the next task in line gets the
    ///   chance (`queues_of_many_tasks`).
    /// - If there's no longer an item, or room, to pass on, the next task isn't woken, because it
    ///   would lose its place in line (`queues_of_many_tasks`).
    async fn wait_until(&self, waiters: &Waiters, can_go_on: impl Fn() -> bool) -> Result<()> {
        while !can_go_on() {
            self.check_not_shut_down()?;
            let place = waiters.join(self.bound.create_future()?);
            let pass_on = |was_woken| {
                if was_woken && can_go_on() {
                    waiters.wake_next();
                }
            };
            place.wait_or(pass_on).await?;
        }
        Ok(())
    }
    // ANCHOR_END: wait_until

    // ANCHOR: shut_down
    fn check_not_shut_down(&self) -> Result<()> {
        if self.is_shut_down.get() {
            return Err(SyncError::QueueShutDown.into());
        }
        Ok(())
    }
    // ANCHOR_END: shut_down

    /// Wakes all waiting tasks.
    pub(crate) fn wake_all(&self) {
        self.getters.wake_all();
        self.putters.wake_all();
    }
}

/// The collection in which a queue keeps its items. The collection decides which item is next.
///
/// A queue is borrowed while it calls these methods, so the methods can't use the queue.
pub trait QueueItems<T>: Default {
    /// Adds an item.
    fn put(&mut self, item: T);
    /// Removes and returns the next item, or returns `None` if there are no items.
    fn get(&mut self) -> Option<T>;
    /// Returns the number of items.
    fn count(&self) -> usize;
}

/// Hands out the oldest item first.
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

/// Hands out the newest item first.
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

/// Hands out the smallest item first.
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

impl<T, I: QueueItems<T>> QueueOf<T, I> {
    /// Reports that the caller has finished with an item that it took from the queue.
    ///
    /// # Errors
    ///
    /// Fails with [`SyncError::TaskDoneTooManyTimes`] if all items that were put are already done.
    pub fn task_done(&self) -> Result<()> {
        if self.unfinished.get() == 0 {
            return Err(SyncError::TaskDoneTooManyTimes.into());
        }
        self.one_is_done();
        Ok(())
    }

    fn one_is_done(&self) {
        self.unfinished.set(self.unfinished.get() - 1);
        if self.unfinished.get() == 0 {
            self.finished.set();
        }
    }

    /// Waits until all items that were put are done; see [`task_done`](QueueOf::task_done).
    ///
    /// # Errors
    ///
    /// A wait fails as [`Event::wait`] does.
    pub async fn join(&self) -> Result<()> {
        if self.unfinished.get() > 0 {
            self.finished.wait().await?;
        }
        Ok(())
    }

    /// Shuts the queue down: from now on, no item can be put, and once the items in the queue are
    /// taken, `get` fails. All tasks that wait for an item or for room are woken and fail, except
    /// for tasks that still find an item to take. CPython has had `shutdown` since 3.13.
    ///
    /// If `immediate` is true, the items are dropped and count as done.
    ///
    /// ```
    /// use asyncio::{Queue, SyncError};
    /// let queue = Queue::new(0);
    /// queue.put_nowait("the last one")?;
    /// queue.shutdown(false);
    /// assert_eq!(queue.get_nowait()?, "the last one");
    /// let refused = queue.get_nowait().map_err(|error| SyncError::of(&error));
    /// assert_eq!(refused, Err(Some(SyncError::QueueShutDown)));
    /// # Ok::<(), asyncio::Error>(())
    /// ```
    pub fn shutdown(&self, immediate: bool) {
        self.is_shut_down.set(true);
        let items = if immediate { self.take_all() } else { I::default() };
        self.wake_all();
        discard_all(items);
    }

    /// Removes all items, which count as done.
    fn take_all(&self) -> I {
        let items = self.items.take();
        self.unfinished.set(self.unfinished.get().saturating_sub(items.count()));
        if self.unfinished.get() == 0 {
            self.finished.set();
        }
        items
    }
}

/// Drops items one by one. The caller does all other work first, because an item's destructor can
/// use the queue. If a destructor panics while a loop runs in this thread, the loop reports the
/// panic.
fn discard_all<T>(mut items: impl QueueItems<T>) {
    let event_loop = get_running_loop();
    while let Some(item) = items.get() {
        match &event_loop {
            Ok(event_loop) => event_loop.discard(item),
            Err(_) => drop(item),
        }
    }
}
