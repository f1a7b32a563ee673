//! Step 06's tasks on the bare ready queue, without a selector.
//!
//! Possible unfairness, in our favour: between two rounds, the queue doesn't check for messages
//! from other threads, a check that a loop makes once per tick. Against us: each step of a task
//! catches panics twice.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future as Coroutine;
use std::rc::Rc;

use step06_tasks::{Future, ReadyQueue, Result, Task};

use crate::tasks::runtime::{Countdown, Runtime};

#[derive(Clone)]
pub(crate) struct Ours(ReadyQueue);

impl Runtime for Ours {
    type Task = Task<u64>;
    type Waiting = Task<u64>;
    type Sender = Future<u64>;

    fn run<C>(main: impl FnOnce(Self) -> C) -> u64
    where
        C: Coroutine<Output = Result<u64>> + 'static,
    {
        let queue = ReadyQueue::new().expect("a queue");
        let task = queue.create_task(main(Ours(queue.clone())));
        // Enter the queue once, as a loop does for all its ticks.
        let _entered = queue.enter();
        while queue.run_ready() > 0 {}
        task.result().expect("a result")
    }

    fn spawn(&self, coroutine: impl Coroutine<Output = Result<u64>> + 'static) -> Task<u64> {
        self.0.create_task(coroutine)
    }

    async fn join(task: Task<u64>) -> u64 {
        task.await.expect("a result")
    }

    async fn yield_now() -> Result<()> {
        step06_tasks::yield_now().await
    }

    fn channel_of_one(
        &self,
    ) -> (impl AsyncFnMut(u64) + 'static, impl AsyncFnMut() -> u64 + 'static) {
        let sender = Channel::new(&self.0);
        let receiver = Rc::clone(&sender);
        let send = async move |message| sender.send(message).await.expect("sent");
        (send, async move || receiver.receive().await.expect("a message"))
    }

    fn one_message(&self) -> (Future<u64>, impl Coroutine<Output = u64> + 'static) {
        let future = self.0.create_future();
        (future.clone(), async move { future.await.expect("a message") })
    }

    fn send(future: Future<u64>, message: u64) {
        future.set_result(message).expect("nobody else has set it");
    }

    fn spawn_waiting(&self, arrivals: Rc<Countdown>) -> Task<u64> {
        let never = self.0.create_future();
        self.0.create_task(async move {
            arrivals.arrive();
            never.await
        })
    }

    async fn cancel(task: Task<u64>) -> bool {
        task.cancel();
        task.await.is_err_and(|error| error.is_cancelled())
    }
}

/// A small channel on the layer's public interface, for one sender and one receiver: a list of
/// messages, and a future for each of the two tasks while it waits, as in asyncio's `Queue`.
struct Channel {
    queue: ReadyQueue,
    messages: RefCell<VecDeque<u64>>,
    receiver: RefCell<Option<Future<()>>>,
    sender: RefCell<Option<Future<()>>>,
}

impl Channel {
    fn new(queue: &ReadyQueue) -> Rc<Self> {
        Rc::new(Channel {
            queue: queue.clone(),
            messages: RefCell::default(),
            receiver: RefCell::default(),
            sender: RefCell::default(),
        })
    }

    /// Waits until the channel is empty, then sends the message.
    async fn send(&self, message: u64) -> Result<()> {
        while !self.messages.borrow().is_empty() {
            self.wait(&self.sender).await?;
        }
        self.messages.borrow_mut().push_back(message);
        wake(&self.receiver)
    }

    async fn receive(&self) -> Result<u64> {
        loop {
            let message = self.messages.borrow_mut().pop_front();
            if let Some(message) = message {
                wake(&self.sender)?;
                return Ok(message);
            }
            self.wait(&self.receiver).await?;
        }
    }

    async fn wait(&self, place: &RefCell<Option<Future<()>>>) -> Result<()> {
        let future = self.queue.create_future();
        place.replace(Some(future.clone()));
        future.await
    }
}

fn wake(place: &RefCell<Option<Future<()>>>) -> Result<()> {
    place.take().map_or(Ok(()), |future| future.set_result(()))
}
