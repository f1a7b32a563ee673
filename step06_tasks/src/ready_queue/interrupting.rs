//! Ending a round early. The rest of the round keeps its place, before everything that was
//! scheduled meanwhile, until the queue is resumed.
//!
//! A callback can find out that nothing else should run now: a signal has told its host to stop,
//! for example, or an error has to leave the loop at once. In asyncio, `SystemExit` and
//! `KeyboardInterrupt` leave `run_forever` like that, and the rest of `_ready` stays as it was.
//!
//! A round takes the ready entries one by one and runs them. An interrupted queue looks like an
//! observed queue, so this costs nothing while no round is interrupted: the code for observed
//! entries gets the rest of the round and puts it aside.

use std::mem;

use super::ReadyQueue;
use crate::Runnable;

impl ReadyQueue {
    /// Ends the round after the callback or the step that's running: the rest of the round and
    /// everything that is scheduled wait until [`resume`](ReadyQueue::resume). Until then every
    /// round runs nothing.
    ///
    /// ```
    /// let queue = step06_tasks::ReadyQueue::new()?;
    /// let handle = queue.clone();
    /// queue.call_soon(move || handle.interrupt());
    /// queue.call_soon(|| println!("not now"));
    /// queue.run_ready();
    /// assert!(queue.resume());
    /// queue.run_ready();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn interrupt(&self) {
        self.shared.observation.is_interrupted.set(true);
        self.shared.observation.update();
    }

    /// Returns true from [`interrupt`](ReadyQueue::interrupt) until
    /// [`resume`](ReadyQueue::resume).
    pub fn is_interrupted(&self) -> bool {
        self.shared.observation.is_interrupted.get()
    }

    /// Lets the next round run again, beginning with the rest of the interrupted round in its
    /// order. Returns false if the queue wasn't interrupted.
    pub fn resume(&self) -> bool {
        if !self.shared.observation.is_interrupted.take() {
            return false;
        }
        self.shared.observation.update();
        let mut ready = self.shared.ready.borrow_mut();
        let scheduled = mem::take(&mut *ready);
        ready.extend(self.shared.left.take());
        ready.extend(scheduled);
        true
    }

    /// Puts an entry aside that the round won't run.
    pub(super) fn leave(&self, ready: Runnable) {
        self.shared.left.borrow_mut().push(ready);
    }
}
