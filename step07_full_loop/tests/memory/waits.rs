//! Waits for a descriptor that are given up: they leave neither memory nor work behind.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::time::Duration;

use kit::cost::{cpu_time_of, growth};
use kit::limit_time;
use kit::memory::Memory;
use step07_full_loop::{
    AsyncFd, Interest, Result, Task, UnixStream, create_task, run, sleep, yield_now,
};

/// The way in which a task waits for something to read.
#[derive(Debug, Clone, Copy)]
enum How {
    /// With the future.
    Awaits,
    /// With the poll function.
    Polls,
    /// With the future, which is given up before the task ends.
    GivesUp,
}

const ALL: [How; 3] = [How::Awaits, How::Polls, How::GivesUp];

type Fd = Rc<AsyncFd<std::os::fd::OwnedFd>>;

fn start_wait(fd: &Fd, how: How) -> Result<Task<()>> {
    let fd = Rc::clone(fd);
    Ok(create_task(async move {
        match how {
            How::Awaits => fd.readable().await,
            How::Polls => poll_fn(|context| fd.poll_readable(context)).await,
            How::GivesUp => {
                let mut wait = Box::pin(fd.readable());
                poll_fn(|context| {
                    assert!(wait.as_mut().poll(context).is_pending());
                    std::task::Poll::Ready(())
                })
                .await;
                drop(wait);
                sleep(Duration::from_hours(1)).await
            }
        }
    })?)
}

/// Makes an empty pipe and returns both ends.
fn silent_pipe() -> Result<(Fd, std::os::fd::OwnedFd)> {
    let (reader, writer) = step01_fd::pipe()?;
    step01_fd::set_nonblocking(&reader, true)?;
    Ok((Rc::new(AsyncFd::with_interest(reader, Interest::READABLE)?), writer))
}

async fn wait_and_end(fd: &Fd, how: How, times: usize) -> Result<()> {
    for _ in 0..times {
        let task = start_wait(fd, how)?;
        yield_now().await?;
        task.cancel();
        assert!(task.await.is_err_and(|error| error.is_cancelled()));
    }
    Ok(())
}

pub(crate) fn waits_one_after_another_leave_no_memory() {
    limit_time();
    for how in ALL {
        run(async move {
            let (fd, _writer) = silent_pipe()?;
            wait_and_end(&fd, how, 1000).await?;
            let before = Memory::until_now().in_use;
            wait_and_end(&fd, how, 10_000).await?;
            let left = Memory::until_now().in_use - before;
            assert!(left < 1000, "{how:?}: {left} bytes are left of 10,000 waits");
            Ok(())
        })
        .unwrap();
    }
}

/// Lets many tasks wait at a time and cancels all, from the first or from the last on.
fn give_up(how: How, waits: usize, from_the_last: bool) {
    run(async move {
        let (fd, _writer) = silent_pipe()?;
        let began = (0..waits).map(|_| start_wait(&fd, how)).collect::<Result<Vec<_>>>();
        let mut tasks = began?;
        yield_now().await?;
        if from_the_last {
            tasks.reverse();
        }
        for task in tasks {
            task.cancel();
            assert!(task.await.is_err_and(|error| error.is_cancelled()));
        }
        Ok(())
    })
    .unwrap();
}

pub(crate) fn many_waits_at_a_time_are_begun_and_given_up_in_linear_time() {
    limit_time();
    for how in ALL {
        for from_the_last in [false, true] {
            let growth = growth((500, 8000), |waits| {
                cpu_time_of(|| give_up(how, waits, from_the_last)).unwrap().1
            });
            assert!(growth < 64.0, "{how:?}: 16 times as many take {growth:.0} times as long");
        }
    }
}

pub(crate) fn those_that_stay_are_woken_in_their_order() {
    limit_time();
    run(async {
        let (ours, theirs) = UnixStream::pair()?;
        let (ours, log) = (Rc::new(ours), Rc::<RefCell<Vec<usize>>>::default());
        let tasks: Vec<_> = (0..100)
            .map(|number| {
                let (ours, log) = (Rc::clone(&ours), Rc::clone(&log));
                create_task(async move {
                    ours.readable().await?;
                    log.borrow_mut().push(number);
                    Ok(())
                })
            })
            .collect::<std::result::Result<_, _>>()?;
        yield_now().await?;
        let gives_up = |number: &usize| number % 7 != 3;
        for number in (0..100).filter(gives_up) {
            tasks[number].cancel();
        }
        yield_now().await?;
        theirs.write_all(b"!").await?;
        for task in tasks {
            let _ = task.await;
        }
        assert!(log.take().into_iter().eq((0..100).filter(|number| !gives_up(number))));
        Ok(())
    })
    .unwrap();
}

/// A wait that an event has ended doesn't take a later wait's place when it's dropped late.
pub(crate) fn a_wait_that_is_dropped_late_takes_no_other_one_with_it() {
    limit_time();
    run(async {
        let (ours, theirs) = UnixStream::pair()?;
        let ours = Rc::new(ours);
        let mut early = Box::pin(ours.readable());
        poll_fn(|context| {
            assert!(early.as_mut().poll(context).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
        theirs.write_all(b"1").await?;
        sleep(Duration::from_millis(1)).await?;
        assert_eq!(ours.read(&mut [0; 8]).await?, 1);
        assert!(matches!(ours.try_read(&mut [0; 8])?, step01_fd::Read::WouldBlock));
        let waiting = Rc::clone(&ours);
        let task = create_task(async move { waiting.readable().await })?;
        yield_now().await?;
        drop(early);
        theirs.write_all(b"2").await?;
        task.await
    })
    .unwrap();
}
