//! Tasks that disturb each other between two awaits, and a lock that prevents it.

use std::cell::Cell;
use std::rc::Rc;

use asyncio::{Error, Event, Lock, LoopResult, Result, Task, create_task, run, yield_now};
use scene::{Transcript, say, scene};

scene!(
    three_tasks_and_a_counter: order,
    "Three tasks each read a counter, yield, and write back the value plus one. What's the counter's value in the end?"
);
/// Only one of the tasks runs at a time. In the second part, each holds a lock from its read to its
/// write.
fn three_tasks_and_a_counter(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        say!(t, "without a lock, the counter is {} in the end", count_with(None, t).await?);
        say!(t, "with a lock, the counter is {}", count_with(Some(Rc::new(Lock::new())), t).await?);
        Ok(())
    })?;
    Ok(())
}

async fn count_with(lock: Option<Rc<Lock>>, t: Transcript) -> Result<u32> {
    let counter = Rc::new(Cell::new(0));
    let tasks = (1..=3).map(|who| create_task(add_one(who, Rc::clone(&counter), lock.clone(), t)));
    for task in tasks.collect::<LoopResult<Vec<_>>>()? {
        task.await?;
    }
    Ok(counter.get())
}

async fn add_one(
    who: u32,
    counter: Rc<Cell<u32>>,
    lock: Option<Rc<Lock>>,
    t: Transcript,
) -> Result<()> {
    let _held = match &lock {
        Some(lock) => Some(lock.hold().await?),
        None => None,
    };
    let before = counter.get();
    say!(t, "  task {who} reads {}", before);
    yield_now().await?;
    counter.set(before + 1);
    say!(t, "  task {who} writes {}", before + 1);
    Ok(())
}

scene!(
    who_gets_the_lock: order,
    "A lock is released, its first waiter is cancelled, and a newcomer asks for the lock. Which task gets it?"
);
/// A task that finds others waiting joins the end of their line, even if the lock is free. So
/// `the second task has the lock` and not the new one. The release has woken the first task, which
/// is cancelled and leaves without taking the lock. The destructor of its wait finds the lock free
/// and wakes the next task in line. Without that, the other tasks would wait forever. asyncio does
/// the same.
fn who_gets_the_lock(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let lock = Rc::new(Lock::new());
        lock.acquire().await?;
        let first = create_task(take(Rc::clone(&lock), "first", t))?;
        let second = create_task(take(Rc::clone(&lock), "second", t))?;
        yield_now().await?;
        lock.release()?;
        first.cancel();
        say!(t, "the lock is released, and the first task is cancelled; locked: {}", lock.locked());
        let new = create_task(take(Rc::clone(&lock), "new", t))?;
        for tick in 1..=3 {
            yield_now().await?;
            say!(t, "tick {tick} is over; locked: {}", lock.locked());
        }
        second.await?;
        new.await
    })?;
    Ok(())
}

async fn take(lock: Rc<Lock>, who: &'static str, t: Transcript) -> Result<()> {
    say!(t, "  the {who} task asks for the lock");
    let held = lock.hold().await;
    say!(t, "  the {who} task {}", if held.is_ok() { "has the lock" } else { "is cancelled" });
    yield_now().await?;
    held.map(drop)
}

scene!(who_releases_the_lock, "A task ends early while it holds a lock. Is the lock released?");
/// Each `?`, each `return` and each cancellation between `acquire` and `release` is a way out that
/// skips `release`: `a task is cancelled between acquire and release; locked: true`. A guard
/// releases the lock when it's dropped, and Rust drops it on every way out, even if the whole
/// coroutine is dropped: `a task fails while it holds a guard; locked: false`. Python has
/// `async with` for this.
fn who_releases_the_lock(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        for way in ["is cancelled", "fails", "returns"] {
            let lock = Rc::new(Lock::new());
            let task = create_task(between_two_calls(Rc::clone(&lock), way))?;
            end(task, way).await?;
            say!(t, "a task {way} between acquire and release; locked: {}", lock.locked());
        }
        for way in ["is cancelled", "fails", "returns"] {
            let lock = Rc::new(Lock::new());
            let task = create_task(with_a_guard(Rc::clone(&lock), way))?;
            end(task, way).await?;
            say!(t, "a task {way} while it holds a guard; locked: {}", lock.locked());
        }
        Ok(())
    })?;
    Ok(())
}

async fn between_two_calls(lock: Rc<Lock>, way: &'static str) -> Result<bool> {
    lock.acquire().await?;
    if work(way).await? {
        return Ok(true);
    }
    lock.release()?;
    Ok(false)
}

async fn with_a_guard(lock: Rc<Lock>, way: &'static str) -> Result<bool> {
    let _held = lock.hold().await?;
    if work(way).await? {
        return Ok(true);
    }
    Ok(false)
}

/// Waits to be cancelled, or fails, or says that there's no need to continue.
async fn work(way: &str) -> Result<bool> {
    match way {
        "is cancelled" => Event::new().wait().await?,
        "fails" => return Err(Error::other("as it should")),
        _ => {}
    }
    Ok(true)
}

async fn end(task: Task<bool>, way: &str) -> Result<()> {
    yield_now().await?;
    if way == "is cancelled" {
        task.cancel();
    }
    // What has become of it is known.
    let _ = task.await;
    Ok(())
}
