//! CPython's answers where this loop differs from CPython's, on purpose or because of Python.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use kit::limit_time;
use step05_selfpipe::raise;
use step07_full_loop::{EventLoop, Runner, SIGUSR1, create_task, sleep};

/// Runs a program in `tests/python/facts`, if CPython is installed, and checks what it prints.
fn assert_cpython_says(program: &str, expected: &str) {
    assert_cpython_says_one_of(program, &[expected]);
}

/// Checks that a program prints one of these lines. There can be several, because builds differ.
fn assert_cpython_says_one_of(program: &str, expected: &[&str]) {
    let program = format!("python/facts/{program}.py");
    let directory = env!("CARGO_MANIFEST_DIR");
    let said = author::twins::ask_cpython(directory, env!("CARGO_PKG_NAME"), &program);
    if let Some(said) = said {
        assert!(expected.contains(&said.trim_end()), "{program} says:\n{said}");
    }
}

#[test]
fn a_signal_that_arrives_three_times_is_one_call() {
    limit_time();
    let event_loop = EventLoop::new().unwrap();
    let calls = Rc::new(Cell::new(0));
    let counted = Rc::clone(&calls);
    event_loop.add_signal_handler(SIGUSR1, move || counted.set(counted.get() + 1)).unwrap();
    let stopper = event_loop.clone();
    event_loop.call_soon(move || {
        for _ in 0..3 {
            raise(SIGUSR1).unwrap();
        }
        let stopper = stopper.clone();
        stopper.clone().call_later(Duration::from_millis(5), move || stopper.stop());
    });
    event_loop.run_forever().unwrap();
    event_loop.close().unwrap();
    assert_eq!(calls.get(), 1);
    assert_cpython_says("a_signal_three_times", "calls: 3");
}

#[test]
fn a_thread_that_computes_leaves_the_loop_its_turns_but_computes_alone() {
    assert_cpython_says_one_of(
        "computing_on_threads",
        &[
            "two threads compute at the same time: False\n\
             the loop has its turns while a thread computes\n\
             switch interval: 0.005",
            "no global interpreter lock",
        ],
    );
}

#[test]
fn a_stop_in_the_last_tick_of_a_task_ends_cpythons_next_run() {
    // Our loop takes all ten events: see the scene.
    assert_cpython_says(
        "a_stop_in_the_last_tick",
        "run_until_complete: done\nthe next run_forever: 1 of 10 ticks",
    );
}

/// Counts the turns of a callback that schedules itself again in `close`.
fn turns_of_close(runner: &Runner) -> u32 {
    fn again(event_loop: EventLoop, count: Rc<Cell<u32>>) {
        event_loop.clone().call_soon(move || {
            count.set(count.get() + 1);
            again(event_loop, count);
        });
    }
    let count = Rc::default();
    again(runner.get_loop().clone(), Rc::clone(&count));
    runner.close().unwrap();
    count.get()
}

#[test]
fn callbacks_that_are_pending_have_their_turn_while_a_runner_is_closed() {
    limit_time();
    let (idle, busy, stopped) =
        (Runner::new().unwrap(), Runner::new().unwrap(), Runner::new().unwrap());
    let without = turns_of_close(&idle);
    drop(busy.run(async { Ok(create_task(sleep(Duration::from_hours(1)))?) }).unwrap());
    let with = turns_of_close(&busy);
    let event_loop = stopped.get_loop().clone();
    event_loop.clone().call_soon(move || event_loop.stop());
    stopped.close().unwrap();
    let refused = idle.run(async { Ok(()) }).unwrap_err();
    let said =
        format!("turns without a task: {without}\nturns with a task: {with}\nrun: {refused}");
    assert_cpython_says("a_runner_is_closed", &said);
}
