//! Sharing between tasks; asyncio's `locks.py` and `queues.py`.
//!
//! Tasks of one loop never run at the same time, but they do take turns: at each await, any other
//! task can run, and change what was read before it. What's in here lets tasks agree on who goes
//! first, and makes the others wait. It holds no data itself; asyncio's doesn't either.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `waiters.rs`, `loop_bound.rs` | the line in which tasks wait, and the loop they belong to |
//! | `lock.rs`, `held.rs` | one task at a time, and the guard that releases |
//! | `event.rs`, `condition.rs` | something has happened; something has changed |
//! | `semaphore.rs`, `bounded_semaphore.rs` | so many at a time |
//! | `barrier.rs` | all together |
//! | `queue.rs`, `queue_items.rs`, `queue_end.rs` | handing items from task to task |
//! | `error.rs` | what's refused |
//!
//! Three rules hold for all of them:
//! 1. Waking a task only schedules it: the task takes its step in the next tick.
//! 2. Tasks are woken in the order in which they began to wait.
//! 3. A task that was woken and then is cancelled, or whose wait is dropped, hands on what it was
//!    woken for.

mod barrier;
mod bounded_semaphore;
mod condition;
mod error;
mod event;
mod held;
mod lock;
mod loop_bound;
mod queue;
mod queue_end;
mod queue_items;
mod semaphore;
mod waiters;

pub use barrier::Barrier;
pub use bounded_semaphore::BoundedSemaphore;
pub use condition::{Condition, HeldCondition};
pub use error::SyncError;
pub use event::Event;
pub use held::Held;
pub use lock::Lock;
pub use queue::{LifoQueue, PriorityQueue, Queue, QueueOf};
pub use queue_items::QueueItems;
pub use semaphore::Semaphore;
