//! Task groups: tasks that end together.

use std::time::Duration;

use asyncio::{
    Error, EventLoop, ExceptionGroup, Result, TaskGroup, Time, VirtualClock, create_task,
    current_task, get_running_loop, sleep,
};
use scene::{Transcript, say, scene};

const SECOND: Duration = Duration::from_secs(1);

/// Returns the loop's time, which begins at zero, in seconds.
fn now() -> Result<u64> {
    Ok((get_running_loop()?.time() - Time::ZERO).as_secs())
}

/// Shows an error; the errors of a group are in brackets.
fn shown(error: &Error) -> String {
    match ExceptionGroup::of(error) {
        None if error.is_cancelled() => "cancelled".to_owned(),
        None => error.to_string(),
        Some(group) => {
            let errors: Vec<String> = group.exceptions().iter().map(shown).collect();
            format!("{group}: [{}]", errors.join(", "))
        }
    }
}

fn outcome(ended: &Result<()>) -> String {
    ended.as_ref().map_or_else(shown, |()| "no error".to_owned())
}

/// A member that says how it ends. If it's cancelled, it cleans up for some seconds. A bad one
/// fails, and an untidy one fails as it cleans up.
async fn member(name: &'static str, seconds: u32, cleans_up: u32, t: Transcript) -> Result<()> {
    let ended = sleep(seconds * SECOND).await;
    if ended.is_err() {
        sleep(cleans_up * SECOND).await?;
    }
    let fails = name == "bad" || (name == "untidy" && ended.is_err());
    let how = match ended {
        _ if fails => "fails",
        Ok(()) => "ends",
        Err(_) => "is cancelled",
    };
    say!(t, "  {} s: {name} {}", now()?, how);
    if fails { Err(Error::other(name)) } else { ended }
}

scene!(
    the_errors_of_a_group: order,
    "A member of a task group fails, and another fails while cleaning up. How does the group end?"
);
/// The first error cancels the other members and also the block, which might wait forever
/// otherwise: `2 s: the block: cancelled`. From then on the group takes no more tasks. It waits
/// until the last clean-up is over and collects the errors:
/// `4 s: unhandled errors in a TaskGroup (2 sub-exceptions): [bad, untidy]`. `slow` was only
/// cancelled, so it isn't among them. The group has taken back its request to cancel its own task:
/// `requests left: 0`.
fn the_errors_of_a_group(t: Transcript) -> anyhow::Result<()> {
    EventLoop::with_clock(VirtualClock::new())?.run(async move {
        let group = TaskGroup::new();
        let block = async {
            group.create_task(member("quick", 1, 0, t))?;
            group.create_task(member("bad", 2, 0, t))?;
            group.create_task(member("untidy", 8, 1, t))?;
            group.create_task(member("slow", 9, 2, t))?;
            let cancelled = sleep(9 * SECOND).await;
            say!(t, "  {} s: the block: {}", now()?, outcome(&cancelled));
            let refused = group.create_task(member("late", 1, 0, t)).is_err();
            say!(t, "  {} s: the group refuses another task = {}", now()?, refused);
            cancelled
        };
        let ended = group.run(block).await;
        say!(t, "{} s: {}", now()?, outcome(&ended));
        let requests = current_task().map_or(0, |task| task.cancelling());
        say!(t, "requests left: {}", requests);
        sleep(SECOND).await?;
        say!(t, "{} s: the next sleep lasted a whole second", now()?);
        Ok(())
    })?;
    Ok(())
}

scene!(
    a_group_is_cancelled: order,
    "A task that runs a task group is cancelled. Which tasks end, in which order, and with which outcome?"
);
/// The request goes to whatever the task is waiting for, and that's in the block, so
/// `1 s: the block: cancelled` comes first. Then the group cancels its members and waits until the
/// last one has cleaned up: the task ends at 3 s. In the second group a member fails meanwhile. An
/// error says more than a cancellation, so the error comes out:
/// `6 s: the task: unhandled errors in a TaskGroup (1 sub-exception): [untidy]`.
fn a_group_is_cancelled(t: Transcript) -> anyhow::Result<()> {
    EventLoop::with_clock(VirtualClock::new())?.run(async move {
        for second in ["other", "untidy"] {
            let task = create_task(async move {
                let group = TaskGroup::new();
                let block = async {
                    group.create_task(member("one", 8, 1, t))?;
                    group.create_task(member(second, 9, 2, t))?;
                    let cancelled = sleep(9 * SECOND).await;
                    say!(t, "  {} s: the block: {}", now()?, outcome(&cancelled));
                    cancelled
                };
                group.run(block).await
            })?;
            sleep(SECOND).await?;
            say!(t, "{} s: the task is asked to end: {}", now()?, task.cancel());
            let ended = task.await;
            say!(t, "  {} s: the task: {}", now()?, outcome(&ended));
        }
        Ok(())
    })?;
    Ok(())
}

scene!(
    a_group_in_a_group: order,
    "A task group runs inside another one, and a member fails. Which of the two groups ends?"
);
/// When a member of the inner group fails, that group ends with its error, and the code between the
/// groups handles it: `2 s: the outer group: no error`. In the other direction, no code gets that
/// chance. The inner group is in the block of the outer group, which is cancelled when `bad` fails:
/// `4 s: the inner group: cancelled`. That's no error but a request to end, so the code between the
/// groups passes it on, and `[bad]` comes out of the outer group.
fn a_group_in_a_group(t: Transcript) -> anyhow::Result<()> {
    EventLoop::with_clock(VirtualClock::new())?.run(async move {
        for (in_the_outer, in_the_inner, seconds) in [("outer", "bad", 1), ("bad", "inner", 9)] {
            let (outer, inner) = (TaskGroup::new(), TaskGroup::new());
            let block = async {
                outer.create_task(member(in_the_outer, 2, 0, t))?;
                let block = async {
                    inner.create_task(member(in_the_inner, seconds, 0, t))?;
                    sleep(9 * SECOND).await
                };
                let ended = inner.run(block).await;
                say!(t, "{} s: the inner group: {}", now()?, outcome(&ended));
                // Only an error of its own is handled; a cancellation goes on.
                ended.or_else(|error| if error.is_cancelled() { Err(error) } else { Ok(()) })
            };
            let ended = outer.run(block).await;
            say!(t, "{} s: the outer group: {}", now()?, outcome(&ended));
        }
        Ok(())
    })?;
    Ok(())
}
