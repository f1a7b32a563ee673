//! Connecting: the choice of an address, the time it takes, and what an attempt leaves behind.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use asyncio::{
    Address, Error, EventLoop, LoopError, TcpListener, TcpStream, connect_tcp, create_task, run,
    timeout, yield_now,
};
use kit::destination::Destination;
use kit::limit_time;
use step01_fd::{errno, open_descriptors};

/// Lets a test have the descriptors of the process to itself.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    limit_time();
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn refusing() -> Destination {
    Destination::refusing(Ipv4Addr::LOCALHOST).unwrap()
}

/// Connects and returns the error.
fn refused(addresses: Vec<SocketAddr>) -> String {
    let Err(LoopError::Task(error)) = run(async { connect_tcp(addresses).await.map(drop) }) else {
        panic!("there's no listener");
    };
    error.to_string()
}

#[test]
fn the_first_address_that_answers_is_taken() {
    let _alone = alone();
    let (first, second) = (refusing(), Destination::listening(Ipv4Addr::LOCALHOST).unwrap());
    let third = Destination::listening(Ipv4Addr::LOCALHOST).unwrap();
    let addresses = [&first, &second, &third].map(|it| SocketAddr::from(it.address()));
    let peer = run(async move { Ok(connect_tcp(&addresses[..]).await?.peer_addr()?) });
    assert_eq!(peer.unwrap(), second.address().into());
}

#[test]
fn an_error_names_the_address_and_those_of_several_come_together() {
    let _alone = alone();
    let (one, other) = (refusing(), refusing());
    let says = format!("connect to {}: Connection refused (os error 111)", one.address());
    assert_eq!(refused(vec![one.address().into()]), says);
    assert_eq!(refused(vec![one.address().into(), one.address().into()]), says);
    let both = refused(vec![one.address().into(), other.address().into()]);
    let (one, other) = (one.address(), other.address());
    assert_eq!(
        both,
        format!(
            "Multiple exceptions: connect to {one}: Connection refused (os error 111), \
             connect to {other}: Connection refused (os error 111)"
        )
    );
    assert_eq!(refused(vec![]), "there's no address to connect to or to listen on");
}

#[test]
fn the_errno_is_kept() {
    let _alone = alone();
    let refusing = refusing();
    let address = SocketAddr::from(refusing.address());
    let connect = async move { TcpStream::connect(address).await.map(drop) };
    let Err(LoopError::Task(Error::Io(error))) = run(connect) else { panic!("no listener") };
    assert_eq!((error.kind(), errno(&error)), (ErrorKind::ConnectionRefused, Some(111)));
}

#[test]
fn a_connect_that_is_given_up_leaves_no_descriptor() {
    let _alone = alone();
    let full = Destination::full(Ipv4Addr::LOCALHOST).unwrap();
    let address = SocketAddr::from(full.address());
    let event_loop = EventLoop::new().unwrap();
    let count = || open_descriptors().unwrap().len();
    let outcome = event_loop.run_until_complete(async move {
        let before = count();
        let task = create_task(async move { TcpStream::connect(address).await.map(drop) })?;
        yield_now().await?;
        assert_eq!(count(), before + 1);
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        assert_eq!(count(), before, "cancelled");
        let patience = timeout(Duration::from_millis(1))?;
        let error = patience.run(connect_tcp(address)).await.map(drop).unwrap_err();
        assert_eq!(count(), before, "timed out");
        Ok(error.to_string())
    });
    assert_eq!(outcome.unwrap(), "timed out");
    event_loop.close().unwrap();
}

#[test]
fn a_name_is_looked_up_in_a_thread_and_a_number_is_not() {
    let _alone = alone();
    let looked_up: [fn(u16) -> Address; 2] =
        [|port| ("localhost", port).into(), |port| format!("localhost:{port}").into()];
    for address in looked_up {
        run(async move {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            let port = listener.local_addr()?.port();
            let stream = connect_tcp(address(port)).await?;
            assert_eq!(stream.peer_addr()?.port(), port);
            assert_eq!(threads(), 1);
            Ok(())
        })
        .unwrap();
    }
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let numbers: [Address; 3] = [
            listener.local_addr()?.into(),
            ("127.0.0.1", port).into(),
            format!("127.0.0.1:{port}").into(),
        ];
        for address in numbers {
            connect_tcp(address).await?;
        }
        assert_eq!(threads(), 0);
        Ok(())
    })
    .unwrap();
}

/// Returns the number of threads of the loop's pool.
fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")));
    names.filter(|name| name.as_ref().is_ok_and(|name| name.starts_with("loop-worker "))).count()
}

#[test]
fn a_cancelled_task_does_not_connect() {
    let _alone = alone();
    let listening = Destination::listening(Ipv4Addr::LOCALHOST).unwrap();
    let address = SocketAddr::from(listening.address());
    run(async move {
        let task = create_task(async move {
            assert!(yield_now().await.is_err());
            TcpStream::connect(address).await.map(drop)
        })?;
        yield_now().await?;
        task.cancel();
        yield_now().await?;
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        Ok(())
    })
    .unwrap();
}
