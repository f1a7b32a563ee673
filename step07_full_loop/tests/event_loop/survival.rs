//! Callbacks that act on their own loop.

use std::cell::RefCell;
use std::rc::Rc;

use crate::support::{Log, logs, readable, tick};
use kit::limit_time;
use step07_full_loop::{EventLoop, LoopError, get_running_loop};

#[test]
fn a_reader_can_replace_itself_and_remove_itself() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let log = Log::default();
    let (reader, _writer) = readable();
    let reader = Rc::new(reader);
    let (inner, fd, mut called) = (event_loop.clone(), Rc::clone(&reader), logs(&log, "first"));
    let dropped = Rc::new(());
    let (alive, held) = (Rc::downgrade(&dropped), dropped);
    let lines = Rc::clone(&log);
    event_loop
        .add_reader(&*reader, move || {
            called();
            let (remover, same, mut called) =
                (inner.clone(), Rc::clone(&fd), logs(&lines, "second"));
            let replace = move || {
                called();
                assert!(remover.remove_reader(&*same).unwrap());
                assert!(!remover.remove_reader(&*same).unwrap());
            };
            inner.add_reader(&*fd, replace).unwrap();
            assert_eq!(Rc::strong_count(&held), 1, "a callback lives as long as it runs");
        })
        .unwrap();
    for _ in 0..4 {
        tick(&event_loop);
    }
    assert_eq!(*log.borrow(), ["first", "second"]);
    assert_eq!(alive.strong_count(), 0, "what was replaced is dropped");
    assert_eq!(Rc::strong_count(&reader), 1, "and so is what was removed");
    event_loop.close().unwrap();
}

#[test]
fn a_callback_can_stop_run_and_close_and_the_run_goes_on_to_its_end() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let log = Log::default();
    let (inner, last) = (event_loop.clone(), logs(&log, "after all that"));
    event_loop.call_soon(move || {
        assert!(matches!(inner.run_forever(), Err(LoopError::AlreadyRunning)));
        let other = EventLoop::new().unwrap();
        assert!(matches!(other.run_forever(), Err(LoopError::AnotherIsRunning)));
        drop(other);
        assert!(matches!(inner.close(), Err(LoopError::CloseWhileRunning)));
        assert!(inner.is_running());
        inner.stop();
        inner.stop();
        inner.call_soon(|| panic!("not in this run"));
    });
    event_loop.call_soon(last);
    event_loop.run_forever().unwrap();
    assert!(!event_loop.is_running());
    assert!(get_running_loop().is_err());
    assert_eq!(*log.borrow(), ["after all that"]);
    event_loop.close().unwrap();
}

#[test]
fn a_loop_lives_until_its_run_is_over_though_a_callback_drops_the_other_handles() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let handle = event_loop.handle();
    let others = Rc::new(RefCell::new(vec![event_loop.clone(), event_loop.clone()]));
    let dropped = Rc::clone(&others);
    event_loop.call_soon(move || {
        dropped.take();
        let running = get_running_loop().unwrap();
        let stopper = running.clone();
        running.call_soon(move || stopper.stop());
    });
    event_loop.run_forever().unwrap();
    assert!(others.borrow().is_empty());
    drop(event_loop);
    assert!(matches!(handle.call_soon_threadsafe(|| {}), Err(LoopError::Closed)));
}

#[test]
fn a_loop_that_a_task_of_its_queue_cannot_run_is_not_running_afterwards() {
    limit_time();
    let queue = step06_tasks::ReadyQueue::new().unwrap();
    let clock = step07_full_loop::MonotonicClock::new();
    let event_loop = EventLoop::with_queue(queue.clone(), clock).unwrap();
    let inner = event_loop.clone();
    let task = queue.create_task(async move {
        // The queue is running already, without the loop.
        let refused =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| inner.run_forever()));
        Ok((refused.is_err(), inner.is_running(), get_running_loop().is_ok()))
    });
    queue.run_ready();
    assert_eq!(task.result().unwrap(), (true, false, false));
    tick(&event_loop);
    event_loop.close().unwrap();
}
