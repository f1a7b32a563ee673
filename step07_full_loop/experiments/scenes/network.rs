//! Sockets that a task can await.

use std::cell::Cell;
use std::net::Shutdown;
use std::rc::Rc;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step07_full_loop::{Result, TcpListener, TcpStream, create_task, run, sleep};

const MEGABYTE: usize = 1 << 20;

/// Makes a pair of connected streams on this loop.
fn connected() -> Result<(TcpStream, TcpStream)> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let client = std::net::TcpStream::connect(listener.local_addr()?)?;
    let (server, _address) = listener.accept()?;
    Ok((TcpStream::from_std(client)?, TcpStream::from_std(server)?))
}

scene!(
    a_writer_and_a_slow_reader: order,
    "A task writes 16 MiB to a peer that doesn't read. What does the writer do?"
);
/// The writer waits (`the peer hasn't read: the writer is done = false`). 16 MiB don't fit into the
/// kernel's buffers, so a write would block, and the writing task gives up its turn until the
/// kernel reports room. Other tasks run meanwhile. That's backpressure, at the price of an `await`.
/// Once the peer reads, the writer continues, and everything arrives in order.
fn a_writer_and_a_slow_reader(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let (writer, reader) = connected()?;
        let is_written = Rc::new(Cell::new(false));
        let flag = Rc::clone(&is_written);
        create_task(async move {
            writer.write_all(&counting_bytes(0, 16 * MEGABYTE)).await?;
            flag.set(true);
            say!(t, "the writer is done and hangs up");
            Ok(())
        })?;
        sleep(Duration::from_millis(1)).await?;
        say!(t, "the peer hasn't read: the writer is done = {}", is_written.get());

        let (mut buffer, mut total, mut in_order) = (vec![0; 64 * 1024], 0, true);
        loop {
            let count = reader.read(&mut buffer).await?;
            if count == 0 {
                break;
            }
            in_order &= buffer[..count] == counting_bytes(total, count);
            total += count;
        }
        say!(t, "read: {} MiB, in order = {}", total / MEGABYTE, in_order);
        Ok(())
    })?;
    Ok(())
}

/// Returns part of the endless sequence 0, 1, … 250, 0, 1, …
fn counting_bytes(start: usize, count: usize) -> Vec<u8> {
    let period: Vec<u8> = (0..=250).collect();
    let offset = start % period.len();
    let mut bytes = period.repeat((offset + count).div_ceil(period.len()));
    bytes.truncate(offset + count);
    bytes.split_off(offset)
}

scene!(
    echo_conversation,
    "A server and its clients share one thread. Which of them has to wait for another?"
);
/// No client waits for another: each has a task of its own, so the slow client's silence holds up
/// only that client's task (`the slow client is silent; the quick client reads: HELLO`). When the
/// server's task is cancelled, the listener that it owns is dropped, and the kernel closes the
/// port: `after that, the port is closed: true`. That doesn't cancel the clients' tasks:
/// `the slow client is still served: BYE`.
fn echo_conversation(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let server = create_task(async move {
            loop {
                let (client, _address) = listener.accept().await?;
                create_task(shout(client))?;
            }
            #[expect(unreachable_code, reason = "names the type of the task's result")]
            Ok(())
        })?;
        let slow = TcpStream::from_std(std::net::TcpStream::connect(address)?)?;
        let quick = TcpStream::from_std(std::net::TcpStream::connect(address)?)?;
        say!(
            t,
            "the slow client is silent; the quick client reads: {}",
            ask(&quick, "hello").await?
        );
        say!(t, "the slow client: {}", ask(&slow, "at last").await?);
        quick.shutdown(Shutdown::Write)?;
        say!(t, "the quick client hangs up and reads the end: {}", quick.read(&mut [0; 8]).await?);
        server.cancel();
        say!(t, "the server: {:?}", server.await);
        let gone = std::net::TcpStream::connect(address).is_err();
        say!(t, "after that, the port is closed: {}", gone);
        say!(t, "the slow client is still served: {}", ask(&slow, "bye").await?);
        Ok(())
    })?;
    Ok(())
}

async fn shout(client: TcpStream) -> Result<()> {
    let mut buffer = [0; 64];
    loop {
        let count = client.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        client.write_all(&buffer[..count].to_ascii_uppercase()).await?;
    }
}

async fn ask(stream: &TcpStream, question: &str) -> Result<String> {
    stream.write_all(question.as_bytes()).await?;
    let mut buffer = [0; 64];
    let count = stream.read(&mut buffer).await?;
    Ok(String::from_utf8_lossy(&buffer[..count]).into_owned())
}
