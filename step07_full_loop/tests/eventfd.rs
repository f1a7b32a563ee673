//! A loop that other threads wake: through a pipe, or through an eventfd, which the loop never
//! reads.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use kit::{Sleeper, limit_time};
use step05_selfpipe::raise;
use step07_full_loop::{
    EventLoop, EventSource, Runner, SIGUSR1, TickTrace, TracedEvent, get_running_loop, to_thread,
};

const THREADS: usize = 8;
/// The number of callbacks that each thread sends.
const EACH: usize = 5_000;

fn stop() {
    get_running_loop().unwrap().stop();
}

/// A lost wake-up leaves the loop asleep until the test's time limit.
#[test]
fn no_callback_of_eight_threads_is_lost_or_out_of_order() {
    limit_time();
    for event_loop in [EventLoop::new().unwrap(), EventLoop::with_eventfd().unwrap()] {
        eight_threads_send(&event_loop);
        event_loop.close().unwrap();
    }
}

fn eight_threads_send(event_loop: &EventLoop) {
    let (tell, told) = mpsc::channel();
    let arrived = Arc::new(AtomicUsize::new(0));
    for thread in 0..THREADS {
        let (handle, tell, arrived) = (event_loop.handle(), tell.clone(), Arc::clone(&arrived));
        thread::spawn(move || {
            for number in 0..EACH {
                let (tell, arrived) = (tell.clone(), Arc::clone(&arrived));
                let call = move || {
                    tell.send((thread, number)).unwrap();
                    if arrived.fetch_add(1, Ordering::Relaxed) + 1 == THREADS * EACH {
                        stop();
                    }
                };
                handle.call_soon_threadsafe(call).unwrap();
                // This lets the loop get to the end of its queue and fall asleep, again and again.
                thread::yield_now();
            }
        });
    }
    event_loop.run_forever().unwrap();
    let mut next = [0; THREADS];
    for (thread, number) in told.try_iter() {
        assert_eq!(number, next[thread]);
        next[thread] += 1;
    }
    assert_eq!(next, [EACH; THREADS]);
}

#[test]
fn a_call_from_the_loops_own_thread_wakes_it_too() {
    limit_time();
    let event_loop = EventLoop::with_eventfd().unwrap();
    event_loop.call_soon_threadsafe(stop).unwrap();
    event_loop.run_forever().unwrap();
    event_loop.call_soon(|| get_running_loop().unwrap().call_soon_threadsafe(stop).unwrap());
    event_loop.run_forever().unwrap();
}

/// Taking a call ahead leaves its edge behind. The next call has another edge.
#[test]
fn a_call_that_was_taken_ahead_does_not_hide_the_next_one() {
    limit_time();
    let (tell, told) = mpsc::channel();
    let sleeper = Sleeper::start(move || {
        let event_loop = EventLoop::with_eventfd().unwrap();
        let inner = event_loop.clone();
        event_loop.call_soon(move || {
            inner.call_soon_threadsafe(|| ()).unwrap();
            // Before this is queued, the call is taken.
            inner.call_soon(|| ());
            tell.send(inner.handle()).unwrap();
        });
        event_loop.run_forever().map(|()| "stopped".to_owned()).unwrap()
    });
    let (sleeper, handle) = (sleeper.unwrap(), told.recv().unwrap());
    sleeper.wait_until_asleep().unwrap();
    handle.call_soon_threadsafe(stop).unwrap();
    assert_eq!(sleeper.join().unwrap(), "stopped");
}

/// The only test of its file that handles signals: they belong to the whole process.
#[test]
fn signals_still_come_through_the_pipe() {
    limit_time();
    let runner = Runner::of(EventLoop::with_eventfd().unwrap());
    let answer = runner.run(async {
        let event_loop = get_running_loop()?;
        let has_arrived = event_loop.create_future();
        let future = has_arrived.clone();
        event_loop.add_signal_handler(SIGUSR1, move || drop(future.set_result(())))?;
        raise(SIGUSR1)?;
        has_arrived.await?;
        to_thread(|| Ok(42)).await
    });
    assert_eq!(answer.unwrap(), 42);
    runner.close().unwrap();
}

#[test]
fn a_trace_shows_an_eventfds_event_as_a_wakeup_once_for_each_call() {
    limit_time();
    let event_loop = EventLoop::with_eventfd().unwrap();
    let wakeups = Rc::<Cell<usize>>::default();
    let counted = Rc::clone(&wakeups);
    event_loop.set_trace(move |tick: &TickTrace| {
        let is_wakeup = |event: &&TracedEvent| matches!(event.source, EventSource::Wakeup);
        counted.set(counted.get() + tick.events.iter().filter(is_wakeup).count());
    });
    for expected in 1..=3 {
        event_loop.call_soon_threadsafe(stop).unwrap();
        event_loop.run_forever().unwrap();
        assert_eq!(wakeups.get(), expected);
        // The counter is still above zero, and that isn't news.
        event_loop.call_soon(stop);
        event_loop.run_forever().unwrap();
        assert_eq!(wakeups.get(), expected);
    }
}
