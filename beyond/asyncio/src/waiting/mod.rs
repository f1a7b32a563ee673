//! The functions and types with which a program waits for tasks and futures.
//!
//! These functions and types use only tools that are open to every program, such as futures, tasks,
//! done callbacks, timers, `cancel` and `uncancel`. The names are asyncio's, and so are the rules,
//! apart from the differences that the docs mention.
//!
//! | file | contents | effect of a cancellation |
//! | --- | --- | --- |
//! | `gather.rs` | `gather`: all results, in order | goes to all children |
//! | | `shield`: protects from a cancellation | stops at the shield |
//! | `wait.rs` | `wait`: until one is done, one has failed, or all are done | ends only the wait |
//! | | `as_completed`: results in the order in which they arrive | ends only the wait |
//! | `timeout.rs` | `timeout`, `wait_for`: a time limit | goes to the limited code |
//! | `task_group.rs` | `TaskGroup`: tasks that end together | goes to all members |

mod gather;
mod task_group;
mod timeout;
mod wait;

pub use self::gather::{gather, gather_return_exceptions, shield};
pub use self::task_group::{ExceptionGroup, TaskGroup};
pub use self::timeout::{Timeout, TimeoutError, timeout, timeout_at, wait_for};
pub use self::wait::{FutureLike, ReturnWhen, as_completed, wait};
