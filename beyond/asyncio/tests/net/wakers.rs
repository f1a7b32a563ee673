//! Streams polled with a waker that runs the program's own code, which uses the same stream.

use std::cell::RefCell;
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::task::{Context, Poll};

use asyncio::{EventLoop, StreamWriter, open_connection_on};
use kit::{WakerCall, anybodys_waker, limit_time};

thread_local! {
    static STREAM: RefCell<Option<(EventLoop, StreamWriter)>> = const { RefCell::new(None) };
}

/// Ends the connection and lets the loop close the socket before this returns.
fn ends_the_connection(_: WakerCall) {
    let stream = STREAM.take();
    if let Some((event_loop, writer)) = stream {
        writer.abort();
        event_loop.stop();
        event_loop.run_forever().unwrap();
    }
}

#[test]
fn a_connection_can_be_lost_while_a_read_or_a_drain_of_it_is_polled() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let make = async {
        let (ours, theirs) = UnixStream::pair()?;
        Ok((
            std::rc::Rc::new(RefCell::new(Some(open_connection_on(ours)?))),
            std::rc::Rc::new(theirs),
        ))
    };
    let (stream, theirs) = event_loop.run_until_complete(make).unwrap();
    let (mut reader, writer) = stream.take().unwrap();
    STREAM.set(Some((event_loop.clone(), writer)));
    let waker = anybodys_waker(ends_the_connection);
    let mut read = pin!(reader.read(1));
    let mut context = Context::from_waker(&waker);
    assert!(read.as_mut().poll(&mut context).is_pending(), "the waker isn't cloned before");
    let Poll::Ready(Ok(bytes)) = read.poll(&mut context) else { panic!("it has the end") };
    assert!(bytes.is_empty());
    let mut peer = &*theirs;
    assert_eq!(std::io::Read::read(&mut peer, &mut [0]).unwrap(), 0, "the socket is closed");
    event_loop.close().unwrap();
}
