//! An event: something has happened, or hasn't yet; asyncio's `Event`.

use std::cell::Cell;

use step06_tasks::Result;

use crate::sync::loop_bound::LoopBound;
use crate::sync::waiters::Waiters;

/// A flag that tasks can wait for.
///
/// Setting it wakes all tasks that wait at that moment, even if the flag is cleared before they run.
///
/// ```
/// use std::rc::Rc;
/// use step07_full_loop::{Event, create_task, run};
///
/// let greeting = run(async {
///     let ready = Rc::new(Event::new());
///     let waited_for = Rc::clone(&ready);
///     let waiter = create_task(async move {
///         waited_for.wait().await?;
///         Ok("good morning")
///     })?;
///     ready.set();
///     waiter.await
/// })?;
/// assert_eq!(greeting, "good morning");
/// # Ok::<(), step07_full_loop::LoopError>(())
/// ```
#[derive(Debug, Default)]
pub struct Event {
    is_set: Cell<bool>,
    waiters: Waiters,
    bound: LoopBound,
}

impl Event {
    /// Makes an event that isn't set.
    pub fn new() -> Self {
        Event::default()
    }

    /// Returns true if it's set.
    pub fn is_set(&self) -> bool {
        self.is_set.get()
    }

    /// Sets it, and wakes all tasks that wait.
    pub fn set(&self) {
        if !self.is_set.replace(true) {
            self.waiters.wake_all();
        }
    }

    /// Clears it: from here on, tasks wait again.
    pub fn clear(&self) {
        self.is_set.set(false);
    }

    /// Waits until it's set. If it is, that costs no tick.
    pub async fn wait(&self) -> Result<()> {
        if self.is_set() {
            return Ok(());
        }
        self.waiters.join(self.bound.create_future()?).wait().await
    }
}
