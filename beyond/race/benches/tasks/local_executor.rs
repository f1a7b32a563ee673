//! async-executor's `LocalExecutor`, with async-channel.
//!
//! What might be unfair, against it: it's a thin wrapper of the executor for several threads, and
//! both its queue and its channel are atomic.

use std::future::Future as Coroutine;
use std::rc::Rc;

use async_executor::Task;
use futures::channel::oneshot;
use futures::executor::block_on;
use futures::future;
use step06_tasks::Result;

use crate::runtime::{Countdown, Runtime};

#[derive(Clone)]
pub(crate) struct LocalExecutor(Rc<async_executor::LocalExecutor<'static>>);

impl Runtime for LocalExecutor {
    type Task = Task<Result<u64>>;
    type Waiting = Task<Result<u64>>;

    fn run<C>(main: impl FnOnce(Self) -> C) -> u64
    where
        C: Coroutine<Output = Result<u64>> + 'static,
    {
        let executor = Rc::new(async_executor::LocalExecutor::new());
        let task = executor.spawn(main(LocalExecutor(Rc::clone(&executor))));
        block_on(executor.run(task)).expect("a result")
    }

    fn spawn(&self, coroutine: impl Coroutine<Output = Result<u64>> + 'static) -> Self::Task {
        self.0.spawn(coroutine)
    }

    fn spawn_detached(&self, coroutine: impl Coroutine<Output = Result<u64>> + 'static) {
        self.0.spawn(coroutine).detach();
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
        let (sender, receiver) = async_channel::bounded(1);
        let send = async move |message| sender.send(message).await.expect("sent");
        (send, async move || receiver.recv().await.expect("a message"))
    }

    fn channel(&self) -> (impl FnMut(u64) + 'static, impl AsyncFnMut() -> u64 + 'static) {
        let (sender, receiver) = async_channel::unbounded();
        let send = move |message| sender.try_send(message).expect("sent");
        (send, async move || receiver.recv().await.expect("a message"))
    }

    fn spawn_waiting(&self, arrivals: Rc<Countdown>) -> Self::Waiting {
        let (sender, receiver) = oneshot::channel::<Result<u64>>();
        self.0.spawn(async move {
            arrivals.arrive();
            let result = receiver.await.expect("the sender is still there");
            drop(sender);
            result
        })
    }

    async fn cancel(task: Self::Waiting) -> bool {
        task.cancel().await.is_none()
    }
}
