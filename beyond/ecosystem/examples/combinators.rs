//! A tour of `futures-util` and `async-channel` next to the loop's own tasks: `select!`,
//! `FuturesUnordered`, a `Stream`, and a channel that a thread sends into. The program ends by
//! itself.
//!
//! `cargo run --example combinators`

mod program;

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use async_channel::{bounded, unbounded};
use asyncio::{Result, TcpListener, TcpStream, create_task, sleep};
use ecosystem::{Io, cancellable, connections};
use futures_util::stream::FuturesUnordered;
use futures_util::{AsyncReadExt, AsyncWriteExt, FutureExt, StreamExt, TryStreamExt, select};

fn main() -> ExitCode {
    program::start(async {
        first_of_two().await?;
        as_they_end().await?;
        from_a_thread().await?;
        a_stream_of_connections().await
    })
}

/// `select!` polls both sleeps in one task and drops the slower sleep, along with its timer.
async fn first_of_two() -> Result<()> {
    let mut short = Box::pin(sleep(Duration::from_millis(5)).fuse());
    let mut long = Box::pin(sleep(Duration::from_hours(1)).fuse());
    select! {
        slept = short => println!("select!: the short sleep, {slept:?}"),
        slept = long => println!("select!: the long sleep, {slept:?}"),
    }
    Ok(())
}

/// `FuturesUnordered` gives each of its futures a separate waker and polls only the futures that
/// were woken. It makes no tasks.
async fn as_they_end() -> Result<()> {
    let sleeps: FuturesUnordered<_> = [60, 20, 40]
        .into_iter()
        .map(async |length| sleep(Duration::from_millis(length)).await.map(|()| length))
        .collect();
    let order: Vec<u64> = cancellable(sleeps.try_collect()).await??;
    println!("FuturesUnordered: {order:?}");
    Ok(())
}

/// Sends values from a thread to a task through a channel. The thread wakes the loop.
async fn from_a_thread() -> Result<()> {
    let (sender, receiver) = bounded(2);
    let thread = thread::spawn(move || {
        for number in 1..=5 {
            if sender.send_blocking(number).is_err() {
                break;
            }
        }
    });
    let numbers: Vec<u32> = cancellable(receiver.collect()).await?;
    println!("async-channel: {numbers:?}");
    // The thread has sent everything, so this call doesn't block.
    let _ = thread.join();
    Ok(())
}

/// Treats clients as items of a stream and serves up to three of them at once.
async fn a_stream_of_connections() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    let (shouts, heard) = unbounded();
    let server = create_task(async move {
        let served = connections(listener).try_for_each_concurrent(3, async |stream| {
            let mut word = String::new();
            Io::from(stream).read_to_string(&mut word).await?;
            let _ = shouts.try_send(word.to_uppercase());
            Ok(())
        });
        cancellable(served).await?
    })?;
    for word in ["one", "two", "three"] {
        let mut client = Io::from(TcpStream::connect(address).await?);
        client.write_all(word.as_bytes()).await?;
        client.close().await?;
    }
    let mut words: Vec<String> = cancellable(heard.take(3).collect()).await?;
    words.sort();
    println!("Stream: {words:?}");
    server.cancel();
    Ok(())
}
