//! Waiting for many: what becomes of the others when one fails, comes first, or is cancelled.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step07_full_loop::{
    Error, EventLoop, ExceptionGroup, Result, ReturnWhen, Task, TaskGroup, Time, TimeoutError,
    VirtualClock, as_completed, create_task, gather, gather_return_exceptions, get_running_loop,
    shield, sleep, wait,
};

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

/// A job that takes some seconds, and fails if it's a bad one.
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
    a_sibling_runs_on,
    "Three jobs run at the same time, and one fails. When does gather end, and what do the others do?"
);
/// The same three jobs are gathered, then gathered with their exceptions, then in a task group.
fn a_sibling_runs_on(t: Transcript) -> anyhow::Result<()> {
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
        say!(t, "  {} s: the group has ended, with {errors} error", now()?);
        Ok(())
    })?;
    Ok(())
}

scene!(
    an_error_nobody_sees,
    "Two jobs of a gather fail, and a task that nothing awaits. Which of these errors is reported?"
);
/// The main handles the error that gather returns. The second comes a second later.
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
    what_a_shield_keeps_away,
    "A task that awaits a shielded job is cancelled. What happens to the job, and to its error?"
);
/// Twice: the first job ends, the second one fails.
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
    the_first_of_many,
    "wait ends with the first job, or with the first error, or when the time is up. Which jobs go on?"
);
/// The same four tasks are waited for, again and again.
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
    results_as_they_come,
    "as_completed waits for four jobs, but for no longer than four seconds. What does each wait give?"
);
/// A wait that fails doesn't end the others.
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
