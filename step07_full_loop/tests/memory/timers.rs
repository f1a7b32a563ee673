//! Timers that are over leave nothing behind in a loop that's never idle.

use std::time::Duration;

use kit::memory::Memory;
use step07_full_loop::{create_task, get_running_loop, run, sleep, yield_now};

pub(crate) fn a_busy_loop_keeps_no_cancelled_timers() {
    run(async {
        let event_loop = get_running_loop()?;
        let mut kept = Vec::new();
        for _ in 0..10 {
            for _ in 0..10_000 {
                event_loop.call_later(Duration::from_hours(1), || {}).cancel();
            }
            yield_now().await?;
            kept.push(Memory::until_now().in_use);
        }
        assert!(kept[9] - kept[0] < 10_000, "{kept:?}");
        Ok(())
    })
    .unwrap();
}

pub(crate) fn a_busy_loop_keeps_nothing_of_timers_that_have_fired() {
    run(async {
        // Something is always ready, so the loop never asks how long it can sleep.
        let yields = create_task::<()>(async {
            loop {
                yield_now().await?;
            }
        })?;
        let mut kept = Vec::new();
        for _ in 0..10 {
            for _ in 0..10_000 {
                sleep(Duration::from_nanos(1)).await?;
            }
            kept.push(Memory::until_now().in_use);
        }
        assert!(kept[9] - kept[0] < 10_000, "{kept:?}");
        yields.cancel();
        Ok(())
    })
    .unwrap();
}
