//! Wakers and futures by themselves: no round runs here, and no task takes a step.

use std::future::{Future as _, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread;

use anyhow::anyhow;
use scene::{Transcript, say, scene};
use step06_tasks::for_trials::{begin_step, ready_and_sent, take_messages, waker_of};
use step06_tasks::{Error, Future, ReadyQueue, Task};

scene!(
    messages_of_a_thread,
    "A thread wakes a task a thousand times. How many messages does the queue get?"
);
/// One (`sent: 1`). Another thread can't touch the queue, so it sends a message. Its first wake
/// sets a flag, which says that a message is on its way, and the other 999 find the flag set. On
/// the thread that runs the queue, a wake queues the task directly. The task is in the queue twice,
/// because the scene began its step without taking it out first.
fn messages_of_a_thread(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let task: Task<()> = queue.create_task(pending());
    let state = || {
        let (ready, sent) = ready_and_sent(&queue);
        format!("ready: {ready}, sent: {sent}")
    };
    say!(t, "a new task: {}", state());
    begin_step(&task);
    let entered = queue.enter();
    waker_of(&task).wake();
    drop(entered);
    say!(t, "in its step, the task is woken on the queue's thread: {}", state());
    let waker = waker_of(&task);
    let wake_often = move || (0..1000).for_each(|_| waker.wake_by_ref());
    thread::spawn(wake_often).join().map_err(|_| anyhow!("the thread panicked"))?;
    say!(t, "a thread wakes the task a thousand times: {}", state());
    take_messages(&queue).drop_all();
    queue.clear();
    Ok(())
}

/// Says when it's called.
struct Says(&'static str, Transcript);

impl Wake for Says {
    fn wake(self: Arc<Self>) {
        say!(self.1, "  waker {} is called", self.0);
    }
}

fn poll(t: Transcript, name: &str, handle: &mut Future<u8>, waker: &Arc<Says>) {
    let waker = Waker::from(Arc::clone(waker));
    let polled = Pin::new(handle).poll(&mut Context::from_waker(&waker));
    say!(t, "{name} is polled: {:?}", polled);
}

scene!(
    who_waits_for_a_future,
    "A future is polled four times, through two handles. How many wakers does the future keep?"
);
/// One for each handle. A handle stands for one wait, so each poll through it replaces the waker of
/// the poll before (`with waker B: the future keeps 0 of A and 1 of B`). The second handle is
/// another wait, with a waker of its own. Dropping a handle gives up its wait and drops its waker:
/// `the first handle is dropped: the future keeps 1 of A and 0 of B`.
fn who_waits_for_a_future(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let [a, b] = ["A", "B"].map(|name| Arc::new(Says(name, t)));
    let mut first: Future<u8> = queue.create_future();
    let mut second = first.clone();
    let keeps = |after: &str| {
        let [a, b] = [&a, &b].map(|waker| Arc::strong_count(waker) - 1);
        say!(t, "  {after}: the future keeps {} of A and {} of B", a, b);
    };
    poll(t, "the first handle", &mut first, &a);
    keeps("with waker A");
    poll(t, "the first handle", &mut first, &a);
    keeps("with waker A again");
    poll(t, "the first handle", &mut first, &b);
    keeps("with waker B");
    poll(t, "the second handle", &mut second, &a);
    keeps("with waker A");
    drop(first);
    keeps("the first handle is dropped");
    Ok(())
}

scene!(
    four_ends_of_a_future,
    "A future already has a result. What happens to a second result, an error or a cancellation?"
);
/// They're refused, and the first result stays (`the result: Ok(7)`): a future is finished once.
/// If a second result could replace the first, A and B might get different ones. Both wakers are
/// called inside the first `set_result`, because they belong to no task of this queue. A task would
/// only have been queued.
fn four_ends_of_a_future(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let future: Future<u8> = queue.create_future();
    let mut handles = [future.clone(), future.clone()];
    for (handle, name) in handles.iter_mut().zip(["A", "B"]) {
        poll(t, "a handle", handle, &Arc::new(Says(name, t)));
    }
    say!(t, "set_result(7): ok = {}", future.set_result(7).is_ok());
    say!(t, "set_result(8): ok = {}", future.set_result(8).is_ok());
    say!(t, "set_exception(...): ok = {}", future.set_exception(Error::other("late")).is_ok());
    say!(t, "cancel(): {}", future.cancel());
    say!(t, "the result: {:?}", future.result());
    Ok(())
}
