//! A runner's work before and after its main.

use std::fs;
use std::time::Duration;

use anyhow::Context;
use scene::{Transcript, say, scene};
use step05_selfpipe::{SIGINT, raise};
use step07_full_loop::{
    Error, EventLoop, LoopError, LoopResult, Runner, create_task, current_task, get_running_loop,
    sleep, yield_now,
};

const HOUR: Duration = Duration::from_hours(1);

scene!(
    a_task_begun_in_a_cleanup: order,
    "A cancelled task starts another one as it cleans up. Does run() wait for the new task, too?"
);
/// `run` doesn't wait for the late task. When `main` has ended, `run` cancels the tasks that are
/// there and waits for those. A task that's made meanwhile isn't among them. It begins, since the
/// loop is still running, and is dropped when the loop closes:
/// `reported: Task was destroyed but it is pending!` Otherwise such tasks could keep a program from
/// ending. asyncio does the same.
fn a_task_begun_in_a_cleanup(t: Transcript) -> anyhow::Result<()> {
    let event_loop = EventLoop::new()?;
    event_loop.set_exception_handler(move |report| say!(t, "reported: {}", report));
    event_loop.run(async move {
        create_task(async move {
            let outcome = sleep(HOUR).await;
            say!(t, "the task is cancelled: {}; it starts another task", outcome.is_err());
            create_task(async move {
                say!(t, "the late task begins");
                sleep(HOUR).await
            })?;
            Err::<(), _>(Error::other("no room for the crumbs"))
        })?;
        yield_now().await?;
        say!(t, "main ends");
        Ok(())
    })?;
    say!(t, "run has returned");
    Ok(())
}

scene!(
    a_runner_and_ctrl_c,
    "Ctrl-C is pressed during three of a runner's four main coroutines. How does each of the four end?"
);
/// The runner handles SIGINT only while a main runs, and the signal cancels that main:
/// `interrupted; SIGINT is the runner's = false`. The third main swallows the signal's request and
/// then cancels itself. So Ctrl-C alone hasn't ended it, and the runner says `cancelled` and not
/// `interrupted`. The fourth main replaces the runner's handler, so the runner doesn't remove the
/// new handler: `ends; its handler is still there = true`.
fn a_runner_and_ctrl_c(t: Transcript) -> anyhow::Result<()> {
    let runner = Runner::new()?;
    say!(t, "before: SIGINT is the runner's = {}", handles_sigint()?);
    let outcome = runner.run(async move {
        say!(t, "first main: SIGINT is the runner's = {}", handles_sigint().unwrap_or(false));
        interrupt_soon()?;
        sleep(HOUR).await
    });
    say!(t, "  {}; SIGINT is the runner's = {}", ending(outcome), handles_sigint()?);
    let outcome = runner.run(async move {
        say!(t, "second main: it only returns");
        Ok(())
    });
    say!(t, "  {}; SIGINT is the runner's = {}", ending(outcome), handles_sigint()?);
    let outcome = runner.run(async move {
        say!(t, "third main: SIGINT doesn't end it, so it cancels itself");
        interrupt_soon()?;
        let interrupted = sleep(HOUR).await;
        if let Some(main) = current_task() {
            main.cancel();
        }
        yield_now().await?;
        interrupted
    });
    say!(t, "  {}", ending(outcome));
    let outcome = runner.run(async move {
        say!(t, "fourth main: it has a handler of its own");
        let event_loop = get_running_loop()?;
        let future = event_loop.create_future();
        let called = future.clone();
        event_loop.add_signal_handler(SIGINT, move || drop(called.set_result(())))?;
        interrupt_soon()?;
        future.await
    });
    let is_kept = runner.get_loop().remove_signal_handler(SIGINT)?;
    say!(t, "  {}; its handler is still there = {}", ending(outcome), is_kept);
    runner.close()?;
    Ok(())
}

fn interrupt_soon() -> LoopResult<()> {
    get_running_loop()?.call_soon(|| {
        let raised = raise(SIGINT);
        assert!(raised.is_ok(), "{raised:?}");
    });
    Ok(())
}

fn ending(outcome: LoopResult<()>) -> &'static str {
    match outcome {
        Ok(()) => "ends",
        Err(LoopError::Interrupted) => "interrupted",
        Err(LoopError::Task(error)) if error.is_cancelled() => "cancelled",
        Err(_) => "fails",
    }
}

/// Returns true if this process has a handler for SIGINT.
fn handles_sigint() -> anyhow::Result<bool> {
    let status = fs::read_to_string("/proc/self/status")?;
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = u64::from_str_radix(caught.context("a line SigCgt")?.trim(), 16)?;
    Ok(caught >> (SIGINT - 1) & 1 == 1)
}
