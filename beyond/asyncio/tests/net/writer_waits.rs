//! Tasks that wait for a `StreamWriter`, to the byte of its water marks, and their outcomes.

use std::cell::RefCell;
use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::rc::Rc;

use crate::common::{poll_once, run_without_reports, ticks};
use crate::test;
use crate::writer::{MEGABYTE, connected};
use asyncio::{EventLoop, StreamWriter, create_task, open_connection_on, yield_now};
use kit::limit_time;

/// Returns true if `drain` is over at once.
async fn drains_at_once(writer: &StreamWriter) -> bool {
    poll_once(pin!(writer.drain())).await.is_ready()
}

#[test]
fn a_writer_waits_only_above_the_high_water_mark_itself() {
    test(async {
        let (_reader, writer, _peer) = connected()?;
        writer.set_write_buffer_limits(MEGABYTE, MEGABYTE)?;
        writer.write(&vec![b'!'; MEGABYTE])?;
        let unsent = writer.get_write_buffer_size();
        assert!(drains_at_once(&writer).await);
        writer.set_write_buffer_limits(unsent, 0)?;
        assert!(drains_at_once(&writer).await, "as much as the mark is unsent");
        writer.set_write_buffer_limits(unsent - 1, 0)?;
        assert!(!drains_at_once(&writer).await, "a byte more than the mark is unsent");
        Ok(())
    });
}

#[test]
fn a_writer_that_has_room_again_leaves_those_who_wait_for_the_end_waiting() {
    test(async {
        let (_reader, writer, mut peer) = connected()?;
        let writer = Rc::new(writer);
        writer.write(&vec![b'!'; MEGABYTE])?;
        let (closed, drained) = (Rc::clone(&writer), Rc::clone(&writer));
        let closed = create_task(async move { closed.wait_closed().await })?;
        let drained = create_task(async move { drained.drain().await })?;
        ticks(2).await?;
        while !drained.done() {
            let _ = peer.read(&mut [0; 10_000]);
            yield_now().await?;
        }
        assert!(!closed.done());
        writer.abort();
        ticks(3).await?;
        assert!(closed.done(), "it's told when the connection is lost");
        closed.await
    });
}

#[test]
fn the_first_end_of_a_connection_is_the_one_that_counts() {
    test(async {
        let (reader, writer, peer) = connected()?;
        drop(peer);
        writer.write(b"nobody is there")?;
        writer.abort();
        let failed = writer.wait_closed().await.unwrap_err().to_string();
        assert!(failed.starts_with("send fd "), "{failed}");
        ticks(2).await?;
        assert_eq!(reader.exception().map(|error| error.to_string()), Some(failed));
        Ok(())
    });
}

#[test]
fn a_dropped_wait_is_told_no_error_so_none_is_reported() {
    let main = async {
        let (_reader, writer, peer) = connected()?;
        writer.set_write_buffer_limits(0, 0)?;
        writer.write(&vec![b'!'; MEGABYTE])?;
        assert!(!drains_at_once(&writer).await);
        drop(peer);
        let lost = writer.wait_closed().await;
        assert!(lost.is_err(), "the connection is lost with an error");
        Ok(())
    };
    run_without_reports(EventLoop::new().unwrap(), main);
}

#[test]
fn a_loop_that_is_closed_drops_what_is_unsent_and_the_peer_sees_the_end() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let (ours, mut peer) = UnixStream::pair().unwrap();
    let streams = event_loop
        .run_until_complete(async move {
            let (reader, writer) = open_connection_on(ours)?;
            writer.write(&vec![b'!'; MEGABYTE])?;
            ticks(2).await?;
            Ok(Rc::new((reader, writer)))
        })
        .unwrap();
    event_loop.close().unwrap();
    drop(streams);
    let mut received = Vec::new();
    peer.read_to_end(&mut received).unwrap();
    assert!(received.len() < MEGABYTE);
}

/// As in asyncio, whose protocol finishes the future of the end first.
#[test]
fn who_waits_for_the_end_goes_on_before_who_waits_for_room() {
    test(async {
        let (_reader, writer, _peer) = connected()?;
        let (writer, log) = (Rc::new(writer), Rc::new(RefCell::new(Vec::new())));
        writer.write(&vec![b'!'; MEGABYTE])?;
        let (drained, first) = (Rc::clone(&writer), Rc::clone(&log));
        create_task(async move {
            drained.drain().await?;
            first.borrow_mut().push("room");
            Ok(())
        })?;
        let (closed, second) = (Rc::clone(&writer), Rc::clone(&log));
        create_task(async move {
            closed.wait_closed().await?;
            second.borrow_mut().push("the end");
            Ok(())
        })?;
        yield_now().await?;
        writer.abort();
        ticks(3).await?;
        assert_eq!(*log.borrow(), ["the end", "room"]);
        Ok(())
    });
}

/// As in asyncio, the tasks go on when bytes are sent.
#[test]
fn higher_marks_alone_let_nobody_go_on() {
    test(async {
        let (_reader, writer, mut peer) = connected()?;
        let writer = Rc::new(writer);
        writer.write(&vec![b'!'; MEGABYTE])?;
        let drained = Rc::clone(&writer);
        let drained = create_task(async move { drained.drain().await })?;
        yield_now().await?;
        writer.set_write_buffer_limits(MEGABYTE, MEGABYTE)?;
        ticks(3).await?;
        assert!(!drained.done());
        while !drained.done() {
            let _ = peer.read(&mut [0; 10_000]);
            yield_now().await?;
        }
        assert!(writer.get_write_buffer_size() > 0);
        Ok(())
    });
}
