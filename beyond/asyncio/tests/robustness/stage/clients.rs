//! The clients of a server, outside the loop: their requests and their answers.

use std::io::{IoSliceMut, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvFlags, recvmsg};

use super::{MUCH, REQUEST};

/// The place where a server listens.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    Port(SocketAddr),
    Path(PathBuf),
}

/// Makes a client and sends its request.
pub(crate) fn client_of(place: &Place) -> OwnedFd {
    // The longest wait of a `peek`.
    let moment = Some(Duration::from_millis(5));
    match place {
        Place::Port(address) => {
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(REQUEST).unwrap();
            client.set_read_timeout(moment).unwrap();
            client.into()
        }
        Place::Path(path) => {
            let mut client = UnixStream::connect(path).unwrap();
            client.write_all(REQUEST).unwrap();
            client.set_read_timeout(moment).unwrap();
            client.into()
        }
    }
}

/// The bytes that a client has received.
#[derive(Default)]
pub(super) struct Received {
    count: usize,
    has_ended: bool,
    /// The number of tries in a row without any bytes.
    in_vain: usize,
}

impl Received {
    /// Returns true after the end, or after so long without any bytes that none will come.
    pub(super) fn is_over(&self) -> bool {
        self.has_ended || self.in_vain >= self.patience()
    }

    /// Returns true if this is the whole answer and its end.
    pub(super) fn is_all(&self) -> bool {
        self.has_ended && self.count == REQUEST.len() + MUCH
    }

    /// The number of tries. The pause in accepting takes ten, and the network needs a moment of
    /// real time for bytes on their way. When only the end is missing, hardly anything delays it.
    fn patience(&self) -> usize {
        if self.count == REQUEST.len() + MUCH { 5 } else { 100 }
    }

    pub(super) fn receive(&mut self, client: &OwnedFd) {
        let (before, mut buffer) = (self.count, vec![0; 1 << 18]);
        loop {
            match receive(client, &mut buffer, RecvFlags::DONTWAIT) {
                Ok(0) => self.has_ended = true,
                Ok(count) => {
                    self.count += count;
                    continue;
                }
                Err(Errno::AGAIN) => {}
                // The connection was reset, and the missing bytes won't come.
                Err(_) => self.in_vain = self.patience(),
            }
            break;
        }
        if self.count > before {
            self.in_vain = 0;
        } else if !self.has_ended {
            self.in_vain += 1;
            // Waits for more bytes, for a moment.
            let _ = receive(client, &mut [0], RecvFlags::PEEK);
        }
    }
}

/// Receives by `recvmsg(2)`, which no other code calls here, so no refusal concerns it.
fn receive(client: &OwnedFd, buffer: &mut [u8], flags: RecvFlags) -> Result<usize, Errno> {
    let mut nothing_else = RecvAncillaryBuffer::default();
    let received = recvmsg(client, &mut [IoSliceMut::new(buffer)], &mut nothing_else, flags)?;
    Ok(received.bytes)
}

/// Listeners to connect to, of both families.
pub(crate) struct Destination {
    port: TcpListener,
    path: UnixListener,
}

impl Destination {
    pub(crate) fn new() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        port.set_nonblocking(true).unwrap();
        let path = UnixListener::bind(super::free_path("destination")).unwrap();
        path.set_nonblocking(true).unwrap();
        Destination { port, path }
    }

    /// Returns the place of one of the listeners.
    pub(crate) fn place(&self, has_path: bool) -> Place {
        if has_path {
            Place::Path(self.path.local_addr().unwrap().as_pathname().unwrap().to_owned())
        } else {
            Place::Port(self.port.local_addr().unwrap())
        }
    }

    /// Hangs up on all clients that have connected.
    pub(crate) fn hang_up(&self) {
        while self.port.accept().is_ok() {}
        while self.path.accept().is_ok() {}
    }
}
