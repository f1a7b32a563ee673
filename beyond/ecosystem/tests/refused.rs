//! Makes each system call of an axum server on the loop fail once, with every likely error. The
//! client for which the server made the call has to get an answer or a closed connection, and the
//! next client has to get an answer.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener as Listener, TcpStream};
use std::time::Duration;

use asyncio::{TcpListener, create_task, get_running_loop, run, wait_for};
use axum::Router;
use axum::routing::get;
use ecosystem::{LoopTimer, Serve, Tower, cancellable};
use kit::{Observer, Refusal, limit_time};
use step01_fd::open_descriptors;

const ERRORS: [i32; 8] = [
    libc::EINTR,
    libc::EAGAIN,
    libc::ENOMEM,
    libc::ENOBUFS,
    libc::EMFILE,
    libc::ECONNABORTED,
    libc::ECONNRESET,
    libc::EPIPE,
];

/// The server's calls, each with the errors that the kernel never returns for a call that can
/// proceed. After EAGAIN, an edge-triggered server rightly waits for an event. Waiting isn't among
/// these calls: if a wait fails with anything but EINTR, the loop ends.
const CALLS: [(libc::c_long, &[i32]); 7] = [
    (libc::SYS_accept4, &[libc::EAGAIN]),
    (libc::SYS_recvfrom, &[libc::EAGAIN]),
    (libc::SYS_writev, &[libc::EAGAIN]),
    (libc::SYS_sendto, &[libc::EAGAIN]),
    (libc::SYS_epoll_ctl, &[libc::EINTR, libc::EAGAIN]),
    (libc::SYS_setsockopt, &[]),
    (libc::SYS_shutdown, &[libc::EINTR]),
];

/// Serves until a request for `path` has reached its handler, or until `patience` runs out. Returns
/// false if one of the loop's own calls has failed, so that there's no loop to serve on.
fn serve(listener: Listener, path: &'static str, patience: Duration) -> bool {
    let served = run(async move {
        get_running_loop()?.set_exception_handler(|_| ());
        let (called, is_called) = async_channel::unbounded();
        let handler = async move || {
            let _ = called.try_send(());
            LoopTimer.sleep(Duration::from_millis(1)).await;
            "hello"
        };
        let pages = Router::new().route(path, get(handler)).fallback(async || "hello");
        let listener = TcpListener::from_std(listener)?;
        let server = create_task(Serve::default().run(listener, Tower(pages)))?;
        let _ =
            wait_for(async move { Ok(cancellable(is_called.recv()).await?.ok()) }, patience).await;
        server.cancel();
        // The server has been cancelled, or the listener has failed.
        let _ = server.await;
        Ok(())
    });
    served.is_ok()
}

fn client_of(address: SocketAddr, path: &str) -> TcpStream {
    let mut client = TcpStream::connect(address).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n");
    client.write_all(request.as_bytes()).unwrap();
    client
}

fn answer(mut client: TcpStream) -> String {
    let mut answer = String::new();
    let _ = client.read_to_string(&mut answer);
    answer
}

#[test]
fn each_call_that_fails_harms_one_client_at_most() {
    limit_time();
    let observer = Observer::new().unwrap();
    let mut refused = BTreeMap::new();
    for (call, never) in CALLS {
        for errno in ERRORS.into_iter().filter(|errno| !never.contains(errno)) {
            for spared in 0..3 {
                let before = open_descriptors().unwrap().len();
                let listener = Listener::bind(("127.0.0.1", 0)).unwrap();
                let (address, again) =
                    (listener.local_addr().unwrap(), listener.try_clone().unwrap());
                let client = client_of(address, "/first");
                let refusal = Refusal { call, argument: None, errno };
                observer.refusing(&[refusal], spared, || {
                    serve(listener, "/first", Duration::from_millis(100))
                });
                let has_refused = observer.has_refused();
                let second = client_of(address, "/second");
                let (served, _) =
                    observer.calls_of(|| serve(again, "/second", Duration::from_secs(10)));
                assert!(served);
                let (first, second) = (answer(client), answer(second));
                let when = format!("call {call} fails with {errno} after {spared}: {first:?}");
                assert!(second.ends_with("\r\n\r\nhello"), "{when}, then {second:?}");
                let is_cut = !first.ends_with("\r\n\r\nhello");
                assert!(!is_cut || first.is_empty(), "{when}");
                assert!(
                    !is_cut || errno != libc::EINTR,
                    "{when}: an interrupted call is made again"
                );
                assert_eq!(open_descriptors().unwrap().len(), before, "{when}");
                if !has_refused {
                    break;
                }
                *refused.entry(call).or_insert(0) += 1;
            }
        }
    }
    for (call, _) in CALLS {
        // Each response is sent with one vectored write, so `sendto` isn't called.
        let is_made = ![libc::SYS_sendto].contains(&call);
        assert_eq!(refused.contains_key(&call), is_made, "call {call}");
    }
}
