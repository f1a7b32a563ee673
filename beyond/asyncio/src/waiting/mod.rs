//! The functions with which a program waits for several tasks and futures.
//!
//! They use only what the loop offers to any program: futures, tasks, callbacks on their ends,
//! timers, `cancel` and `uncancel`. The names and rules are asyncio's.
//!
//! | file | contents | effect of a cancellation |
//! | --- | --- | --- |
//! | `gather.rs` | `gather`: all results, in order | goes to all children |
//! | | `shield`: protects from a cancellation | stops here |
//! | `wait.rs` | `wait`: the first, the first error, or all | ends the wait; the others run on |
//! | | `as_completed`: results in the order of their arrival | ends the wait; the others run on |
//! | `timeout.rs` | `timeout`, `wait_for`: a time limit | goes to the target of the wait |
//! | `task_group.rs` | `TaskGroup`: tasks that end together | goes to all members |

mod gather;
mod task_group;
mod timeout;
mod wait;

pub use self::gather::{gather, gather_return_exceptions, shield};
pub use self::task_group::{ExceptionGroup, TaskGroup};
pub use self::timeout::{Timeout, TimeoutError, timeout, timeout_at, wait_for};
pub use self::wait::{FutureLike, ReturnWhen, as_completed, wait};
