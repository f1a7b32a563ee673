//! All connections of a loop read into one buffer, even when a read begins in the middle of another
//! read.

use std::cell::RefCell;
use std::io::Write as _;
use std::os::unix::net::UnixStream;

use crate::support::{Log, Recorder, close, connected, new_loop, taken, tick};
use asyncio::{
    EventLoopExt as _, Protocol, Result, StreamWriter, Transport, get_running_loop,
    open_connection_on, run, yield_now,
};
use kit::limit_time;

#[test]
fn a_transport_receives_more_at_once_than_a_stream_does() {
    limit_time();
    let log = Log::default();
    let event_loop = new_loop(&log);
    let (_transport, mut theirs) = connected(&event_loop, Recorder::new(&log));
    theirs.write_all(&vec![7; 150_000]).unwrap();
    tick(&event_loop);
    tick(&event_loop);
    assert_eq!(taken(&log), ["connection_made", "data_received of 150000"]);
    close(&event_loop);
}

/// Closes a stream in the middle of its own `data_received` and then looks at the bytes that it has
/// received.
struct Closer {
    writer: RefCell<Option<StreamWriter>>,
    received: RefCell<Vec<u8>>,
}

impl Protocol for Closer {
    fn data_received(&self, _: &Transport, data: &[u8]) -> Result<()> {
        // A stream that's closed receives the bytes that have arrived.
        drop(self.writer.take());
        self.received.borrow_mut().extend_from_slice(data);
        Ok(())
    }
}

#[test]
fn a_stream_that_reads_while_a_protocol_has_its_bytes_leaves_them_alone() {
    limit_time();
    let (transports, mut to_transport) = UnixStream::pair().unwrap();
    let (streams, mut to_stream) = UnixStream::pair().unwrap();
    let read = run(async move {
        let (mut reader, writer) = open_connection_on(streams)?;
        let factory =
            || Closer { writer: RefCell::new(Some(writer)), received: RefCell::default() };
        let (_transport, protocol) =
            get_running_loop()?.connect_accepted_socket(factory, transports).await?;
        to_stream.write_all(b"for the stream")?;
        // The stream hears of it before the transport has something to read.
        yield_now().await?;
        yield_now().await?;
        to_transport.write_all(b"for the protocol")?;
        while protocol.received.borrow().is_empty() {
            yield_now().await?;
        }
        let received = protocol.received.take();
        Ok((received, reader.read_to_end().await?))
    });
    assert_eq!(read.unwrap(), (b"for the protocol".to_vec(), b"for the stream".to_vec()));
}
