//! The common code of the tests of transports: a protocol that notes its calls, and its loop.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::cell::RefCell;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use asyncio::{Error, EventLoop, EventLoopExt as _, Protocol, Result, Server, Transport};

pub(crate) type Log = Rc<RefCell<Vec<String>>>;

type Reaction = Box<dyn Fn(&Transport) -> Result<bool>>;

/// Notes each call and can react to it.
#[derive(Default)]
pub(crate) struct Recorder {
    log: Log,
    reactions: Vec<(&'static str, Reaction)>,
}

impl Recorder {
    pub(crate) fn new(log: &Log) -> Self {
        Recorder { log: Rc::clone(log), reactions: Vec::new() }
    }

    /// Adds a reaction to calls to this method.
    #[must_use]
    pub(crate) fn on(
        mut self,
        method: &'static str,
        react: impl Fn(&Transport) -> Result<()> + 'static,
    ) -> Self {
        self.reactions.push((method, Box::new(move |transport| react(transport).map(|()| true))));
        self
    }

    fn called(&self, method: &str, details: &str, transport: Option<&Transport>) -> Result<bool> {
        self.log.borrow_mut().push(format!("{method}{details}"));
        let reaction = self.reactions.iter().find(|(known, _)| *known == method);
        match (reaction, transport) {
            (Some((_, react)), Some(transport)) => react(transport),
            (Some(_), None) => Err(Error::other("as it should")),
            (None, _) => Ok(false),
        }
    }
}

impl Protocol for Recorder {
    fn connection_made(&self, transport: &Transport) -> Result<()> {
        self.called("connection_made", "", Some(transport)).map(drop)
    }

    fn data_received(&self, transport: &Transport, data: &[u8]) -> Result<()> {
        let shown = match data.len() {
            0..=20 => format!(" {:?}", String::from_utf8_lossy(data)),
            length => format!(" of {length}"),
        };
        self.called("data_received", &shown, Some(transport)).map(drop)
    }

    /// Keeps the connection open if there's a reaction that doesn't fail.
    fn eof_received(&self, transport: &Transport) -> Result<bool> {
        self.called("eof_received", "", Some(transport))
    }

    /// Fails if there's a reaction.
    fn connection_lost(&self, error: Option<&Error>) -> Result<()> {
        let error = error.map(|error| format!(" {error}")).unwrap_or_default();
        self.called("connection_lost", &error, None).map(drop)
    }

    fn pause_writing(&self, transport: &Transport) -> Result<()> {
        self.called("pause_writing", "", Some(transport)).map(drop)
    }

    fn resume_writing(&self, transport: &Transport) -> Result<()> {
        self.called("resume_writing", "", Some(transport)).map(drop)
    }
}

/// Makes a loop that notes its reports of errors in the same log.
pub(crate) fn new_loop(log: &Log) -> EventLoop {
    let event_loop = EventLoop::new().unwrap();
    let noted = Rc::clone(log);
    event_loop.set_exception_handler(move |context| {
        noted.borrow_mut().push(format!("report {context}"));
    });
    event_loop
}

/// Makes a transport and its other end. The protocol's `connection_made` has been called.
pub(crate) fn connected(event_loop: &EventLoop, recorder: Recorder) -> (Transport, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    let maker = event_loop.clone();
    let make = async move { maker.connect_accepted_socket(|| recorder, ours).await };
    let (transport, _) = event_loop.run_until_complete(make).unwrap();
    (transport, theirs)
}

/// Starts a server on a loop that doesn't run, and returns it with its address.
pub(crate) fn create_server<P: Protocol + 'static>(
    event_loop: &EventLoop,
    factory: impl Fn() -> P + 'static,
) -> (Server, SocketAddr) {
    let maker = event_loop.clone();
    let make = async move { maker.create_server(factory, "127.0.0.1:0").await };
    let server = event_loop.run_until_complete(make).unwrap();
    let address = server.local_addrs().unwrap()[0];
    (server, address)
}

/// Runs exactly one tick, which doesn't sleep.
pub(crate) fn tick(event_loop: &EventLoop) {
    event_loop.stop();
    event_loop.run_forever().unwrap();
}

/// Takes the lines that were noted.
pub(crate) fn taken(log: &Log) -> Vec<String> {
    log.take()
}

/// Closes a loop.
pub(crate) fn close(event_loop: &EventLoop) {
    event_loop.close().unwrap();
}
