//! The limit of a `StreamReader`, to the byte: the longest line, and the most that's kept before a
//! task asks for it. What a reader reads is compared with asyncio's in the random conversations of
//! `differential`.

use std::cell::Cell;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::rc::Rc;

use crate::test;
use asyncio::{
    Result, StreamReader, StreamWriter, get_running_loop, open_connection_on, run, yield_now,
};
use kit::limit_time;

/// A reader, its peer, and the writer, which is kept because dropping it would close the
/// connection.
struct Fed {
    reader: StreamReader,
    _writer: StreamWriter,
    peer: UnixStream,
}

fn fed_with_limit(bytes: &str, limit: usize) -> Result<Fed> {
    let (ours, mut peer) = UnixStream::pair()?;
    peer.write_all(bytes.as_bytes())?;
    let (mut reader, writer) = open_connection_on(ours)?;
    reader.set_limit(limit)?;
    Ok(Fed { reader, _writer: writer, peer })
}

/// Returns how many bytes a reader keeps.
fn buffered(reader: &StreamReader) -> usize {
    let shown = format!("{reader:?}");
    let count = shown.split_once("buffered: ").and_then(|(_, rest)| rest.split_once(','));
    count.unwrap().0.parse().unwrap()
}

#[test]
fn a_limit_of_zero_is_refused() {
    test(async {
        let mut fed = fed_with_limit("", 1)?;
        assert_eq!(fed.reader.set_limit(0).unwrap_err().to_string(), "Limit cannot be <= 0");
        Ok(())
    });
}

#[test]
fn a_reader_with_twice_its_limit_takes_no_more() {
    limit_time();
    run(async {
        let (ours, theirs) = UnixStream::pair()?;
        step01_fd::write(&theirs, &vec![b'x'; 128 * 1024])?;
        let (mut reader, _writer) = open_connection_on(ours)?;
        reader.set_limit(10)?;
        for left in [64 * 1024 - 1, 64 * 1024 - 2] {
            reader.read(1).await?;
            assert_eq!(buffered(&reader), left);
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_reader_is_full_with_one_byte_more_than_twice_its_limit() {
    for (first, left) in [(20, 24), (21, 20)] {
        test(async move {
            let mut fed = fed_with_limit(&"x".repeat(first), 10)?;
            yield_now().await?;
            // Nothing is kept yet, so this receives the bytes that are there.
            assert!(!fed.reader.at_eof());
            assert_eq!(buffered(&fed.reader), first);
            fed.peer.write_all(b"12345")?;
            yield_now().await?;
            fed.reader.read(1).await?;
            assert_eq!(buffered(&fed.reader), left, "after {first}");
            Ok(())
        });
    }
}

#[test]
fn a_line_of_the_limit_can_arrive_before_its_end() {
    test(async {
        let mut fed = fed_with_limit("1234567", 7)?;
        yield_now().await?;
        assert!(!fed.reader.at_eof());
        assert_eq!(buffered(&fed.reader), 7, "the line's end hasn't arrived");
        let mut peer = fed.peer.try_clone()?;
        get_running_loop()?.call_soon(move || peer.write_all(b"\n").unwrap());
        assert_eq!(fed.reader.readline().await?, b"1234567\n");
        Ok(())
    });
}

#[test]
fn reading_no_byte_does_not_wait_for_one() {
    test(async {
        let mut fed = fed_with_limit("", 7)?;
        let (mut peer, others) = (fed.peer.try_clone()?, Rc::new(Cell::new(false)));
        let had_a_turn = Rc::clone(&others);
        get_running_loop()?.call_soon(move || {
            had_a_turn.set(true);
            peer.write_all(b"!").unwrap();
        });
        assert_eq!(fed.reader.read(0).await?, b"");
        assert!(!others.get(), "it has waited");
        Ok(())
    });
}

#[test]
fn a_line_has_64_kibibytes_at_most_unless_the_caller_says_otherwise() {
    test(async {
        let (ours, mut peer) = UnixStream::pair()?;
        let (mut reader, _writer) = open_connection_on(ours)?;
        for (length, is_taken) in [(65536, true), (65537, false)] {
            peer.write_all(&vec![b'x'; length])?;
            peer.write_all(b"\n")?;
            let line = reader.readline().await;
            assert_eq!(line.is_ok(), is_taken, "{length}");
        }
        Ok(())
    });
}

#[test]
fn read_exactly_waits_beyond_the_limit() {
    test(async {
        let mut fed = fed_with_limit("", 3)?;
        assert_eq!(fed.reader.read_exactly(0).await?, b"");
        for _ in 0..5 {
            let mut peer = fed.peer.try_clone()?;
            get_running_loop()?.call_soon(move || peer.write_all(b"chunk").unwrap());
        }
        assert_eq!(fed.reader.read_exactly(22).await?, b"chunkchunkchunkchunkch");
        assert_eq!(fed.reader.read_exactly(3).await?, b"unk");
        Ok(())
    });
}
