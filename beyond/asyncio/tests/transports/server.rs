//! The sources of connections: `create_server` and `create_connection`; after CPython's
//! `test_server.py`, `test_events.py` and `test_selector_events.py`.

use std::cell::{Cell, RefCell};
use std::io::Read as _;
use std::net::TcpStream;
use std::panic::resume_unwind;
use std::rc::Rc;

use crate::support::{Log, Recorder, close, create_server, new_loop, taken};
use asyncio::{
    Error, EventLoopExt as _, Protocol, Result, Transport, create_task, get_running_loop, run,
    yield_now,
};
use kit::limit_time;

const ANY_PORT: &str = "127.0.0.1:0";

/// Answers in capitals and closes at the end.
#[derive(Debug)]
struct Shout;

impl Protocol for Shout {
    fn data_received(&self, transport: &Transport, data: &[u8]) -> Result<()> {
        transport.write(&data.to_ascii_uppercase())
    }
}

/// Asks and keeps the answer.
#[derive(Default)]
struct Asks {
    answer: RefCell<Vec<u8>>,
    is_over: Cell<bool>,
}

impl Protocol for Asks {
    fn connection_made(&self, transport: &Transport) -> Result<()> {
        transport.write(b"hello")?;
        transport.write_eof()
    }

    fn data_received(&self, _: &Transport, data: &[u8]) -> Result<()> {
        self.answer.borrow_mut().extend(data);
        Ok(())
    }

    fn connection_lost(&self, error: Option<&Error>) -> Result<()> {
        self.is_over.set(error.is_none());
        Ok(())
    }
}

async fn until(done: impl Fn() -> bool) -> Result<()> {
    while !done() {
        yield_now().await?;
    }
    Ok(())
}

#[test]
fn accept_connection_multiple() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let factory_log = Rc::clone(&log);
    let (server, address) = create_server(&event_loop, move || Recorder::new(&factory_log));
    let clients: Vec<TcpStream> = (0..5).map(|_| TcpStream::connect(address).unwrap()).collect();
    // Accepted in one tick, made in the next, called in the one after.
    for made in [0, 0, 5] {
        crate::support::tick(&event_loop);
        assert_eq!(taken(&log), vec!["connection_made"; made]);
    }
    drop(clients);
    server.close_clients();
    close(&event_loop);
}

#[test]
fn wait_closed_waits_for_the_connections() {
    limit_time();
    run(async {
        let event_loop = get_running_loop()?;
        let server = event_loop.create_server(|| Shout, ANY_PORT).await?;
        let (client, _) = event_loop.create_connection(|| Shout, server.local_addrs()?[0]).await?;
        assert!(client.local_addr().is_some_and(|local| local.ip().is_loopback()));
        let waits = server.clone();
        let waiting = create_task(async move { waits.wait_closed().await })?;
        assert!(server.is_serving());
        // Until the server has accepted the connection.
        for _ in 0..5 {
            yield_now().await?;
        }
        server.close();
        server.close();
        assert!(!server.is_serving());
        for _ in 0..5 {
            yield_now().await?;
        }
        assert!(!waiting.done(), "a connection is open");
        client.close();
        waiting.await?;
        server.wait_closed().await?;
        assert!(server.local_addrs()?.is_empty());
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_factory_that_panics_costs_its_connection_and_no_other() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let asked = Cell::new(0);
    let factory = move || {
        asked.set(asked.get() + 1);
        if asked.get() == 1 {
            resume_unwind(Box::new("not yet"));
        }
        Shout
    };
    let inner = event_loop.clone();
    let talk = async move {
        let server = inner.create_server(factory, ANY_PORT).await?;
        let mut refused = TcpStream::connect(server.local_addrs()?[0])?;
        for _ in 0..5 {
            yield_now().await?;
        }
        assert_eq!(refused.read(&mut [0])?, 0);
        let (_, asks) = inner.create_connection(Asks::default, server.local_addrs()?[0]).await?;
        until(|| asks.is_over.get()).await?;
        assert_eq!(*asks.answer.borrow(), b"HELLO");
        Ok(())
    };
    event_loop.run_until_complete(talk).unwrap();
    let report = "report Error on transport creation for incoming connection: panicked: not yet";
    assert_eq!(taken(&log), [report]);
    close(&event_loop);
}
