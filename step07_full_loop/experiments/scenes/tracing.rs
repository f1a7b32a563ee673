//! A trace of every tick.

use std::panic::Location;
use std::rc::Rc;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{Read, pipe, read, write};
use step07_full_loop::{
    EventLoop, EventSource, Interest, Ran, TickTrace, TracedEvent, TracedRun, VirtualClock,
    yield_now,
};

scene!(
    a_trace_of_every_tick,
    "A task works, a descriptor is ready, and a timer waits. What does the loop do in each tick?"
);
/// In tick 1 the reader runs after `step of worker, 500ms`, which was queued before the loop asked
/// the selector. The worker's step takes half a second of the loop's time, so in tick 3 only 1.5 s
/// are left of the timer's two: `timeout 1.5s (Timer), slept 1.5s`. In tick 4 there's no timer, and
/// the byte that's there ends the wait at once. A tick after `stop()` doesn't wait at all: `timeout
/// 0ns (Stopping)`.
fn a_trace_of_every_tick(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let event_loop = EventLoop::with_clock(clock.clone())?;
    event_loop.set_trace(move |tick| say!(t, "{}", line(tick)));
    let (reader, writer) = pipe()?;
    let reader = Rc::new(reader);
    add_reader_once(&event_loop, &reader, || {})?;
    write(&writer, b"!")?;
    let task = event_loop.create_task(async move {
        clock.advance(Duration::from_millis(500));
        yield_now().await
    });
    task.set_name("worker");
    let stopper = event_loop.clone();
    event_loop.call_later(Duration::from_secs(2), move || stopper.stop());
    event_loop.run_forever()?;

    say!(t, "a run without a timer; the reader stops it");
    let stopper = event_loop.clone();
    add_reader_once(&event_loop, &reader, move || stopper.stop())?;
    write(&writer, b"!")?;
    event_loop.run_forever()?;

    say!(t, "a run after stop()");
    event_loop.stop();
    event_loop.run_forever()?;
    event_loop.clear_trace();
    say!(t, "a run without a trace");
    event_loop.stop();
    event_loop.run_forever()?;
    event_loop.close()?;
    Ok(())
}

/// Adds a reader that takes a byte, removes itself, and calls a function.
fn add_reader_once(
    event_loop: &EventLoop,
    reader: &Rc<std::os::fd::OwnedFd>,
    mut call: impl FnMut() + 'static,
) -> std::io::Result<()> {
    let (inner, source) = (event_loop.clone(), Rc::clone(reader));
    let handle = event_loop.add_reader(&**reader, move || {
        let taken = matches!(read(&*source, &mut [0]), Ok(Read::Bytes(1)));
        let removed = inner.remove_reader(&*source);
        assert!(taken && matches!(removed, Ok(true)), "{removed:?}");
        call();
    });
    handle.map(drop)
}

fn line(tick: &TickTrace) -> String {
    let events: Vec<_> = tick.events.iter().map(event).collect();
    let due: Vec<_> = tick.due.iter().map(due).collect();
    let ran: Vec<_> = tick.ran.iter().map(|run| ran(tick, run)).collect();
    let timeout =
        tick.timeout.map_or_else(|| "no timeout".to_owned(), |it| format!("timeout {it:?}"));
    format!(
        "tick {} at {}: {timeout} ({:?}), slept {:?}, events {events:?}, due {due:?}, ran {ran:?}, took {:?}",
        tick.number, tick.began, tick.why, tick.slept, tick.took,
    )
}

fn event(event: &TracedEvent) -> &'static str {
    match event.source {
        EventSource::Callbacks { .. } if event.ready == Interest::READABLE => "reader",
        EventSource::Callbacks { .. } => "writer",
        EventSource::Wakeup => "wakeup",
        EventSource::Stream => "stream",
    }
}

fn due(timer: &Ran) -> &'static str {
    match timer {
        Ran::Callback(_) => "callback",
        _ => "sleep",
    }
}

fn ran(tick: &TickTrace, run: &TracedRun) -> String {
    let what = match &run.what {
        Ran::Callback(place) => format!("callback{}", cause(tick, place)),
        Ran::Step(task) => format!("step of {}", task.name()),
        _ => "wake".to_owned(),
    };
    format!("{what}, {:?}", run.took)
}

/// Returns the cause of a callback that has run in this tick. The trace identifies a callback only
/// by the place in the program that added it.
fn cause(tick: &TickTrace, place: &Location<'_>) -> &'static str {
    let is_reader = |event: &TracedEvent| match event.source {
        EventSource::Callbacks { reader, .. } => reader == Some(place),
        EventSource::Wakeup | EventSource::Stream => false,
    };
    let is_timer = |due: &Ran| matches!(due, Ran::Callback(at) if *at == place);
    match tick {
        _ if tick.events.iter().any(is_reader) => " of the reader",
        _ if tick.due.iter().any(is_timer) => " of the timer",
        _ => "",
    }
}
