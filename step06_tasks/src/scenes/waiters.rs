//! Wakers and futures by themselves: no round runs here, and no task takes a step.

use std::future::{Future as _, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread;

use anyhow::anyhow;
use scene::{Transcript, say, scene};
use step06_tasks::{Error, Future, ReadyQueue, Task};

scene!(
    a_thousand_wakes_one_message,
    "A thread wakes a task a thousand times. How many messages does the queue get?"
);
/// A task that's queued for its first step is woken on the queue's thread, and then by another one.
fn a_thousand_wakes_one_message(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    queue.set_exception_handler(|_| {});
    let task: Task<()> = queue.create_task(pending());
    say!(t, "a new task: {queue:?}");
    task.begin_step();
    let entered = queue.enter();
    task.waker().wake();
    drop(entered);
    say!(t, "its step has begun, and it's woken on the queue's thread: {queue:?}");
    let waker = task.waker();
    let wake_often = move || (0..1000).for_each(|_| waker.wake_by_ref());
    thread::spawn(wake_often).join().map_err(|_| anyhow!("the thread panicked"))?;
    say!(t, "and by a thread: {queue:?}");
    queue.drop_messages();
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
    say!(t, "{name} is polled: {polled:?}");
}

scene!(
    who_waits_for_a_future,
    "A future is polled four times, through two handles. How many wakers does it keep?"
);
/// Two handles of one future are polled with wakers that change.
fn who_waits_for_a_future(t: Transcript) -> anyhow::Result<()> {
    let queue = ReadyQueue::new()?;
    let [a, b] = ["A", "B"].map(|name| Arc::new(Says(name, t)));
    let mut first: Future<u8> = queue.create_future();
    let mut second = first.clone();
    let keeps = |after: &str| {
        let [a, b] = [&a, &b].map(|waker| Arc::strong_count(waker) - 1);
        say!(t, "  {after}: it keeps {a} of A and {b} of B");
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
    a_future_ends_once,
    "A future has its result. What do a second one, an error and a cancel do?"
);
/// A future with two waiters is finished in four ways, one after the other.
fn a_future_ends_once(t: Transcript) -> anyhow::Result<()> {
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
