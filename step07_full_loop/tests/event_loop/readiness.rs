//! The readiness of a descriptor in cases that aren't obvious: an end that isn't the end, and a
//! read that came back short although there's more.

use std::fs::{File, OpenOptions};
use std::future::poll_fn;
use std::io::{ErrorKind, IoSlice, Read as _};
use std::mem::MaybeUninit;
use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net;
use std::rc::Rc;
use std::{cell::Cell, io};

use kit::limit_time;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use step03_selector::Interest;
use step07_full_loop::{
    AsyncFd, Result, UnixListener, UnixStream, create_task, run, send, yield_now,
};

/// The number of a task's tries.
type Turns = Rc<Cell<u32>>;

/// The loop that the docs of `AsyncFd` describe.
async fn documented<S: AsFd, T>(
    fd: &AsyncFd<S>,
    turns: Turns,
    mut call: impl FnMut(&S) -> io::Result<T>,
) -> Result<T> {
    loop {
        fd.readable().await?;
        turns.set(turns.get() + 1);
        match call(fd.get_ref()) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => fd.clear_readable(),
            outcome => return Ok(outcome?),
        }
    }
}

/// The same loop with the poll function.
async fn polled<S: AsFd, T>(
    fd: &AsyncFd<S>,
    turns: Turns,
    mut call: impl FnMut(&S) -> io::Result<T>,
) -> Result<T> {
    loop {
        poll_fn(|context| fd.poll_readable(context)).await?;
        turns.set(turns.get() + 1);
        match call(fd.get_ref()) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => fd.clear_readable(),
            outcome => return Ok(outcome?),
        }
    }
}

async fn a_few_ticks() -> Result<()> {
    for _ in 0..10 {
        yield_now().await?;
    }
    Ok(())
}

#[test]
fn a_udp_socket_goes_to_sleep_again_after_an_icmp_error() {
    limit_time();
    run(async {
        let peer = UdpSocket::bind("127.0.0.1:0")?;
        let ours = UdpSocket::bind("127.0.0.1:0")?;
        let (peer_addr, our_addr) = (peer.local_addr()?, ours.local_addr()?);
        ours.connect(peer_addr)?;
        ours.set_nonblocking(true)?;
        let ours = Rc::new(AsyncFd::new(ours)?);
        drop(peer);
        // No socket listens there, so the kernel gets an ICMP message, and the next receive gets
        // the error.
        ours.get_ref().send(b"anybody there?")?;
        let refused = documented(&ours, Turns::default(), |it| it.recv(&mut [0; 8])).await;
        assert!(refused.is_err());

        for poll in [false, true] {
            let turns = Turns::default();
            let (waiting, counts) = (Rc::clone(&ours), Rc::clone(&turns));
            let task = create_task(async move {
                let receive = |socket: &UdpSocket| socket.recv(&mut [0; 8]);
                if poll {
                    polled(&waiting, counts, receive).await
                } else {
                    documented(&waiting, counts, receive).await
                }
            })?;
            a_few_ticks().await?;
            assert!(turns.get() <= 2, "it spins: {} turns", turns.get());
            UdpSocket::bind(peer_addr)?.send_to(b"yes", our_addr)?;
            assert_eq!(task.await?, 3);
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_fifo_goes_to_sleep_again_when_another_writer_comes() {
    limit_time();
    let path = std::env::temp_dir().join(format!("fifo_without_writers_{}", std::process::id()));
    let ours = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, ours, 0).unwrap();
    let fifo = path.clone();
    let outcome = run(async move {
        let reader = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&fifo)?;
        let reader = Rc::new(AsyncFd::with_interest(reader, Interest::READABLE)?);
        drop(OpenOptions::new().write(true).open(&fifo)?);
        let read = |mut file: &File| file.read(&mut [0; 8]);
        assert_eq!(documented(&reader, Turns::default(), read).await?, 0, "it has no writer");

        let writer = OpenOptions::new().write(true).open(&fifo)?;
        let turns = Turns::default();
        let (waiting, counts) = (Rc::clone(&reader), Rc::clone(&turns));
        let task = create_task(async move { documented(&waiting, counts, read).await })?;
        a_few_ticks().await?;
        assert!(turns.get() <= 2, "it spins: {} turns", turns.get());
        step01_fd::write(&writer, b"hello")?;
        assert_eq!(task.await?, 5);
        drop(writer);
        assert_eq!(documented(&reader, Turns::default(), read).await?, 0, "the end, once more");
        Ok(())
    });
    std::fs::remove_file(&path).unwrap();
    outcome.unwrap();
}

#[test]
fn the_end_is_found_after_a_short_read_that_is_noted_either_way() {
    limit_time();
    for note in [AsyncFd::<net::UnixStream>::clear_readable, AsyncFd::note_short_read] {
        run(async move {
            let (ours, theirs) = net::UnixStream::pair()?;
            ours.set_nonblocking(true)?;
            let ours = AsyncFd::new(ours)?;
            send(&theirs, b"last words")?;
            drop(theirs);
            let read = |mut socket: &net::UnixStream| socket.read(&mut [0; 64]);
            assert_eq!(documented(&ours, Turns::default(), read).await?, 10);
            note(&ours);
            assert_eq!(documented(&ours, Turns::default(), read).await?, 0);
            Ok(())
        })
        .unwrap();
    }
}

/// Sends bytes together with a descriptor.
fn send_with_descriptor(socket: &net::UnixStream, bytes: &[u8]) -> io::Result<()> {
    let sent = [socket.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    assert!(control.push(SendAncillaryMessage::ScmRights(&sent)));
    sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Reads until everything has come, with a buffer that has room for more.
async fn read_all(stream: &UnixStream, expected: &[u8]) -> Result<()> {
    let mut got = Vec::new();
    while got.len() < expected.len() {
        let mut buffer = [0; 1024];
        let count = stream.read(&mut buffer).await?;
        got.extend_from_slice(&buffer[..count]);
    }
    assert_eq!(got, expected);
    Ok(())
}

#[test]
fn bytes_behind_a_descriptor_do_not_wait_for_the_next_ones() {
    limit_time();
    run(async {
        let path = std::env::temp_dir().join(format!("rights_{}", std::process::id()));
        let listener = UnixListener::bind(&path)?;
        let connected = net::UnixStream::connect(&path)?;
        let (accepted, _) = listener.accept().await?;
        let connecting = UnixStream::connect(&path).await?;
        let (served, _) = listener.accept().await?;
        std::fs::remove_file(&path)?;
        let (pair, other) = UnixStream::pair()?;
        let (std, std_other) = net::UnixStream::pair()?;
        let std = UnixStream::from_std(std)?;
        let duplicate = |stream: &UnixStream| {
            Ok::<_, io::Error>(net::UnixStream::from(stream.as_fd().try_clone_to_owned()?))
        };
        let (served, other) = (duplicate(&served)?, duplicate(&other)?);

        let streams =
            [(accepted, connected), (connecting, served), (pair, other), (std, std_other)];
        for (stream, peer) in streams {
            // Each receive ends behind a message with a descriptor, and all have arrived by then.
            send_with_descriptor(&peer, b"one ")?;
            send_with_descriptor(&peer, b"two ")?;
            send(&peer, b"three")?;
            read_all(&stream, b"one two three").await?;
        }
        Ok(())
    })
    .unwrap();
}

/// A socket that's always ready doesn't keep a task from yielding, whether it waits or tries.
#[test]
fn a_task_that_never_has_to_wait_lets_the_others_have_their_turns() {
    const CALLS: u32 = 5000;
    limit_time();
    run(async {
        let (ours, theirs) = UnixStream::pair()?;
        theirs.write_all(&[0; CALLS as usize]).await?;
        let turns = Turns::default();
        let others = Rc::clone(&turns);
        let counts = create_task::<()>(async move {
            loop {
                others.set(others.get() + 1);
                yield_now().await?;
            }
        })?;
        for _ in 0..CALLS {
            ours.readable().await?;
        }
        let while_waiting = turns.take();
        for _ in 0..CALLS {
            assert_eq!(ours.read(&mut [0]).await?, 1);
        }
        counts.cancel();
        for turns in [while_waiting, turns.get()] {
            assert!((CALLS / 200..CALLS).contains(&turns), "{turns} turns in {CALLS} calls");
        }
        Ok(())
    })
    .unwrap();
}

/// The same holds for a task that asks first and does something else meanwhile.
#[test]
fn what_is_always_ready_says_so_a_limited_number_of_times_without_a_wait() {
    limit_time();
    run(async {
        let (ours, theirs) = net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let fd = AsyncFd::with_interest(ours, Interest::READABLE)?;
        assert!(!fd.readable_now(), "it isn't ready");
        drop(theirs);
        fd.readable().await?;
        let in_a_row = (0..1000).take_while(|_| fd.readable_now()).count();
        assert!((1..200).contains(&in_a_row), "{in_a_row} times");
        fd.readable().await?;
        assert!(fd.readable_now(), "after a wait it begins anew");
        Ok(())
    })
    .unwrap();
}
