//! Outcomes that threads bring to a loop: from anywhere, of any kind, at any moment.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use crate::support::tick;
use kit::{Ending, Turns, limit_time};
use step07_full_loop::{Completer, Error, EventLoop, Future, LoopResult, Result};

/// A counted value, so that the test can see that no value is left at the end.
type Value = Arc<usize>;

const FROM: [fn(Completer<Value>, Result<Value>); 4] = [
    |completer, outcome| {
        thread::spawn(move || completer.complete(outcome)).join().unwrap().unwrap();
    },
    |completer, outcome| {
        thread::spawn(move || complete_in_another_loop(completer, outcome)).join().unwrap();
    },
    |completer, outcome| completer.complete(outcome).unwrap(),
    complete_in_another_loop,
];

/// Completes a future while a loop of its own runs, whose futures have the same numbers.
fn complete_in_another_loop(completer: Completer<Value>, outcome: Result<Value>) {
    let another = EventLoop::new().unwrap();
    let its_own: Vec<(Future<Value>, _)> = (0..3).map(|_| another.create_remote_future()).collect();
    another.run_until_complete(async move { Ok(completer.complete(outcome)?) }).unwrap();
    tick(&another);
    assert!(its_own.iter().all(|(future, _)| !future.done()), "the other loop's were touched");
    drop(its_own);
    another.close().unwrap();
}

fn kinds(value: &Value) -> [Result<Value>; 4] {
    let io = std::io::Error::from_raw_os_error(libc::ENOENT);
    [
        Ok(Arc::clone(value)),
        Err(Error::other("no such user")),
        Err(io.into()),
        Err(Error::cancelled()),
    ]
}

#[test]
fn an_outcome_of_any_kind_arrives_a_tick_later_from_wherever_it_comes() {
    limit_time();
    let value = Arc::new(7);
    for complete in FROM {
        for outcome in kinds(&value) {
            let event_loop = EventLoop::new().unwrap();
            let (future, completer) = event_loop.create_remote_future();
            let expected = format!("{outcome:?}");
            complete(completer, outcome);
            assert!(!future.done(), "it's done by a callback of its own loop");
            tick(&event_loop);
            assert_eq!(format!("{:?}", future.result()), expected);
            event_loop.close().unwrap();
        }
    }
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn an_outcome_keeps_its_place_among_the_callbacks() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let order = Rc::<RefCell<Vec<&str>>>::default();
    let note = |word| {
        let order = Rc::clone(&order);
        move || order.borrow_mut().push(word)
    };
    let (future, completer) = event_loop.create_remote_future();
    event_loop.call_soon(note("before"));
    completer.complete(Ok(Arc::new(7))).unwrap();
    let (asked, behind) = (future.clone(), note("behind"));
    event_loop.call_soon(move || {
        assert!(asked.done());
        behind();
    });
    future.add_done_callback({
        let done = note("done");
        move |_| done()
    });
    tick(&event_loop);
    tick(&event_loop);
    assert_eq!(order.take(), ["before", "behind", "done"]);
    event_loop.close().unwrap();
}

#[test]
fn an_outcome_that_nothing_waits_for_any_more_is_dropped() {
    limit_time();
    let value = Arc::new(7);
    let event_loop = EventLoop::new().unwrap();
    let (cancelled, for_cancelled) = event_loop.create_remote_future();
    let (finished, for_finished) = event_loop.create_remote_future();
    cancelled.cancel();
    finished.set_result(Arc::new(1)).unwrap();
    for completer in [for_cancelled, for_finished] {
        completer.complete(Ok(Arc::clone(&value))).unwrap();
    }
    tick(&event_loop);
    assert!(cancelled.cancelled());
    assert_eq!(*finished.result().unwrap(), 1);
    let (_pending, for_closed) = event_loop.create_remote_future();
    event_loop.close().unwrap();
    let refused = for_closed.complete(Ok(Arc::clone(&value))).unwrap_err();
    assert_eq!(refused.to_string(), "Event loop is closed");
    drop((cancelled, finished, event_loop));
    assert_eq!(Arc::strong_count(&value), 1);
}

/// The thread stops at its system calls, and at each stop the loop takes all messages.
#[test]
fn whenever_the_loop_looks_it_finds_the_outcome_or_will_be_told_of_it() {
    limit_time();
    let mut thread = Turns::new(1).unwrap();
    for value in 1..3 {
        let event_loop = EventLoop::new().unwrap();
        let (future, completer) = event_loop.create_remote_future();
        let bring = move || drop(completer.complete(Ok(value)));
        let mut ran = Ok(());
        let look = |able: &[usize]| {
            ran = one_tick(&event_loop);
            able[0]
        };
        let (ending, _) = thread.run(vec![Box::new(bring)], look).unwrap();
        ran.unwrap();
        one_tick(&event_loop).unwrap();
        assert_eq!((ending, future.result().unwrap()), (Ending::Done, value));
        event_loop.close().unwrap();
    }
}

/// Runs one tick, which takes earlier messages even if there's no byte yet.
fn one_tick(event_loop: &EventLoop) -> LoopResult<()> {
    event_loop.call_soon(|| {});
    event_loop.stop();
    event_loop.run_forever()
}
