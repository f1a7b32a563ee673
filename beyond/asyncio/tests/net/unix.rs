//! Unix sockets: paths, pairs, and servers at a path.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use crate::test;
use asyncio::{
    Error, EventLoopExt as _, Protocol, StreamReader, StreamWriter, TcpListener, TcpStream,
    UdpSocket, UnixListener, UnixStream, create_task, get_running_loop, open_connection_on,
    open_unix_connection, run, start_unix_server, yield_now,
};
use kit::{Refusal, limit_time};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    sendmsg,
};

/// Returns a free path in the directory for temporary files.
fn free_path(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn a_pair_is_connected_and_each_side_can_end() {
    test(async {
        let (one, other) = UnixStream::pair()?;
        one.write_all(b"hello").await?;
        one.shutdown(Shutdown::Write)?;
        let mut buffer = [0; 16];
        assert_eq!(other.read(&mut buffer).await?, 5);
        assert_eq!(other.read(&mut buffer).await?, 0);
        other.write_all(b"bye").await?;
        assert_eq!(one.read(&mut buffer).await?, 3);
        Ok(())
    });
}

#[test]
fn a_listener_at_a_path_accepts() {
    let path = free_path("listener");
    test(async move {
        let listener = UnixListener::bind(&path)?;
        assert_eq!(listener.local_addr()?.as_pathname(), Some(path.as_path()));
        let client = UnixStream::connect(&path).await?;
        let (served, _) = listener.accept().await?;
        client.write_all(b"hello").await?;
        assert_eq!(served.read(&mut [0; 16]).await?, 5);
        assert_eq!(client.peer_addr()?.as_pathname(), Some(path.as_path()));
        Ok(())
    });
}

/// The kernel takes an empty path for a name without a file, which any program could connect to.
#[test]
fn an_empty_path_is_refused() {
    test(async {
        let says = |call: &str| format!("{call} : Invalid argument (os error 22)");
        let refused = [
            ("bind to", start_unix_server(shout, "").await.map(drop)),
            ("bind to", UnixListener::bind("").map(drop)),
            ("connect to", open_unix_connection("").await.map(drop)),
            ("connect to", UnixStream::connect("").await.map(drop)),
        ];
        for (call, refused) in refused {
            assert_eq!(refused.unwrap_err().to_string(), says(call));
        }
        Ok(())
    });
}

#[test]
fn a_full_queue_is_an_error_at_once() {
    let path = free_path("full");
    test(async move {
        let listener = std::os::unix::net::UnixListener::bind(&path)?;
        rustix::net::listen(&listener, 0).unwrap();
        let _first = UnixStream::connect(&path).await?;
        let error = UnixStream::connect(&path).await.unwrap_err().to_string();
        assert!(error.starts_with("connect to /") && error.contains("unavailable"), "{error}");
        Ok(())
    });
}

async fn shout(mut reader: StreamReader, writer: StreamWriter) -> asyncio::Result<()> {
    let line = reader.readline().await?;
    writer.write(&line.to_ascii_uppercase())
}

#[test]
fn a_server_at_a_path_serves_and_replaces_a_socket_that_was_left() {
    let path = free_path("server");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    test(async move {
        let server = start_unix_server(shout, &path).await?;
        assert!(server.local_addrs()?.is_empty());
        assert_eq!(server.sockets().len(), 1);
        let (mut reader, writer) = open_unix_connection(&path).await?;
        assert!(writer.peer_addr().is_err(), "a path is no IP address");
        writer.write(b"hello\n")?;
        assert_eq!(reader.read_to_end().await?, b"HELLO\n");
        server.close();
        drop(writer);
        server.wait_closed().await?;
        assert!(open_unix_connection(&path).await.is_err());
        Ok(())
    });
}

/// The calls that remove a file. The processor decides which of them std makes.
const UNLINKS: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    libc::SYS_unlinkat,
];

/// Two servers can begin at the same time. Here the file is still there, so the next call reports
/// the file.
#[test]
fn a_socket_that_another_program_has_just_removed_is_not_in_the_way() {
    limit_time();
    let path = free_path("just_removed");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    for (errno, call) in [(libc::ENOENT, "bind to"), (libc::EPERM, "unlink")] {
        let refusals: Vec<_> =
            UNLINKS.iter().map(|&call| Refusal { call, argument: None, errno }).collect();
        let start = || run(start_unix_server(shout, path.clone())).map(drop);
        let refused = Refusal::all_during(&refusals, || start().unwrap_err().to_string()).unwrap();
        assert!(refused.starts_with(&format!("{call} /")), "{refused}");
    }
}

struct Silent;

impl Protocol for Silent {}

/// Makes a socket of this type and the words that refuse it where another type is expected.
fn socket_of(kind: SocketType, name: &str, expected: &str) -> (OwnedFd, String) {
    let (family, flags) = (AddressFamily::UNIX, SocketFlags::CLOEXEC);
    let (socket, _other) = rustix::net::socketpair(family, kind, flags, None).unwrap();
    let words = format!("A {expected} was expected, got fd {} ({name})", socket.as_raw_fd());
    (socket, words)
}

/// A stream takes a short read for the last one, so it would never read the second of two messages.
#[test]
fn a_socket_of_messages_is_no_stream_and_a_stream_is_no_socket_of_messages() {
    type Entry = fn(OwnedFd) -> Result<(), Error>;
    const STREAMS: [Entry; 5] = [
        |socket| open_connection_on(socket).map(drop),
        |socket| UnixStream::from_std(socket.into()).map(drop),
        |socket| TcpStream::from_std(socket.into()).map(drop),
        |socket| UnixListener::from_std(socket.into()).map(drop),
        |socket| TcpListener::from_std(socket.into()).map(drop),
    ];
    test(async {
        for (kind, name) in
            [(SocketType::SEQPACKET, "SOCK_SEQPACKET"), (SocketType::DGRAM, "SOCK_DGRAM")]
        {
            for take_over in STREAMS {
                let (socket, words) = socket_of(kind, name, "Stream Socket");
                assert_eq!(take_over(socket).unwrap_err().to_string(), words);
            }
            let (socket, words) = socket_of(kind, name, "Stream Socket");
            let socket = std::os::unix::net::UnixStream::from(socket);
            let event_loop = get_running_loop()?;
            let refused = event_loop.connect_accepted_socket(|| Silent, socket).await;
            assert_eq!(refused.map(drop).unwrap_err().to_string(), words);
        }
        let (socket, words) = socket_of(SocketType::STREAM, "SOCK_STREAM", "datagram socket");
        let refused = UdpSocket::from_std(socket.into()).unwrap_err();
        assert_eq!(refused.to_string(), words);
        let pipe = step01_fd::pipe()?.0;
        let words = format!("getsockopt SO_TYPE fd {}: ", pipe.as_raw_fd());
        let refused = open_connection_on(pipe).map(drop).unwrap_err().to_string();
        assert!(refused.starts_with(&words), "{refused}");
        Ok(())
    });
}

/// Sends bytes together with a descriptor.
fn send_with_descriptor(socket: &std::os::unix::net::UnixStream, bytes: &[u8]) {
    let sent = [socket.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    assert!(control.push(SendAncillaryMessage::ScmRights(&sent)));
    sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::empty()).unwrap();
}

/// The kernel ends a receive behind bytes that came with a descriptor, even if there's more: a
/// short read that isn't the last read.
#[test]
fn a_stream_reads_what_came_behind_a_descriptor() {
    let path = free_path("descriptors");
    test(async move {
        let echo = async |mut reader: StreamReader, writer: StreamWriter| {
            let message = reader.read_exactly(10).await?;
            writer.write(&message)
        };
        let _server = start_unix_server(echo, &path).await?;
        let client = std::os::unix::net::UnixStream::connect(&path)?;
        send_with_descriptor(&client, b"hello");
        std::io::Write::write_all(&mut &client, b"again")?;
        // With a turn in between, the reader waits.
        for reads_first in [false, true] {
            let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
            let (mut reader, _writer) = open_connection_on(ours)?;
            let reading = create_task(async move { reader.read_exactly(10).await })?;
            if reads_first {
                yield_now().await?;
            }
            send_with_descriptor(&theirs, b"hello");
            std::io::Write::write_all(&mut &theirs, b"again")?;
            assert_eq!(reading.await?, b"helloagain");
        }
        let (mut reader, _writer) = open_connection_on(client)?;
        assert_eq!(reader.read_exactly(10).await?, b"helloagain");
        Ok(())
    });
}
