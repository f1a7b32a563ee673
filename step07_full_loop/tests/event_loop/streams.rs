//! Properties of streams that no scene shows.

use std::io::{Read as _, Write as _};
use std::rc::Rc;

use kit::{Refusal, limit_time};
use rustix::net::sockopt::tcp_nodelay;
use step01_fd::Outbox;
use step07_full_loop::{TcpListener, TcpStream, UnixStream, create_task, run, yield_now};

#[test]
fn a_cancelled_read_leaves_the_stream_usable() {
    limit_time();
    run(async {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let mut client = std::net::TcpStream::connect(listener.local_addr()?)?;
        let (stream, _) = listener.accept().await?;
        let stream = Rc::new(stream);
        let reader = Rc::clone(&stream);
        let task = create_task(async move { reader.read(&mut [0; 8]).await })?;
        yield_now().await?;
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        client.write_all(b"hello")?;
        assert_eq!(stream.read(&mut [0; 8]).await?, 5);
        Ok(())
    })
    .unwrap();
}

#[test]
fn after_a_flush_there_is_room_for_the_next_write() {
    limit_time();
    run(async {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        let ours = UnixStream::from_std(ours)?;
        let mut count = 0;
        loop {
            match ours.try_write(&[0; 4096])? {
                0 => break,
                written => count += written,
            }
        }
        let mut outbox = Outbox::new();
        assert!(!ours.try_send(&mut outbox, b"flushed")?);
        (&theirs).read_exact(&mut vec![0; count])?;
        ours.flush(&mut outbox).await?;
        // The event that reports room is used up, and no other event comes.
        ours.write_all(b", written").await?;
        let mut rest = [0; 16];
        (&theirs).read_exact(&mut rest)?;
        assert_eq!(&rest, b"flushed, written");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_stream_sends_small_writes_at_once_if_it_is_told_to() {
    limit_time();
    run(async {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let stream = TcpStream::connect(listener.local_addr()?).await?;
        for nodelay in [true, false] {
            stream.set_nodelay(nodelay)?;
            assert_eq!(tcp_nodelay(&stream).unwrap(), nodelay);
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_listener_can_be_told_its_backlog() {
    let refusal = Refusal {
        call: libc::SYS_listen,
        // Std's own call has another number.
        argument: Some((1, 7)),
        errno: libc::EOPNOTSUPP,
    };
    let listen = || {
        let told = run(async { Ok(TcpListener::bind("127.0.0.1:0")?.set_backlog(7)?) });
        told.unwrap_err().to_string()
    };
    let error = refusal.during(listen).unwrap();
    assert_eq!(error, "listen, backlog 7: Operation not supported (os error 95)");
}
