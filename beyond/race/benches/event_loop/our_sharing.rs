//! Step 07's `gather`, lock and queue.

use std::rc::Rc;

use anyhow::Result;
use asyncio::{Lock, Queue, create_task, gather, yield_now};

use crate::ours::timed;

pub(crate) fn gathered(count: u64) -> Result<u64> {
    timed(async move {
        gather((0..count).map(|_| yield_now()))?.await?;
        Ok(())
    })
}

pub(crate) fn lock(count: u64) -> Result<u64> {
    timed(async move {
        let lock = Lock::new();
        for _ in 0..count {
            drop(lock.hold().await?);
        }
        Ok(())
    })
}

pub(crate) fn queue(count: u64) -> Result<u64> {
    timed(pass(count, 100))
}

pub(crate) fn queue_of_one(count: u64) -> Result<u64> {
    timed(pass(count, 1))
}

/// One task puts, another one gets.
async fn pass(count: u64, maxsize: usize) -> asyncio::Result<()> {
    let queue = Rc::new(Queue::new(maxsize));
    let putting = Rc::clone(&queue);
    let producer = create_task(async move {
        for item in 0..count {
            putting.put(item).await?;
        }
        Ok(())
    })?;
    for _ in 0..count {
        queue.get().await?;
    }
    producer.await
}
