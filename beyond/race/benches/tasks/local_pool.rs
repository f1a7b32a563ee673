//! futures' `LocalPool`, with the channels of the same crate.
//!
//! What might be unfair, against it: it has no tasks that can be cancelled, so one that waits is
//! wrapped twice.

use std::future::Future as Coroutine;
use std::hint::black_box;
use std::rc::Rc;

use futures::channel::{mpsc, oneshot};
use futures::executor::LocalSpawner;
use futures::future::{self, AbortHandle, Aborted, RemoteHandle};
use futures::task::LocalSpawnExt;
use futures::{SinkExt, StreamExt};
use step06_tasks::Result;

use crate::runtime::{Countdown, Runtime};

#[derive(Clone)]
pub(crate) struct LocalPool(LocalSpawner);

impl Runtime for LocalPool {
    type Task = RemoteHandle<Result<u64>>;
    type Waiting = (RemoteHandle<std::result::Result<Result<u64>, Aborted>>, AbortHandle);

    fn run<C>(main: impl FnOnce(Self) -> C) -> u64
    where
        C: Coroutine<Output = Result<u64>> + 'static,
    {
        let mut pool = futures::executor::LocalPool::new();
        let handle = LocalPool(pool.spawner());
        let task = handle.spawn(main(handle.clone()));
        pool.run_until(task).expect("a result")
    }

    fn spawn(&self, coroutine: impl Coroutine<Output = Result<u64>> + 'static) -> Self::Task {
        self.0.spawn_local_with_handle(coroutine).expect("the pool is still there")
    }

    fn spawn_detached(&self, coroutine: impl Coroutine<Output = Result<u64>> + 'static) {
        // Without a result, it needs no place for one.
        let coroutine = async { drop(black_box(coroutine.await)) };
        self.0.spawn_local(coroutine).expect("the pool is still there");
    }

    async fn join(task: Self::Task) -> u64 {
        task.await.expect("a result")
    }

    async fn join_all(tasks: Vec<Self::Task>) -> u64 {
        future::join_all(tasks).await.into_iter().map(|result| result.expect("a result")).sum()
    }

    async fn yield_now() -> Result<()> {
        race::wake_oneself().await;
        Ok(())
    }

    fn channel_of_one(
        &self,
    ) -> (impl AsyncFnMut(u64) + 'static, impl AsyncFnMut() -> u64 + 'static) {
        // Each sender has a place of its own in addition to the shared ones.
        let (mut sender, mut receiver) = mpsc::channel(0);
        let send = async move |message| sender.feed(message).await.expect("sent");
        (send, async move || receiver.next().await.expect("a message"))
    }

    fn channel(&self) -> (impl FnMut(u64) + 'static, impl AsyncFnMut() -> u64 + 'static) {
        let (sender, mut receiver) = mpsc::unbounded();
        let send = move |message| sender.unbounded_send(message).expect("sent");
        (send, async move || receiver.next().await.expect("a message"))
    }

    fn spawn_waiting(&self, arrivals: Rc<Countdown>) -> Self::Waiting {
        let (sender, receiver) = oneshot::channel::<Result<u64>>();
        let (coroutine, abort) = future::abortable(async move {
            arrivals.arrive();
            let result = receiver.await.expect("the sender is still there");
            drop(sender);
            result
        });
        let task = self.0.spawn_local_with_handle(coroutine).expect("the pool is still there");
        (task, abort)
    }

    async fn cancel((task, abort): Self::Waiting) -> bool {
        abort.abort();
        task.await.is_err()
    }
}
