//! Protocols: which of their methods a connection calls, and in which order.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use asyncio::{Error, EventLoop, EventLoopExt as _, Protocol, Result, Transport};
use scene::{Transcript, say, scene};

/// Prints each call that it gets.
struct Told {
    t: Transcript,
    /// Keeps the connection open when the other side has ended.
    keeps_open: bool,
}

impl Protocol for Told {
    fn connection_made(&self, _: &Transport) -> Result<()> {
        made(self.t);
        Ok(())
    }

    fn data_received(&self, _: &Transport, data: &[u8]) -> Result<()> {
        let text = String::from_utf8_lossy(data);
        received(self.t, &text);
        match text.as_ref() {
            "fail" => Err(Error::other("no such verb")),
            _ => Ok(()),
        }
    }

    fn eof_received(&self, _: &Transport) -> Result<bool> {
        ended(self.t, self.keeps_open);
        Ok(self.keeps_open)
    }

    fn connection_lost(&self, error: Option<&Error>) -> Result<()> {
        lost(self.t, error);
        Ok(())
    }

    fn pause_writing(&self, transport: &Transport) -> Result<()> {
        let (_, high) = transport.get_write_buffer_limits();
        let above = transport.get_write_buffer_size() > high;
        say!(self.t, "  pause_writing, unsent bytes above the high mark: {}", above);
        Ok(())
    }

    fn resume_writing(&self, transport: &Transport) -> Result<()> {
        let (low, _) = transport.get_write_buffer_limits();
        let below = transport.get_write_buffer_size() <= low;
        say!(self.t, "  resume_writing, unsent bytes not above the low mark: {}", below);
        Ok(())
    }
}

// Functions, so that `predict` finds these lines, and a reader can choose among them.

fn made(t: Transcript) {
    say!(t, "  connection_made");
}

fn received(t: Transcript, text: &str) {
    say!(t, "  data_received: {}", text);
}

fn ended(t: Transcript, keeps_open: bool) {
    say!(t, "  eof_received, keeps the connection open: {}", keeps_open);
}

fn lost(t: Transcript, error: Option<&Error>) {
    let error = error.map_or_else(|| "None".to_owned(), ToString::to_string);
    say!(t, "  connection_lost: {}", error);
}

/// Makes a connection within this process and returns its transport and its other end.
fn connect(
    t: Transcript,
    event_loop: &EventLoop,
    keeps_open: bool,
) -> anyhow::Result<(Transport, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    theirs.set_nonblocking(true)?;
    let maker = event_loop.clone();
    let make = async move {
        let factory = || Told { t, keeps_open };
        maker.connect_accepted_socket(factory, ours).await
    };
    let (transport, _protocol) = event_loop.run_until_complete(make)?;
    Ok((transport, theirs))
}

/// Runs exactly one tick, which doesn't sleep.
fn tick(t: Transcript, event_loop: &EventLoop) -> anyhow::Result<()> {
    say!(t, "one tick");
    event_loop.stop();
    event_loop.run_forever()?;
    Ok(())
}

scene!(
    the_order_of_a_protocols_calls: order,
    "Two messages and the end of the stream arrive. Which methods of the protocol are called, and when?"
);
/// The peer sends both messages before the first tick and the end after the third.
fn the_order_of_a_protocols_calls(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let (ours, mut theirs) = UnixStream::pair()?;
    theirs.write_all(b"one, ")?;
    theirs.write_all(b"two")?;
    let maker = event_loop.clone();
    event_loop.create_task(async move {
        maker.connect_accepted_socket(|| Told { t, keeps_open: false }, ours).await
    });
    for _ in 0..3 {
        tick(t, &event_loop)?;
    }
    theirs.shutdown(Shutdown::Write)?;
    tick(t, &event_loop)?;
    tick(t, &event_loop)?;
    event_loop.close()?;
    Ok(())
}

scene!(
    a_protocol_and_its_marks,
    "A protocol writes 1 MiB to a peer that doesn't read. When does the transport pause and resume the protocol?"
);
/// The transport can't make its caller wait. So before `write` has returned, it tells the protocol
/// to write no more: `pause_writing, unsent bytes above the high mark: true`. The transport still
/// accepts the second write but doesn't call `pause_writing` again. Only when the peer has read
/// enough, and no more than the low mark is unsent, does the transport call `resume_writing`.
/// asyncio does the same.
fn a_protocol_and_its_marks(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    let (transport, mut theirs) = connect(t, &event_loop, false)?;
    say!(t, "calls during the first write:");
    transport.write(&vec![b'x'; 1 << 20])?;
    say!(t, "calls during the second write:");
    transport.write(b"y")?;
    say!(t, "the peer reads");
    let mut read = Vec::new();
    while transport.get_write_buffer_size() > 0 {
        let _ = theirs.read_to_end(&mut read);
        event_loop.stop();
        event_loop.run_forever()?;
    }
    let _ = theirs.read_to_end(&mut read);
    say!(t, "{} bytes arrived, including the last byte: {}", read.len(), read.ends_with(b"y"));
    event_loop.close()?;
    Ok(())
}

scene!(
    a_protocol_that_fails,
    "One of two connections has a protocol that fails. What happens to each connection?"
);
/// No task could get the error, because it's the transport that has called the protocol. So the
/// transport reports the error to the loop's exception handler:
/// `reported: Fatal error: protocol.data_received() call failed.: no such verb`. The protocol may
/// have lost its place in the conversation, so the transport ends that connection and tells the
/// protocol in the next tick: `connection_lost: no such verb`. The second connection isn't affected
/// by the failure.
fn a_protocol_that_fails(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    event_loop.set_exception_handler(move |context| say!(t, "  reported: {}", context));
    let (first, mut first_peer) = connect(t, &event_loop, false)?;
    let (second, mut second_peer) = connect(t, &event_loop, false)?;
    first_peer.write_all(b"fail")?;
    tick(t, &event_loop)?;
    say!(t, "connections closing: first {}, second {}", first.is_closing(), second.is_closing());
    tick(t, &event_loop)?;
    say!(t, "the first peer reads the end: {}", first_peer.read(&mut [0; 8])? == 0);
    second_peer.write_all(b"hello")?;
    tick(t, &event_loop)?;
    event_loop.close()?;
    Ok(())
}

scene!(
    half_closed_connections,
    "A peer sends a question and shuts down its sending side. Does it still get an answer?"
);
/// The peer has closed only its own direction, so an answer still gets through if the protocol
/// keeps the connection open: `the peer reads "yes" and then the end`. By default it doesn't, in
/// asyncio as here (`eof_received, keeps the connection open: false`): the transport closes itself,
/// and what's written afterwards goes nowhere (`the peer reads "" and then the end`). Return `true`
/// from `eof_received` if your clients half-close, as `nc -N` does.
fn half_closed_connections(t: Transcript) -> anyhow::Result<()> {
    for keeps_open in [true, false] {
        let event_loop = EventLoop::new()?;
        let (transport, mut peer) = connect(t, &event_loop, keeps_open)?;
        peer.write_all(b"well?")?;
        peer.shutdown(Shutdown::Write)?;
        for _ in 0..3 {
            tick(t, &event_loop)?;
        }
        transport.write(b"yes")?;
        transport.write_eof()?;
        let mut answer = String::new();
        peer.read_to_string(&mut answer)?;
        say!(t, "the peer reads {:?} and then the end", answer);
        let closing = transport.is_closing();
        transport.close();
        tick(t, &event_loop)?;
        say!(t, "the transport was already closing: {}", closing);
        event_loop.close()?;
    }
    Ok(())
}
