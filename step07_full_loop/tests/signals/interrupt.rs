//! SIGINT and a main, and the cases that are left to other code. The only test of its file, because
//! signals belong to the whole process.

use std::cell::Cell;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use kit::Refusal;
use step05_selfpipe::{has_default_action, raise};
use step07_full_loop::{
    EventLoop, LoopError, Result, Runner, SIGINT, SIGUSR1, current_task, get_running_loop, run,
    sleep, yield_now,
};

#[test]
fn sigint_cancels_a_main_unless_other_code_handles_it() {
    let _alone = crate::alone();
    if !has_default_action(SIGINT).unwrap() {
        return passes_with_its_default_action();
    }
    a_main_that_it_ends_is_interrupted();
    a_main_that_goes_on_keeps_its_result();
    it_is_not_the_runners_any_more_after_a_main();
    a_main_that_other_code_cancels_as_well_is_cancelled();
    a_handler_that_was_there_before_is_called_instead();
    a_loop_runs_although_another_one_handles_the_signals();
    a_runner_that_cannot_handle_it_says_so();
}

/// Runs this test in a process of its own in which SIGINT has its default action: in the background
/// of a script, shells ignore SIGINT, and then there'd be nothing to see.
fn passes_with_its_default_action() {
    let mut again = Command::new("env");
    again.arg("--default-signal=INT").arg(std::env::current_exe().unwrap());
    again.args(["--exact", "interrupt::sigint_cancels_a_main_unless_other_code_handles_it"]);
    let output = again.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
}

/// Sends SIGINT and waits until the loop has taken it.
async fn interrupted_sleep() -> Result<()> {
    get_running_loop()?.call_soon(|| raise(SIGINT).unwrap());
    sleep(Duration::from_hours(1)).await
}

fn a_main_that_it_ends_is_interrupted() {
    let outcome = run(interrupted_sleep());
    assert!(matches!(outcome, Err(LoopError::Interrupted)), "{outcome:?}");
}

fn a_main_that_goes_on_keeps_its_result() {
    let outcome = run(async {
        let cancelled = interrupted_sleep().await;
        assert!(cancelled.unwrap_err().is_cancelled());
        Ok(42)
    });
    assert_eq!(outcome.unwrap(), 42);
}

fn it_is_not_the_runners_any_more_after_a_main() {
    let runner = Runner::new().unwrap();
    runner.run(async { Ok(()) }).unwrap();
    assert!(!runner.get_loop().remove_signal_handler(SIGINT).unwrap());
    runner.close().unwrap();
}

fn a_main_that_other_code_cancels_as_well_is_cancelled() {
    let outcome = run(async {
        let cancelled = interrupted_sleep().await;
        current_task().unwrap().cancel();
        let _cancelled_again = yield_now().await;
        cancelled
    });
    let is_cancelled = matches!(&outcome, Err(LoopError::Task(error)) if error.is_cancelled());
    assert!(is_cancelled, "{outcome:?}");
}

fn a_handler_that_was_there_before_is_called_instead() {
    let event_loop = EventLoop::new().unwrap();
    let called = Rc::new(Cell::new(0));
    let counts = Rc::clone(&called);
    event_loop.add_signal_handler(SIGINT, move || counts.set(counts.get() + 1)).unwrap();
    let (inner, seen) = (event_loop.clone(), Rc::clone(&called));
    let outcome = event_loop.run(async move {
        for _ in 0..2 {
            raise(SIGINT)?;
            sleep(Duration::from_millis(1)).await?;
        }
        assert_eq!(seen.get(), 2);
        // The signal is still the loop's after a main, whose task ends in this tick.
        assert!(inner.remove_signal_handler(SIGINT)?);
        Ok(())
    });
    outcome.unwrap();
}

fn a_loop_runs_although_another_one_handles_the_signals() {
    let other = EventLoop::new().unwrap();
    other.add_signal_handler(SIGUSR1, || {}).unwrap();
    assert_eq!(run(async { Ok(42) }).unwrap(), 42);
    other.close().unwrap();
}

fn a_runner_that_cannot_handle_it_says_so() {
    let refusal = Refusal { call: libc::SYS_rt_sigaction, argument: None, errno: libc::EIO };
    let outcome = refusal.during(|| run(async { Ok(()) }).map_err(|error| error.to_string()));
    let error = outcome.unwrap().unwrap_err();
    assert!(error.contains("Input/output error"), "{error}");
}
