//! The `{:?}` of sockets, servers, pipes and transports in a debugger: it shows enough to tell them
//! apart.

use std::fmt::Debug;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net;
use std::process::{Command, Stdio};

use crate::test;
use asyncio::{
    EventLoopExt as _, Protocol, TcpListener, UdpSocket, UnixListener, UnixStream,
    create_subprocess, get_running_loop, open_connection_on, start_server,
};

struct Silent;

impl Protocol for Silent {}

/// Checks that something shows its kind and its descriptor.
fn shows_its_descriptor(kind: &str, it: &(impl AsFd + Debug)) {
    let shown = format!("{it:?}");
    assert!(shown.starts_with(kind), "{shown}");
    let fd = format!("fd: {}", it.as_fd().as_raw_fd());
    assert!(shown.contains(&fd), "{fd} isn't in {shown}");
}

#[test]
fn a_socket_shows_its_descriptor() {
    test(async {
        shows_its_descriptor("TcpListener(", &TcpListener::bind("127.0.0.1:0")?);
        shows_its_descriptor("UdpSocket(", &UdpSocket::bind("127.0.0.1:0").await?);
        shows_its_descriptor("Stream(", &UnixStream::pair()?.0);
        let listener = net::UnixListener::bind_addr(&net::SocketAddr::from_pathname("")?)?;
        shows_its_descriptor("UnixListener(", &UnixListener::from_std(listener)?);
        Ok(())
    });
}

#[test]
fn a_pipe_shows_its_descriptor() {
    test(async {
        let mut process =
            create_subprocess(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let stdin = process.stdin.take().unwrap();
        for (kind, shown, fd) in [
            ("PipeWriter(", format!("{stdin:?}"), stdin.as_fd().as_raw_fd()),
            (
                "PipeReader(",
                format!("{:?}", process.stdout),
                process.stdout.as_ref().unwrap().as_fd().as_raw_fd(),
            ),
        ] {
            assert!(shown.contains(kind) && shown.contains(&format!("fd: {fd}")), "{shown}");
        }
        drop(stdin);
        process.wait().await?;
        Ok(())
    });
}

#[test]
fn a_server_shows_its_sockets_until_it_is_closed() {
    test(async {
        let server = start_server(|_, _| async { Ok(()) }, "127.0.0.1:0").await?;
        let fd = server.sockets()[0].as_raw_fd();
        let shown = format!("{server:?}");
        assert!(shown.starts_with("Server ") && shown.contains(&format!("fd: {fd}")), "{shown}");
        server.close();
        assert!(format!("{server:?}").contains("sockets: None"), "{server:?}");
        Ok(())
    });
}

#[test]
fn writers_and_transports_show_what_is_unsent_and_whether_they_close() {
    test(async {
        let (ours, _theirs) = net::UnixStream::pair()?;
        let (_reader, writer) = open_connection_on(ours)?;
        assert_eq!(format!("{writer:?}"), "StreamWriter { unsent: 0, is_closing: false, .. }");
        let (ours, _theirs) = net::UnixStream::pair()?;
        let fd = ours.as_raw_fd();
        let event_loop = get_running_loop()?;
        let (transport, _) = event_loop.connect_accepted_socket(|| Silent, ours).await?;
        let shown = format!("{transport:?}");
        assert!(shown.starts_with("Transport ") && shown.contains(&format!("fd: {fd}")), "{shown}");
        assert!(shown.ends_with("closing: false, unsent: 0, .. }"), "{shown}");
        transport.close();
        assert!(format!("{transport:?}").contains("closing: true"), "{transport:?}");
        Ok(())
    });
}
