//! Trials of one connection's turns, with a client that is gone, a socket that is broken, or a
//! socket that takes only part of an answer.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};

use kit::cost::within;
use kit::loopback::{wait_for_the_end, wait_until_delivered, without_room};
use kit::{Observer, Refusal, lasting_errnos};
use scene::{Program, Transcript, say, trial};
use step01_fd::pipe_with_capacity;
use step02_epoll::Connection;

use super::local_server::replace;

use super::{in_words, outcome};

/// The calls that can read from a socket, and those that can write to one.
const READS: [libc::c_long; 4] =
    [libc::SYS_read, libc::SYS_readv, libc::SYS_recvfrom, libc::SYS_recvmsg];
const WRITES: [libc::c_long; 4] =
    [libc::SYS_write, libc::SYS_writev, libc::SYS_sendto, libc::SYS_sendmsg];

/// The ways in which a connection can break.
#[derive(Debug, Clone, Copy)]
enum Break {
    Closed,
    Reset,
    ResetWhileUnsent,
    CannotWrite,
    CannotRead,
}

const BREAKS: [Break; 5] =
    [Break::Closed, Break::Reset, Break::ResetWhileUnsent, Break::CannotWrite, Break::CannotRead];

/// A call that fails once, in words, and the system calls that can make it.
const FAILURES: [(&str, [libc::c_long; 4]); 3] = [
    ("the read", READS),
    ("the write of the answer", WRITES),
    ("the write of the unsent bytes", WRITES),
];

trial!(
    a_client_that_is_gone,
    1,
    "When a client closes, its connection is finished, but a broken connection is an error."
);
fn a_client_that_is_gone(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    for how in program.verbs(BREAKS) {
        let client = TcpStream::connect(listener.local_addr()?)?;
        let mut server = listener.accept()?.0;
        let mut connection = Connection::new(server.try_clone()?)?;
        let happens = match how {
            Break::Closed => {
                drop(client);
                wait_for_the_end(&server)?;
                "the client closes"
            }
            Break::Reset => {
                server.write_all(b"x")?;
                client.peek(&mut [0])?;
                // With a byte unread.
                drop(client);
                wait_for_the_end(&server)?;
                "the client resets the connection"
            }
            Break::ResetWhileUnsent => {
                server.write_all(b"x")?;
                client.peek(&mut [0])?;
                (&client).write_all(b"hello")?;
                wait_until_delivered(&client, &server)?;
                let first = without_room(|| connection.echo(&mut [0; 16]))?;
                say!(t, "bytes arrive; echo, while the socket takes no bytes: {}", outcome(first));
                drop(client);
                wait_for_the_end(&server)?;
                "then the client resets the connection"
            }
            Break::CannotWrite => {
                server.shutdown(Shutdown::Write)?;
                (&client).write_all(b"hello")?;
                wait_until_delivered(&client, &server)?;
                "bytes arrive, but the answer can't be written"
            }
            Break::CannotRead => {
                server.shutdown(Shutdown::Read)?;
                "the socket is shut down for reading"
            }
        };
        let first = outcome(connection.echo(&mut [0; 16]));
        say!(t, "{happens}; echo: {first}");
    }
    refused_once(program, t)
}

/// One call of a turn fails, once. The socket is the same each time, but each failure gets a new
/// `Connection`, since a connection needn't be usable after an error.
fn refused_once(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let client = TcpStream::connect(listener.local_addr()?)?;
    let server = listener.accept()?.0;
    let observer = Observer::new()?;
    let refused = lasting_errnos().flat_map(|errno| FAILURES.map(|failure| (errno, failure)));
    for (errno, (what, calls)) in program.verbs(refused) {
        let mut connection = Connection::new(server.try_clone()?)?;
        (&client).write_all(b"hello")?;
        wait_until_delivered(&client, &server)?;
        let is_unsent = what == FAILURES[2].0;
        if is_unsent {
            without_room(|| connection.echo(&mut [0; 16]))??;
        }
        let refusals = calls.map(|call| Refusal { call, argument: None, errno });
        let budget = if what == FAILURES[1].0 { 2 } else { 1 };
        let (turn, calls) = observer.refusing(&refusals, 0, || connection.echo(&mut [0; 16]));
        let (says, turn, cost) = (in_words(errno), outcome(turn), within(calls, budget));
        say!(t, "{what} fails once with \"{says}\"; echo: {turn}; system calls: {cost}");
        if calls > budget {
            // The client may have an answer that nobody expects.
            break;
        }
        let _ = (&server).read(&mut [0; 16]);
    }
    Ok(())
}

trial!(
    an_answer_in_parts,
    1,
    "While a socket takes only part of the unsent bytes, the connection waits."
);
/// The amount of data that a socket takes isn't known, so a pipe with room for one page takes the
/// socket's place.
fn an_answer_in_parts(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    for bytes in program.verbs([1, 4096, 5000, 9000, 16_000]) {
        let mut client = TcpStream::connect(listener.local_addr()?)?;
        let mut connection = Connection::new(listener.accept()?.0)?;
        client.write_all(&vec![b'x'; bytes])?;
        wait_until_delivered(&client, &connection)?;
        let mut scratch = vec![0; 16_384];
        let first = without_room(|| connection.echo(&mut scratch))?;
        say!(t, "{bytes} bytes arrive; echo, while the socket takes no bytes: {}", outcome(first));
        let (reader, writer) = pipe_with_capacity(1)?;
        replace(connection.as_fd().as_raw_fd(), &writer)?;
        let mut reader = File::from(reader);
        let mut turns = 0;
        while connection.wants_to_write() && turns < 10 {
            let progress = outcome(connection.echo(&mut scratch));
            let unsent = if connection.wants_to_write() { "some" } else { "no" };
            say!(t, "echo, while the socket takes a page: {progress}, {unsent} bytes are unsent");
            let _ = reader.read(&mut [0; 8192]);
            turns += 1;
        }
    }
    Ok(())
}
