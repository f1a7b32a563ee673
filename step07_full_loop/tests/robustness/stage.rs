//! A loop in an observed thread, with a server, and what its clients and its errors say.

use std::cell::RefCell;
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::RecvFlags;
use rustix::net::sockopt::set_socket_send_buffer_size;
use step07_full_loop::{
    Error, EventLoop, Protocol, Result, Server, StreamReader, StreamWriter, Transport,
    VirtualClock, get_running_loop, open_connection, sleep, start_server, wait_for,
};

/// What serves or connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Streams,
    Protocols,
}

/// More than the server's socket and its client's take together.
const MUCH: usize = 2 << 20;
const REQUEST: &[u8] = b"hello\n";

thread_local! {
    /// What was reported, and with which errors connections were lost.
    static NOTES: RefCell<Vec<String>> = RefCell::default();
    static LOOP: RefCell<Option<EventLoop>> = RefCell::default();
    static SERVER: RefCell<Option<Server>> = RefCell::default();
}

fn note(text: impl ToString) {
    NOTES.with_borrow_mut(|notes| notes.push(text.to_string()));
}

pub(crate) fn take_notes() -> Vec<String> {
    NOTES.take()
}

/// Answers a line with the line and much more, ends its side, and waits for the client's end.
async fn answer(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    let answered = async {
        let line = reader.readline().await?;
        writer.write(&line)?;
        writer.write(&vec![b'!'; MUCH])?;
        writer.drain().await?;
        writer.write_eof()?;
        reader.read_to_end().await
    };
    let answered = answered.await.map(drop);
    writer.close();
    for outcome in [answered, writer.wait_closed().await] {
        if let Err(error) = outcome {
            note(error);
        }
    }
    Ok(())
}

/// Does the same.
struct Answering;

impl Protocol for Answering {
    fn data_received(&self, transport: &Transport, line: &[u8]) -> Result<()> {
        transport.write(line)?;
        transport.write(&vec![b'!'; MUCH])?;
        transport.write_eof()
    }

    fn connection_lost(&self, error: Option<&Error>) -> Result<()> {
        error.into_iter().for_each(note);
        Ok(())
    }
}

/// Makes this thread's loop.
pub(crate) fn open_loop() {
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    event_loop.set_exception_handler(|report| note(report));
    LOOP.set(Some(event_loop));
}

pub(crate) fn close_loop() {
    LOOP.take().unwrap().close().unwrap();
}

fn run<T: Clone + 'static>(
    coroutine: impl Future<Output = Result<T>> + 'static,
) -> std::result::Result<T, String> {
    let outcome = LOOP.with_borrow(|it| it.as_ref().unwrap().run_until_complete(coroutine));
    outcome.map_err(|error| error.to_string())
}

async fn start(kind: Kind) -> Result<Server> {
    match kind {
        Kind::Streams => start_server(answer, "127.0.0.1:0").await,
        Kind::Protocols => get_running_loop()?.create_server(|| Answering, "127.0.0.1:0").await,
    }
}

/// Starts a server and closes it. Returns its error, if it can't be started.
pub(crate) fn listen(kind: Kind) -> std::result::Result<(), String> {
    run(start(kind)).map(|server| server.close())
}

/// Makes a connection on a loop, and closes it. Returns its error, if it can't be made.
pub(crate) fn connect(kind: Kind, address: SocketAddr) -> std::result::Result<(), String> {
    run(async move {
        match kind {
            Kind::Streams => drop(open_connection(address).await?),
            Kind::Protocols => {
                let made = get_running_loop()?.create_connection(|| Answering, address).await?;
                // Until its reader is added.
                sleep(Duration::from_millis(1)).await?;
                made.0.close();
            }
        }
        sleep(Duration::from_millis(1)).await
    })
}

/// Starts a server, which stays with this thread, and returns its address.
pub(crate) fn open(kind: Kind) -> SocketAddr {
    open_loop();
    let server = run(start(kind)).unwrap();
    // An accepted socket has the same, so that there's no room for an answer.
    set_socket_send_buffer_size(&server.sockets()[0], 256 * 1024).unwrap();
    let address = server.local_addrs().unwrap()[0];
    SERVER.set(Some(server));
    address
}

/// Makes a client, and sends its request.
pub(crate) fn client_of(address: SocketAddr) -> TcpStream {
    let mut client = TcpStream::connect(address).unwrap();
    client.write_all(REQUEST).unwrap();
    client.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
    client
}

/// Serves until a client has all that it gets, or has waited in vain, and hangs up. Returns true if that
/// was the whole answer, and its end.
pub(crate) fn serve(client: TcpStream) -> bool {
    let wait = || run(sleep(Duration::from_millis(100))).expect("the loop lives");
    let mut received = Received::default();
    while !received.has_ended && received.in_vain < received.patience() {
        wait();
        received.receive(&client);
    }
    drop(client);
    wait();
    received.has_ended && received.count == REQUEST.len() + MUCH
}

/// What a client has received.
#[derive(Default)]
struct Received {
    count: usize,
    has_ended: bool,
    /// The number of times in a row that nothing came.
    in_vain: usize,
}

impl Received {
    /// The pause in accepting takes ten tries, and the network needs a moment of real time for what's
    /// on its way. When only the end is missing, it's hardly delayed by anything.
    fn patience(&self) -> usize {
        if self.count == REQUEST.len() + MUCH { 5 } else { 100 }
    }

    fn receive(&mut self, client: &TcpStream) {
        let (before, mut buffer) = (self.count, vec![0; 1 << 18]);
        loop {
            match rustix::net::recv(client, &mut buffer[..], RecvFlags::DONTWAIT) {
                Ok((0, _)) => self.has_ended = true,
                Ok((count, _)) => {
                    self.count += count;
                    continue;
                }
                Err(Errno::AGAIN) => {}
                // It was reset, and what's missing won't come.
                Err(_) => self.in_vain = self.patience(),
            }
            break;
        }
        if self.count > before {
            self.in_vain = 0;
        } else if !self.has_ended {
            self.in_vain += 1;
            // Waits for more, for a moment.
            let _ = client.peek(&mut [0]);
        }
    }
}

/// Serves for so many milliseconds of the loop's clock.
pub(crate) fn serve_for(milliseconds: u64) {
    run(sleep(Duration::from_millis(milliseconds))).unwrap();
}

/// Closes the server. Returns false if a connection of it is still there.
pub(crate) fn close() -> bool {
    let server = SERVER.take().unwrap();
    server.close();
    let ended = run(async move {
        wait_for(async move { server.wait_closed().await }, Duration::from_secs(10)).await
    });
    close_loop();
    ended.is_ok()
}

/// Makes a listener to connect to.
pub(crate) fn destination() -> TcpListener {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

/// Hangs up on all who have connected.
pub(crate) fn hang_up(listener: &TcpListener) {
    while listener.accept().is_ok() {}
}
