//! System calls that fail once: the loop loses the object of that call and nothing else.

use std::cell::RefCell;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::Duration;

use kit::{Observer, Refusal, limit_time};
use step07_full_loop::{
    EventLoop, LoopError, Result, TcpListener, TcpStream, VirtualClock, create_task,
    get_running_loop, run, sleep, to_thread,
};

fn refusal(call: libc::c_long, errno: i32) -> Refusal {
    Refusal { call, argument: None, errno }
}

/// Runs a server in a loop while the kernel refuses one call, after letting a number of calls pass.
/// Two clients connect, one after the other. Returns the bytes that each reads, and the reports.
fn serve_two(refusal: Refusal, spared: usize) -> (Vec<String>, Vec<String>) {
    let observer = Observer::new().unwrap();
    let serve = || {
        let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
        let reports = Rc::<RefCell<Vec<String>>>::default();
        let kept = Rc::clone(&reports);
        event_loop.set_exception_handler(move |report| kept.borrow_mut().push(report.to_string()));
        let read = event_loop.run(two_clients()).unwrap();
        drop(event_loop);
        (read, reports.take())
    };
    observer.refusing(&[refusal], spared, serve).0
}

async fn two_clients() -> Result<Vec<String>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    create_task(async move {
        loop {
            let (client, _) = listener.accept().await?;
            create_task(async move { client.write_all(b"hello").await })?;
        }
        #[expect(unreachable_code, reason = "names the type of the task's result")]
        Ok(())
    })?;
    let mut read = Vec::new();
    for _ in 0..2 {
        let mut client = std::net::TcpStream::connect(address)?;
        // Longer than the pause in accepting; the clock is virtual.
        sleep(Duration::from_secs(2)).await?;
        client.set_nonblocking(true)?;
        let mut text = String::new();
        // This ends with an error if the server hasn't hung up.
        let _ = client.read_to_string(&mut text);
        read.push(text);
    }
    Ok(read)
}

#[test]
fn an_error_of_the_network_is_reported_and_accepting_goes_on() {
    limit_time();
    let errnos = [
        libc::EPERM,
        libc::EPROTO,
        libc::ENOPROTOOPT,
        libc::EOPNOTSUPP,
        libc::EHOSTDOWN,
        libc::EHOSTUNREACH,
        libc::ENONET,
        libc::ENETDOWN,
        libc::ENETUNREACH,
    ];
    for errno in errnos {
        let (read, reports) = serve_two(refusal(libc::SYS_accept4, errno), 0);
        assert_eq!(read, ["hello", "hello"], "{errno}: {reports:?}");
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(reports[0].starts_with("socket.accept() failed: "), "{reports:?}");
    }
}

#[test]
fn a_broken_listener_is_an_error_of_accept() {
    limit_time();
    let observer = Observer::new().unwrap();
    let accept = || {
        run(async {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            let _client = std::net::TcpStream::connect(listener.local_addr()?)?;
            listener.accept().await.map(drop)
        })
    };
    let (outcome, _) = observer.refusing(&[refusal(libc::SYS_accept4, libc::EINVAL)], 0, || {
        accept().map_err(|error| error.to_string())
    });
    let error = outcome.unwrap_err();
    assert!(error.starts_with("accept fd ") && error.ends_with(": Invalid argument (os error 22)"));
}

#[test]
fn an_event_that_fails_spares_the_others() {
    limit_time();
    let observer = Observer::new().unwrap();
    let lose_none = || {
        let event_loop = EventLoop::new().unwrap();
        let (ours, theirs) = UnixStream::pair().unwrap();
        let waiting = event_loop.create_task(async move {
            let stream = TcpStream::from_std(std::net::TcpStream::from(OwnedFd::from(ours)))?;
            stream.readable().await?;
            get_running_loop()?.stop();
            Ok(())
        });
        for _ in 0..2 {
            event_loop.stop();
            event_loop.run_forever().unwrap();
        }
        // The loop's own descriptor is ready first, and it can't be drained.
        event_loop.call_soon_threadsafe(|| {}).unwrap();
        (&theirs).write_all(b"!").unwrap();
        let failed = event_loop.run_forever();
        assert!(matches!(failed, Err(LoopError::Io(_))), "{failed:?}");
        // An edge is reported once. If its event is lost, nothing ends this run.
        event_loop.run_forever().unwrap();
        assert!(waiting.done());
        event_loop.close().unwrap();
    };
    observer.refusing(&Refusal::of_reads(libc::EIO), 0, lose_none);
}

#[test]
fn a_callback_that_is_refused_is_dropped_when_the_loop_can_be_used_again() {
    limit_time();
    let change = u32::try_from(libc::EPOLL_CTL_MOD).unwrap();
    let refusal =
        Refusal { argument: Some((1, change)), ..refusal(libc::SYS_epoll_ctl, libc::ENOMEM) };
    let refuse_two = || {
        let refused = run(async {
            let event_loop = get_running_loop()?;
            // Its destructor unregisters it.
            let owns_a_stream = || {
                let owned = step07_full_loop::UnixStream::pair()?.0;
                Ok::<_, step07_full_loop::Error>(move || assert!(owned.try_read(&mut []).is_err()))
            };
            let (file, pair) = (File::open("/proc/self/exe")?, UnixStream::pair()?);
            let by_the_file = event_loop.add_reader(&file, owns_a_stream()?).unwrap_err();
            event_loop.add_reader(&pair.0, || {})?;
            let by_the_kernel = event_loop.add_writer(&pair.0, owns_a_stream()?).unwrap_err();
            event_loop.remove_reader(&pair.0)?;
            Ok([by_the_file.kind(), by_the_kernel.kind()])
        });
        refused.map_err(|error| error.to_string())
    };
    let refused = refusal.during(refuse_two).unwrap();
    assert_eq!(refused, Ok([ErrorKind::PermissionDenied, ErrorKind::OutOfMemory]));
}

/// A descriptor whose owner uses the loop when it's asked for the descriptor and when it's
/// dropped.
struct Owner {
    socket: OwnedFd,
    _stream: step07_full_loop::UnixStream,
    event_loop: EventLoop,
}

impl AsFd for Owner {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event_loop.poll_every(1);
        self.socket.as_fd()
    }
}

#[test]
fn a_descriptor_can_be_of_anybodys_type() {
    limit_time();
    let ended = run(async {
        let owner = || {
            let stream = step07_full_loop::UnixStream::pair()?.0;
            let event_loop = get_running_loop()?;
            Ok::<_, step07_full_loop::Error>(Owner {
                socket: step01_fd::socketpair()?.0,
                _stream: stream,
                event_loop,
            })
        };
        let (one, other, event_loop) = (owner()?, owner()?, get_running_loop()?);
        event_loop.add_reader(&one, || {})?;
        assert!(event_loop.remove_reader(one)?);
        drop(step07_full_loop::Stream::from_std(owner()?)?);
        // Closing the descriptor at once is the program's own fault and no reason to panic. It's
        // the last that this loop registers: another descriptor could get the same number.
        event_loop.add_reader(other, || {})?;
        Ok(())
    });
    ended.unwrap();
}

#[test]
fn an_error_says_what_was_asked_and_of_what() {
    limit_time();
    run(async {
        let event_loop = get_running_loop()?;
        let (ours, _theirs) = step07_full_loop::UnixStream::pair()?;
        let fd = ours.as_fd().as_raw_fd();
        let why = "the descriptor belongs to a stream or to the loop itself";
        let asked = [
            ("add_reader", event_loop.add_reader(&ours, || {}).map(drop)),
            ("add_writer", event_loop.add_writer(&ours, || {}).map(drop)),
            ("remove_reader", event_loop.remove_reader(&ours).map(drop)),
            ("remove_writer", event_loop.remove_writer(&ours).map(drop)),
        ];
        for (function, refused) in asked {
            assert_eq!(refused.unwrap_err().to_string(), format!("{function} fd {fd}: {why}"));
        }

        let nowhere = TcpListener::bind(&[][..]).unwrap_err();
        assert_eq!(nowhere.to_string(), "bind: there's no address");
        let unknown = TcpListener::bind("no port").unwrap_err();
        assert!(unknown.to_string().starts_with("bind: look up the address: "), "{unknown}");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_call_that_fails_is_named_with_its_socket_or_its_thread() {
    limit_time();
    let refuse = |call, argument| Refusal { call, argument, errno: libc::ENOBUFS };
    let named = |refusal: Refusal, ask: fn() -> Result<String>| refusal.during(ask).unwrap();
    let start_of = |call| format!("{call}: No buffer space available");

    let error = named(refuse(libc::SYS_getsockname, None), || {
        let ask =
            async { Ok(TcpListener::bind("127.0.0.1:0")?.local_addr().unwrap_err().to_string()) };
        Ok(run(ask)?)
    });
    assert!(error.unwrap().starts_with("getsockname fd "));

    let nodelay = Some((2, libc::TCP_NODELAY.unsigned_abs()));
    let error = named(refuse(libc::SYS_setsockopt, nodelay), || {
        Ok(run(async {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            let client = TcpStream::connect(listener.local_addr()?).await?;
            let fd = client.as_fd().as_raw_fd();
            let error = client.set_nodelay(true).unwrap_err().to_string();
            Ok(error.replace(&format!("fd {fd}"), "fd N"))
        })?)
    });
    let text = start_of("setsockopt TCP_NODELAY fd N");
    assert!(error.unwrap().starts_with(&text));

    // The thread that would wait for the pool's threads can't be started, either.
    let error = named(refuse(libc::SYS_clone3, None), || {
        Ok(run(async {
            let error = to_thread(|| Ok(())).await.unwrap_err().to_string();
            assert!(error.starts_with("start thread loop-worker 0: "), "{error}");
            Ok(error)
        })?)
    });
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with(&start_of("start thread loop-shutdown")), "{error}");
}
