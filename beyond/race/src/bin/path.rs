//! Runs one of the loop's hot paths, so that its instructions can be counted.
//!
//! `path NAME COUNT` runs the named path COUNT times. Nothing here depends on chance or on the
//! machine's speed: the clock is virtual, and there is only one thread. The test `instructions`
//! runs this program.

#![forbid(unsafe_code)]

use std::cell::Cell;
use std::future::Future as Coroutine;
use std::pin::Pin;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    EventLoop, Queue, Result, UnixStream, VirtualClock, create_task, get_running_loop, sleep,
    yield_now,
};

type Path = fn(u64) -> Pin<Box<dyn Coroutine<Output = Result<()>>>>;

const PATHS: [(&str, Path); 8] = [
    ("spawn_then_await", |count| Box::pin(spawn_then_await(count))),
    ("yield", |count| Box::pin(yield_often(count))),
    ("future", |count| Box::pin(future(count))),
    ("queue_of_one", |count| Box::pin(queue_of_one(count))),
    ("cancel", |count| Box::pin(cancel(count))),
    ("sleep", |count| Box::pin(sleep_often(count))),
    ("echo", |count| Box::pin(echo(count))),
    ("call_soon_threadsafe", |count| Box::pin(call_soon_threadsafe(count))),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let asked = match arguments[..] {
        [name, count] => PATHS.iter().find(|(known, _)| *known == name).zip(count.parse().ok()),
        _ => None,
    };
    let Some(((_, path), count)) = asked else {
        let names = PATHS.map(|(name, _)| name).join(", ");
        eprintln!("usage: path NAME COUNT\nnames: {names}");
        return ExitCode::from(2);
    };
    let ran = EventLoop::with_clock(VirtualClock::new()).and_then(|it| it.run(path(count)));
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Creates a task and awaits it, over and over.
async fn spawn_then_await(count: u64) -> Result<()> {
    for number in 0..count {
        assert_eq!(create_task(async move { Ok(number) })?.await?, number);
    }
    Ok(())
}

async fn yield_often(count: u64) -> Result<()> {
    for _ in 0..count {
        yield_now().await?;
    }
    Ok(())
}

/// Creates a future and awaits it; a callback sets the future's result.
async fn future(count: u64) -> Result<()> {
    let event_loop = get_running_loop()?;
    for number in 0..count {
        let future = event_loop.create_future();
        let finished = future.clone();
        event_loop.call_soon(move || finished.set_result(number).expect("it's pending"));
        assert_eq!(future.await?, number);
    }
    Ok(())
}

/// Passes items from one task to another.
async fn queue_of_one(count: u64) -> Result<()> {
    let queue = Rc::new(Queue::new(1));
    let putting = Rc::clone(&queue);
    let producer = create_task(async move {
        for item in 0..count {
            putting.put(item).await?;
        }
        Ok(())
    })?;
    for item in 0..count {
        assert_eq!(queue.get().await?, item);
    }
    producer.await
}

/// Cancels a task that's waiting for a future and then awaits the cancelled task.
async fn cancel(count: u64) -> Result<()> {
    for _ in 0..count {
        let task = create_task(get_running_loop()?.create_future::<()>())?;
        yield_now().await?;
        task.cancel();
        assert!(task.await.is_err_and(|error| error.is_cancelled()));
    }
    Ok(())
}

async fn sleep_often(count: u64) -> Result<()> {
    for _ in 0..count {
        sleep(Duration::from_secs(1)).await?;
    }
    Ok(())
}

/// Sends a byte to another task, which sends it back.
async fn echo(count: u64) -> Result<()> {
    let (ours, theirs) = UnixStream::pair()?;
    let echoing = create_task(async move {
        let mut byte = [0];
        while theirs.read(&mut byte).await? > 0 {
            theirs.write_all(&byte).await?;
        }
        Ok(())
    })?;
    for _ in 0..count {
        ours.write_all(b".").await?;
        assert_eq!(ours.read(&mut [0]).await?, 1);
    }
    drop(ours);
    echoing.await
}

/// Schedules a callback as another thread would, then sleeps for a second of virtual time, in which
/// the callback runs, over and over.
async fn call_soon_threadsafe(count: u64) -> Result<()> {
    thread_local! {
        static CALLS: Cell<u64> = const { Cell::new(0) };
    }
    let event_loop = get_running_loop()?;
    let handle = event_loop.handle();
    for number in 0..count {
        handle.call_soon_threadsafe(|| CALLS.set(CALLS.get() + 1))?;
        sleep(Duration::from_secs(1)).await?;
        assert_eq!(CALLS.get(), number + 1);
    }
    Ok(())
}
