//! Stand-ins for exercises that aren't solved yet: most functions here do roughly what a later
//! exercise will do. Only trials and scenes use these functions.

use std::task::{Context, Waker};

use crate::any_task::AnyTaskBody;
use crate::ready_queue::Message;
use crate::{Future, ReadyQueue, Result, Task, step};

/// Returns the waker that a step passes on in its context.
pub fn waker_of<T: 'static>(task: &Task<T>) -> Waker {
    Waker::from(task.body.control().waker_state())
}

/// Notes that a step has begun, so that the next wake-up queues another step.
pub fn begin_step<T: 'static>(task: &Task<T>) {
    task.body.control().queued.set(false);
}

/// Calls a function as a step polls the coroutine: this task is the current one and can have a
/// cancellation to deliver.
pub fn as_current<T: 'static, R>(task: &Task<T>, call: impl FnOnce(&mut Context<'_>) -> R) -> R {
    let _running = step::begin_step(task.any());
    let waker = Waker::from(task.body.control().waker_state());
    call(&mut Context::from_waker(&waker))
}

/// Ends the task as its last step does: the task says it's done before its future has an outcome.
///
/// # Errors
///
/// Fails with `InvalidState` if the task has an outcome already.
pub fn end_with<T: 'static>(task: &Task<T>, outcome: Result<T>) -> Result<()> {
    let control = task.body.control();
    control.end();
    control.queue.forget_task(control.id);
    task.future().finish(outcome)
}

/// Gives the future an outcome and schedules nothing that waits.
pub fn give_outcome<T: 'static>(future: &Future<T>, outcome: Result<T>) {
    drop(future.shared.state().outcome.replace(Some(outcome)));
}

/// Schedules all that waits, whether the future is done or not.
pub fn schedule_all<T: 'static>(future: &Future<T>) {
    let waiting = future.shared.state().callbacks.take();
    future.schedule(waiting);
}

/// Runs until nothing is ready, without counting rounds.
pub fn run_uncounted(queue: &ReadyQueue) {
    let _entered = queue.enter();
    let ready = || queue.shared.ready.borrow_mut().pop_front();
    std::iter::from_fn(ready).for_each(|runnable| queue.run(runnable));
}

/// Returns how many callbacks and tasks are ready, and how many messages are in the inbox.
pub fn ready_and_sent(queue: &ReadyQueue) -> (usize, usize) {
    (queue.shared.ready.borrow().len(), queue.shared.inbox.len())
}

/// Empties the queue's inbox and returns the messages.
pub fn take_messages(queue: &ReadyQueue) -> Taken {
    let mut messages = Vec::new();
    queue.shared.inbox.take_ahead(&mut messages);
    Taken { messages }
}

/// Messages that aren't in the inbox any more and haven't arrived.
#[derive(Default)]
pub struct Taken {
    messages: Vec<Message>,
}

impl Taken {
    /// Lets the wake-ups arrive and queues nothing. Returns the number of messages.
    pub fn drop_all(self) -> usize {
        for message in &self.messages {
            if let Message::Wake(waker) = message {
                waker.has_arrived();
            }
        }
        self.messages.len()
    }
}
