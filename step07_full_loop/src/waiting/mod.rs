//! Waiting for many: what a program makes of tasks and futures once it has more than one.
//!
//! Everything here is written with what the loop offers to all: futures, tasks, callbacks on their
//! ends, timers, `cancel` and `uncancel`. The names and rules are asyncio's.
//!
//! | file | what is in it | what a cancellation does |
//! | --- | --- | --- |
//! | `gather.rs`, `children.rs` | all results, in order | goes to all children |
//! | `wait.rs`, `future_like.rs` | waits for the first, the first error, or all | ends the wait; the others run on |
//! | `as_completed.rs` | results in the order in which they come | ends the wait; the others run on |
//! | `shield.rs` | keeps a cancellation away | stops here |
//! | `timeout.rs`, `deadline.rs`, `wait_for.rs` | a limit in time | goes to what's waited for |
//! | `task_group.rs`, `members.rs` | tasks that end together | goes to all members |
//! | `timeout_error.rs`, `exception_group.rs` | the errors that come out | |

mod as_completed;
mod children;
mod deadline;
mod exception_group;
mod future_like;
mod gather;
mod members;
mod shield;
mod task_group;
mod timeout;
mod timeout_error;
mod wait;
mod wait_for;

pub use self::as_completed::as_completed;
pub use self::exception_group::ExceptionGroup;
pub use self::future_like::FutureLike;
pub use self::gather::{gather, gather_return_exceptions};
pub use self::shield::shield;
pub use self::task_group::TaskGroup;
pub use self::timeout::{Timeout, timeout, timeout_at};
pub use self::timeout_error::TimeoutError;
pub use self::wait::{ReturnWhen, wait};
pub use self::wait_for::wait_for;
