//! `StreamReader`: what its errors hold, and what it keeps. What it reads is compared with
//! asyncio's in the random conversations of `differential`.

use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use crate::test;
use asyncio::{
    Error, IncompleteReadError, LimitOverrunError, Result, StreamReader, StreamWriter, create_task,
    get_running_loop, open_connection_on, yield_now,
};

/// A reader, its peer, and the writer, which is kept because dropping it would close the
/// connection.
pub(crate) struct Fed {
    pub(crate) reader: StreamReader,
    _writer: StreamWriter,
    pub(crate) peer: UnixStream,
}

fn fed(bytes: &str) -> Result<Fed> {
    let (ours, mut peer) = UnixStream::pair()?;
    peer.write_all(bytes.as_bytes())?;
    let (reader, writer) = open_connection_on(ours)?;
    Ok(Fed { reader, _writer: writer, peer })
}

fn fed_to_the_end(bytes: &str) -> Result<Fed> {
    let fed = fed(bytes)?;
    fed.peer.shutdown(Shutdown::Write)?;
    Ok(fed)
}

pub(crate) fn fed_with_limit(bytes: &str, limit: usize) -> Result<Fed> {
    let mut fed = fed(bytes)?;
    fed.reader.set_limit(limit)?;
    Ok(fed)
}

fn partial(error: &Error) -> &IncompleteReadError {
    IncompleteReadError::in_error(error).unwrap_or_else(|| panic!("{error} isn't about the end"))
}

fn overrun(error: &Error) -> (usize, String) {
    let overrun = LimitOverrunError::in_error(error).unwrap();
    (overrun.consumed, overrun.to_string())
}

#[test]
fn readline_takes_the_rest_at_the_end_and_then_nothing() {
    test(async {
        let mut fed = fed_to_the_end("one\ntwo")?;
        assert_eq!(fed.reader.next_line().await?.as_deref(), Some(&b"one\n"[..]));
        assert_eq!(fed.reader.next_line().await?.as_deref(), Some(&b"two"[..]));
        assert_eq!(fed.reader.next_line().await?, None);
        assert_eq!(fed.reader.readline().await?, b"");
        Ok(())
    });
}

#[test]
fn read_until_over_the_limit_leaves_everything() {
    test(async {
        let mut fed = fed_with_limit("some dataAA", 3)?;
        let error = fed.reader.read_until(b"AAA").await.unwrap_err();
        let not_found = "Separator is not found, and chunk exceed the limit";
        assert_eq!(overrun(&error), (9, not_found.to_owned()));
        // Paused: 11 bytes are more than twice the limit. Taking some of them ends that.
        assert_eq!(fed.reader.read(8).await?, b"some dat");
        fed.peer.write_all(b"A")?;
        yield_now().await?;
        assert_eq!(fed.reader.read_until(b"AAA").await?, b"aAAA");
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

#[test]
fn read_exactly_at_the_end_is_incomplete() {
    test(async {
        let mut fed = fed_to_the_end("hello")?;
        let error = fed.reader.read_exactly(10).await.unwrap_err();
        let expected = IncompleteReadError { partial: b"hello".to_vec(), expected: Some(10) };
        assert_eq!(partial(&error), &expected);
        assert_eq!(error.to_string(), "5 bytes read on a total of 10 expected bytes");
        assert_eq!(fed.reader.read(100).await?, b"", "what was partial is taken");
        Ok(())
    });
}

#[test]
fn a_cancelled_read_loses_nothing() {
    test(async {
        let Fed { mut reader, _writer, mut peer } = fed("hel")?;
        let task = create_task(async move {
            let cancelled = reader.read_exactly(5).await;
            assert!(cancelled.unwrap_err().is_cancelled());
            reader.read_exactly(5).await
        })?;
        for _ in 0..3 {
            yield_now().await?;
        }
        task.cancel();
        peer.write_all(b"lo")?;
        assert_eq!(task.await?, b"hello");
        Ok(())
    });
}

#[test]
fn a_reader_with_much_to_read_lets_others_have_their_turn() {
    test(async {
        let Fed { mut reader, _writer, mut peer } = fed("")?;
        // Whenever there's room, the peer fills it: only yielding keeps other tasks alive.
        peer.set_nonblocking(true)?;
        let lines = [[b'!'; 999].as_slice(), b"\n"].concat().repeat(200);
        peer.write_all(b"\n")?;
        reader.readline().await?;
        let others = create_task(async { Ok(()) })?;
        for _ in 0..20_000 {
            let _ = peer.write(&lines);
            reader.readline().await?;
            if others.done() {
                return Ok(());
            }
        }
        panic!("the other task never had its turn");
    });
}
