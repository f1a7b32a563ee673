//! Waiting for a time.

use std::time::Duration;

use step06_tasks::{Result, yield_now};

use crate::event_loop::TimerHandle;
use crate::running::get_running_loop;

// ANCHOR: sleep
/// Lets the task wait for `delay`, never for less, while other tasks run. With zero, it needs no
/// timer and only lets the others have their turn, once, like [`yield_now`].
///
/// If it's cancelled, it fails with `Cancelled` and its timer is cancelled with it; so it is if it's
/// dropped before its time. Its time can also come in the very tick in which it's cancelled. A sleep
/// that was polled by one task can be awaited by another. Fails if no loop runs in this thread. (Not checked: that it does so with
/// a delay of zero.)
pub async fn sleep(delay: Duration) -> Result<()> {
    if delay.is_zero() {
        return yield_now().await;
    }
    let event_loop = get_running_loop()?;
    let future = event_loop.create_future();
    let woken = future.clone();
    let timer = event_loop.call_later(delay, move || {
        // The sleeper might have been cancelled in the same tick, and its future with it.
        let _ = woken.set_result(());
    });
    let _cancelled_with_the_sleep = CancelOnDrop(timer);
    future.await
}
// ANCHOR_END: sleep

struct CancelOnDrop(TimerHandle);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
