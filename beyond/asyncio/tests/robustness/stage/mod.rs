//! A loop in an observed thread, with a server, and the notes of its clients and its errors.

mod answers;
mod by_hand;
mod clients;

use std::cell::RefCell;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use answers::{Answering, answer};
use asyncio::{
    EventLoop, EventLoopExt as _, Result, Server, TcpListener, TcpStream, UdpSocket, UnixListener,
    UnixStream, VirtualClock, get_running_loop, open_connection, open_unix_connection, sleep,
    start_server, start_unix_server, wait_for,
};
use by_hand::ByHand;
pub(crate) use clients::{Destination, Place, client_of};
use rustix::net::sockopt::set_socket_send_buffer_size;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

/// The API that serves or connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `start_server` and `open_connection`.
    Streams,
    /// `create_server` and `create_connection`.
    Protocols,
    /// `start_unix_server` and `open_unix_connection`.
    StreamsAtPath,
    /// `TcpListener` and `TcpStream`.
    Tcp,
    /// `UnixListener` and `UnixStream`.
    Unix,
    /// `sock_accept` and the methods like it.
    Sock,
}

impl Kind {
    pub(crate) fn has_path(self) -> bool {
        matches!(self, Kind::StreamsAtPath | Kind::Unix)
    }
}

/// More than the server's socket and its client's take together.
const MUCH: usize = 2 << 20;
const REQUEST: &[u8] = b"hello\n";
/// The send buffer of each server and of each client that it accepts, so that there's no room for
/// an answer.
const SEND_BUFFER: usize = 256 * 1024;

/// A server that runs.
enum Running {
    OfLibrary(Server),
    ByHand(ByHand),
}

thread_local! {
    /// The reports, and the errors with which connections were lost.
    static NOTES: RefCell<Vec<String>> = RefCell::default();
    static LOOP: RefCell<Option<EventLoop>> = RefCell::default();
    static SERVER: RefCell<Option<Running>> = const { RefCell::new(None) };
}

fn note(text: impl ToString) {
    NOTES.with_borrow_mut(|notes| notes.push(text.to_string()));
}

pub(crate) fn take_notes() -> Vec<String> {
    NOTES.take()
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

/// Returns a path without a file.
fn free_path(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("robustness_{name}"));
    let _ = fs::remove_file(&path);
    path
}

const ANY_PORT: &str = "127.0.0.1:0";
/// The path where a listener can make its file.
const PATH: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/robustness_listener");

/// Starts a server, which stays with this thread, and returns its place.
pub(crate) fn open(kind: Kind) -> Place {
    open_loop();
    let started = run(async move {
        let (server, place) = match kind {
            Kind::Streams => of_library(start_server(answer, ANY_PORT).await?)?,
            Kind::Protocols => {
                of_library(get_running_loop()?.create_server(|| Answering, ANY_PORT).await?)?
            }
            Kind::StreamsAtPath => {
                let path = free_path("server");
                let server = start_unix_server(answer, &path).await?;
                (Running::OfLibrary(server), Place::Path(path))
            }
            Kind::Tcp => {
                let listener = TcpListener::bind(ANY_PORT)?;
                let place = Place::Port(listener.local_addr()?);
                fill_soon(&listener);
                (Running::ByHand(ByHand::tcp(listener)?), place)
            }
            Kind::Unix => {
                let path = free_path("server");
                let listener = UnixListener::bind(&path)?;
                (Running::ByHand(ByHand::unix(listener)?), Place::Path(path))
            }
            Kind::Sock => {
                let listener = std::net::TcpListener::bind(ANY_PORT)?;
                listener.set_nonblocking(true)?;
                let place = Place::Port(listener.local_addr()?);
                fill_soon(&listener);
                (Running::ByHand(ByHand::sock(listener.into())?), place)
            }
        };
        SERVER.set(Some(server));
        Ok(place)
    });
    started.unwrap()
}

fn of_library(server: Server) -> Result<(Running, Place)> {
    fill_soon(&server.sockets()[0]);
    let place = Place::Port(server.local_addrs()?[0]);
    Ok((Running::OfLibrary(server), place))
}

fn fill_soon(listener: impl AsFd) {
    set_socket_send_buffer_size(listener, SEND_BUFFER).unwrap();
}

/// Serves until a client has its whole answer, or has waited too long for it, and hangs up. Returns
/// true if the answer was complete, with its end.
pub(crate) fn serve(client: OwnedFd) -> bool {
    let wait = || serve_for(100);
    let mut received = clients::Received::default();
    while !received.is_over() {
        wait();
        received.receive(&client);
    }
    drop(client);
    wait();
    received.is_all()
}

/// Serves for this number of milliseconds on the loop's clock.
pub(crate) fn serve_for(milliseconds: u64) {
    run(sleep(Duration::from_millis(milliseconds))).expect("the loop lives");
}

/// Closes the server. Returns false if one of its connections is still there.
pub(crate) fn close() -> bool {
    let server = SERVER.take().unwrap();
    let closing = async move {
        match server {
            Running::OfLibrary(server) => {
                server.close();
                server.wait_closed().await
            }
            Running::ByHand(server) => server.close().await,
        }
    };
    let ended = run(async move { wait_for(closing, Duration::from_secs(10)).await });
    close_loop();
    ended.is_ok()
}

/// Starts a server and closes it. Returns its error, if it can't be started.
pub(crate) fn listen(kind: Kind) -> std::result::Result<(), String> {
    run(async move {
        match kind {
            Kind::Streams => start_server(answer, ANY_PORT).await?.close(),
            Kind::StreamsAtPath => {
                start_unix_server(answer, PATH).await?.close();
                fs::remove_file(PATH)?;
            }
            Kind::Tcp => drop(TcpListener::bind(ANY_PORT)?),
            Kind::Unix => {
                // After a failure no file is left: with a file, the next try would fail, too.
                drop(UnixListener::bind(PATH)?);
                fs::remove_file(PATH)?;
            }
            Kind::Protocols | Kind::Sock => unreachable!("they have no listeners of their own"),
        }
        Ok(())
    })
}

/// Makes a connection on a loop and closes it. Returns the error if that fails.
pub(crate) fn connect(kind: Kind, place: &Place) -> std::result::Result<(), String> {
    let place = place.clone();
    run(async move {
        match (kind, place) {
            (Kind::Streams, Place::Port(address)) => drop(open_connection(address).await?),
            (Kind::Protocols, Place::Port(address)) => {
                let made = get_running_loop()?.create_connection(|| Answering, address).await?;
                // Until its reader is added.
                sleep(Duration::from_millis(1)).await?;
                made.0.close();
            }
            (Kind::Tcp, Place::Port(address)) => drop(TcpStream::connect(address).await?),
            (Kind::Sock, Place::Port(address)) => {
                let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
                let made = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None);
                let socket = made.map_err(std::io::Error::from)?;
                get_running_loop()?.sock_connect(&socket, address).await?;
            }
            (Kind::StreamsAtPath, Place::Path(path)) => drop(open_unix_connection(path).await?),
            (Kind::Unix, Place::Path(path)) => drop(UnixStream::connect(path).await?),
            (kind, place) => unreachable!("{kind:?} to {place:?}"),
        }
        sleep(Duration::from_millis(1)).await
    })
}

/// Sends messages from a socket to itself. Returns the error if a call fails, and then repeats
/// everything with the same socket.
pub(crate) fn exchange_datagrams() -> std::result::Result<(), String> {
    run(async {
        let socket = UdpSocket::bind(ANY_PORT).await?;
        let exchanged = exchange(&socket).await;
        if exchanged.is_err() {
            exchange(&socket).await.expect("the socket is still of use");
        }
        exchanged
    })
}

async fn exchange(socket: &UdpSocket) -> Result<()> {
    let (own, mut buffer) = (socket.local_addr()?, [0; 16]);
    socket.send_to(REQUEST, own).await?;
    let (count, from) = socket.recv_from(&mut buffer).await?;
    assert_eq!((&buffer[..count], from), (REQUEST, own));
    socket.connect(own).await?;
    socket.send(REQUEST).await?;
    let count = socket.recv(&mut buffer).await?;
    assert_eq!(&buffer[..count], REQUEST);
    Ok(())
}
