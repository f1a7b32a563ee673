//! Threads that send more than the loop can run, and work that has to have its turn all the same.
//! The tests run one after another: a loop that handles signals has all signals to itself.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[path = "event_loop/support.rs"]
mod loop_support;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kit::limit_time;
use loop_support::readable;
use step07_full_loop::{
    EventLoop, LoopHandle, SIGUSR1, UnixStream, create_task, run, sleep, yield_now,
};

const FLOOD: usize = 100_000;
/// The messages of a tick. An event that comes a tick later has let two batches pass.
const BATCH: usize = 1024;

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    limit_time();
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of messages that four tireless threads keep waiting: always more than a batch, but
/// not more than the memory holds.
const WAITING: usize = 20_000;
static OUTSTANDING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static RAN: Cell<usize> = const { Cell::new(0) };
}

fn send(handle: &LoopHandle, count: usize) {
    for _ in 0..count {
        handle.call_soon_threadsafe(|| RAN.set(RAN.get() + 1)).unwrap();
    }
}

/// Lets four threads send callbacks and returns when they're all in the inbox.
fn flood(event_loop: &EventLoop) {
    RAN.set(0);
    let threads: [_; 4] = std::array::from_fn(|_| {
        let handle = event_loop.handle();
        thread::spawn(move || send(&handle, FLOOD / 4))
    });
    for thread in threads {
        thread.join().unwrap();
    }
}

type Seen = Rc<RefCell<Vec<(&'static str, usize)>>>;

/// Makes a callback that notes how much of the flood has run by then.
fn notes(seen: &Seen, name: &'static str) -> impl Fn() + Clone + use<> {
    let seen = Rc::clone(seen);
    move || seen.borrow_mut().push((name, RAN.get()))
}

#[test]
fn all_else_has_its_turn_after_a_batch_or_two() {
    let _alone = alone();
    for handles_signals in [false, true] {
        for event_loop in [EventLoop::new().unwrap(), EventLoop::with_eventfd().unwrap()] {
            all_else_has_its_turn(&event_loop, handles_signals);
        }
    }
}

fn all_else_has_its_turn(event_loop: &EventLoop, handles_signals: bool) {
    if handles_signals {
        event_loop.add_signal_handler(SIGUSR1, || {}).unwrap();
    }
    let seen = Seen::default();
    let (reader, _writer) = readable();
    let (inner, shared) = (event_loop.clone(), Rc::clone(&seen));
    event_loop
        .run_until_complete(async move {
            let (ours, theirs) = UnixStream::pair()?;
            let (read, slept) = (notes(&shared, "read"), notes(&shared, "sleep"));
            let reading = create_task(async move {
                theirs.readable().await?;
                read();
                Ok(())
            })?;
            yield_now().await?;

            flood(&inner);
            ours.write_all(b"!").await?;
            let (called, remover) = (notes(&shared, "add_reader"), inner.clone());
            let fd = Rc::new(reader);
            let same = Rc::clone(&fd);
            inner.add_reader(&*fd, move || {
                called();
                remover.remove_reader(&*same).unwrap();
            })?;
            inner.call_soon(notes(&shared, "call_soon"));
            inner.call_later(Duration::from_nanos(1), notes(&shared, "call_later"));
            let future = inner.create_future::<()>();
            let done = notes(&shared, "done");
            future.add_done_callback(move |_| done());
            future.set_result(())?;
            let sleeping = create_task(async move {
                sleep(Duration::from_nanos(1)).await?;
                slept();
                Ok(())
            })?;
            sleeping.await?;
            reading.await?;
            assert!(RAN.get() < FLOOD / 2, "main itself ends in time");
            Ok(())
        })
        .unwrap();
    let seen = seen.take();
    for expected in ["call_soon", "done", "add_reader", "read", "call_later", "sleep"] {
        let found = seen.iter().find(|(name, _)| *name == expected);
        let (_, ran) = found.unwrap_or_else(|| panic!("{expected} has no turn: {seen:?}"));
        assert!(*ran <= 5 * BATCH, "{expected} after {ran} callbacks");
    }
    event_loop.close().unwrap();
}

#[test]
fn a_main_ends_although_threads_go_on_sending() {
    let _alone = alone();
    let is_over = Arc::new(AtomicBool::new(false));
    let event_loop = EventLoop::new().unwrap();
    let threads: [_; 4] = std::array::from_fn(|_| {
        let (handle, is_over) = (event_loop.handle(), Arc::clone(&is_over));
        let call = || {
            OUTSTANDING.fetch_sub(1, Ordering::Relaxed);
        };
        thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                if OUTSTANDING.load(Ordering::Relaxed) > WAITING {
                    thread::yield_now();
                    continue;
                }
                // Before the call can run.
                OUTSTANDING.fetch_add(1, Ordering::Relaxed);
                if handle.call_soon_threadsafe(call).is_err() {
                    // The loop is closed.
                    break;
                }
            }
        })
    });
    let outcome = event_loop.run(async {
        for _ in 0..20 {
            sleep(Duration::from_millis(1)).await?;
        }
        Ok(42)
    });
    is_over.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(outcome.unwrap(), 42);
}

#[test]
fn what_threads_have_sent_before_a_main_ends_runs_before_its_loop_is_closed() {
    let _alone = alone();
    let event_loop = EventLoop::new().unwrap();
    let inner = event_loop.clone();
    event_loop
        .run(async move {
            flood(&inner);
            Ok(())
        })
        .unwrap();
    assert_eq!(RAN.get(), FLOOD);
}

#[test]
fn a_virtual_clock_stands_still_while_a_flood_waits() {
    let _alone = alone();
    let event_loop = EventLoop::with_clock(step07_full_loop::VirtualClock::new()).unwrap();
    flood(&event_loop);
    let timer_came_after = Rc::new(Cell::new(0));
    let noted = Rc::clone(&timer_came_after);
    event_loop.call_later(Duration::from_secs(1), move || noted.set(RAN.get()));
    event_loop.run_until_complete(sleep(Duration::from_secs(2))).unwrap();
    assert_eq!(timer_came_after.get(), FLOOD);
}

#[test]
fn a_descriptor_and_a_task_that_are_always_ready_leave_the_others_their_turns() {
    let _alone = alone();
    let (reader, _writer) = readable();
    run(async move {
        let event_loop = step07_full_loop::get_running_loop()?;
        let calls = Rc::new(Cell::new(0));
        let counts = Rc::clone(&calls);
        event_loop.add_reader(&reader, move || counts.set(counts.get() + 1))?;
        let (ours, theirs) = UnixStream::pair()?;
        theirs.write_all(b"!").await?;
        let reading = create_task::<()>(async move {
            // The task never reads, so there's always something to read.
            loop {
                ours.readable().await?;
            }
        })?;
        let yielding = create_task::<()>(async {
            loop {
                yield_now().await?;
            }
        })?;
        for _ in 0..20 {
            sleep(Duration::from_millis(1)).await?;
        }
        assert!(calls.get() >= 20);
        reading.cancel();
        yielding.cancel();
        event_loop.remove_reader(&reader)?;
        Ok(())
    })
    .unwrap();
}
