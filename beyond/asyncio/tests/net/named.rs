//! An error names the call that failed and its argument.

use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use crate::test;
use asyncio::{
    Address, EventLoopExt as _, UdpSocket, UnixListener, get_running_loop, open_connection,
    open_connection_on, open_unix_connection, start_server, start_unix_server,
};

#[test]
fn an_address_that_a_socket_does_not_have_is_asked_of_a_descriptor() {
    test(async {
        let (ours, _theirs) = UnixStream::pair()?;
        let fd = ours.as_raw_fd();
        let (_reader, writer) = open_connection_on(ours)?;
        let refused = writer.peer_addr().unwrap_err().to_string();
        assert_eq!(refused, format!("getpeername fd {fd}: it has no IP address"));
        let refused = writer.local_addr().unwrap_err().to_string();
        assert_eq!(refused, format!("getsockname fd {fd}: it has no IP address"));
        let socket = UdpSocket::bind("127.0.0.1:0").await?;
        let refused = socket.peer_addr().unwrap_err().to_string();
        let says = "Transport endpoint is not connected (os error 107)";
        assert_eq!(refused, format!("getpeername fd {}: {says}", raw(&socket)));
        Ok(())
    });
}

fn raw(socket: &impl std::os::fd::AsFd) -> i32 {
    socket.as_fd().as_raw_fd()
}

#[test]
fn an_address_of_a_connection_that_is_lost_names_the_question() {
    test(async {
        let (ours, _theirs) = UnixStream::pair()?;
        let (_reader, writer) = open_connection_on(ours)?;
        writer.close();
        writer.wait_closed().await?;
        let refused = writer.peer_addr().unwrap_err().to_string();
        assert_eq!(refused, "getpeername: the connection is closed");
        let refused = writer.local_addr().unwrap_err().to_string();
        assert_eq!(refused, "getsockname: the connection is closed");
        Ok(())
    });
}

/// The call and its argument, in each error of a function that takes an address or a path.
#[test]
fn an_address_or_a_path_is_in_the_error() {
    test(async {
        // It has a port, and doesn't listen.
        let bound = UdpSocket::bind("127.0.0.1:0").await?;
        let taken = TcpListener::bind("127.0.0.1:0")?;
        let (nothing, address) = (bound.local_addr()?, taken.local_addr()?);
        let echo = |_, _| async { Ok(()) };
        let long = "p".repeat(200);
        let event_loop = get_running_loop()?;
        let said = [
            (open_connection(nothing).await.err(), format!("connect to {nothing}: ")),
            (start_server(echo, address).await.err(), format!("bind to {address}: ")),
            (UdpSocket::bind(nothing).await.err(), format!("bind to {nothing}: ")),
            (open_unix_connection("/no/such").await.err(), "connect to /no/such: ".to_owned()),
            (start_unix_server(echo, "/no/such").await.err(), "bind to /no/such: ".to_owned()),
            (UnixListener::bind("/no/such").err(), "bind to /no/such: ".to_owned()),
            (start_unix_server(echo, &*long).await.err(), format!("bind to {long}: ")),
            (open_unix_connection(&*long).await.err(), format!("connect to {long}: ")),
            (
                Address::from("no host at all:1").resolve().await.err(),
                "getaddrinfo no host at all:1: ".to_owned(),
            ),
            (
                event_loop.getaddrinfo("no host at all", 1).await.err(),
                "getaddrinfo no host at all:1: ".to_owned(),
            ),
            (bound.connect("[::1]:1").await.err(), "connect to ".to_owned()),
            (
                bound.send_to(b"", "[::1]:1".parse().unwrap()).await.err(),
                "sendto [::1]:1: ".to_owned(),
            ),
        ];
        for (error, says) in said {
            let error = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(error.starts_with(&says), "{error:?} doesn't begin with {says:?}");
        }
        Ok(())
    });
}
