//! The memory of connections: an idle connection takes little and gives everything back.

use std::future::poll_fn;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use asyncio::{
    EventLoop, EventLoopExt as _, Protocol, Result, StreamReader, StreamWriter, TcpListener,
    TcpStream, Transport, accept_clients, create_task, get_running_loop, open_connection_on, run,
    sleep, start_server, yield_now,
};
use kit::limit_time;
use kit::memory::Memory;
use rustix::io::fcntl_dupfd_cloexec;
use step01_fd::raise_descriptor_limit;

type Clients = Vec<std::net::TcpStream>;

/// Higher than the descriptors of the loop, which has a table by number: clients are usually in
/// other processes and have no place in that table.
const FIRST_CLIENT: i32 = 2000;

/// Connects a few clients at a time, no more than the server's queue has room for.
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
            asyncio::Read::Bytes(count) => client.write_all(&buffer[..count]).await?,
            asyncio::Read::WouldBlock => {}
            asyncio::Read::End => return Ok(()),
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

struct Echo;

impl Protocol for Echo {
    fn data_received(&self, transport: &Transport, data: &[u8]) -> Result<()> {
        transport.write(data)
    }
}

async fn protocol_server() -> Result<SocketAddr> {
    let server = get_running_loop()?.create_server(|| Echo, "127.0.0.1:0").await?;
    Ok(server.local_addrs()?[0])
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

fn begin() {
    limit_time();
    raise_descriptor_limit().unwrap();
}

const FEW: usize = 10;
const MANY: usize = 400;

/// Returns the bytes that each of many idle connections takes after it has been busy.
fn bytes_per_connection(server: impl Future<Output = Result<SocketAddr>> + 'static) -> isize {
    begin();
    let event_loop = EventLoop::new().unwrap();
    let measured = event_loop.run_until_complete(async move {
        let address = server.await?;
        let (mut first, mut clients) = (Vec::new(), Vec::with_capacity(MANY));
        connect(address, FEW, &mut first).await?;
        talk(&mut first).await?;
        // How many connections are ready in one tick depends on the machine's load, and so would
        // the size of the ready queue.
        for _ in 0..2 * MANY {
            get_running_loop()?.call_soon(|| ());
        }
        yield_now().await?;
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

pub(crate) fn an_idle_stream_takes_less_than_700_bytes() {
    let bytes = bytes_per_connection(raw_server());
    println!("a stream without buffers: {bytes} bytes");
    assert!(bytes <= 700, "{bytes}");
}

/// The echo server of step 07: a stream with a time limit, and a place in the list of clients.
async fn echo_server() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    create_task(accept_clients(listener, asyncio::Clients::new()))?;
    Ok(address)
}

pub(crate) fn an_idle_client_of_the_echo_server_takes_at_most_1000_bytes() {
    let bytes = bytes_per_connection(echo_server());
    println!("a client of the echo server: {bytes} bytes");
    assert!(bytes <= 1000, "{bytes}");
}

pub(crate) fn an_idle_reader_and_writer_take_less_than_1200_bytes() {
    let bytes = bytes_per_connection(line_server());
    println!("a reader and a writer: {bytes} bytes");
    assert!(bytes <= 1200, "{bytes}");
}

pub(crate) fn an_idle_transport_takes_less_than_450_bytes() {
    let bytes = bytes_per_connection(protocol_server());
    println!("a transport: {bytes} bytes");
    assert!(bytes <= 450, "{bytes}");
}

/// Returns the bytes that each of many connections leaves when it's gone.
fn left_per_connection(server: impl Future<Output = Result<SocketAddr>> + 'static) -> isize {
    begin();
    let event_loop = EventLoop::new().unwrap();
    let (taken, left) = event_loop
        .run_until_complete(async move {
            let address = server.await?;
            let mut first = Vec::new();
            connect(address, FEW, &mut first).await?;
            talk(&mut first).await?;
            let before = Memory::until_now().in_use;
            let mut clients = Vec::with_capacity(MANY);
            connect(address, MANY, &mut clients).await?;
            talk(&mut clients).await?;
            let taken = Memory::until_now().in_use - before;
            clients.clear();
            // The loop sleeps, so it has seen the ends of all connections.
            sleep(Duration::from_millis(1)).await?;
            sleep(Duration::from_millis(1)).await?;
            Ok((taken, Memory::until_now().in_use - before))
        })
        .unwrap();
    event_loop.close().unwrap();
    println!("{MANY} connections have taken {taken} bytes, and left {left}");
    left / MANY.cast_signed()
}

pub(crate) fn a_load_that_is_over_leaves_only_tables() {
    // The tables of descriptors, the table of tasks, the ready queue: a block each.
    let streams = left_per_connection(line_server());
    assert!(streams <= 200, "{streams}");
    let transports = left_per_connection(protocol_server());
    // Each connection has begun in a task, and all tasks have begun at once.
    assert!(transports <= 300, "{transports}");
}

struct Silent;

impl Protocol for Silent {}

/// Makes many transports. Returns the transports and their other ends.
async fn transports() -> Result<(Vec<Transport>, Vec<UnixStream>)> {
    let event_loop = get_running_loop()?;
    let (mut transports, mut others) = (Vec::new(), Vec::new());
    for _ in 0..MANY {
        let (ours, theirs) = UnixStream::pair()?;
        others.push(theirs);
        let made = event_loop.connect_accepted_socket(|| Silent, ours).await?;
        transports.push(made.0);
    }
    Ok((transports, others))
}

pub(crate) fn a_transport_that_nothing_refers_to_any_more_leaves_no_memory() {
    begin();
    let event_loop = EventLoop::new().unwrap();
    let left = event_loop.run_until_complete(async move {
        // These end as usual, and leave tables that are large enough.
        let (ended, others) = transports().await?;
        for transport in ended {
            transport.abort();
        }
        drop(others);
        sleep(Duration::from_millis(1)).await?;
        let before = Memory::until_now().in_use;
        let (forgotten, others) = transports().await?;
        forgotten.iter().for_each(Transport::pause_reading);
        drop((forgotten, others));
        sleep(Duration::from_millis(1)).await?;
        Ok((Memory::until_now().in_use - before) / MANY.cast_signed())
    });
    event_loop.close().unwrap();
    let left = left.unwrap();
    assert!(left <= 50, "{left}");
}

/// Drains that are cancelled or dropped, as by a writer with a time limit whose peer has stopped
/// reading.
pub(crate) fn drains_that_are_given_up_leave_nothing() {
    begin();
    run(async {
        let (ours, _theirs) = UnixStream::pair()?;
        let (_reader, writer) = open_connection_on(ours)?;
        let writer = Rc::new(writer);
        writer.write(&vec![b'!'; 1 << 20])?;
        let mut kept = Vec::new();
        for _ in 0..10 {
            for _ in 0..100 {
                let drained = Rc::clone(&writer);
                let drained = create_task(async move { drained.drain().await })?;
                yield_now().await?;
                drained.cancel();
                drained.await.unwrap_err();
                let mut dropped = pin!(writer.drain());
                let polled = poll_fn(|context| Poll::Ready(dropped.as_mut().poll(context))).await;
                assert!(polled.is_pending());
            }
            kept.push(Memory::until_now().in_use);
        }
        assert!(kept[9] - kept[0] < 1000, "{kept:?}");
        Ok(())
    })
    .unwrap();
}
