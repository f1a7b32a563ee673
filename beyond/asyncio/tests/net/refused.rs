//! Streams, servers and clients whose system calls fail once, besides what's in the table of
//! `robustness`: false alarms, the network's errors, and what's left of a server. The pause in
//! accepting is in the scene `a_server_without_descriptors`.

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;
use std::time::Duration;

use crate::common::reports_of;
use asyncio::{
    EventLoop, Result, StreamReader, StreamWriter, VirtualClock, get_running_loop, open_connection,
    sleep, start_server,
};
use kit::{Observer, Refusal, limit_time};

fn refusal(call: libc::c_long, errno: i32) -> Refusal {
    Refusal { call, argument: None, errno }
}

/// Runs a coroutine on a loop while the kernel refuses one call, after a number that it lets pass.
/// Returns the coroutine's result or its error, together with the reports.
fn run_refusing<T: Clone + Send + 'static, C: Future<Output = Result<T>> + 'static>(
    refusal: Refusal,
    spared: usize,
    coroutine: impl FnOnce() -> C + Send,
) -> (std::result::Result<T, String>, Vec<String>) {
    limit_time();
    let observer = Observer::new().unwrap();
    let run = || {
        let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
        let reports = reports_of(&event_loop);
        let outcome = event_loop.run_until_complete(coroutine());
        event_loop.close().unwrap();
        (outcome.map_err(|error| error.to_string()), reports.take())
    };
    observer.refusing(&[refusal], spared, run).0
}

async fn echo(mut reader: StreamReader, writer: StreamWriter) -> Result<()> {
    while let Some(line) = reader.next_line().await? {
        writer.write(&line)?;
        writer.drain().await?;
    }
    Ok(())
}

/// Two clients of an echo server connect, one after the other, and each sends two lines. Returns
/// the answer that each client receives.
async fn two_clients() -> Result<Vec<String>> {
    let server = start_server(echo, "127.0.0.1:0").await?;
    let address = server.local_addrs()?[0];
    let mut received = Vec::new();
    for _ in 0..2 {
        let mut client = std::net::TcpStream::connect(address)?;
        client.set_nonblocking(true)?;
        for line in ["hello\n", "again\n"] {
            // By write(2), for which no refusal is meant. The client may be disconnected already.
            let _ = step01_fd::write(&client, line.as_bytes());
            // Longer than the pause in accepting; the clock is virtual.
            sleep(Duration::from_secs(2)).await?;
        }
        let mut text = String::new();
        // This ends with an error if the server hasn't hung up.
        let _ = client.read_to_string(&mut text);
        received.push(text);
    }
    server.close();
    Ok(received)
}

const BOTH: &str = "hello\nagain\n";

#[test]
fn a_signal_or_a_false_alarm_loses_nothing() {
    for call in [libc::SYS_recvfrom, libc::SYS_sendto] {
        // A false alarm is over with the next event, so it can only concern the first line.
        for (errno, spared) in [(libc::EINTR, 0), (libc::EINTR, 1), (libc::EAGAIN, 0)] {
            let (received, reports) = run_refusing(refusal(call, errno), spared, two_clients);
            assert_eq!(received.unwrap(), [BOTH, BOTH], "{call} {errno} {spared}");
            assert!(reports.is_empty(), "{call} {errno}: {reports:?}");
        }
    }
}

#[test]
fn what_the_network_or_a_peer_does_while_it_is_accepted_harms_no_other() {
    for errno in [libc::ECONNABORTED, libc::EINTR, libc::EPROTO, libc::ENETDOWN, libc::EPERM] {
        let (received, reports) = run_refusing(refusal(libc::SYS_accept4, errno), 0, two_clients);
        assert_eq!(received.unwrap(), [BOTH, BOTH], "{errno}");
        let is_reported = ![libc::ECONNABORTED, libc::EINTR].contains(&errno);
        assert_eq!(reports.len(), usize::from(is_reported), "{errno}: {reports:?}");
        assert!(reports.iter().all(|it| it.starts_with("socket.accept() failed: accept fd ")));
    }
}

#[test]
fn a_client_socket_is_non_blocking_and_close_on_exec_from_the_start() {
    let flags = (libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC).cast_unsigned();
    // A call with any other flags isn't refused, and then there's nothing to report.
    let refusal = Refusal { argument: Some((3, flags)), ..refusal(libc::SYS_accept4, libc::EPERM) };
    let (received, reports) = run_refusing(refusal, 0, two_clients);
    assert_eq!(received.unwrap(), [BOTH, BOTH]);
    assert_eq!(reports.len(), 1, "{reports:?}");
}

#[test]
fn the_address_of_a_peer_that_has_reset_the_connection_is_an_error_that_names_its_call() {
    limit_time();
    let said = EventLoop::new().unwrap().run_until_complete(async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let (_reader, writer) = open_connection(listener.local_addr()?).await?;
        let (mut peer, _) = listener.accept()?;
        // The bytes that it leaves unread reset the connection.
        writer.write(b"hello")?;
        peer.read_exact(&mut [0])?;
        drop(peer);
        Ok(writer.peer_addr().map_err(|error| error.to_string()))
    });
    let said = said.unwrap().unwrap_err();
    assert!(said.starts_with("getpeername fd ") && said.ends_with("(os error 107)"), "{said}");
}

#[test]
fn a_server_that_is_closed_because_of_a_report_serves_none_of_those_that_still_wait() {
    let add = Some((1, libc::EPOLL_CTL_ADD.cast_unsigned()));
    // The loop's own descriptor and the listener are spared.
    let refusal = Refusal { argument: add, ..refusal(libc::SYS_epoll_ctl, libc::ENOMEM) };
    let (count, _) = run_refusing(refusal, 2, || async {
        let count = Rc::new(Cell::new(0));
        let noted = Rc::clone(&count);
        let serve = move |_, _| {
            noted.set(noted.get() + 1);
            async { Ok(()) }
        };
        let server = start_server(serve, "127.0.0.1:0").await?;
        // The program holds the socket, so closing the server doesn't close that.
        let (held, address) = (server.sockets(), server.local_addrs()?[0]);
        let closing = server.clone();
        get_running_loop()?.set_exception_handler(move |_| closing.close());
        let clients = (0..3).map(|_| std::net::TcpStream::connect(address));
        let clients = clients.collect::<std::io::Result<Vec<_>>>()?;
        sleep(Duration::from_secs(1)).await?;
        assert!(!server.is_serving(), "its first client couldn't be registered");
        drop((clients, held));
        Ok(count.get())
    });
    assert_eq!(count, Ok(0), "none is served");
}
