//! `start_server` and `Server`; `test_server.py` and `test_streams.py` ask the same of asyncio.

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use crate::common::{poll_once, reports_of, ticks};
use crate::test;
use asyncio::{
    Address, Error, EventLoop, Result, Server, ServerOptions, StreamReader, StreamWriter,
    VirtualClock, create_task, current_task, get_running_loop, open_connection, sleep,
    start_server, yield_now,
};
use kit::{Refusal, limit_time};

fn address(server: &Server) -> SocketAddr {
    server.local_addrs().unwrap()[0]
}

/// Reads until the client's end, then closes the connection.
async fn serve(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    reader.read_to_end().await?;
    writer.close();
    writer.wait_closed().await
}

async fn echo(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    while let Some(line) = reader.next_line().await? {
        writer.write(&line)?;
        writer.drain().await?;
    }
    Ok(())
}

#[test]
fn clients_are_served_at_the_same_time() {
    test(async {
        let server = start_server(echo, "127.0.0.1:0").await?;
        assert!(server.is_serving());
        let (mut one, to_one) = open_connection(address(&server)).await?;
        let (mut other, to_other) = open_connection(address(&server)).await?;
        assert_eq!(to_one.peer_addr()?, address(&server));
        assert_ne!(to_one.local_addr()?, to_other.local_addr()?);
        to_other.write(b"second\n")?;
        assert_eq!(other.readline().await?, b"second\n");
        to_one.write(b"first\n")?;
        assert_eq!(one.readline().await?, b"first\n");
        server.close();
        assert!(!server.is_serving());
        assert!(server.sockets().is_empty());
        assert!(open_connection(to_one.peer_addr()?).await.is_err(), "the port is closed");
        to_one.write(b"who's there is served on\n")?;
        assert_eq!(one.readline().await?, b"who's there is served on\n");
        Ok(())
    });
}

#[test]
fn wait_closed_waits_for_both_the_server_and_its_clients() {
    test(async {
        let server = Rc::new(start_server(serve, ("127.0.0.1", 0)).await?);
        let address = address(&server);
        let wait = |server: Rc<Server>| async move { server.wait_closed().await };
        let first = create_task(wait(Rc::clone(&server)))?;
        yield_now().await?;
        assert!(!first.done(), "no clients, but not closed");

        let (_reader, writer) = open_connection(address).await?;
        // The server has accepted the connection by the next tick.
        ticks(3).await?;
        let second = create_task(wait(Rc::clone(&server)))?;
        yield_now().await?;
        assert!(!first.done() && !second.done(), "a client, and not closed");

        server.close();
        server.close();
        let third = create_task(wait(Rc::clone(&server)))?;
        ticks(3).await?;
        assert!(!first.done() && !second.done() && !third.done(), "closed, but a client");

        writer.close();
        writer.wait_closed().await?;
        first.await?;
        second.await?;
        third.await?;
        server.wait_closed().await
    });
}

#[test]
fn wait_closed_is_over_if_the_client_and_the_server_close_in_one_tick() {
    test(async {
        let server = Rc::new(start_server(serve, "127.0.0.1:0").await?);
        let (_reader, writer) = open_connection(address(&server)).await?;
        ticks(3).await?;
        let (event_loop, closing) = (get_running_loop()?, Rc::clone(&server));
        event_loop.call_soon(move || closing.close());
        event_loop.call_soon(move || writer.close());
        server.wait_closed().await
    });
}

#[test]
fn a_server_can_be_made_first_and_started_later() {
    test(async {
        let options = ServerOptions { start_serving: false, ..ServerOptions::default() };
        let server = options.start_server(echo, "127.0.0.1:0").await?;
        assert!(!server.is_serving());
        assert!(open_connection(address(&server)).await.is_err(), "it doesn't listen");
        server.start_serving().await?;
        server.start_serving().await?;
        assert!(server.is_serving());
        let (mut reader, writer) = open_connection(address(&server)).await?;
        writer.write(b"hello\n")?;
        assert_eq!(reader.readline().await?, b"hello\n");
        Ok(())
    });
}

#[test]
fn serve_forever_ends_cancelled_and_closes_the_server() {
    test(async {
        let server = Rc::new(start_server(serve, "127.0.0.1:0").await?);
        let forever = Rc::clone(&server);
        let task = create_task(async move { forever.serve_forever().await })?;
        yield_now().await?;
        let twice = server.serve_forever().await.unwrap_err().to_string();
        assert!(twice.ends_with("already being awaited on serve_forever()"), "{twice}");
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        assert!(!server.is_serving());
        for closed in [server.serve_forever().await, server.start_serving().await] {
            let closed = closed.unwrap_err().to_string();
            assert!(closed.ends_with("server is closed"), "{closed}");
        }

        let server = Rc::new(start_server(serve, "127.0.0.1:0").await?);
        let forever = Rc::clone(&server);
        let task = create_task(async move { forever.serve_forever().await })?;
        yield_now().await?;
        server.close();
        assert!(task.await.unwrap_err().is_cancelled(), "as in asyncio");
        Ok(())
    });
}

/// Serves one client, which waits for the end, and returns the reports.
fn reports(on_connection: impl AsyncFn() -> Result<()> + Clone + 'static) -> Vec<String> {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let reports = reports_of(&event_loop);
    let client = event_loop.run_until_complete(async move {
        let handler = move |_reader, writer| {
            let on_connection = on_connection.clone();
            async move {
                let _writer: StreamWriter = writer;
                on_connection().await
            }
        };
        let server = start_server(handler, "127.0.0.1:0").await?;
        let (mut reader, _writer) = open_connection(address(&server)).await?;
        assert_eq!(reader.read_to_end().await?, b"");
        server.close();
        server.wait_closed().await
    });
    client.unwrap();
    event_loop.close().unwrap();
    reports.take()
}

#[test]
fn a_coroutine_that_fails_is_reported_and_its_connection_is_closed() {
    let reported = reports(async || Err(Error::other("test")));
    assert_eq!(reported, ["Unhandled exception in client_connected_cb: test"]);
}

#[test]
fn a_coroutine_that_is_cancelled_is_not_reported() {
    let reported = reports(async || {
        current_task().unwrap().cancel();
        yield_now().await
    });
    assert!(reported.is_empty(), "{reported:?}");
}

#[test]
fn a_coroutine_that_panics_loses_its_own_connection() {
    let reported = reports(async || -> Result<()> { std::panic::resume_unwind(Box::new("oh no")) });
    assert_eq!(reported, ["Task exception was never retrieved: panicked: oh no"]);
}

#[test]
fn all_addresses_of_a_host_are_listened_on_or_none() {
    test(async {
        let two: Vec<SocketAddr> =
            vec!["127.0.0.1:0".parse().unwrap(), "127.0.0.2:0".parse().unwrap()];
        let server = start_server(echo, two).await?;
        let addresses = server.local_addrs()?;
        assert_eq!(addresses.len(), 2);
        for address in &addresses {
            open_connection(*address).await?;
        }
        let taken = vec!["127.0.0.3:0".parse().unwrap(), addresses[1]];
        let error = start_server(echo, taken).await.unwrap_err().to_string();
        assert_eq!(
            error,
            format!("bind to {}: Address already in use (os error 98)", addresses[1])
        );
        Ok(())
    });
}

#[test]
fn a_server_without_its_handle_goes_on_until_the_loop_is_closed() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let held = Rc::new(());
    let (alive, kept) = (Rc::downgrade(&held), held);
    let address = event_loop.run_until_complete(async move {
        let on_connection = move |reader, writer| {
            assert!(Rc::strong_count(&kept) > 0);
            echo(reader, writer)
        };
        let server = start_server(on_connection, "127.0.0.1:0").await?;
        let address = address(&server);
        drop(server);
        let (mut reader, writer) = open_connection(address).await?;
        writer.write(b"hello\n")?;
        assert_eq!(reader.readline().await?, b"hello\n");
        Ok(address)
    });
    assert_eq!(alive.strong_count(), 1);
    event_loop.close().unwrap();
    assert_eq!(alive.strong_count(), 0);
    assert!(std::net::TcpStream::connect(address.unwrap()).is_err());
}

#[test]
fn a_lookup_gives_a_server_its_addresses() {
    test(async {
        let server = start_server(echo, ("localhost", 0)).await?;
        for address in server.local_addrs()? {
            assert!(address.ip().is_loopback());
        }
        let resolved = Address::from(("localhost", 1)).resolve().await?;
        assert_eq!(server.sockets().len(), resolved.len());
        Ok(())
    });
}

#[test]
fn close_clients_and_abort_clients_end_the_clients_of_one_server() {
    for abort in [false, true] {
        test(async move {
            let server = start_server(serve, "127.0.0.1:0").await?;
            let other = start_server(echo, "127.0.0.1:0").await?;
            let (mut reader, _writer) = open_connection(address(&server)).await?;
            let (mut spared, to_spared) = open_connection(address(&other)).await?;
            ticks(3).await?;
            server.close();
            if abort {
                server.abort_clients();
            } else {
                server.close_clients();
            }
            server.wait_closed().await?;
            assert_eq!(reader.read_to_end().await?, b"");
            to_spared.write(b"still there\n")?;
            assert_eq!(spared.readline().await?, b"still there\n");
            Ok(())
        });
    }
}

#[test]
fn serve_forever_can_be_given_up_and_begun_again() {
    test(async {
        let server = start_server(serve, "127.0.0.1:0").await?;
        let mut first = Box::pin(server.serve_forever());
        assert!(poll_once(first.as_mut()).await.is_pending());
        drop(first);
        let again = server.clone();
        let serving = create_task(async move { again.serve_forever().await })?;
        ticks(2).await?;
        assert!(!serving.done());
        server.close();
        assert!(serving.await.unwrap_err().is_cancelled());
        Ok(())
    });
}

/// If the program still holds a socket of the closed server, the port isn't free, but nobody is
/// served.
#[test]
fn a_server_that_is_closed_in_a_pause_of_accepting_stays_closed() {
    let refusal = Refusal { call: libc::SYS_accept4, argument: None, errno: libc::EMFILE };
    for keeps_the_socket in [false, true] {
        let close_in_a_pause = || {
            limit_time();
            let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
            let reports = reports_of(&event_loop);
            let paused = async move {
                let server = start_server(echo, "127.0.0.1:0").await?;
                let address = address(&server);
                let _kept = keeps_the_socket.then(|| server.sockets());
                let _client = std::net::TcpStream::connect(address)?;
                ticks(3).await?;
                server.close();
                server.wait_closed().await?;
                let is_free = std::net::TcpStream::connect(address).is_err();
                // Longer than the pause.
                sleep(Duration::from_secs(5)).await?;
                Ok(is_free)
            };
            (event_loop.run(paused).unwrap(), reports.borrow().len())
        };
        let (is_free, reports) = refusal.during(close_in_a_pause).unwrap();
        assert_eq!((is_free, reports), (!keeps_the_socket, 1));
    }
}
