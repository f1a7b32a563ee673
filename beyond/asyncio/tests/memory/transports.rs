//! A connection that's over has given everything back: memory, descriptors, its entry in the
//! selector.

use std::cell::RefCell;
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::panic::resume_unwind;

use asyncio::{
    Error, EventLoop, EventLoopExt as _, Protocol, Result, Transport, create_task,
    get_running_loop, run, yield_now,
};
use kit::limit_time;
use kit::memory::Memory;
use step01_fd::open_descriptors;

const ANY_PORT: &str = "127.0.0.1:0";
const MUCH: usize = 1 << 20;

/// Holds its transport, as asyncio's protocols do.
#[derive(Default)]
struct Holder {
    transport: RefCell<Option<Transport>>,
}

impl Protocol for Holder {
    fn connection_made(&self, transport: &Transport) -> Result<()> {
        self.transport.replace(Some(transport.clone()));
        Ok(())
    }

    fn data_received(&self, _: &Transport, data: &[u8]) -> Result<()> {
        match data {
            b"fail" => Err(Error::other("as it should")),
            b"panic" => resume_unwind(Box::new("as it should")),
            _ => Ok(()),
        }
    }
}

/// Connections that end in every way.
fn ended() {
    run(async {
        let event_loop = get_running_loop()?;
        event_loop.set_exception_handler(|_| {});
        let server = event_loop.create_server(Holder::default, ANY_PORT).await?;
        let address = server.local_addrs()?[0];
        let mut clients = Vec::new();
        for _ in 0..8 {
            let (client, _) = event_loop.create_connection(Holder::default, address).await?;
            clients.push(client);
        }
        clients[0].close();
        clients[1].abort();
        clients[2].write(b"fail")?;
        clients[3].write(b"panic")?;
        clients[4].write_eof()?;
        clients[5].write(&vec![0; 16 * MUCH])?;
        clients[5].close();
        clients[6].pause_reading();
        server.close();
        drop(clients.split_off(7));
        server.close_clients();
        for client in clients {
            client.abort();
        }
        server.abort_clients();
        yield_now().await?;
        event_loop.clear_exception_handler();
        Ok(())
    })
    .unwrap();
}

/// A loop that's closed with connections in every state, which hold it and each other.
fn closed_in_the_middle() {
    run(async {
        let event_loop = get_running_loop()?;
        let server = event_loop.create_server(Holder::default, ANY_PORT).await?;
        let address = server.local_addrs()?[0];
        let (one, _) = event_loop.create_connection(Holder::default, address).await?;
        let (other, _) = event_loop.create_connection(Holder::default, address).await?;
        let (third, _) = event_loop.create_connection(Holder::default, address).await?;
        one.write(&vec![0; 16 * MUCH])?;
        other.pause_reading();
        third.close();
        let waits = server.clone();
        create_task(async move { waits.wait_closed().await })?;
        yield_now().await
    })
    .unwrap();
}

/// A connection that's cancelled in each of the ticks that making it takes. The loop goes on and
/// uses the same descriptor each time.
fn cancelled() {
    let event_loop = EventLoop::new().unwrap();
    let listener = TcpListener::bind(ANY_PORT).unwrap();
    let address = listener.local_addr().unwrap();
    let before = open_descriptors().unwrap().len();
    for ticks in (0..7).chain(0..7) {
        let inner = event_loop.clone();
        let made = event_loop
            .create_task(async move { inner.create_connection(Holder::default, address).await });
        run_ticks(&event_loop, ticks);
        made.cancel();
        run_ticks(&event_loop, 5);
        match made.result() {
            Ok((transport, _)) => transport.abort(),
            Err(error) => assert!(error.is_cancelled(), "{error}"),
        }
        run_ticks(&event_loop, 1);
        assert_eq!(open_descriptors().unwrap().len(), before, "cancelled after {ticks} ticks");
        // The next connection isn't disturbed.
        let inner = event_loop.clone();
        let next = async move { inner.create_connection(Holder::default, address).await };
        event_loop.run_until_complete(next).unwrap().0.abort();
        run_ticks(&event_loop, 1);
    }
    event_loop.close().unwrap();
}

fn run_ticks(event_loop: &EventLoop, count: usize) {
    for _ in 0..count {
        event_loop.stop();
        event_loop.run_forever().unwrap();
    }
}

/// A connection whose handles and protocol outlive the loop.
fn outlived() {
    let event_loop = EventLoop::new().unwrap();
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let inner = event_loop.clone();
    let make = async move { inner.connect_accepted_socket(Holder::default, ours).await };
    let (transport, protocol) = event_loop.run_until_complete(make).unwrap();
    event_loop.close().unwrap();
    drop(event_loop);
    transport.write(b"in vain").unwrap();
    transport.close();
    assert!(transport.is_closing());
    // The program's own circle, which only the program can open.
    protocol.transport.take();
}

pub(crate) fn nothing_is_left_of_a_connection() {
    limit_time();
    for play in [ended, closed_in_the_middle, cancelled, outlived] {
        // The first time, std and the thread's variables allocate memory that they keep.
        play();
        let descriptors = open_descriptors().unwrap().len();
        let Memory { in_use, allocations } = Memory::of(play).1;
        assert!(allocations > 5);
        assert_eq!(in_use, 0, "bytes are left");
        assert_eq!(open_descriptors().unwrap().len(), descriptors);
    }
    a_burst_gives_its_buffer_back();
}

/// After the first burst, with which the loop's own lists grow to what they keep, the next one
/// leaves nothing behind.
fn a_burst_gives_its_buffer_back() {
    let event_loop = EventLoop::new().unwrap();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let inner = event_loop.clone();
    let make = async move { inner.connect_accepted_socket(Holder::default, ours).await };
    let (transport, protocol) = event_loop.run_until_complete(make).unwrap();
    protocol.transport.take();
    theirs.set_nonblocking(true).unwrap();
    let bursts = [(); 2].map(|()| Memory::of(|| burst(&event_loop, &transport, &theirs)).1.in_use);
    assert_eq!(bursts[1], 0, "the buffer is given back");
    drop(transport);
    event_loop.close().unwrap();
}

fn burst(event_loop: &EventLoop, transport: &Transport, theirs: &UnixStream) {
    transport.write(&vec![0; MUCH]).unwrap();
    let mut room = vec![0; MUCH];
    while transport.get_write_buffer_size() > 0 {
        let _ = step01_fd::read(theirs, &mut room);
        run_ticks(event_loop, 1);
    }
    let _ = step01_fd::read(theirs, &mut room);
}
