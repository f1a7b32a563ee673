//! The clients of a server, outside the loop: what each sends, and what it gets.

use std::io::{IoSliceMut, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvFlags, recvmsg};

use super::{MUCH, REQUEST};

/// Where a server listens.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    Port(SocketAddr),
    Path(PathBuf),
}

/// Makes a client, and sends its request.
pub(crate) fn client_of(place: &Place) -> OwnedFd {
    // What a `peek` waits for.
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

/// What a client has received.
#[derive(Default)]
pub(super) struct Received {
    count: usize,
    has_ended: bool,
    /// The number of times in a row that nothing came.
    in_vain: usize,
}

impl Received {
    /// Returns true once nothing more will come, or nothing has come for so long that it won't.
    pub(super) fn is_over(&self) -> bool {
        self.has_ended || self.in_vain >= self.patience()
    }

    /// Returns true if this is the whole answer, and its end.
    pub(super) fn is_all(&self) -> bool {
        self.has_ended && self.count == REQUEST.len() + MUCH
    }

    /// The pause in accepting takes ten tries, and the network needs a moment of real time for
    /// what's on its way. When only the end is missing, it's hardly delayed by anything.
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
            let _ = receive(client, &mut [0], RecvFlags::PEEK);
        }
    }
}

/// Receives by `recvmsg(2)`, which nobody else calls here, so no refusal is about it.
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

    /// Returns the place of one of them.
    pub(crate) fn place(&self, has_path: bool) -> Place {
        if has_path {
            Place::Path(self.path.local_addr().unwrap().as_pathname().unwrap().to_owned())
        } else {
            Place::Port(self.port.local_addr().unwrap())
        }
    }

    /// Hangs up on all who have connected.
    pub(crate) fn hang_up(&self) {
        while self.port.accept().is_ok() {}
        while self.path.accept().is_ok() {}
    }
}
