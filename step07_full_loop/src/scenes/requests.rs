//! Whose request a cancellation was, and what becomes of one that isn't taken back.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step07_full_loop::{EventLoop, TimeoutError, VirtualClock, current_task, sleep, timeout};

scene!(
    a_request_is_not_taken_back,
    "A block cancels its own task, catches that, and goes on. What does a timeout around it report?"
);
/// A task group does that when a member fails: to get its own task out of what it awaits. Once, the
/// block takes its request back; once, it doesn't. The timeout is up a second later.
fn a_request_is_not_taken_back(t: Transcript) -> anyhow::Result<()> {
    for takes_back in [true, false] {
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        event_loop.run(async move {
            let block = async {
                cancel_and_catch(takes_back).await;
                sleep(Duration::from_hours(1)).await
            };
            let outcome = timeout(Duration::from_secs(1))?.run(block).await;
            let timed_out = outcome.is_err_and(|error| TimeoutError::is(&error));
            say!(t, "taken back = {takes_back}: TimeoutError = {timed_out}");
            Ok(())
        })?;
    }
    Ok(())
}

async fn cancel_and_catch(takes_back: bool) {
    let Some(task) = current_task() else { return };
    task.cancel();
    // This fails at once.
    let _ = sleep(Duration::from_hours(1)).await;
    if takes_back {
        task.uncancel();
    }
}
