//! Step 07's loop as a contestant, with the library's tasks and sleeps.
//!
//! Possible unfairness, against it: its tasks support cancellation, names and callbacks, and it
//! keeps asyncio's order. In its favour: its server registers each client only once,
//! edge-triggered.

use std::time::Duration;

use asyncio::{Task, create_task, run};

use crate::from_scratch::Contest;

pub(crate) const NAME: &str = "step 07";

pub(crate) struct Ours;

impl Contest for Ours {
    type Task = Task<u64>;

    fn run(main: impl Future<Output = u64> + 'static) -> u64 {
        run(async { Ok(main.await) }).expect("it ends well")
    }

    fn spawn(task: impl Future<Output = u64> + 'static) -> Task<u64> {
        create_task(async { Ok(task.await) }).expect("a loop runs")
    }

    async fn join(task: Task<u64>) -> u64 {
        task.await.expect("it ends well")
    }

    async fn sleep(duration: Duration) {
        asyncio::sleep(duration).await.expect("nobody cancels it");
    }
}
