//! Waiting for many: what happens to the others when one fails, comes first, or is cancelled.

use std::time::Duration;

use asyncio::{
    Error, EventLoop, ExceptionGroup, Result, ReturnWhen, Task, TaskGroup, Time, TimeoutError,
    VirtualClock, as_completed, create_task, gather, gather_return_exceptions, get_running_loop,
    shield, sleep, wait,
};
use scene::{Transcript, say, scene};

const SECOND: Duration = Duration::from_secs(1);

/// Makes a loop whose clock costs no time, and which says what is reported.
fn event_loop(t: Transcript) -> anyhow::Result<EventLoop> {
    let event_loop = EventLoop::with_clock(VirtualClock::new())?;
    event_loop.set_exception_handler(move |context| {
        let error = context.exception.as_ref().map(Error::to_string);
        say!(t, "  an error is reported: {}", error.unwrap_or_default());
    });
    Ok(event_loop)
}

/// Returns the loop's time, which begins at zero, in seconds.
fn now() -> Result<u64> {
    Ok((get_running_loop()?.time() - Time::ZERO).as_secs())
}

/// A job that takes some seconds and fails if it's a bad one.
async fn job(name: &'static str, seconds: u32, t: Transcript) -> Result<&'static str> {
    let ended = sleep(seconds * SECOND).await;
    let is_bad = name.starts_with("bad");
    say!(
        t,
        "  {} s: {name} {}",
        now()?,
        match &ended {
            Err(_) => "is cancelled",
            Ok(()) if is_bad => "fails",
            Ok(()) => "ends",
        }
    );
    ended.and(if is_bad { Err(Error::other(name)) } else { Ok(name) })
}

fn shown(outcome: Result<impl std::fmt::Debug>) -> String {
    match outcome {
        Ok(result) => format!("{result:?}"),
        Err(error) if error.is_cancelled() => "cancelled".to_owned(),
        Err(error) => format!("error: {error}"),
    }
}

fn in_words(outcome: Result<&str>) -> String {
    outcome.map_or_else(|error| format!("error: {error}"), str::to_owned)
}

scene!(
    one_of_three_fails: order,
    "Three jobs run at the same time, and one fails. When does gather end, and what do the other jobs do?"
);
/// The program gathers the same three jobs twice, the second time with `return_exceptions`, and
/// then runs them in a task group.
fn one_of_three_fails(t: Transcript) -> anyhow::Result<()> {
    event_loop(t)?.run(async move {
        let jobs =
            || [("quick", 1), ("bad", 2), ("slow", 3)].map(|(name, time)| job(name, time, t));
        say!(t, "gather");
        let ended = gather(jobs())?.await;
        say!(t, "  {} s: gather has ended: {}", now()?, shown(ended));
        sleep(8 * SECOND).await?;

        say!(t, "gather with return_exceptions");
        let ended = gather_return_exceptions(jobs())?.await?;
        let ended: Vec<String> = ended.into_iter().map(in_words).collect();
        say!(t, "  {} s: gather has ended: {}", now()?, ended.join(", "));
        sleep(7 * SECOND).await?;

        say!(t, "TaskGroup");
        let group = TaskGroup::new();
        let ended = group.run(async {
            for job in jobs() {
                group.create_task(job)?;
            }
            Ok(())
        });
        let ended = ended.await;
        let errors = ended.as_ref().err().and_then(ExceptionGroup::of);
        let errors = errors.map_or(0, |group| group.exceptions().len());
        say!(t, "  {} s: the group has ended with {} error", now()?, errors);
        Ok(())
    })?;
    Ok(())
}

scene!(
    an_error_nobody_sees: order,
    "Two jobs in a gather fail, and so does a task that isn't awaited. Which errors are reported?"
);
/// The loop reports an error if no code has retrieved it by the time its task's last handle is
/// gone. No task awaits `bad as well`, so that error is reported. The error of `bad too` comes when
/// `gather` has already failed, and a callback of `gather` retrieves it. So that error is lost
/// without a word, in asyncio as here: the last line is `an error is reported: bad as well`.
fn an_error_nobody_sees(t: Transcript) -> anyhow::Result<()> {
    event_loop(t)?.run(async move {
        let ended = gather([job("bad", 1, t), job("bad too", 2, t)])?.await;
        say!(t, "  {} s: gather has ended: {}", now()?, shown(ended));
        sleep(4 * SECOND).await?;
        create_task(job("bad as well", 1, t))?;
        sleep(4 * SECOND).await
    })?;
    Ok(())
}

scene!(
    what_a_shield_keeps_away: order,
    "A task that awaits a shielded job is cancelled. What happens to the job and, if the job fails, to its error?"
);
/// The cancellation stops at the future that `shield` returns and leaves the job alone: the task
/// that awaits that future is cancelled at 1 s, and yet `3 s: the saving ends`. The job's result is
/// lost, since no task waits for it any more. If the job fails, all the loop can do is report the
/// error: `an error is reported: bad saving`. asyncio does the same.
fn what_a_shield_keeps_away(t: Transcript) -> anyhow::Result<()> {
    event_loop(t)?.run(async move {
        for name in ["the saving", "bad saving"] {
            let task: Task<&str> = create_task(async move { shield(job(name, 3, t))?.await })?;
            sleep(SECOND).await?;
            say!(t, "{} s: the task is asked to end: {}", now()?, task.cancel());
            let ended = task.await;
            say!(t, "  {} s: the task: {}", now()?, shown(ended));
            sleep(4 * SECOND).await?;
        }
        Ok(())
    })?;
    Ok(())
}

scene!(
    the_first_of_many: order,
    "wait ends after the first job, after the first error, or after a timeout. Which jobs keep running?"
);
/// `wait` only says which tasks are done and which are pending. A task's error doesn't make it
/// fail, and neither does the end of its time: the third `wait` began at 2 s and had two seconds,
/// so `4 s: 3 done, 1 pending`. No `wait` cancels a task, so all four jobs run to their ends, and
/// the last `wait` returns them: `9 s: 4 done, 0 pending`. What to do about pending tasks is up to
/// you. asyncio does the same.
fn the_first_of_many(t: Transcript) -> anyhow::Result<()> {
    event_loop(t)?.run(async move {
        let jobs = [("quick", 1), ("bad", 2), ("slow", 3), ("slowest", 9)];
        let jobs = jobs.map(|(name, seconds)| job(name, seconds, t));
        let tasks: Vec<Task<&str>> =
            jobs.into_iter().map(create_task).collect::<std::result::Result<_, _>>()?;
        for (limit, return_when) in [
            (None, ReturnWhen::FirstCompleted),
            (None, ReturnWhen::FirstException),
            (Some(2 * SECOND), ReturnWhen::AllCompleted),
            (None, ReturnWhen::AllCompleted),
        ] {
            let (done, pending) = wait(tasks.clone(), limit, return_when).await?;
            say!(t, "{} s: {} done, {} pending", now()?, done.len(), pending.len());
        }
        Ok(())
    })?;
    Ok(())
}

scene!(
    results_as_they_come: order,
    "as_completed waits for four jobs but for no longer than four seconds. What does each wait return?"
);
/// When the time is up, each wait for a result that hasn't come gets a `TimeoutError`, here in
/// place of the fourth result: `4 s: timed out`. But `as_completed` cancels nothing, so the job
/// runs on: `9 s: slowest ends`. When one job fails, the others aren't cancelled either, and
/// `2 s: error: bad` is just the second outcome. asyncio does the same.
fn results_as_they_come(t: Transcript) -> anyhow::Result<()> {
    event_loop(t)?.run(async move {
        let jobs = [("slow", 3), ("slowest", 9), ("quick", 1), ("bad", 2)];
        let jobs = jobs.map(|(name, seconds)| job(name, seconds, t));
        for next in as_completed(jobs, 4 * SECOND)? {
            let outcome = next.await;
            let is_late = outcome.as_ref().is_err_and(TimeoutError::is);
            say!(
                t,
                "{} s: {}",
                now()?,
                if is_late { "timed out".to_owned() } else { shown(outcome) }
            );
        }
        sleep(9 * SECOND).await
    })?;
    Ok(())
}
