//! What an event of a descriptor does: it's noted, and then each waker is called, whatever the
//! wakers do.

use std::cell::RefCell;
use std::io::Write as _;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use kit::limit_time;
use step03_selector::Interest;
use step07_full_loop::{AsyncFd, EventLoop, create_task, run, yield_now};

type Fd = Rc<AsyncFd<UnixStream>>;

thread_local! {
    /// The descriptor, for the wakers: a waker has to be `Send`, so it can't own an `Rc`.
    static FD: RefCell<Option<Fd>> = const { RefCell::new(None) };
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn log(line: impl Into<String>) {
    LOG.with_borrow_mut(|log| log.push(line.into()));
}

/// A waker that isn't a task's.
enum Foreign {
    Asks,
    WaitsAgain,
    Panics,
}

impl Wake for Foreign {
    fn wake(self: Arc<Self>) {
        // The drop of the descriptor wakes, too.
        let Some(fd) = FD.with_borrow(Clone::clone) else { return };
        match *self {
            Foreign::Asks => log(format!("asks: {}", fd.readable_now())),
            Foreign::WaitsAgain => {
                fd.clear_readable();
                log(format!("waits again: {}", wait_with(&fd, self)));
            }
            Foreign::Panics => {
                log("panics");
                std::panic::resume_unwind(Box::new("oh no"));
            }
        }
    }
}

/// Returns true if the waker has to wait.
fn wait_with(fd: &Fd, waker: Arc<Foreign>) -> bool {
    fd.poll_readable(&mut Context::from_waker(&Waker::from(waker))).is_pending()
}

fn connected() -> step07_full_loop::Result<(Fd, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let fd = Rc::new(AsyncFd::with_interest(ours, Interest::READABLE)?);
    FD.set(Some(Rc::clone(&fd)));
    Ok((fd, theirs))
}

#[test]
fn an_event_wakes_each_waiter_once_in_order_whatever_the_wakers_do() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    event_loop.set_exception_handler(|report| log(report.to_string()));
    let run = event_loop.run_until_complete(async {
        let (other, mut to_other) = connected()?;
        let (fd, mut peer) = connected()?;
        for waker in [Foreign::Asks, Foreign::Panics, Foreign::WaitsAgain] {
            assert!(wait_with(&fd, Arc::new(waker)));
        }
        for _ in 0..2 {
            peer.write_all(b"!")?;
            to_other.write_all(b"!")?;
            yield_now().await?;
            log("the event's tick");
            assert!(other.readable_now(), "the panic takes no other descriptor's event");
        }
        FD.take();
        Ok(())
    });
    run.unwrap();
    let lines = [
        "asks: true",
        "panics",
        "Exception in a waker: panicked: oh no",
        "waits again: true",
        "the event's tick",
        // Only this one waits again.
        "waits again: true",
        "the event's tick",
    ];
    assert_eq!(LOG.take(), lines);
    event_loop.close().unwrap();
}

#[test]
fn a_task_goes_on_in_the_tick_of_its_event() {
    limit_time();
    run(async {
        let (fd, mut peer) = connected()?;
        let waiting = Rc::clone(&fd);
        let task = create_task(async move { waiting.readable().await })?;
        yield_now().await?;
        peer.write_all(b"!")?;
        // In the event's tick, this goes on first, and then the task.
        yield_now().await?;
        yield_now().await?;
        assert!(task.done());
        FD.take();
        Ok(())
    })
    .unwrap();
}

#[test]
fn an_event_is_noted_when_no_task_waits() {
    limit_time();
    run(async {
        let (fd, mut peer) = connected()?;
        assert!(!fd.readable_now());
        peer.write_all(b"!")?;
        yield_now().await?;
        assert!(fd.readable_now());
        FD.take();
        Ok(())
    })
    .unwrap();
}

#[test]
fn only_the_event_of_an_end_lets_a_call_be_made_once_more() {
    limit_time();
    run(async {
        let (fd, mut peer) = connected()?;
        peer.write_all(b"!")?;
        yield_now().await?;
        fd.clear_readable();
        assert!(!fd.readable_now(), "more bytes would be another event");
        peer.shutdown(Shutdown::Write)?;
        yield_now().await?;
        assert!(fd.readable_now());
        fd.clear_readable();
        assert!(fd.readable_now(), "the end might not have been found yet");
        fd.clear_readable();
        assert!(!fd.readable_now(), "one more call was possible");
        FD.take();
        Ok(())
    })
    .unwrap();
}
