//! A loop that always has something to run: the work that mustn't wait until it's idle.

use std::cell::Cell;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::Duration;

use kit::Observer;
use step07_full_loop::{EventLoop, get_running_loop, yield_now};

/// Yields until the flag is set, in a loop without any other ready task.
async fn busy_until(flag: Rc<Cell<bool>>) -> step07_full_loop::Result<u32> {
    for turn in 0..1000 {
        if flag.get() {
            return Ok(turn);
        }
        yield_now().await?;
    }
    panic!("a busy loop has never noticed it");
}

#[test]
fn a_loop_that_was_busy_when_a_thread_called_takes_the_call() {
    let event_loop = EventLoop::new().unwrap();
    let handle = event_loop.handle();
    // The callback schedules nothing, so only the loop itself looks into the inbox.
    event_loop.call_soon(move || {
        let call = || get_running_loop().unwrap().stop();
        std::thread::spawn(move || handle.call_soon_threadsafe(call)).join().unwrap().unwrap();
    });
    let (stopper, too_late) = (event_loop.clone(), Rc::new(Cell::new(false)));
    let noted = Rc::clone(&too_late);
    event_loop.call_later(Duration::from_secs(2), move || {
        noted.set(true);
        stopper.stop();
    });
    event_loop.run_forever().unwrap();
    assert!(!too_late.get(), "the call has waited for a timer");
}

#[test]
fn a_busy_loop_sees_a_descriptor_in_its_next_tick_or_as_often_as_it_is_told_to() {
    for (every, allowed) in [(1, 2), (10, 11)] {
        let event_loop = EventLoop::new().unwrap();
        event_loop.poll_every(every);
        let (reader, mut writer) = UnixStream::pair().unwrap();
        let flag = Rc::new(Cell::new(false));
        let noted = Rc::clone(&flag);
        event_loop.add_reader(&reader, move || noted.set(true)).unwrap();
        let turns = event_loop.run_until_complete(async move {
            writer.write_all(b"now")?;
            busy_until(flag).await
        });
        event_loop.remove_reader(&reader).unwrap();
        let turns = turns.unwrap();
        assert!(turns <= allowed, "asked every {every} ticks, and seen after {turns}");
    }
}

/// Returns the number of system calls that a loop makes in 100 turns of a task that yields, besides
/// those that it makes anyway.
fn calls_in_100_turns(prepare: impl Fn(&EventLoop) + Sync) -> usize {
    calls_in_100_turns_of(|| EventLoop::new().unwrap(), prepare)
}

fn calls_in_100_turns_of(
    make: impl Fn() -> EventLoop + Sync,
    prepare: impl Fn(&EventLoop) + Sync,
) -> usize {
    let observer = Observer::new().unwrap();
    let calls_in = |turns: usize| {
        let yield_often = || {
            let event_loop = make();
            prepare(&event_loop);
            let yields = async move {
                for _ in 0..turns {
                    yield_now().await?;
                }
                Ok(())
            };
            event_loop.run_until_complete(yields).unwrap();
        };
        observer.calls_of(yield_often).1
    };
    calls_in(200) - calls_in(100)
}

#[test]
fn a_busy_loop_asks_the_kernel_only_if_a_descriptor_is_registered_and_as_often_as_it_is_told_to() {
    fn reads(event_loop: &EventLoop, reader: &UnixStream) {
        event_loop.add_reader(reader, || {}).unwrap();
    }
    assert_eq!(calls_in_100_turns(|_| {}), 0);
    let never_ready = UnixStream::pair().unwrap();
    let reader = &never_ready.0;
    assert_eq!(calls_in_100_turns(|event_loop| reads(event_loop, reader)), 100);
    let seldom = calls_in_100_turns(|event_loop| {
        reads(event_loop, reader);
        event_loop.poll_every(10);
    });
    assert_eq!(seldom, 10);
    let no_more = calls_in_100_turns(|event_loop| {
        reads(event_loop, reader);
        assert!(event_loop.remove_reader(reader).unwrap());
    });
    assert_eq!(no_more, 0);
}

#[test]
fn a_wake_up_that_has_been_seen_is_no_reason_to_ask_the_kernel() {
    let wake = |event_loop: &EventLoop| event_loop.call_soon_threadsafe(|| {}).unwrap();
    assert_eq!(calls_in_100_turns(wake), 0);
    assert_eq!(calls_in_100_turns_of(|| EventLoop::with_eventfd().unwrap(), wake), 0);
}
