//! A process leaves nothing behind: no zombie, no descriptor, no thread.

use std::fs::{self, File};
use std::future::{Future as _, poll_fn};
use std::os::fd::AsRawFd;
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::task::Poll;
use std::thread;

use asyncio::{EventLoop, Process, Result, create_subprocess, create_task, run, yield_now};
use kit::memory::Memory;
use kit::{Observer, Refusal, limit_time};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, WaitId, WaitIdOptions, getrlimit, setrlimit, waitid};
use step01_fd::open_descriptors;

/// Returns true if this process has a child, be it running or a zombie. Fetches no status.
fn has_children() -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::All, look) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error, Errno::CHILD);
            false
        }
    }
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

fn piped(program: &str, arguments: &[&str]) -> Result<Process> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    create_subprocess(&mut command)
}

async fn until_no_child_is_left() -> Result<()> {
    while has_children() {
        yield_now().await?;
    }
    Ok(())
}

/// A process that's dropped ends by itself, and the loop fetches its status.
fn dropped() {
    run(async {
        drop(piped("cat", &[])?);
        drop(piped("true", &[])?);
        until_no_child_is_left().await
    })
    .unwrap();
}

/// A task that waits for a process is cancelled, and its values are dropped.
fn cancelled() {
    run(async {
        let task = create_task(async {
            let mut process = piped("cat", &[])?;
            let kept = process.stdin.take();
            process.communicate(b"").await?;
            drop(kept);
            Ok(())
        })?;
        yield_now().await?;
        assert!(has_children());
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
        until_no_child_is_left().await
    })
    .unwrap();
}

/// Programs that never end are killed when the loop is closed, with and without a handle.
fn running_at_the_end() {
    let kept = run(async {
        drop(piped("tail", &["-f", "/dev/null"])?);
        let blocked = Rc::new(piped("tail", &["-f", "/dev/null"])?);
        assert!(has_children());
        Ok(blocked)
    })
    .unwrap();
    assert_eq!(kept.returncode(), None);
    drop(kept);
}

/// The loop is closed before it has looked at a program that has ended.
fn ended_and_not_fetched() {
    let event_loop = EventLoop::new().unwrap();
    let process = event_loop
        .run_until_complete(async {
            let process = piped("true", &[])?;
            Ok(Rc::new(process))
        })
        .unwrap();
    event_loop.close().unwrap();
    drop(process);
}

/// A program can't be started.
fn refused() {
    run(async {
        assert!(piped("/no/such/program", &[]).is_err());
        Ok(())
    })
    .unwrap();
}

/// The process can't be watched, so it's ended at once.
fn not_watched() {
    let refusal = Refusal { call: libc::SYS_pidfd_open, argument: None, errno: libc::ENOMEM };
    let start = || {
        run(async {
            let error = piped("tail", &["-f", "/dev/null"]).unwrap_err();
            assert!(error.to_string().starts_with("pidfd_open pid "), "{error}");
            assert!(!has_children());
            Ok(())
        })
        .unwrap();
    };
    refusal.during(start).unwrap();
}

/// One of the pipes or the descriptor that names the process can't be registered.
fn not_registered() {
    let add = Some((1, libc::EPOLL_CTL_ADD.cast_unsigned()));
    let refusal = Refusal { call: libc::SYS_epoll_ctl, argument: add, errno: libc::ENOSPC };
    // The loop's own descriptor is spared.
    for spared in 1..5 {
        let start = || {
            run(async {
                let error = piped("sleep", &["1000000"]).unwrap_err();
                assert!(error.to_string().starts_with("epoll_ctl ADD fd "), "{error}");
                until_no_child_is_left().await
            })
            .unwrap();
        };
        Observer::new().unwrap().refusing(&[refusal], spared, start);
    }
}

/// Starts a program while there are too few descriptors for its pipes or for its pidfd.
fn out_of_descriptors() {
    run(async {
        let before = getrlimit(Resource::Nofile);
        let highest = open_descriptors()?.last().map_or(0, |(fd, _)| *fd);
        // The limit concerns numbers, so no number below the highest may be free.
        let mut fillers = vec![File::open("/dev/null")?];
        while fillers.iter().all(|filler| filler.as_raw_fd() <= highest) {
            fillers.push(File::open("/dev/null")?);
        }
        let used = fillers.iter().map(AsRawFd::as_raw_fd).max().unwrap_or_default() + 1;
        let mut started = 0;
        for free in 0..15 {
            let few = Rlimit { current: Some(u64::from((used + free).cast_unsigned())), ..before };
            setrlimit(Resource::Nofile, few).unwrap();
            let outcome = piped("cat", &[]);
            setrlimit(Resource::Nofile, before).unwrap();
            started += u32::from(outcome.is_ok());
        }
        assert!((1..15).contains(&started), "{started}");
        until_no_child_is_left().await
    })
    .unwrap();
}

/// Dropped or cancelled waits leave no future with their process.
fn many_waits() {
    run(async {
        let process = Rc::new(piped("cat", &[])?);
        let mut first = 0;
        for round in 0..200 {
            let waits = Rc::clone(&process);
            let task = create_task(async move { waits.wait().await })?;
            yield_now().await?;
            task.cancel();
            assert!(task.await.unwrap_err().is_cancelled());
            let mut dropped = Box::pin(process.wait());
            assert!(
                poll_fn(|context| Poll::Ready(dropped.as_mut().poll(context))).await.is_pending()
            );
            drop(dropped);
            if round == 20 {
                first = Memory::until_now().in_use;
            }
        }
        assert_eq!(Memory::until_now().in_use, first);
        Ok(())
    })
    .unwrap();
}

pub(crate) fn nothing_is_left_of_a_process() {
    limit_time();
    dropped();
    let (descriptors, threads_before) = (open_descriptors().unwrap().len(), threads());
    let plays = [
        dropped,
        cancelled,
        running_at_the_end,
        ended_and_not_fetched,
        refused,
        not_watched,
        not_registered,
        out_of_descriptors,
        many_waits,
    ];
    for play in plays {
        for _ in 0..5 {
            play();
            assert!(!has_children());
            assert_eq!(open_descriptors().unwrap().len(), descriptors);
        }
        // The kernel lists a joined thread for a moment longer. A thread that's left behind stays
        // until the time is over.
        while threads() > threads_before {
            thread::yield_now();
        }
    }
}
