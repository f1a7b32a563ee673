//! Errors that have no caller, and the places where they're reported.

use std::cell::RefCell;
use std::fs::File;
use std::future::pending;
use std::panic::resume_unwind;
use std::process::{Command, Output, Stdio};
use std::rc::Rc;
use std::time::Duration;

use crate::support::tick;
use kit::limit_time;
use step01_fd::{pipe, write};
use step07_full_loop::{
    ClosesWithTheLoop, Error, EventLoop, ExceptionContext, ReadyQueue, get_running_loop,
};

/// Panics without calling a hook.
fn fail(message: &'static str) {
    resume_unwind(Box::new(message));
}

fn keep_contexts(event_loop: &EventLoop) -> Rc<RefCell<Vec<ExceptionContext>>> {
    let contexts = Rc::<RefCell<Vec<ExceptionContext>>>::default();
    let kept = Rc::clone(&contexts);
    event_loop.set_exception_handler(move |context| kept.borrow_mut().push(context.clone()));
    contexts
}

/// Runs three ticks of a loop.
fn three_ticks(event_loop: &EventLoop) {
    for _ in 0..3 {
        tick(event_loop);
    }
}

/// Runs a test of this file in a process of its own, in which [`is_child`] is true.
fn child(test: &str, stderr: Stdio) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &format!("exceptions::{test}"), "--nocapture"])
        .env("IS_CHILD", "1")
        .stderr(stderr);
    command.output().unwrap()
}

fn is_child() -> bool {
    std::env::var_os("IS_CHILD").is_some()
}

#[test]
fn a_task_is_named_with_the_place_that_created_it() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let contexts = keep_contexts(&event_loop);
    let task = event_loop.create_task(async { Err::<(), _>(Error::other("no such user")) });
    let created_at = line!() - 1;
    task.set_name("the lookup");
    drop(task);
    three_ticks(&event_loop);
    let contexts = contexts.borrow();
    assert_eq!(contexts.len(), 1);
    assert_eq!(contexts[0].message, "Task exception was never retrieved");
    assert_eq!(contexts[0].exception.as_ref().unwrap().to_string(), "no such user");
    assert_eq!(contexts[0].task.as_deref(), Some("the lookup"));
    let place = contexts[0].created_at.unwrap();
    assert_eq!((place.file(), place.line()), (file!(), created_at));
}

#[test]
fn a_task_that_is_destroyed_is_named_unless_the_program_knows_of_it() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let contexts = keep_contexts(&event_loop);
    let known = event_loop.create_task::<()>(pending());
    known.any().expect_to_be_destroyed();
    event_loop.create_task::<()>(pending()).set_name("the lost one");
    three_ticks(&event_loop);
    event_loop.close().unwrap();
    let contexts = contexts.borrow();
    assert_eq!(contexts.len(), 1, "{contexts:?}");
    assert_eq!(contexts[0].message, "Task was destroyed but it is pending!");
    assert_eq!(contexts[0].task.as_deref(), Some("the lost one"));
    assert!(contexts[0].exception.is_none());
}

#[test]
fn a_handler_can_cancel_the_reader_that_fails() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let (reader, writer) = pipe().unwrap();
    write(&writer, b"!").unwrap();
    let calls = Rc::new(RefCell::new(0));
    let counted = Rc::clone(&calls);
    event_loop
        .add_reader(&reader, move || {
            *counted.borrow_mut() += 1;
            fail("it always fails");
        })
        .unwrap();
    three_ticks(&event_loop);
    assert_eq!(*calls.borrow(), 3);
    event_loop.set_exception_handler(|context| context.handle.as_ref().unwrap().cancel());
    three_ticks(&event_loop);
    assert_eq!(*calls.borrow(), 4);
    assert!(event_loop.remove_reader(&reader).unwrap());
}

#[test]
fn a_handler_can_be_called_replaced_and_removed() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let contexts = keep_contexts(&event_loop);
    let own = ExceptionContext::new("my own").with_exception(Error::cancelled());
    event_loop.call_exception_handler(&own);
    event_loop.call_exception_handler(&ExceptionContext::default());
    let texts: Vec<String> = contexts.borrow().iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["my own: cancelled", "Unhandled exception in event loop"]);
    let replacer = event_loop.clone();
    event_loop.set_exception_handler(move |_| replacer.clear_exception_handler());
    event_loop.call_soon(|| fail("for the handler that removes itself"));
    three_ticks(&event_loop);
    event_loop.close().unwrap();
    assert_eq!(Rc::strong_count(&contexts), 1, "the first handler is gone");
}

#[test]
fn the_default_handler_prints_whose_error_it_is() {
    if is_child() {
        let event_loop = EventLoop::new().unwrap();
        event_loop.call_soon(|| fail("oh no"));
        let task = event_loop.create_task(async { Err::<(), _>(Error::other("no such user")) });
        task.set_name("the lookup");
        drop(task);
        three_ticks(&event_loop);
        event_loop.set_exception_handler(|_| fail("a handler"));
        event_loop.call_soon(|| fail("oh dear"));
        three_ticks(&event_loop);
        event_loop.clear_exception_handler();
        event_loop.call_soon(|| fail("as before"));
        three_ticks(&event_loop);
        event_loop.set_exception_handler(|_| {});
        event_loop.default_exception_handler(&ExceptionContext::new("my own"));
        return;
    }
    limit_time();
    let output = child("the_default_handler_prints_whose_error_it_is", Stdio::piped());
    assert!(output.status.success());
    let printed = String::from_utf8(output.stderr).unwrap();
    let place = format!("created at {}:", file!());
    assert!(printed.contains(&place), "{printed}");
    let lines: Vec<&str> = printed.lines().filter(|line| !line.contains(&place)).collect();
    assert_eq!(
        lines,
        [
            "Exception in callback: panicked: oh no",
            "Task exception was never retrieved: no such user",
            "Unhandled error in exception handler: panicked: a handler",
            "  context: Exception in callback: panicked: oh dear",
            "Exception in callback: panicked: as before",
            "my own",
        ]
    );
}

#[test]
fn a_default_handler_that_cannot_print_is_no_reason_to_stop() {
    if is_child() {
        let event_loop = EventLoop::new().unwrap();
        event_loop.call_soon(|| fail("oh no"));
        let stopper = event_loop.clone();
        event_loop.call_later(Duration::from_millis(1), move || stopper.stop());
        event_loop.run_forever().unwrap();
        event_loop.set_exception_handler(|_| fail("a handler"));
        event_loop.call_soon(|| fail("oh no"));
        three_ticks(&event_loop);
        return;
    }
    limit_time();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let test = "a_default_handler_that_cannot_print_is_no_reason_to_stop";
    let output = child(test, full.into());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Runs three ticks of a loop that's traced, debugged or observed by code that panics.
fn reports_of_a_loop(prepare: impl Fn(&EventLoop)) -> Vec<String> {
    let event_loop = EventLoop::new().unwrap();
    let contexts = keep_contexts(&event_loop);
    prepare(&event_loop);
    let ran = Rc::new(RefCell::new(0));
    for _ in 0..2 {
        let counted = Rc::clone(&ran);
        event_loop.call_soon(move || *counted.borrow_mut() += 1);
    }
    three_ticks(&event_loop);
    assert_eq!(*ran.borrow(), 2, "the callbacks run all the same");
    event_loop.close().unwrap();
    contexts.borrow().iter().map(ToString::to_string).collect()
}

#[test]
fn a_trace_that_panics_ends_neither_the_loop_nor_the_trace() {
    limit_time();
    let reports = reports_of_a_loop(|event_loop| event_loop.set_trace(|_| fail("a trace")));
    assert_eq!(reports, ["Exception in a trace: panicked: a trace"; 3]);
}

#[test]
fn an_observer_that_panics_does_not_end_the_loop() {
    struct Panics;
    impl step06_tasks::Observer for Panics {
        fn begins(&self, _ran: &step06_tasks::Ran) {
            fail("begins");
        }
        fn has_run(&self, _ran: &step06_tasks::Ran) {
            fail("has_run");
        }
    }
    limit_time();
    let queue = step06_tasks::ReadyQueue::new().unwrap();
    queue.set_observer(Some(Rc::new(Panics)));
    let event_loop = EventLoop::with_queue(queue, step07_full_loop::MonotonicClock::new()).unwrap();
    let contexts = keep_contexts(&event_loop);
    event_loop.call_soon(|| {});
    three_ticks(&event_loop);
    let texts: Vec<String> = contexts.borrow().iter().map(ToString::to_string).collect();
    let text = |what| format!("Exception in an observer: panicked: {what}");
    assert_eq!(texts, [text("begins"), text("has_run")]);
    event_loop.close().unwrap();
}

thread_local! {
    static CLOSED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

#[derive(Default)]
struct PanicsAtTheClose;

impl ClosesWithTheLoop for PanicsAtTheClose {
    fn close(&self, _queue: &ReadyQueue) {
        CLOSED.with_borrow_mut(|closed| closed.push("panics"));
        fail("oh no");
    }
}

#[derive(Default)]
struct IsClosedToo;

impl ClosesWithTheLoop for IsClosedToo {
    fn close(&self, _queue: &ReadyQueue) {
        CLOSED.with_borrow_mut(|closed| closed.push("is closed, too"));
    }
}

#[test]
fn what_panics_at_the_close_of_a_loop_leaves_nothing_open() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let contexts = keep_contexts(&event_loop);
    event_loop.attached::<PanicsAtTheClose>();
    event_loop.attached::<IsClosedToo>();
    let held = Rc::new(());
    let kept = Rc::clone(&held);
    event_loop.call_later(Duration::from_hours(1), move || drop(kept));
    event_loop.close().unwrap();
    assert_eq!(CLOSED.take(), ["panics", "is closed, too"]);
    assert_eq!(Rc::strong_count(&held), 1);
    let texts: Vec<String> = contexts.borrow().iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["Exception at the close of the loop: panicked: oh no"]);
}

#[test]
fn what_is_attached_can_attach_something_when_it_is_made() {
    struct Outer(Rc<IsClosedToo>);
    impl Default for Outer {
        fn default() -> Self {
            Outer(get_running_loop().unwrap().attached())
        }
    }
    impl ClosesWithTheLoop for Outer {
        fn close(&self, _queue: &ReadyQueue) {}
    }
    limit_time();
    step07_full_loop::run(async {
        let event_loop = get_running_loop()?;
        let outer = event_loop.attached::<Outer>();
        assert!(Rc::ptr_eq(&outer, &event_loop.attached()));
        assert!(Rc::ptr_eq(&outer.0, &event_loop.attached()));
        Ok(())
    })
    .unwrap();
}
