//! `StreamWriter`: what it keeps, which tasks it holds up, and how it ends a connection. The random
//! conversations of `differential` compare it with asyncio's.

use std::cell::Cell;
use std::io::{ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::Duration;

use crate::common::ticks;
use crate::test;
use asyncio::{
    Error, Result, StreamReader, StreamWriter, create_task, open_connection_on, run, sleep,
    yield_now,
};
use kit::limit_time;

pub(crate) const MEGABYTE: usize = 1 << 20;

pub(crate) fn connected() -> Result<(StreamReader, StreamWriter, UnixStream)> {
    let (ours, peer) = UnixStream::pair()?;
    peer.set_nonblocking(true)?;
    let (reader, writer) = open_connection_on(ours)?;
    Ok((reader, writer, peer))
}

/// Reads the bytes that have arrived at the peer and returns true at the end.
fn receive(mut peer: &UnixStream, bytes: &mut Vec<u8>) -> bool {
    peer.read_to_end(bytes).is_ok()
}

fn kind(error: &Error) -> Option<ErrorKind> {
    if let Error::Io(error) = error { Some(error.kind()) } else { None }
}

#[test]
fn what_there_is_no_room_for_is_sent_later_in_order() {
    test(async {
        let (_reader, writer, peer) = connected()?;
        let content: Vec<u8> = (0..=250).cycle().take(MEGABYTE).collect();
        for piece in content.chunks(100_001) {
            writer.write(piece)?;
        }
        assert!(writer.get_write_buffer_size() > MEGABYTE / 2);
        let mut bytes = Vec::new();
        while bytes.len() < content.len() {
            receive(&peer, &mut bytes);
            yield_now().await?;
        }
        assert!(bytes == content);
        assert_eq!(writer.get_write_buffer_size(), 0);
        Ok(())
    });
}

#[test]
fn drain_waits_above_the_high_water_mark_until_the_low_one() {
    test(async {
        let (_reader, writer, mut peer) = connected()?;
        assert_eq!(writer.get_write_buffer_limits(), (16 * 1024, 64 * 1024));
        writer.set_write_buffer_limits(100_000, 1000)?;
        assert_eq!(writer.get_write_buffer_limits(), (1000, 100_000));
        let refused = writer.set_write_buffer_limits(1, 2).unwrap_err().to_string();
        assert_eq!(refused, "high (1) must be >= low (2) must be >= 0");
        let writer = Rc::new(writer);
        writer.write(&vec![b'!'; MEGABYTE])?;
        let drained = Rc::new(Cell::new(0));
        for _ in 0..10 {
            let (writer, drained) = (Rc::clone(&writer), Rc::clone(&drained));
            create_task(async move {
                writer.drain().await?;
                assert!(writer.get_write_buffer_size() <= 1000);
                drained.set(drained.get() + 1);
                Ok(())
            })?;
        }
        ticks(5).await?;
        assert_eq!(drained.get(), 0, "the peer hasn't read");
        while drained.get() == 0 {
            // A little at a time, so that the unsent bytes are between the marks for a while.
            let _ = peer.read(&mut [0; 10_000]);
            yield_now().await?;
        }
        ticks(2).await?;
        assert_eq!(drained.get(), 10, "all that waited go on");
        Ok(())
    });
}

#[test]
fn a_cancelled_drain_leaves_the_others_waiting() {
    test(async {
        let (_reader, writer, peer) = connected()?;
        let writer = Rc::new(writer);
        writer.write(&vec![b'!'; MEGABYTE])?;
        let drain = |writer: Rc<StreamWriter>| async move { writer.drain().await };
        let [first, second] = [(); 2].map(|()| create_task(drain(Rc::clone(&writer))).unwrap());
        ticks(2).await?;
        first.cancel();
        assert!(first.await.unwrap_err().is_cancelled());
        let mut bytes = Vec::new();
        while !second.done() {
            receive(&peer, &mut bytes);
            yield_now().await?;
        }
        second.await
    });
}

#[test]
fn close_sends_what_is_unsent_and_then_ends_both_directions() {
    test(async {
        let (mut reader, writer, peer) = connected()?;
        writer.write(&vec![b'!'; MEGABYTE])?;
        writer.close();
        writer.close();
        assert!(writer.is_closing());
        std::io::Write::write_all(&mut &peer, b"too late")?;
        let end = create_task(async move {
            let read = reader.read(100).await?;
            Ok((read, reader.at_eof()))
        })?;
        ticks(3).await?;
        assert!(!end.done());
        let mut bytes = Vec::new();
        while !receive(&peer, &mut bytes) {
            yield_now().await?;
        }
        assert_eq!(bytes.len(), MEGABYTE);
        writer.wait_closed().await?;
        writer.wait_closed().await?;
        assert_eq!(end.await?, (Vec::new(), true));
        writer.write(b"ignored")?;
        let error = writer.drain().await.unwrap_err();
        assert_eq!(
            (kind(&error), error.to_string()),
            (Some(ErrorKind::ConnectionReset), "Connection lost".to_owned())
        );
        assert_eq!(writer.peer_addr().unwrap_err().kind(), ErrorKind::NotConnected);
        Ok(())
    });
}

#[test]
fn abort_drops_what_is_unsent() {
    test(async {
        let (_reader, writer, peer) = connected()?;
        writer.write(&vec![b'!'; MEGABYTE])?;
        writer.abort();
        writer.wait_closed().await?;
        let mut bytes = Vec::new();
        assert!(receive(&peer, &mut bytes));
        assert!(!bytes.is_empty() && bytes.len() < MEGABYTE);
        Ok(())
    });
}

#[test]
fn a_task_that_cleans_up_at_the_end_of_a_run_can_still_send_everything() {
    limit_time();
    let received = Rc::new(Cell::new(0));
    let counted = Rc::clone(&received);
    let main = async {
        let (_reader, writer, peer) = connected()?;
        create_task(async move {
            writer.write(&vec![b'!'; MEGABYTE])?;
            let cancelled = sleep(Duration::from_hours(1)).await;
            writer.close();
            let mut bytes = Vec::new();
            while !receive(&peer, &mut bytes) {
                yield_now().await?;
            }
            counted.set(bytes.len());
            cancelled
        })?;
        ticks(2).await
    };
    run(main).unwrap();
    assert_eq!(received.get(), MEGABYTE);
}

#[test]
fn dropping_the_writer_closes_the_connection_after_the_last_byte() {
    test(async {
        let (mut reader, writer, peer) = connected()?;
        writer.write(&vec![b'!'; MEGABYTE])?;
        drop(writer);
        let mut bytes = Vec::new();
        while !receive(&peer, &mut bytes) {
            yield_now().await?;
        }
        assert_eq!(bytes.len(), MEGABYTE);
        assert_eq!(reader.read(1).await?, b"");
        Ok(())
    });
}

#[test]
fn a_task_that_writes_and_drains_in_a_loop_hears_that_the_peer_is_gone() {
    test(async {
        let (mut reader, writer, peer) = connected()?;
        drop(peer);
        let error = loop {
            writer.write(b"foo\n")?;
            if let Err(error) = writer.drain().await {
                break error;
            }
        };
        // As in asyncio, the first drain says that it's lost, and all later calls give the reason.
        assert_eq!(kind(&error), Some(ErrorKind::ConnectionReset));
        for error in [
            writer.drain().await.unwrap_err(),
            writer.wait_closed().await.unwrap_err(),
            reader.read(1).await.unwrap_err(),
            reader.exception().unwrap(),
        ] {
            assert_eq!(kind(&error), Some(ErrorKind::BrokenPipe), "{error}");
            assert!(error.to_string().starts_with("send fd "), "{error}");
        }
        Ok(())
    });
}

#[test]
fn a_peer_that_leaves_ends_a_drain_that_waits() {
    test(async {
        let (_reader, writer, peer) = connected()?;
        writer.write(&vec![b'!'; MEGABYTE])?;
        let draining = create_task(async move {
            let error = writer.drain().await.unwrap_err();
            assert!(writer.is_closing());
            Ok(kind(&error))
        })?;
        ticks(2).await?;
        drop(peer);
        assert!(matches!(
            draining.await?,
            Some(ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
        ));
        Ok(())
    });
}

#[test]
fn what_is_written_after_an_abort_goes_nowhere() {
    test(async {
        let (_reader, writer, peer) = connected()?;
        writer.abort();
        writer.write(b"too late")?;
        writer.wait_closed().await?;
        let mut bytes = Vec::new();
        assert!(receive(&peer, &mut bytes), "the end");
        assert!(bytes.is_empty(), "{bytes:?}");
        Ok(())
    });
}
