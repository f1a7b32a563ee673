//! A trace of every tick: its destination and its end.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use std::{env, fs, process, thread};

use crate::support::tick;
use kit::limit_time;
use step01_fd::{pipe, write};
use step07_full_loop::{
    Clock, EventLoop, EventSource, LoopId, QueuedBy, Ran, TickTrace, Time, TracedRun, VirtualClock,
    WhyTimeout, get_running_loop, on_new_loop, run, sleep, yield_now,
};
use tinyjson::JsonValue;

const PROGRAM: &str = env!("CARGO_BIN_EXE_step07_full_loop");

/// A file that keeps its text for the test and is full after a number of lines.
#[derive(Clone)]
struct Paper {
    text: Rc<RefCell<String>>,
    room: Rc<Cell<usize>>,
}

impl Paper {
    fn with_room_for(lines: usize) -> Self {
        Paper { text: Rc::default(), room: Rc::new(Cell::new(lines)) }
    }

    fn lines(&self) -> Vec<HashMap<String, JsonValue>> {
        self.text.borrow().lines().map(object).collect()
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.room.get().checked_sub(1) else {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        };
        self.room.set(left);
        self.text.borrow_mut().push_str(str::from_utf8(bytes).unwrap());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn object(line: &str) -> HashMap<String, JsonValue> {
    line.parse::<JsonValue>().unwrap().try_into().unwrap()
}

fn seconds(value: &JsonValue) -> Duration {
    Duration::from_secs_f64(*value.get().unwrap())
}

fn text(value: &JsonValue) -> &str {
    value.get::<String>().unwrap()
}

#[test]
fn a_line_is_json_with_every_field() {
    limit_time();
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone()).unwrap();
    let paper = Paper::with_room_for(2);
    event_loop.trace_to(paper.clone());
    let (reader, writer) = pipe().unwrap();
    write(&writer, b"!").unwrap();

    let (work, first) = (Duration::from_millis(250), line!() + 1);
    let task = event_loop.create_task(async { yield_now().await });
    event_loop.add_reader(&reader, move || clock.advance(work)).unwrap();
    event_loop.add_writer(&writer, || {}).unwrap();
    let strange = "\"quoted\"\\\n\u{1}☃";
    task.set_name(strange);
    tick(&event_loop);
    event_loop.remove_reader(&reader).unwrap();
    event_loop.remove_writer(&writer).unwrap();
    tick(&event_loop);

    let at = |line: u32| format!("{}:{}", file!(), first + line);
    let lines = paper.lines();
    let mut keys: Vec<_> = lines[0].keys().map(String::as_str).collect();
    keys.sort_unstable();
    let all = ["began", "due", "events", "loop", "ran", "slept", "tick", "timeout", "took", "why"];
    assert_eq!(keys, all);
    assert_eq!(
        (seconds(&lines[0]["tick"]), seconds(&lines[1]["tick"])),
        (Duration::from_secs(1), Duration::from_secs(2))
    );
    assert_eq!((text(&lines[0]["why"]), seconds(&lines[0]["timeout"])), ("ready", Duration::ZERO));
    let events: &Vec<JsonValue> = lines[0]["events"].get().unwrap();
    assert_eq!(events.len(), 2);
    assert_eq!(text(&events[0]["source"]), "callbacks");
    assert_eq!(text(&events[0]["ready"][0]), "read");
    assert_eq!(text(&events[0]["reader"]), at(1));
    assert_eq!(events[0]["fd"].stringify().unwrap(), reader.as_raw_fd().to_string());
    assert_eq!(text(&events[1]["ready"][0]), "write");
    assert_eq!(text(&events[1]["writer"]), at(2));
    let ran = &lines[0]["ran"];
    assert_eq!(text(&ran[0]["what"]), "step");
    assert_eq!(text(&ran[0]["task"]), strange);
    assert_eq!(text(&ran[0]["created_at"]), at(0));
    assert_eq!(text(&ran[1]["what"]), "callback");
    assert_eq!((text(&ran[1]["created_at"]), seconds(&ran[1]["took"])), (at(1).as_str(), work));
    assert_eq!(ran[1]["by"].stringify().unwrap(), r#"{"event":0}"#);
    assert_eq!(seconds(&lines[0]["took"]), work);
    assert_eq!(seconds(&lines[1]["began"]), work);

    assert!(paper.text.borrow().contains(r#""task":"\"quoted\"\\\u000a\u0001☃""#));
}

#[test]
fn what_runs_can_name_itself_and_nothing_else() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let inner = event_loop.clone();
    // Before there's a trace, no name is made and no name is left for later.
    event_loop.call_soon(move || inner.name_in_trace(|| unreachable!("there's no trace")));
    tick(&event_loop);
    let paper = Paper::with_room_for(1);
    event_loop.trace_to(paper.clone());
    event_loop.name_in_trace(|| "outside".to_owned());
    event_loop.call_soon(|| {});
    let inner = event_loop.clone();
    event_loop.call_soon(move || inner.name_in_trace(|| "on \"click\"".to_owned()));
    let inner = event_loop.clone();
    let steps = event_loop.create_task(async move {
        inner.name_in_trace(|| "a step".to_owned());
        Ok(())
    });
    event_loop.call_soon(|| {});
    tick(&event_loop);
    drop(steps);
    let lines = paper.lines();
    let ran: &Vec<JsonValue> = lines[0]["ran"].get().unwrap();
    let name_of = |run: &JsonValue| {
        let fields: &HashMap<String, JsonValue> = run.get().unwrap();
        fields.get("name").map(|name| text(name).to_owned())
    };
    let names: Vec<_> = ran.iter().map(name_of).collect();
    assert_eq!(names, [None, Some("on \"click\"".to_owned()), Some("a step".to_owned()), None]);
}

#[test]
fn sleeps_and_timers_are_in_the_trace() {
    limit_time();
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let paper = Paper::with_room_for(9);
    let stopper = event_loop.clone();
    let (delay, line) = (Duration::from_nanos(1_500_000_001), line!() + 1);
    event_loop.call_later(delay, move || stopper.stop());
    event_loop.trace_to(paper.clone());
    event_loop.run_forever().unwrap();
    let traced = &paper.lines()[0];
    assert_eq!((text(&traced["why"]), seconds(&traced["timeout"])), ("timer", delay));
    assert_eq!(seconds(&traced["slept"]), delay);
    assert_eq!(text(&traced["due"][0]["created_at"]), format!("{}:{line}", file!()));
    assert_eq!(paper.lines().len(), 1);
}

#[test]
fn a_tick_that_only_sleeps_says_so() {
    limit_time();
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let paper = Paper::with_room_for(9);
    event_loop.trace_to(paper.clone());
    let stopper = event_loop.clone();
    event_loop.call_later(Duration::from_hours(36), move || stopper.stop());
    event_loop.run_forever().unwrap();
    let slept: Vec<_> = paper.lines().iter().map(|line| seconds(&line["slept"])).collect();
    assert_eq!(slept, [Duration::from_hours(24), Duration::from_hours(12)]);
}

/// A clock that moves by a nanosecond at each reading.
#[derive(Default)]
struct CountsReads(Cell<u64>);

impl Clock for CountsReads {
    fn now(&self) -> Time {
        self.0.set(self.0.get() + 1);
        Time::from_nanos(self.0.get())
    }

    fn sleep_for(&self, wanted: Option<Duration>) -> Option<Duration> {
        wanted
    }
}

#[test]
fn the_sleep_is_over_with_the_first_event_or_with_what_runs_first() {
    limit_time();
    let event_loop = EventLoop::with_clock(CountsReads::default()).unwrap();
    let slept = Rc::<RefCell<Vec<Duration>>>::default();
    let kept = Rc::clone(&slept);
    event_loop.set_trace(move |tick| kept.borrow_mut().push(tick.slept));
    let (reader, writer) = pipe().unwrap();
    write(&writer, b"!").unwrap();
    event_loop.add_reader(&reader, || {}).unwrap();
    tick(&event_loop);
    event_loop.remove_reader(&reader).unwrap();
    event_loop.call_at(Time::ZERO, || {});
    tick(&event_loop);
    // The next reading after the tick's first is the event's. For the timer there's another
    // reading, with which the loop finds that the timer is due.
    assert_eq!(*slept.borrow(), [Duration::from_nanos(1), Duration::from_nanos(2)]);
}

#[test]
fn what_another_thread_sends_is_a_wakeup() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let ticks = Rc::<RefCell<Vec<TickTrace>>>::default();
    let kept = Rc::clone(&ticks);
    event_loop.set_trace(move |tick| kept.borrow_mut().push(tick.clone()));
    let handle = event_loop.handle();
    thread::spawn(move || handle.call_soon_threadsafe(|| {}).unwrap()).join().unwrap();
    tick(&event_loop);
    let ticks = ticks.borrow();
    assert_eq!(ticks[0].why, WhyTimeout::Ready);
    assert!(matches!(ticks[0].events[0].source, EventSource::Wakeup));
    assert_eq!(ticks[0].ran.len(), 1);
}

/// Returns a tick's runs, each with its cause.
fn causes(tick: &TickTrace) -> Vec<(String, Option<QueuedBy>)> {
    let what = |run: &TracedRun| match &run.what {
        Ran::Step(task) => task.name(),
        Ran::Callback(_) => run.name.clone().unwrap_or_default(),
        _ => "wake".to_owned(),
    };
    tick.ran.iter().map(|run| (what(run), run.by)).collect()
}

#[test]
fn whatever_runs_was_queued_by_an_event_a_timer_or_a_run_of_the_tick_before() {
    limit_time();
    let event_loop = EventLoop::with_clock(VirtualClock::new()).unwrap();
    let ticks = Rc::<RefCell<Vec<TickTrace>>>::default();
    let kept = Rc::clone(&ticks);
    event_loop.set_trace(move |tick| kept.borrow_mut().push(tick.clone()));
    let (reader, writer) = pipe().unwrap();
    write(&writer, b"!").unwrap();
    let named = |name: &'static str| {
        let event_loop = event_loop.clone();
        move || event_loop.name_in_trace(|| name.to_owned())
    };
    let never = event_loop.call_soon(|| unreachable!("it's cancelled"));
    let (queues, inner, later) = (named("queues two"), event_loop.clone(), named("later"));
    event_loop.call_soon(move || {
        queues();
        inner.call_soon(later.clone());
        inner.call_soon(later.clone());
    });
    let sleeper = event_loop.create_task(sleep(Duration::from_secs(1)));
    sleeper.set_name("sleeper");
    event_loop.add_writer(&writer, named("writer")).unwrap();
    event_loop.add_reader(&reader, named("reader")).unwrap();
    event_loop.call_later(Duration::ZERO, named("timer"));
    never.cancel();
    tick(&event_loop);
    event_loop.remove_reader(&reader).unwrap();
    event_loop.remove_writer(&writer).unwrap();
    tick(&event_loop);
    event_loop.run_until_complete(sleeper).unwrap();

    let ticks = ticks.borrow();
    let fds: Vec<_> = ticks[0].events.iter().map(|event| event.fd).collect();
    let (read_end, write_end) = (Some(reader.as_raw_fd()), Some(writer.as_raw_fd()));
    // epoll promises no order.
    let place = |fd| QueuedBy::Event(fds.iter().position(|it| *it == fd).unwrap());
    let mut first = causes(&ticks[0]);
    first[2..4].sort_by(|one, other| one.0.cmp(&other.0));
    let of = |name: &str, by: Option<QueuedBy>| (name.to_owned(), by);
    let expected = [
        of("queues two", None),
        of("sleeper", None),
        of("reader", Some(place(read_end))),
        of("writer", Some(place(write_end))),
        of("timer", Some(QueuedBy::Timer(0))),
    ];
    assert_eq!(first, expected);
    let queued_by_a_run = Some(QueuedBy::Run(0));
    assert_eq!(causes(&ticks[1]), [of("later", queued_by_a_run), of("later", queued_by_a_run)]);
    let woken = ticks.iter().position(|tick| causes(tick)[0].0 == "wake").unwrap();
    assert_eq!(causes(&ticks[woken]), [of("wake", Some(QueuedBy::Timer(0)))]);
    assert_eq!(causes(&ticks[woken + 1])[0], of("sleeper", queued_by_a_run));
}

#[test]
fn a_trace_that_cannot_be_written_ends_and_is_reported_once() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let reports = Rc::<RefCell<Vec<String>>>::default();
    let kept = Rc::clone(&reports);
    event_loop.set_exception_handler(move |message| kept.borrow_mut().push(message.to_string()));
    let paper = Paper::with_room_for(2);
    event_loop.trace_to(paper.clone());
    for _ in 0..5 {
        tick(&event_loop);
    }
    assert_eq!(paper.lines().len(), 2);
    assert_eq!(reports.borrow().len(), 1);
    assert!(reports.borrow()[0].starts_with("The trace has ended: "), "{reports:?}");
    assert_eq!(Rc::strong_count(&paper.text), 1, "the file is closed");
}

#[test]
fn the_function_can_replace_the_trace_and_end_it() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let log = Rc::<RefCell<Vec<(&str, u64)>>>::default();
    let (first_log, second_log) = (Rc::clone(&log), Rc::clone(&log));
    let (inner, innermost) = (event_loop.clone(), event_loop.clone());
    let mut second = Some(move |tick: &TickTrace| {
        second_log.borrow_mut().push(("second", tick.number));
        innermost.clear_trace();
    });
    event_loop.set_trace(move |tick| {
        first_log.borrow_mut().push(("first", tick.number));
        if tick.number == 2 {
            inner.set_trace(second.take().unwrap());
        }
    });
    for _ in 0..5 {
        tick(&event_loop);
    }
    assert_eq!(*log.borrow(), [("first", 1), ("first", 2), ("second", 3)]);
}

#[test]
fn a_trace_that_begins_in_a_callback_begins_with_the_next_tick() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let paper = Paper::with_room_for(9);
    let (inner, writer) = (event_loop.clone(), paper.clone());
    event_loop.call_soon(move || inner.trace_to(writer));
    tick(&event_loop);
    assert!(paper.lines().is_empty());
    tick(&event_loop);
    assert_eq!(paper.lines().len(), 1);
    event_loop.close().unwrap();
    assert_eq!(Rc::strong_count(&paper.text), 1, "a closed loop has closed the file");
}

#[test]
fn each_loop_that_the_thread_makes_afterwards_can_be_traced_whoever_makes_it() {
    limit_time();
    let before = EventLoop::new().unwrap();
    let ticks = Rc::<RefCell<Vec<u64>>>::default();
    let ids = Rc::<RefCell<Vec<LoopId>>>::default();
    let (kept, known) = (Rc::clone(&ticks), Rc::clone(&ids));
    on_new_loop(move |event_loop| {
        let ticks = Rc::clone(&kept);
        event_loop.set_trace(move |tick| ticks.borrow_mut().push(tick.number));
        known.borrow_mut().push(event_loop.id());
    });
    tick(&before);
    assert_eq!(ticks.take(), []);

    let asked = Rc::clone(&ids);
    let runs = run(async move {
        let event_loop = asked.borrow()[0].event_loop().expect("the loop that runs this");
        Ok(event_loop.is_running() && event_loop.id() == get_running_loop()?.id())
    });
    assert!(runs.unwrap());
    assert_eq!(ticks.take().first(), Some(&1));
    assert!(ids.borrow()[0].event_loop().is_none(), "an identity keeps no loop");

    let elsewhere = thread::spawn(|| run(async { Ok(()) }));
    elsewhere.join().unwrap().unwrap();
    assert_eq!((ticks.take(), ids.borrow().len()), (vec![], 1), "other threads have their own");
}

#[test]
fn two_loops_have_different_numbers() {
    limit_time();
    let paper = Paper::with_room_for(9);
    for _ in 0..2 {
        let event_loop = EventLoop::new().unwrap();
        event_loop.trace_to(paper.clone());
        tick(&event_loop);
    }
    let lines = paper.lines();
    assert!(seconds(&lines[0]["loop"]) < seconds(&lines[1]["loop"]));
}

#[test]
fn every_program_can_be_traced_from_outside() {
    limit_time();
    let path = env::temp_dir().join(format!("step07-trace-{}.json", process::id()));
    let run = |path: &std::path::Path| {
        let mut command = Command::new(PROGRAM);
        command.args(["play", "stop_in_a_tick"]).env("WORKBOOK_TRACE", path).output()
    };
    let played = run(&path).unwrap();
    assert!(run(&path).unwrap().status.success());
    let written = fs::read_to_string(&path);
    let _ = fs::remove_file(&path);
    assert!(played.status.success(), "{played:?}");
    let lines: Vec<_> = written.unwrap().lines().map(object).collect();
    let whys: Vec<_> = lines.iter().map(|line| text(&line["why"])).collect();
    // Both runs of the program, each with two ticks.
    assert_eq!(whys, ["ready"; 4]);

    let refused = run(&path.join("no/such/directory")).unwrap();
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert!(errors.contains("WORKBOOK_TRACE: open "), "{errors}");
}
