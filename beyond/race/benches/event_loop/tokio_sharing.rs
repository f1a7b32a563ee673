//! futures' `join_all` over tokio's tasks, tokio's mutex and its bounded channel.

use anyhow::Result;
use futures::future::join_all;
use race::wake_oneself;
use tokio::sync::{Mutex, mpsc};
use tokio::task::spawn_local;

use crate::tokio::timed;

pub(crate) fn gathered(count: u64) -> Result<u64> {
    timed(async move {
        let ended = join_all((0..count).map(|_| spawn_local(wake_oneself()))).await;
        assert!(ended.iter().all(Result::is_ok), "no panic");
    })
}

pub(crate) fn lock(count: u64) -> Result<u64> {
    timed(async move {
        let mutex = Mutex::new(());
        for _ in 0..count {
            drop(mutex.lock().await);
        }
    })
}

pub(crate) fn queue(count: u64) -> Result<u64> {
    timed(pass(count, 100))
}

pub(crate) fn queue_of_one(count: u64) -> Result<u64> {
    timed(pass(count, 1))
}

/// One task sends, another one receives.
async fn pass(count: u64, capacity: usize) {
    let (sender, mut receiver) = mpsc::channel(capacity);
    let producer = spawn_local(async move {
        for item in 0..count {
            sender.send(item).await.expect("the receiver is there");
        }
    });
    let consumer = spawn_local(async move { while receiver.recv().await.is_some() {} });
    producer.await.expect("no panic");
    consumer.await.expect("no panic");
}
