//! What the trials of an exercise need of the exercises after it, which aren't written yet: each
//! function here does, for them alone and only roughly, what one of those will do. Nothing else uses
//! it.

use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};

use crate::current_task;
use crate::queue_handle::Message;
use crate::task::Step;
use crate::{Future, ReadyQueue, Result, Task};

#[doc(hidden)]
impl<T: 'static> Task<T> {
    /// Returns the waker that a step passes on in its context.
    pub fn waker(&self) -> Waker {
        self.body().control().with_waker(Clone::clone)
    }

    /// Notes that a step has begun, so that the next wake-up queues another one.
    pub fn begin_step(&self) {
        self.body().control().begin_step();
    }

    /// Calls a function as the coroutine is called in a step: this task is the current one, and can
    /// have a cancellation to deliver.
    pub fn as_current<R>(&self, call: impl FnOnce(&mut Context<'_>) -> R) -> R {
        self.body().control().begin_delivery();
        self.body().control().with_waker(|waker| {
            let mut context = Context::from_waker(waker);
            current_task::with_current(Rc::clone(self.body()) as Rc<dyn Step>, || {
                call(&mut context)
            })
        })
    }

    /// Returns true if the task has noted that it waits for this future.
    pub fn waits_for_what_is<U>(&self, future: &Future<U>) -> bool {
        let waits_for = self.body().control().waits_for();
        waits_for
            .is_some_and(|it| Rc::as_ptr(&it).cast::<()>() == Rc::as_ptr(&future.shared).cast())
    }

    /// Ends the task as its last step does, which says that it's done before its future has come to
    /// anything.
    pub fn end_with(&self, outcome: Result<T>) -> Result<()> {
        let control = self.body().control();
        control.end();
        control.queue.forget_task(control.id);
        self.future().finish(outcome)
    }

    /// Makes the task's next step deliver a cancellation, whatever it waits for.
    pub fn cancel_at_next_step(&self, message: &str) {
        self.body().control().set_cancel_message(Some(Arc::from(message)));
        self.body().control().cancel_at_next_step();
    }
}

#[doc(hidden)]
impl<T: 'static> Future<T> {
    /// Gives the future an outcome, and tells nothing that waits.
    pub fn has_come_to(&self, outcome: Result<T>) {
        drop(self.shared.state().outcome.replace(Some(outcome)));
    }

    /// Schedules all that waits, whether the future is done or not.
    pub fn schedule_all(&self) {
        let waiting = std::mem::take(&mut *self.shared.state().callbacks.borrow_mut());
        self.schedule(waiting);
    }
}

#[doc(hidden)]
impl ReadyQueue {
    /// Makes the next step of the task that runs deliver a cancellation.
    pub fn cancel_the_running_task(&self) {
        if let Some(task) = current_task::current() {
            task.control().cancel_at_next_step();
        }
    }

    /// Runs until nothing is ready, without counting rounds.
    pub fn run_uncounted(&self) {
        let _entered = self.enter();
        let ready = || self.shared.ready.borrow_mut().pop_front();
        std::iter::from_fn(ready).for_each(|runnable| self.run(runnable));
    }

    /// Lets the wake-ups that were sent arrive, and queues nothing. Returns their number.
    pub fn drop_messages(&self) -> usize {
        let messages = self.take_messages();
        let wakers = messages.iter().filter_map(|message| match message {
            Message::Wake(waker) => Some(waker),
            Message::Call(_) => None,
        });
        wakers.for_each(|waker| waker.has_arrived());
        messages.len()
    }

    /// Returns how many messages the list for the next take has room for.
    pub fn room_for_messages(&self) -> usize {
        self.shared.messages.borrow().capacity()
    }

    /// Takes the messages as if they were about to arrive. Returns their number.
    pub fn hold_messages(&self) -> usize {
        self.take_messages().len()
    }

    /// Takes the messages and queues them, and calls `send` in between, as if another thread sent
    /// something at that moment.
    pub fn take_while_sending(&self, send: impl FnOnce()) {
        let messages = self.take_messages();
        send();
        self.queue_if_any(messages);
    }

    fn take_messages(&self) -> Vec<Message> {
        let mut messages = Vec::new();
        self.shared.inbox.take_ahead(&mut messages);
        messages
    }
}
