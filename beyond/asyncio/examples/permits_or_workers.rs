//! Ten thousand jobs, fifty at a time: once with a task per job and a semaphore, once with a queue
//! and fifty workers. How much memory does each take at most, and how long?
//!
//! `cargo run --release -p asyncio --example permits_or_workers`

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use asyncio::{LoopResult, Queue, Result, Semaphore, TaskGroup, run, sleep};
use kit::memory::{Counting, Memory};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const JOBS: u32 = 10_000;
const AT_A_TIME: usize = 50;
const ROOM: usize = 1_000;

thread_local! {
    /// The most bytes that were in use when a job began.
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn main() -> LoopResult<()> {
    measure("a task each, and a semaphore", a_task_each)?;
    measure("a queue, and workers", a_queue_and_workers)
}

fn measure<C: Future<Output = Result<()>> + 'static>(
    name: &str,
    program: impl FnOnce() -> C,
) -> LoopResult<()> {
    let before = Memory::until_now().in_use;
    PEAK.set(0);
    let began = Instant::now();
    run(program())?;
    let kib = (PEAK.get() - before) / 1024;
    println!("{name}: {kib} KiB at most, {:.2} s", began.elapsed().as_secs_f64());
    Ok(())
}

async fn job(_number: u32) -> Result<()> {
    PEAK.set(PEAK.get().max(Memory::until_now().in_use));
    sleep(Duration::from_millis(1)).await
}

// ANCHOR: a_task_each
async fn a_task_each() -> Result<()> {
    let semaphore = Rc::new(Semaphore::new(AT_A_TIME));
    let group = TaskGroup::new();
    let start_all = async {
        for number in 0..JOBS {
            let semaphore = Rc::clone(&semaphore);
            group.create_task(async move {
                let _permit = semaphore.hold().await?;
                job(number).await
            })?;
        }
        Ok(())
    };
    group.run(start_all).await
}
// ANCHOR_END: a_task_each

// ANCHOR: a_queue_and_workers
async fn a_queue_and_workers() -> Result<()> {
    let queue = Rc::new(Queue::new(ROOM));
    let group = TaskGroup::new();
    let feed = async {
        for _ in 0..AT_A_TIME {
            let queue = Rc::clone(&queue);
            group.create_task(async move {
                loop {
                    match queue.get().await? {
                        Some(number) => job(number).await?,
                        None => return Ok(()),
                    }
                }
            })?;
        }
        for number in 0..JOBS {
            queue.put(Some(number)).await?;
        }
        // One for each worker: there's no more.
        for _ in 0..AT_A_TIME {
            queue.put(None).await?;
        }
        Ok(())
    };
    group.run(feed).await
}
// ANCHOR_END: a_queue_and_workers
