//! Events: `EventTests` of CPython's `test_locks.py`, under its names.

use std::rc::Rc;

use crate::support::{Log, is_cancelled, play, start, ticks};
use asyncio::{Event, Task, get_running_loop};

fn start_wait(event: &Rc<Event>, log: &Log, value: i32) -> Task<()> {
    let (event, log) = (Rc::clone(event), log.clone());
    start(async move {
        event.wait().await?;
        log.say(value);
        Ok(())
    })
}

/// The third task finds the event set at its first step, before the others are woken.
#[test]
fn wait() {
    play(async {
        let (event, log) = (Rc::new(Event::new()), Log::default());
        assert!(!event.is_set());
        start_wait(&event, &log, 1);
        start_wait(&event, &log, 2);
        ticks(1).await;
        log.assert_is(&[]);
        start_wait(&event, &log, 3);
        event.set();
        ticks(1).await;
        log.assert_is(&[3, 1, 2]);
        Ok(())
    });
}

#[test]
fn wait_on_set() {
    play(async {
        let (event, log) = (Event::new(), Log::default());
        event.set();
        let inner = log.clone();
        get_running_loop()?.call_soon(move || inner.say(2));
        event.wait().await?;
        log.say(1);
        ticks(1).await;
        log.assert_is(&[1, 2]);
        Ok(())
    });
}

#[test]
fn wait_cancel() {
    play(async {
        let (event, log) = (Rc::new(Event::new()), Log::default());
        let task = start_wait(&event, &log, 1);
        let other = start_wait(&event, &log, 2);
        let inner = task.clone();
        get_running_loop()?.call_soon(move || {
            inner.cancel();
        });
        assert!(is_cancelled(&task.await));
        event.set();
        other.await?;
        log.assert_is(&[2]);
        Ok(())
    });
}

/// A task that leaves the line takes no other task out of it.
#[test]
fn wait_cancel_in_the_middle() {
    play(async {
        let (event, log) = (Rc::new(Event::new()), Log::default());
        let tasks = [1, 2, 3].map(|value| start_wait(&event, &log, value));
        ticks(1).await;
        tasks[1].cancel();
        ticks(1).await;
        assert!(tasks[1].cancelled());
        event.set();
        ticks(1).await;
        log.assert_is(&[1, 3]);
        Ok(())
    });
}

#[test]
fn clear() {
    let event = Event::new();
    assert!(!event.is_set());
    event.set();
    assert!(event.is_set());
    event.clear();
    assert!(!event.is_set());
}

/// Tasks that wait when the event is set are woken, even if it's cleared before they run; the next
/// task isn't woken.
#[test]
fn clear_with_waiters() {
    play(async {
        let (event, log) = (Rc::new(Event::new()), Log::default());
        start_wait(&event, &log, 1);
        start_wait(&event, &log, 2);
        ticks(1).await;
        event.set();
        event.clear();
        assert!(!event.is_set());
        start_wait(&event, &log, 3);
        event.set();
        event.set();
        event.clear();
        ticks(2).await;
        log.assert_is(&[1, 2]);
        event.set();
        ticks(1).await;
        log.assert_is(&[1, 2, 3]);
        Ok(())
    });
}

#[test]
fn setting_it_again_wakes_nothing() {
    play(async {
        let (event, log) = (Rc::new(Event::new()), Log::default());
        start_wait(&event, &log, 1);
        ticks(1).await;
        event.set();
        event.set();
        ticks(1).await;
        log.assert_is(&[1]);
        Ok(())
    });
}
