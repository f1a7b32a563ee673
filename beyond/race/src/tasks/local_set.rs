//! tokio: a `LocalSet` on a current-thread runtime.
//!
//! tokio takes part twice. In `tokio`, the load is an ordinary task, as with the other contestants.
//! In "tokio, in `block_on`", the load is the coroutine that the runtime itself runs, as with
//! `#[tokio::main]`, the usual way to start a program on tokio. All other contestants, this second
//! one included, are compared with `tokio`.
//!
//! Possible unfairness, in tokio's favour: an aborted task is dropped, whereas a task of ours
//! continues with an error, which it can handle. Against tokio: its runtime is built for several
//! threads and for I/O, so its wakers and channels are atomic; it checks its empty driver whenever
//! a task yields, and a task that has used up its budget of 128 messages or joins has to yield.
//! Here the runtime has neither I/O nor timers, because the ready queue has neither.

use std::future::Future as Coroutine;
use std::rc::Rc;

use step06_tasks::Result;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{self, JoinHandle};

use crate::tasks::runtime::{Countdown, Runtime};

#[derive(Clone)]
pub(crate) struct LocalSet<const IN_BLOCK_ON: bool>;

impl<const IN_BLOCK_ON: bool> Runtime for LocalSet<IN_BLOCK_ON> {
    type Task = JoinHandle<Result<u64>>;
    type Waiting = JoinHandle<Result<u64>>;
    type Sender = oneshot::Sender<u64>;

    fn run<C>(main: impl FnOnce(Self) -> C) -> u64
    where
        C: Coroutine<Output = Result<u64>> + 'static,
    {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let set = task::LocalSet::new();
        let main = main(LocalSet);
        if IN_BLOCK_ON {
            return set.block_on(&runtime, main).expect("a result");
        }
        let task = set.spawn_local(main);
        runtime.block_on(set.run_until(Self::join(task)))
    }

    fn spawn(&self, coroutine: impl Coroutine<Output = Result<u64>> + 'static) -> Self::Task {
        task::spawn_local(coroutine)
    }

    async fn join(task: Self::Task) -> u64 {
        task.await.expect("its end").expect("a result")
    }

    async fn yield_now() -> Result<()> {
        task::yield_now().await;
        Ok(())
    }

    fn channel_of_one(
        &self,
    ) -> (impl AsyncFnMut(u64) + 'static, impl AsyncFnMut() -> u64 + 'static) {
        let (sender, mut receiver) = mpsc::channel(1);
        let send = async move |message| sender.send(message).await.expect("sent");
        (send, async move || receiver.recv().await.expect("a message"))
    }

    fn one_message(&self) -> (Self::Sender, impl Coroutine<Output = u64> + 'static) {
        let (sender, receiver) = oneshot::channel();
        (sender, async move { receiver.await.expect("a message") })
    }

    fn send(sender: Self::Sender, message: u64) {
        sender.send(message).expect("the receiver waits");
    }

    fn spawn_waiting(&self, arrivals: Rc<Countdown>) -> Self::Waiting {
        let (sender, receiver) = oneshot::channel::<Result<u64>>();
        task::spawn_local(async move {
            arrivals.arrive();
            let result = receiver.await.expect("the sender is still there");
            drop(sender);
            result
        })
    }

    async fn cancel(task: Self::Waiting) -> bool {
        task.abort();
        task.await.is_err_and(|error| error.is_cancelled())
    }
}
