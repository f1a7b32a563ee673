//! Peers that never stop: whatever they send, and however many connect, the other tasks have their
//! turns.
//!
//! The amount that happens between two turns of an otherwise idle task is a number that doesn't
//! depend on the machine.

use std::cell::Cell;
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use asyncio::{
    EventLoop, EventLoopExt as _, Protocol, Result, ServerOptions, StreamReader, Transport,
    create_task, get_running_loop, open_connection, sleep, yield_now,
};
use kit::limit_time;

/// Two threads that go on until the flood is dropped.
struct Flood {
    is_over: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Flood {
    fn of(work: impl Fn() + Send + Clone + 'static) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let threads = (0..2).map(|_| {
            let (is_over, work) = (Arc::clone(&is_over), work.clone());
            thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    work();
                }
            })
        });
        Flood { threads: threads.collect(), is_over }
    }

    /// Sends an endless stream of lines to each client that connects.
    fn of_lines() -> Result<(Self, SocketAddr)> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let lines = [b"a line of sixteen"[..16].to_vec(), b"\n".to_vec()].concat().repeat(8192);
        let listener = Arc::new(listener);
        let flood = Flood::of(move || {
            let Ok((mut stream, _)) = listener.accept() else { return };
            while stream.write_all(&lines).is_ok() {}
        });
        Ok((flood, address))
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that accepts ends with its test.
            if thread.is_finished() {
                let _ = thread.join();
            }
        }
    }
}

/// The amount that a flood has brought, as its receiver notes it.
type Count = Rc<Cell<usize>>;

/// Lets a flood go on until it has brought `enough` and returns the most that came between two
/// turns.
async fn most_between_turns(count: &Count, enough: usize) -> Result<usize> {
    let (mut most, mut before) = (0, count.get());
    while count.get() < enough {
        yield_now().await?;
        most = most.max(count.get() - before);
        before = count.get();
    }
    // And a timer has its turn, too.
    sleep(Duration::from_millis(1)).await?;
    Ok(most)
}

fn play(main: impl Future<Output = Result<()>> + 'static) {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    // Tasks that are still under way when a test is over fail, and that's nothing to report.
    event_loop.set_exception_handler(|_| {});
    event_loop.run(main).unwrap();
}

const MEBIBYTE: usize = 1 << 20;

/// Between two turns, a task receives 64 times, 64 KiB at most each time, and takes the bytes that
/// were received earlier.
const MOST_OF_A_STREAM: usize = 4 * MEBIBYTE + MEBIBYTE / 2;

type Read = fn(&mut StreamReader) -> std::pin::Pin<Box<dyn Future<Output = Result<usize>> + '_>>;

#[test]
fn a_peer_that_sends_for_ever_to_a_stream() {
    let ways: [Read; 4] = [
        |reader| Box::pin(async { Ok(reader.readline().await?.len()) }),
        |reader| Box::pin(async { Ok(reader.read(100).await?.len()) }),
        |reader| Box::pin(async { Ok(reader.read_exactly(100_000).await?.len()) }),
        |reader| {
            Box::pin(async {
                reader.set_limit(2 * MEBIBYTE)?;
                Ok(reader.read_until(b"\n").await?.len())
            })
        },
    ];
    for way in ways {
        play(async move {
            let (_flood, address) = Flood::of_lines()?;
            let count = Count::default();
            let (mut reader, _writer) = open_connection(address).await?;
            let noted = Rc::clone(&count);
            create_task(async move {
                loop {
                    match way(&mut reader).await? {
                        // The connection is closed when the test is over.
                        0 => return Ok(()),
                        received => noted.set(noted.get() + received),
                    }
                }
            })?;
            let most = most_between_turns(&count, 2 * MEBIBYTE).await?;
            assert!(most <= MOST_OF_A_STREAM, "{most} bytes between two turns");
            Ok(())
        });
    }
}

struct Counts(Count);

impl Protocol for Counts {
    fn data_received(&self, _: &Transport, data: &[u8]) -> Result<()> {
        self.0.set(self.0.get() + data.len());
        Ok(())
    }
}

#[test]
fn a_peer_that_sends_for_ever_to_a_protocol() {
    play(async {
        let (_flood, address) = Flood::of_lines()?;
        let count = Count::default();
        let noted = Rc::clone(&count);
        let factory = move || Counts(noted);
        let (_transport, _) = get_running_loop()?.create_connection(factory, address).await?;
        let most = most_between_turns(&count, 32 * MEBIBYTE).await?;
        assert!(most <= MEBIBYTE / 2, "{most} bytes between two turns");
        Ok(())
    });
}

/// Byte by byte, the task is never done: there's always one more byte.
#[test]
fn a_peer_that_sends_for_ever_to_a_socket() {
    play(async {
        let (_flood, address) = Flood::of_lines()?;
        let count = Count::default();
        let noted = Rc::clone(&count);
        let socket = TcpStream::connect(address)?;
        socket.set_nonblocking(true)?;
        create_task::<()>(async move {
            loop {
                let received = get_running_loop()?.sock_recv(&socket, 1).await?;
                noted.set(noted.get() + received.len());
            }
        })?;
        let most = most_between_turns(&count, 1000).await?;
        assert!(most <= 100, "{most} bytes between two turns");
        Ok(())
    });
}

/// Makes clients that have connected and left. They're still accepted.
fn connect(count: usize, address: SocketAddr) -> Result<()> {
    for _ in 0..count {
        TcpStream::connect(address)?;
    }
    Ok(())
}

#[test]
fn many_clients_that_wait_for_a_server_with_the_longest_backlog() {
    step01_fd::raise_descriptor_limit().unwrap();
    play(async {
        let count = Count::default();
        let noted = Rc::clone(&count);
        let options = ServerOptions { backlog: i32::MAX, ..ServerOptions::default() };
        let factory = move || {
            noted.set(noted.get() + 1);
            Counts(Count::default())
        };
        let server = options.create_server(factory, "127.0.0.1:0").await?;
        connect(2500, server.local_addrs()?[0])?;
        let most = most_between_turns(&count, 2500).await?;
        assert!(most <= 1000, "{most} clients between two turns");
        Ok(())
    });
}

#[test]
fn many_clients_that_wait_for_a_listener() {
    play(async {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        rustix::net::listen(&listener, 1000).map_err(std::io::Error::from)?;
        connect(500, listener.local_addr()?)?;
        let count = Count::default();
        let noted = Rc::clone(&count);
        create_task::<()>(async move {
            loop {
                drop(get_running_loop()?.sock_accept(&listener).await?);
                noted.set(noted.get() + 1);
            }
        })?;
        let most = most_between_turns(&count, 500).await?;
        assert!(most <= 100, "{most} clients between two turns");
        Ok(())
    });
}
