//! The cost of a message on a connection that's registered already.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;

use scene::{Transcript, say, scene};
use step02_epoll::{EchoServer, Events};

use kit::{EPERM, Refusal};

scene!(
    when_epoll_ctl_is_refused,
    "A client is registered, and then the kernel refuses epoll_ctl. Which messages are still echoed?"
);
/// `the client sends three          and receives three`, although `epoll_ctl` is refused: the
/// registration for reading stays as it is, and the server tries to write each answer right after
/// it has read. Only when the client's unread answers have filled the socket does the server have
/// to wait for room. Then it wants `WRITABLE` instead, and `the client sends, reads nothing: the
/// loop needs epoll_ctl`. asyncio's streams, too, wait for room only if the socket is full.
fn when_epoll_ctl_is_refused(t: Transcript) -> anyhow::Result<()> {
    let mut server = EchoServer::bind(0)?;
    let mut events = Events::with_capacity(8);
    let mut client = TcpStream::connect(server.local_addr()?)?;
    server.turn(&mut events)?;
    say!(t, "a client connects and is registered");

    let every_epoll_ctl = Refusal { call: libc::SYS_epoll_ctl, argument: None, errno: EPERM };
    every_epoll_ctl.during(|| {
        say!(t, "from now on, epoll_ctl is refused");
        for message in ["one", "two", "three"] {
            let answer = echoed(&mut server, &mut events, &mut client, message)?;
            say!(t, "  the client sends {message:<14} and receives {}", answer);
        }
        let outcome = sent_without_reading(&mut server, &mut events, &mut client)?;
        say!(t, "  the client sends, reads nothing: {}", outcome);
        Ok(())
    })?
}

fn echoed(
    server: &mut EchoServer,
    events: &mut Events,
    client: &mut TcpStream,
    message: &str,
) -> anyhow::Result<String> {
    client.write_all(message.as_bytes())?;
    server.turn(events)?;
    let mut answer = vec![0; message.len()];
    client.read_exact(&mut answer)?;
    Ok(String::from_utf8(answer)?)
}

/// Sends until the server's answers fill the socket, so that it has to wait for room.
fn sent_without_reading(
    server: &mut EchoServer,
    events: &mut Events,
    client: &mut TcpStream,
) -> io::Result<String> {
    client.set_nonblocking(true)?;
    let much = vec![b'x'; 64 * 1024];
    loop {
        match client.write(&much) {
            Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(error),
            _ => {}
        }
        match server.turn(events) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Ok("the loop needs epoll_ctl".to_string());
            }
            Err(error) => return Err(error),
        }
    }
}
