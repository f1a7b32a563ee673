//! Tests an `Io` whose descriptor is misleading: an end of input that isn't final, and a short read
//! although more bytes are there.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::future::poll_fn;
use std::io::{IoSlice, PipeReader};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use asyncio::{Result, UnixStream, create_task, run, yield_now};
use ecosystem::Io;
use futures_util::{AsyncReadExt, AsyncWriteExt};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

#[test]
fn a_fifo_goes_to_sleep_again_when_another_writer_comes() {
    kit::limit_time();
    let path = std::env::temp_dir().join(format!("ecosystem_fifo_{}", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo runs").success());
    let fifo = path.clone();
    let outcome = run(async move {
        let nonblocking = libc::O_NONBLOCK;
        let reader = OpenOptions::new().read(true).custom_flags(nonblocking).open(&fifo)?;
        let mut reader = Io::reader(PipeReader::from(OwnedFd::from(reader)))?;
        let open_writer = || OpenOptions::new().write(true).open(&fifo);
        drop(open_writer()?);
        assert_eq!(reader.read(&mut [0; 8]).await?, 0, "it has no writer");

        let writer: File = open_writer()?;
        let polls = Rc::new(Cell::new(0));
        let counts = Rc::clone(&polls);
        let task = create_task(async move {
            let mut buffer = [0; 8];
            let mut read = pin!(reader.read(&mut buffer));
            let polled = poll_fn(|context| {
                counts.set(counts.get() + 1);
                read.as_mut().poll(context)
            });
            Ok(polled.await?)
        })?;
        for _ in 0..10 {
            yield_now().await?;
        }
        assert!(polls.get() <= 2, "it spins: {} polls", polls.get());
        step01_fd::write(&writer, b"hello")?;
        assert_eq!(task.await?, 5);
        Ok(())
    });
    std::fs::remove_file(&path).expect("it's there");
    outcome.expect("the FIFO is read");
}

#[test]
fn bytes_behind_a_descriptor_do_not_wait_for_the_next_ones() {
    async fn read_all(mut io: Io<std::os::unix::net::UnixStream>) -> Result<Vec<u8>> {
        let (mut got, mut buffer) = (Vec::new(), [0; 1024]);
        while got.len() < b"one two three".len() {
            let count = io.read(&mut buffer).await?;
            got.extend_from_slice(&buffer[..count]);
        }
        io.write_all(b"thanks").await?;
        Ok(got)
    }
    kit::limit_time();
    let outcome = run(async {
        let (ours, theirs) = UnixStream::pair()?;
        for bytes in [b"one ", b"two "] {
            let sent = [theirs.as_fd()];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            assert!(control.push(SendAncillaryMessage::ScmRights(&sent)));
            sendmsg(&theirs, &[IoSlice::new(bytes)], &mut control, SendFlags::empty())
                .map_err(std::io::Error::from)?;
        }
        theirs.write_all(b"three").await?;
        read_all(ours.into()).await
    });
    assert_eq!(outcome.expect("all is read"), b"one two three");
}

/// Polls a future once with this waker. Returns true if the future is ready.
async fn poll_once(future: std::pin::Pin<&mut impl Future>, waker: &std::task::Waker) -> bool {
    let mut future = future;
    poll_fn(|_| {
        let mut context = std::task::Context::from_waker(waker);
        Poll::Ready(future.as_mut().poll(&mut context).is_ready())
    })
    .await
}

#[test]
fn a_sleep_can_be_polled_by_a_waker_that_uses_the_timer_when_it_is_cloned() {
    fn sleeps_a_moment(_: kit::WakerCall) {
        drop(ecosystem::LoopTimer.sleep(std::time::Duration::from_hours(1)));
    }
    kit::limit_time();
    run(async {
        let waker = std::mem::ManuallyDrop::new(kit::anybodys_waker(sleeps_a_moment));
        let mut sleep = pin!(ecosystem::LoopTimer.sleep(std::time::Duration::from_millis(1)));
        assert!(!poll_once(sleep.as_mut(), &waker).await);
        assert!(!poll_once(sleep.as_mut(), &waker).await);
        sleep.await;
        Ok(())
    })
    .expect("the sleep ends");
}

#[test]
fn a_waker_that_panics_takes_no_other_sleeps_wake_up() {
    struct Panics;
    impl std::task::Wake for Panics {
        fn wake(self: std::sync::Arc<Self>) {
            std::panic::resume_unwind(Box::new("oh no"));
        }
    }
    kit::limit_time();
    let reports = Rc::new(std::cell::RefCell::new(Vec::new()));
    let kept = Rc::clone(&reports);
    run(async move {
        let event_loop = asyncio::get_running_loop()?;
        event_loop
            .set_exception_handler(move |context| kept.borrow_mut().push(context.to_string()));
        let waker = std::task::Waker::from(std::sync::Arc::new(Panics));
        let moment = std::time::Duration::from_millis(1);
        let mut first = pin!(ecosystem::LoopTimer.sleep(moment));
        assert!(!poll_once(first.as_mut(), &waker).await);
        // These end at the same time as the first sleep but are woken after it.
        let others = [(); 3].map(|()| {
            create_task(async move {
                ecosystem::LoopTimer.sleep(moment).await;
                Ok(())
            })
        });
        yield_now().await?;
        std::thread::sleep(3 * moment);
        for other in others {
            asyncio::wait_for(other?, 1000 * moment).await?;
        }
        Ok(())
    })
    .expect("the others are woken");
    assert_eq!(*reports.borrow(), ["Exception in a waker: panicked: oh no"]);
}
