//! Trials of the leftovers of `run_in_executor`: in the loop's table, when no thread can be started
//! for the work, and when the work holds a value that panics when it's dropped.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use kit::Refusal;
use scene::{Program, Transcript, say, trial};
use step07_full_loop::{Error, EventLoop, Future, Result, ThreadPool, yield_now};

use super::state::State;
use super::work::{wait_at, wait_for_the_threads};

/// Many pieces of work of one kind, or a single piece.
#[derive(Debug, Clone, Copy)]
enum Case {
    Done,
    Cancelled,
    Refused,
    NoThread,
    /// The work holds a value that panics when it's dropped, and cancelling the work drops the
    /// value.
    GuardPanics,
    /// The work panics, with a payload that panics again when it's dropped.
    PayloadPanics,
    /// The work's error is never retrieved.
    Ignored,
    /// The work is refused, and the pool's error is never retrieved.
    RefusalIgnored,
    /// The loop is closed while the work runs.
    ClosedMeanwhile,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Case::Done => "a hundred pieces of work are done",
            Case::Cancelled => "a hundred pieces of work are cancelled before they begin",
            Case::Refused => "a hundred pieces of work are refused",
            Case::NoThread => "no thread can be started for the work",
            Case::GuardPanics => "the work is cancelled, and dropping its value panics",
            Case::PayloadPanics => "the work panics, and dropping the payload panics again",
            Case::Ignored => "the work's error is never retrieved",
            Case::RefusalIgnored => "the work is refused, and the pool's error is never retrieved",
            Case::ClosedMeanwhile => "the loop is closed while the work runs",
        })
    }
}

const CASES: [Case; 9] = [
    Case::Done,
    Case::Cancelled,
    Case::Refused,
    Case::NoThread,
    Case::GuardPanics,
    Case::PayloadPanics,
    Case::Ignored,
    Case::RefusalIgnored,
    Case::ClosedMeanwhile,
];

const LOT: usize = 100;

trial!(
    what_is_left_of_work,
    1,
    "A loop that runs for a long time keeps no entry for work that's done, cancelled or refused."
);
fn what_is_left_of_work(program: &Program, t: Transcript) -> anyhow::Result<()> {
    for case in program.verbs(CASES) {
        let left = match case {
            Case::Done | Case::Cancelled | Case::Refused => left_of_a_lot(case)?,
            Case::NoThread => no_thread()?,
            Case::GuardPanics => guard_panics()?,
            Case::PayloadPanics => payload_panics()?,
            Case::Ignored => ignored(false)?,
            Case::RefusalIgnored => ignored(true)?,
            Case::ClosedMeanwhile => closed_meanwhile()?,
        };
        say!(t, "{case}: {left}");
    }
    Ok(())
}

fn loop_with_a_thread() -> anyhow::Result<EventLoop> {
    let event_loop = EventLoop::new()?;
    event_loop.set_exception_handler(|_| {});
    event_loop.set_default_executor(ThreadPool::new(NonZero::<usize>::MIN));
    Ok(event_loop)
}

/// Describes the loop's table, which has an entry for each future that a thread still has to
/// finish.
fn table(event_loop: &EventLoop) -> &'static str {
    if event_loop.waits_for_a_thread() {
        "the loop's table has an entry"
    } else {
        "the loop's table is empty"
    }
}

fn left_of_a_lot(case: Case) -> anyhow::Result<String> {
    let event_loop = loop_with_a_thread()?;
    if matches!(case, Case::Refused) {
        wait_for_the_threads(&event_loop)?;
    }
    let inner = event_loop.clone();
    event_loop.run_until_complete(async move { a_lot(&inner, case).await })?;
    let left = table(&event_loop).to_owned();
    // A thread that hasn't ended can still have the other end of the loop's pipe.
    wait_for_the_threads(&event_loop)?;
    event_loop.close()?;
    Ok(left)
}

async fn a_lot(event_loop: &EventLoop, case: Case) -> Result<()> {
    let (open, gate) = mpsc::channel();
    let first = event_loop.run_in_executor(move || wait_at(&gate));
    let rest: Vec<_> = (0..LOT).map(|_| event_loop.run_in_executor(|| Ok(()))).collect();
    if matches!(case, Case::Refused) {
        for future in &rest {
            // Asked for, so that it isn't reported.
            let _ = future.exception();
        }
        let _ = first.await;
        // A callback of the future can hold the refused work for another tick.
        yield_now().await?;
        return yield_now().await;
    }
    if matches!(case, Case::Cancelled) {
        for future in &rest {
            future.cancel();
        }
        yield_now().await?;
    }
    open.send(()).map_err(Error::other)?;
    first.await?;
    event_loop.run_in_executor(|| Ok(())).await
}

/// Gives work to a loop while the kernel refuses to start a thread.
fn no_thread() -> anyhow::Result<String> {
    let refuse = |call| Refusal { call, argument: None, errno: libc::EAGAIN };
    let refusals = [libc::SYS_clone3, libc::SYS_clone].map(refuse);
    Refusal::all_during(&refusals, || {
        let Ok(event_loop) = EventLoop::new() else { return "no loop".to_owned() };
        let held = Arc::new(());
        let inside = Arc::clone(&held);
        let future = event_loop.run_in_executor(move || {
            drop(inside);
            Ok(1)
        });
        event_loop.stop();
        let ran = event_loop.run_forever().is_ok();
        let held = Arc::strong_count(&held) > 1 || !ran;
        format!("the future is {}, and the work is still held: {held}", State(&future))
    })
}

/// A value that panics when it's dropped.
struct Panics {
    _held: Arc<()>,
}

impl Drop for Panics {
    fn drop(&mut self) {
        // A second panic at once would end the program.
        if !thread::panicking() {
            // A panic!, but without its message on standard error.
            resume_unwind(Box::new("dropped"));
        }
    }
}

fn guard_panics() -> anyhow::Result<String> {
    let event_loop = loop_with_a_thread()?;
    let (open, gate) = mpsc::channel();
    let first = event_loop.run_in_executor(move || wait_at(&gate));
    let guard = Panics { _held: Arc::default() };
    let future = event_loop.run_in_executor(move || {
        drop(guard);
        Ok(1)
    });
    future.cancel();
    event_loop.stop();
    event_loop.run_forever()?;
    open.send(())?;
    event_loop.run_until_complete(first)?;
    let left = format!("the future is {}; {}", State(&future), table(&event_loop));
    end(event_loop)?;
    Ok(left)
}

fn payload_panics() -> anyhow::Result<String> {
    let event_loop = loop_with_a_thread()?;
    let held = Arc::new(());
    let payload = Panics { _held: Arc::clone(&held) };
    let future: Future<usize> = event_loop.run_in_executor(|| resume_unwind(Box::new(payload)));
    // The only thread has brought the first outcome when it comes to this.
    event_loop.run_until_complete(event_loop.run_in_executor(|| Ok(())))?;
    let state = format!("the future is {}; {}", State(&future), table(&event_loop));
    end(event_loop)?;
    Ok(format!("{state}; the payload is still held: {}", Arc::strong_count(&held) > 1))
}

/// Counts the reports of an error that nobody retrieves: the work's, or the pool's if the pool
/// takes no more work.
fn ignored(is_refused: bool) -> anyhow::Result<String> {
    let event_loop = loop_with_a_thread()?;
    if is_refused {
        wait_for_the_threads(&event_loop)?;
    }
    let reports = Rc::new(Cell::new(0));
    let counter = Rc::clone(&reports);
    event_loop.set_exception_handler(move |_| counter.set(counter.get() + 1));
    drop(event_loop.run_in_executor::<()>(|| Err(Error::other("no such user"))));
    if !is_refused {
        event_loop.run_until_complete(event_loop.run_in_executor(|| Ok(())))?;
    }
    end(event_loop)?;
    Ok(format!("reports of the error: {}", reports.get()))
}

fn end(event_loop: EventLoop) -> anyhow::Result<()> {
    wait_for_the_threads(&event_loop)?;
    Ok(event_loop.close()?)
}

thread_local! {
    /// A sender that's dropped when the thread ends, after all values that the thread's work held.
    static ENDS: RefCell<Option<Sender<()>>> = const { RefCell::new(None) };
}

fn closed_meanwhile() -> anyhow::Result<String> {
    let event_loop = loop_with_a_thread()?;
    let ((open, gate), (tell, begun)) = (mpsc::channel(), mpsc::channel());
    let (ends, ended) = mpsc::channel();
    let brought = Arc::new(());
    let inside = Arc::clone(&brought);
    drop(event_loop.run_in_executor(move || {
        ENDS.set(Some(ends));
        tell.send(()).map_err(Error::other)?;
        wait_at(&gate)?;
        Ok(inside)
    }));
    begun.recv()?;
    event_loop.close()?;
    open.send(())?;
    // Nothing is ever sent: the other end is dropped with the thread. A panic there is reported.
    let _ = ended.recv();
    Ok(format!("the work's result is still held: {}", Arc::strong_count(&brought) > 1))
}
