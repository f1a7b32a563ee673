//! Locks, queues and other objects that tasks share; asyncio's `locks.py` and `queues.py`.
//!
//! Tasks of one loop never run at the same time, but they do take turns: at each await that has to
//! wait, any other task can run and change values that the waiting task has read. With these types,
//! tasks agree on an order, and each waits its turn. As in asyncio, a lock doesn't hold the data
//! that it protects.
//!
//! | file | contents |
//! | --- | --- |
//! | `waiters.rs` | the line of waiting tasks, the loop of a lock, and the guard that releases a lock |
//! | `lock.rs` | a lock, which one task at a time can hold; a condition, which announces changes to the data that a lock protects |
//! | `event.rs` | an event, a flag that tasks wait for; a barrier, a place where tasks meet |
//! | `semaphore.rs` | a semaphore, which lets in a limited number of tasks at once |
//! | `queue.rs` | queues that pass items between tasks |
//!
//! Three rules hold for all these objects:
//! 1. Waking a task only schedules it: the task takes its step in the next tick.
//! 2. Tasks are woken in the order in which they began to wait.
//! 3. A task that was woken and is then cancelled, or whose wait is dropped, passes on the lock,
//!    the permit, a condition's notification, or its chance to use a queue.

mod event;
mod lock;
mod queue;
mod semaphore;
mod waiters;

pub use event::{Barrier, Event};
pub use lock::{Condition, HeldCondition, Lock};
pub use queue::{LifoQueue, PriorityQueue, Queue, QueueItems, QueueOf};
pub use semaphore::{BoundedSemaphore, Semaphore};
pub use waiters::{Held, SyncError};
