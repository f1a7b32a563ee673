//! Which task gets what's released: the first in line, and the next one if the first is cancelled.

use std::rc::Rc;

use asyncio::{Event, Result, Semaphore, create_task, run, yield_now};
use scene::{Transcript, say, scene};

scene!(
    one_permit_two_tasks: order,
    "A task releases the only permit and at once asks for it again, while a second task waits. \
     Which task gets the permit?"
);
fn one_permit_two_tasks(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let semaphore = Rc::new(Semaphore::new(1));
        let permit = semaphore.hold().await?;
        say!(t, "A has the permit");
        let b = create_task(take_a_turn("B", Rc::clone(&semaphore), t))?;
        yield_now().await?;
        drop(permit);
        say!(t, "A releases the permit; locked = {}; A asks again", semaphore.locked());
        let _permit = semaphore.hold().await?;
        say!(t, "A has the permit");
        b.await
    })?;
    Ok(())
}

async fn take_a_turn(name: &'static str, semaphore: Rc<Semaphore>, t: Transcript) -> Result<()> {
    say!(t, "{name} asks for a permit");
    let permit = semaphore.hold().await;
    match &permit {
        Ok(_) => say!(t, "{name} has the permit"),
        Err(error) => say!(t, "{name}: {}", error),
    }
    permit.map(drop)
}

scene!(
    a_permit_for_a_cancelled_task: order,
    "A task that has been given a permit is cancelled before it runs. Which task gets the permit then?"
);
/// A's release gave the permit to B, but B is cancelled before its next step, so B never takes the
/// permit. If B just left, the permit would be gone, and C would wait forever: a lost wake-up. So
/// the destructor of B's wait checks whether B was given a permit that it hasn't taken and passes
/// that permit on: `C has the permit`. asyncio's semaphore does the same.
fn a_permit_for_a_cancelled_task(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let semaphore = Rc::new(Semaphore::new(1));
        let permit = semaphore.hold().await?;
        let b = create_task(take_a_turn("B", Rc::clone(&semaphore), t))?;
        let c = create_task(take_a_turn("C", Rc::clone(&semaphore), t))?;
        yield_now().await?;
        say!(t, "A releases the permit and cancels B");
        drop(permit);
        b.cancel();
        let _ = b.await;
        c.await?;
        say!(t, "a permit is free: {}", !semaphore.locked());
        Ok(())
    })?;
    Ok(())
}

scene!(
    an_event_is_cleared_at_once: order,
    "Two tasks wait for an event that's set and then cleared before they run. Which tasks go on?"
);
/// `set()` wakes all waiting tasks, and `clear()` doesn't take that back. So A and B go on,
/// although the flag is clear again by the time they run: that a `wait()` has ended means only that
/// the event was set at some point. C begins to wait after the `clear()`: `C is done: false`.
/// asyncio does the same.
fn an_event_is_cleared_at_once(t: Transcript) -> anyhow::Result<()> {
    run(async move {
        let event = Rc::new(Event::new());
        for name in ["A", "B"] {
            create_task(wait_for_event(name, Rc::clone(&event), t))?;
        }
        yield_now().await?;
        event.set();
        event.clear();
        let late = create_task(wait_for_event("C", Rc::clone(&event), t))?;
        for _ in 0..10 {
            yield_now().await?;
        }
        say!(t, "C is done: {}", late.done());
        Ok(())
    })?;
    Ok(())
}

async fn wait_for_event(name: &'static str, event: Rc<Event>, t: Transcript) -> Result<()> {
    event.wait().await?;
    say!(t, "{name} goes on");
    Ok(())
}
