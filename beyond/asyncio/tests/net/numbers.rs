//! Any number from a caller is just a number: no sum overflows, and no memory is allocated for
//! it.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::test;
use asyncio::{
    EventLoopExt as _, IncompleteReadError, Protocol, ReturnWhen, ServerOptions, as_completed,
    create_subprocess, create_task, get_running_loop, open_connection, open_connection_on, sleep,
    timeout, wait, wait_for, yield_now,
};

#[test]
fn a_reader_without_a_limit_reads_lines_and_messages() {
    test(async {
        let (ours, mut theirs) = UnixStream::pair()?;
        let (mut reader, _writer) = open_connection_on(ours)?;
        reader.set_limit(usize::MAX)?;
        theirs.write_all(b"one\ntwo\nthree")?;
        drop(theirs);
        assert_eq!(reader.readline().await?, b"one\n");
        assert_eq!(reader.read_until(b"\n").await?, b"two\n");
        assert_eq!(reader.read(usize::MAX).await?, b"three");
        let early = reader.read_exactly(usize::MAX).await.unwrap_err();
        let early = IncompleteReadError::in_error(&early).unwrap();
        assert_eq!((early.partial.len(), early.expected), (0, Some(usize::MAX)));
        Ok(())
    });
}

#[test]
fn a_server_without_limits_serves() {
    test(async {
        for backlog in [i32::MAX, 1, 0, -1, i32::MIN] {
            let options = ServerOptions { backlog, limit: usize::MAX, ..ServerOptions::default() };
            let server = options
                .start_server(
                    |mut reader, writer| async move { writer.write(&reader.readline().await?) },
                    "127.0.0.1:0",
                )
                .await?;
            for _ in 0..3 {
                let (mut reader, writer) = open_connection(server.local_addrs()?[0]).await?;
                writer.write(b"hello\n")?;
                assert_eq!(reader.readline().await?, b"hello\n", "with a backlog of {backlog}");
            }
        }
        Ok(())
    });
}

#[test]
fn sock_recv_of_any_count_receives_what_is_there() {
    test(async {
        let event_loop = get_running_loop()?;
        let (ours, mut theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        theirs.write_all(b"hello")?;
        assert_eq!(event_loop.sock_recv(&ours, 0).await?, b"");
        assert_eq!(event_loop.sock_recv(&ours, usize::MAX).await?, b"hello");
        theirs.write_all(b"again")?;
        assert_eq!(event_loop.sock_recv(&ours, usize::MAX / 2).await?, b"again");
        Ok(())
    });
}

struct Silent;

impl Protocol for Silent {}

#[test]
fn any_marks_can_be_set() {
    test(async {
        let event_loop = get_running_loop()?;
        let (ours, _theirs) = UnixStream::pair()?;
        let (transport, _) = event_loop.connect_accepted_socket(|| Silent, ours).await?;
        for (high, low, marks) in [
            (None, Some(usize::MAX), (usize::MAX, usize::MAX)),
            (Some(usize::MAX), None, (usize::MAX / 4, usize::MAX)),
            (Some(usize::MAX), Some(usize::MAX), (usize::MAX, usize::MAX)),
            (None, Some(usize::MAX / 2), (usize::MAX / 2, usize::MAX)),
        ] {
            transport.set_write_buffer_limits(high, low)?;
            assert_eq!(transport.get_write_buffer_limits(), marks);
            transport.write(b"hello")?;
        }
        let (ours, _theirs) = UnixStream::pair()?;
        let (_reader, writer) = open_connection_on(ours)?;
        writer.set_write_buffer_limits(usize::MAX, usize::MAX)?;
        writer.write(&vec![0; 1 << 20])?;
        writer.drain().await?;
        writer.abort();
        Ok(())
    });
}

#[test]
fn any_time_can_be_a_limit() {
    test(async {
        let turn = || create_task(yield_now());
        timeout(Duration::MAX)?.run(turn()?).await?;
        wait_for(turn()?, Duration::MAX).await?;
        wait([turn()?], Duration::MAX, ReturnWhen::AllCompleted).await?;
        for next in as_completed([turn()?], Duration::MAX)? {
            next.await?;
        }
        let scope = timeout(None)?;
        scope
            .run(async {
                let now = get_running_loop()?.time();
                scope.reschedule(now + Duration::MAX)?;
                yield_now().await
            })
            .await?;
        let endless = create_task(sleep(Duration::MAX))?;
        yield_now().await?;
        endless.cancel();
        assert!(endless.await.is_err());
        Ok(())
    });
}

#[test]
fn a_signal_with_any_number_is_sent_or_refused() {
    test(async {
        let mut command = std::process::Command::new("cat");
        let process = create_subprocess(command.stdin(std::process::Stdio::piped()))?;
        for signal in [i32::MIN, -1, 65, i32::MAX] {
            let refused = process.send_signal(signal).unwrap_err().to_string();
            let says = format!("signal {signal}: Invalid argument");
            assert!(refused.contains(&says), "{refused}");
        }
        process.kill()?;
        assert_eq!(process.wait().await?, -9);
        Ok(())
    });
}
