//! Debug mode: the texts of its reports, and the cases without a report.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use crate::support::tick;
use kit::limit_time;
use step01_fd::{pipe, write};
use step05_selfpipe::raise;
use step06_tasks::current_task;
use step07_full_loop::{Clock, EventLoop, SIGUSR2, Time, VirtualClock, sleep, yield_now};

type Reports = Rc<RefCell<Vec<String>>>;

const SLOW: Duration = Duration::from_millis(100);

/// Makes a loop in debug mode, on a clock that only moves by hand.
fn loop_in_debug_mode() -> (EventLoop, VirtualClock, Reports) {
    limit_time();
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone()).unwrap();
    let reports = Reports::default();
    let kept = Rc::clone(&reports);
    event_loop.set_exception_handler(move |message| kept.borrow_mut().push(message.to_string()));
    event_loop.set_debug(true);
    (event_loop, clock, reports)
}

/// Returns the report of a callback that was scheduled in this line of this file.
fn report_of_line(line: u32) -> String {
    format!("Executing <Handle created at {}:{line}> took 0.100 seconds", file!())
}

#[test]
fn a_report_names_the_line_that_scheduled_the_callback_whatever_schedules_it() {
    let (event_loop, clock, reports) = loop_in_debug_mode();
    let work = || {
        let clock = clock.clone();
        move || clock.advance(SLOW)
    };
    let (reader, writer) = pipe().unwrap();
    write(&writer, b"!").unwrap();
    let future = event_loop.create_future::<()>();
    future.set_result(()).unwrap();
    let task = event_loop.create_task(yield_now());

    let first = line!() + 1;
    event_loop.call_soon(work());
    event_loop.call_later(Duration::ZERO, work());
    event_loop.call_at(event_loop.time(), work());
    event_loop.add_reader(&reader, work()).unwrap();
    event_loop.add_writer(&writer, work()).unwrap();
    event_loop.add_signal_handler(SIGUSR2, work()).unwrap();
    let work_of_future = work();
    future.add_done_callback(move |_| work_of_future());
    let work_of_task = work();
    task.add_done_callback(move |_| work_of_task());

    raise(SIGUSR2).unwrap();
    tick(&event_loop);
    event_loop.remove_reader(&reader).unwrap();
    event_loop.remove_writer(&writer).unwrap();
    for _ in 0..3 {
        tick(&event_loop);
    }
    let mut reports = reports.take();
    reports.sort_by_key(String::len);
    let mut lines: Vec<_> =
        [0, 1, 2, 3, 4, 5, 7, 9].map(|line| report_of_line(first + line)).into();
    lines.sort();
    reports.sort();
    assert_eq!(reports, lines);
    event_loop.close().unwrap();
}

#[test]
fn a_callback_from_another_thread_is_named_by_its_line_there() {
    let (event_loop, _, reports) = loop_in_debug_mode();
    event_loop.set_slow_callback_duration(Duration::ZERO);
    let handle = event_loop.handle();
    let line = std::thread::spawn(move || {
        handle.call_soon_threadsafe(|| {}).unwrap();
        line!() - 1
    });
    let line = line.join().unwrap();
    tick(&event_loop);
    // The next callback doesn't inherit the place of that callback.
    let next = line!() + 1;
    event_loop.call_soon(|| {});
    event_loop.call_soon_threadsafe(|| {}).unwrap();
    tick(&event_loop);
    let expected =
        [line, next, next + 1].map(|line| report_of_line(line).replace("took 0.100", "took 0.000"));
    assert_eq!(*reports.borrow(), expected);
}

#[test]
fn a_slow_step_is_named_by_its_task() {
    let (event_loop, clock, reports) = loop_in_debug_mode();
    let line = line!() + 1;
    let task = event_loop.create_task(async move {
        clock.advance(SLOW);
        sleep(Duration::from_secs(1)).await?;
        clock.advance(2 * SLOW);
        yield_now().await?;
        current_task().unwrap().cancel();
        clock.advance(3 * SLOW);
        yield_now().await
    });
    task.add_done_callback({
        let event_loop = event_loop.clone();
        move |_| event_loop.stop()
    });
    event_loop.run_forever().unwrap();
    let report = |state, took| {
        let place = format!("{}:{line}", file!());
        format!("Executing <Task {state} name='Task-1' created at {place}> took {took} seconds")
    };
    let expected =
        [report("pending", "0.100"), report("pending", "0.200"), report("cancelling", "0.300")];
    assert_eq!(*reports.borrow(), expected);
    assert_eq!(task.any().to_string(), report("cancelled", "")[10..].replace(" took  seconds", ""));
}

#[test]
fn what_is_cancelled_or_quick_or_not_in_debug_mode_is_not_reported() {
    let (event_loop, clock, reports) = loop_in_debug_mode();
    event_loop.set_slow_callback_duration(Duration::ZERO);
    event_loop.call_soon(|| {}).cancel();
    tick(&event_loop);
    event_loop.set_slow_callback_duration(SLOW);
    let advances = clock.clone();
    event_loop.call_soon(move || advances.advance(Duration::from_millis(99)));
    tick(&event_loop);
    event_loop.set_debug(false);
    event_loop.call_soon(move || clock.advance(SLOW));
    tick(&event_loop);
    assert!(reports.borrow().is_empty(), "{reports:?}");
}

#[test]
fn a_callback_that_panics_slowly_is_reported_twice() {
    let (event_loop, clock, reports) = loop_in_debug_mode();
    event_loop.call_soon(move || {
        clock.advance(SLOW);
        std::panic::resume_unwind(Box::new("oh no"));
    });
    let line = line!() - 4;
    tick(&event_loop);
    let expected = ["Exception in callback: panicked: oh no".to_owned(), report_of_line(line)];
    assert_eq!(*reports.borrow(), expected);
}

#[test]
fn debug_mode_does_not_keep_the_loop_alive() {
    let (event_loop, _, _) = loop_in_debug_mode();
    let held = Rc::new(());
    let inside = Rc::clone(&held);
    event_loop.set_exception_handler(move |_| assert_eq!(Rc::strong_count(&inside), 2));
    drop(event_loop);
    assert_eq!(Rc::strong_count(&held), 1);
}

#[test]
fn debug_mode_can_be_left_by_the_callback_that_is_measured() {
    let (event_loop, clock, reports) = loop_in_debug_mode();
    let inner = event_loop.clone();
    event_loop.call_soon(move || {
        clock.advance(SLOW);
        inner.set_debug(false);
    });
    tick(&event_loop);
    assert!(!event_loop.get_debug());
    assert!(reports.borrow().is_empty(), "{reports:?}");
}

/// A clock that counts its readings.
struct CountingClock {
    clock: VirtualClock,
    reads: Rc<Cell<u32>>,
}

impl Clock for CountingClock {
    fn now(&self) -> Time {
        self.reads.set(self.reads.get() + 1);
        self.clock.now()
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        self.clock.sleep_for(wanted)
    }
}

#[test]
fn debug_mode_that_was_left_costs_nothing_any_more() {
    limit_time();
    let reads = Rc::<Cell<u32>>::default();
    let clock = CountingClock { clock: VirtualClock::new(), reads: Rc::clone(&reads) };
    let event_loop = EventLoop::with_clock(clock).unwrap();
    let reads_of_a_callback = || {
        event_loop.call_soon(|| {});
        let before = reads.get();
        tick(&event_loop);
        reads.get() - before
    };
    let at_first = reads_of_a_callback();
    event_loop.set_debug(true);
    assert!(reads_of_a_callback() > at_first, "it's measured");
    event_loop.set_debug(false);
    assert_eq!(reads_of_a_callback(), at_first);
}
