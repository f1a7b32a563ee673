//! tokio as a contestant: a `LocalSet` on a single-threaded runtime. The other contestants are
//! compared with it.
//!
//! Possible unfairness, against it: it's built for several threads, so its wakers are atomic and
//! its timers are behind a lock. In its favour: its timer wheel has a resolution of a millisecond.

use std::time::Duration;

use tokio::runtime::Builder;
use tokio::task::{JoinHandle, LocalSet, spawn_local};

use crate::from_scratch::Contest;

pub(crate) struct Tokio;

impl Contest for Tokio {
    type Task = JoinHandle<u64>;

    fn run(main: impl Future<Output = u64> + 'static) -> u64 {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        let set = LocalSet::new();
        let task = set.spawn_local(main);
        runtime.block_on(set.run_until(Self::join(task)))
    }

    fn spawn(task: impl Future<Output = u64> + 'static) -> JoinHandle<u64> {
        spawn_local(task)
    }

    async fn join(task: JoinHandle<u64>) -> u64 {
        task.await.expect("no panic")
    }

    async fn sleep(duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}
