//! The memory of connections: what an idle one takes, and that all of it comes back. Each test counts
//! what its own thread allocates.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kit::limit_time;
use kit::memory::{Counting, Memory};
use rustix::io::fcntl_dupfd_cloexec;
use step01_fd::raise_descriptor_limit;
use step07_full_loop::{
    EventLoop, Result, StreamReader, StreamWriter, TcpListener, TcpStream, create_task,
    start_server, yield_now,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

type Clients = Vec<std::net::TcpStream>;

/// Higher than the descriptors of the loop, which has a table by number: clients are usually in
/// other processes, and have no part in it.
const FIRST_CLIENT: i32 = 2000;

/// Connects a few at a time, no more than the server's queue has room for.
async fn connect(address: SocketAddr, count: usize, clients: &mut Clients) -> Result<()> {
    for number in 0..count {
        let client = std::net::TcpStream::connect(address)?;
        clients.push(fcntl_dupfd_cloexec(&client, FIRST_CLIENT).unwrap().into());
        if number % 50 == 49 {
            yield_now().await?;
            yield_now().await?;
        }
    }
    Ok(())
}

/// Starts a server whose connections are streams without buffers, and returns its address.
async fn raw_server() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    create_task(async move {
        loop {
            let (client, _) = listener.accept().await?;
            create_task(echo(client))?;
        }
        #[expect(unreachable_code, reason = "names the type of the task's result")]
        Ok(())
    })?;
    Ok(address)
}

/// Echoes, with a buffer only while there's something to echo.
async fn echo(client: TcpStream) -> Result<()> {
    loop {
        client.readable().await?;
        let mut buffer = vec![0; 4096];
        match client.try_read(&mut buffer)? {
            step07_full_loop::Read::Bytes(count) => client.write_all(&buffer[..count]).await?,
            step07_full_loop::Read::WouldBlock => {}
            step07_full_loop::Read::End => return Ok(()),
        }
    }
}

async fn echo_lines(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    while let Some(line) = reader.next_line().await? {
        writer.write(&line)?;
        writer.drain().await?;
    }
    Ok(())
}

async fn line_server() -> Result<SocketAddr> {
    Ok(start_server(echo_lines, "127.0.0.1:0").await?.local_addrs()?[0])
}

/// Lets each client send a line and read it back.
async fn talk(clients: &mut Clients) -> Result<()> {
    for client in clients.iter_mut() {
        client.write_all(b"hello\n")?;
    }
    for client in clients {
        client.set_nonblocking(true)?;
        let mut answer = [0; 6];
        while client.read_exact(&mut answer).is_err() {
            yield_now().await?;
        }
        assert_eq!(&answer, b"hello\n");
    }
    Ok(())
}

/// Lets a test have the numbers of descriptors to itself: the lowest are dense.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    limit_time();
    raise_descriptor_limit().unwrap();
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const FEW: usize = 10;
const MANY: usize = 400;

/// Returns the bytes that each of many idle connections takes, each of which has been busy before.
fn bytes_per_connection(server: impl Future<Output = Result<SocketAddr>> + 'static) -> isize {
    let _alone = alone();
    let event_loop = EventLoop::new().unwrap();
    let measured = event_loop.run_until_complete(async move {
        let address = server.await?;
        let (mut first, mut clients) = (Vec::new(), Vec::with_capacity(MANY));
        connect(address, FEW, &mut first).await?;
        talk(&mut first).await?;
        let before = Memory::until_now().in_use;
        connect(address, MANY, &mut clients).await?;
        talk(&mut clients).await?;
        for _ in 0..3 {
            yield_now().await?;
        }
        let taken = Memory::until_now().in_use - before;
        Ok(taken / MANY.cast_signed())
    });
    event_loop.close().unwrap();
    measured.unwrap()
}

#[test]
fn an_idle_stream_takes_less_than_900_bytes() {
    let bytes = bytes_per_connection(raw_server());
    println!("a stream without buffers: {bytes} bytes");
    assert!(bytes <= 900, "{bytes}");
}

#[test]
fn an_idle_reader_and_writer_take_less_than_1300_bytes() {
    let bytes = bytes_per_connection(line_server());
    println!("a reader and a writer: {bytes} bytes");
    assert!(bytes <= 1300, "{bytes}");
}

#[test]
fn what_a_load_has_taken_comes_back() {
    let _alone = alone();
    let event_loop = EventLoop::new().unwrap();
    let left = event_loop.run_until_complete(async move {
        let address = line_server().await?;
        let mut first = Vec::new();
        connect(address, FEW, &mut first).await?;
        talk(&mut first).await?;
        let before = Memory::until_now().in_use;
        let mut clients = Vec::new();
        connect(address, MANY, &mut clients).await?;
        talk(&mut clients).await?;
        let peak = Memory::until_now().in_use;
        drop(clients);
        for _ in 0..10 {
            yield_now().await?;
        }
        Ok((peak - before, Memory::until_now().in_use - before))
    });
    event_loop.close().unwrap();
    println!("{left:?}");
}
