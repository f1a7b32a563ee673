//! The cases. Each case starts a number of tasks or threads and returns a value that keeps them
//! waiting.

use std::any::Any;
use std::cell::Cell;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use asyncio::EventLoop;
use step06_tasks::{Future, ReadyQueue};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::{LocalSet, yield_now};

/// Starts a number of tasks or threads and returns once all of them are waiting.
pub(crate) type Case = fn(usize) -> Box<dyn Any>;

/// A wait long enough that no task ends before its memory has been measured.
const LONG: Duration = Duration::from_hours(1);

thread_local! {
    static STARTED: Cell<usize> = const { Cell::new(0) };
}

/// Counts a task that has started and is about to wait. The counter isn't stored in the coroutine,
/// since that would make the coroutine larger.
fn started() {
    STARTED.set(STARTED.get() + 1);
}

pub(crate) fn step06_future(count: usize) -> Box<dyn Any> {
    let queue = ReadyQueue::new().expect("a queue");
    let futures: Vec<Future<()>> = (0..count)
        .map(|_| {
            let future = queue.create_future();
            let awaited = future.clone();
            queue.create_task(async {
                started();
                awaited.await
            });
            future
        })
        .collect();
    queue.run_ready();
    assert_eq!(STARTED.get(), count);
    Box::new((queue, futures))
}

pub(crate) fn step07_sleep(count: usize) -> Box<dyn Any> {
    let event_loop = EventLoop::new().expect("a loop");
    for _ in 0..count {
        event_loop.create_task(async {
            started();
            asyncio::sleep(LONG).await
        });
    }
    event_loop.stop();
    event_loop.run_forever().expect("a single tick");
    assert_eq!(STARTED.get(), count);
    Box::new(event_loop)
}

pub(crate) fn tokio_oneshot(count: usize) -> Box<dyn Any> {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let set = LocalSet::new();
    let senders: Vec<oneshot::Sender<()>> = (0..count)
        .map(|_| {
            let (sender, receiver) = oneshot::channel();
            set.spawn_local(async {
                started();
                receiver.await
            });
            sender
        })
        .collect();
    start_all(&runtime, &set, count);
    Box::new((set, runtime, senders))
}

pub(crate) fn tokio_sleep(count: usize) -> Box<dyn Any> {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let set = LocalSet::new();
    for _ in 0..count {
        set.spawn_local(async {
            started();
            tokio::time::sleep(LONG).await;
        });
    }
    start_all(&runtime, &set, count);
    Box::new((set, runtime))
}

fn start_all(runtime: &Runtime, set: &LocalSet, count: usize) {
    runtime.block_on(set.run_until(async {
        while STARTED.get() < count {
            yield_now().await;
        }
    }));
}

/// Starts threads that wait, each with the stack that std reserves by default. Each thread also has
/// a kernel stack, 16 KiB on x86-64, which doesn't count as the process's memory.
pub(crate) fn threads(count: usize) -> Box<dyn Any> {
    let all = Arc::new(Barrier::new(count + 1));
    for _ in 0..count {
        let all = Arc::clone(&all);
        thread::spawn(move || {
            all.wait();
            thread::sleep(LONG);
        });
    }
    all.wait();
    Box::new(all)
}
