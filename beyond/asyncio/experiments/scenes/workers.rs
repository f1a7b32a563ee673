//! A lot of work, a little at a time.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    EventLoop, LoopResult, Queue, Result, Semaphore, VirtualClock, create_task, get_running_loop,
    run, sleep, yield_now,
};
use scene::{Transcript, say, scene};

const JOBS: usize = 10_000;
/// The number of jobs that may be at work at a time.
const AT_A_TIME: usize = 50;
/// The number of jobs that the queue has room for.
const ROOM: usize = 1000;

scene!(
    a_semaphore_and_a_queue,
    "10,000 jobs run 50 at a time, with a semaphore or with 50 workers and a queue. How many tasks exist?"
);
/// With the semaphore, each job is a task from the start, `10000 tasks at a time`, and 9,950 of
/// them wait for a permit. With the queue, a waiting job is an item, and the tasks
/// are the workers: `50 tasks at a time, 1000 jobs in the queue`. Both have 50 jobs at work, but an
/// item needs far less memory than a waiting task. asyncio prints the same numbers.
fn a_semaphore_and_a_queue(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let (tasks, jobs) = with_a_semaphore().await?;
        say!(t, "a semaphore: {} jobs done, {} at a time", jobs.ended.get(), jobs.most.get());
        say!(t, "  {} tasks at a time", tasks.most.get());
        let (tasks, jobs, waiting) = with_a_queue().await?;
        say!(t, "a queue: {} jobs done, {} at a time", jobs.ended.get(), jobs.most.get());
        say!(t, "  {} tasks at a time, {} jobs in the queue", tasks.most.get(), waiting);
        Ok(())
    })?;
    Ok(())
}

async fn with_a_semaphore() -> Result<(Rc<Meter>, Rc<Meter>)> {
    let (tasks, jobs) = (Rc::new(Meter::default()), Rc::new(Meter::default()));
    let semaphore = Rc::new(Semaphore::new(AT_A_TIME));
    let all = (0..JOBS).map(|_| {
        tasks.begin();
        let (tasks, jobs, semaphore) = (Rc::clone(&tasks), Rc::clone(&jobs), Rc::clone(&semaphore));
        create_task(async move {
            let held = semaphore.hold().await?;
            work(&jobs).await?;
            drop(held);
            tasks.end();
            Ok(())
        })
    });
    for task in all.collect::<LoopResult<Vec<_>>>()? {
        task.await?;
    }
    Ok((tasks, jobs))
}

async fn with_a_queue() -> Result<(Rc<Meter>, Rc<Meter>, usize)> {
    let (tasks, jobs) = (Rc::new(Meter::default()), Rc::new(Meter::default()));
    let queue = Rc::new(Queue::new(ROOM));
    let workers = (0..AT_A_TIME).map(|_| {
        tasks.begin();
        let (jobs, queue) = (Rc::clone(&jobs), Rc::clone(&queue));
        create_task::<()>(async move {
            loop {
                queue.get().await?;
                work(&jobs).await?;
                queue.task_done()?;
            }
        })
    });
    let workers = workers.collect::<LoopResult<Vec<_>>>()?;
    let mut most = 0;
    for job in 0..JOBS {
        queue.put(job).await?;
        most = most.max(queue.qsize());
    }
    queue.join().await?;
    for worker in workers {
        worker.cancel();
    }
    Ok((tasks, jobs, most))
}

/// Takes two ticks, as if it waited for something.
async fn work(jobs: &Meter) -> Result<()> {
    jobs.begin();
    yield_now().await?;
    yield_now().await?;
    jobs.end();
    Ok(())
}

/// Counts how many of a kind there are.
#[derive(Default)]
struct Meter {
    now: Cell<usize>,
    most: Cell<usize>,
    ended: Cell<usize>,
}

impl Meter {
    fn begin(&self) {
        self.now.set(self.now.get() + 1);
        self.most.set(self.most.get().max(self.now.get()));
    }

    fn end(&self) {
        self.now.set(self.now.get() - 1);
        self.ended.set(self.ended.get() + 1);
    }
}

scene!(
    five_items_and_a_queue,
    "A producer has five items, and the consumer takes one per second. When is each item put into the queue?"
);
/// If there's room for two, the third `put` waits until the consumer takes an item,
/// `1s: put 3; items in the queue: 2`. From then on the producer is no faster than the consumer.
/// That's backpressure between tasks. Without a limit, the producer puts all five at once and would
/// also put five million: an unlimited queue hides a consumer that's too slow, until the memory is
/// full. asyncio's `Queue` does the same.
fn five_items_and_a_queue(t: Transcript) -> anyhow::Result<()> {
    for maxsize in [0, 2] {
        say!(t, "maxsize = {maxsize}");
        let event_loop = EventLoop::with_clock(VirtualClock::new())?;
        event_loop.run(async move {
            let queue = Rc::new(Queue::new(maxsize));
            let consumer = create_task(consume(Rc::clone(&queue)))?;
            for item in 1..=5 {
                queue.put(item).await?;
                let now = get_running_loop()?.time();
                say!(t, "  {}: put {item}; items in the queue: {}", now, queue.qsize());
            }
            consumer.await
        })?;
    }
    Ok(())
}

async fn consume(queue: Rc<Queue<u32>>) -> Result<()> {
    for _ in 1..=5 {
        sleep(Duration::from_secs(1)).await?;
        queue.get().await?;
    }
    Ok(())
}
