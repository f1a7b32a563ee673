//! Records a scene's loops: their ticks, their timers, and their clocks. Step 06's onlooker records
//! the loops' queues.
//!
//! As in step 06, no code in the layer exists only for recordings: any program can get the same
//! information from a loop.

use std::time::Duration;

use scene::moments;
use step07_full_loop::{EventLoop, Ran, TickTrace, Time, WhyTimeout, on_new_loop};

#[path = "../../../step06_tasks/experiments/scenes/onlooker.rs"]
mod queues;

use self::queues::{NEXT, PART, described};

/// The number of readings that show whether a clock stands still.
const LOOKS: usize = 1000;

/// Observes each queue and each loop that the scene makes from now on.
pub(crate) fn look_on() {
    queues::look_on();
    on_new_loop(|event_loop| {
        event_loop.set_trace(tell_of);
        let (id, is_virtual) = (event_loop.id(), stands_still(event_loop));
        moments::add_sampler(move || {
            id.event_loop().map_or_else(Vec::new, |event_loop| state(&event_loop, is_virtual))
        });
    });
}

/// Returns true if the loop's clock is virtual. The times of a real clock differ from run to run.
fn stands_still(event_loop: &EventLoop) -> bool {
    let now = event_loop.time();
    (0..LOOKS).all(|_| event_loop.time() == now)
}

/// Records a tick that has ended.
fn tell_of(tick: &TickTrace) {
    let timeout = match (tick.timeout, tick.why) {
        (None, _) => "forever".to_owned(),
        // On a real clock, that depends on the run.
        (Some(timeout), WhyTimeout::Timer) => format!("until{PART}{timeout:?}"),
        (Some(timeout), _) => format!("{timeout:?}"),
    };
    let why = match tick.why {
        WhyTimeout::Ready => "something is ready",
        WhyTimeout::Stopping => "the loop should stop",
        WhyTimeout::Timer => "the first timer",
        WhyTimeout::Nothing => "nothing is ready, and there's no timer",
    };
    let due = tick.due.iter().map(|timer| match timer {
        Ran::Callback(at) => format!("callback{PART}{}:{}", at.file(), at.line()),
        _ => "sleep".to_owned(),
    });
    let due = due.collect::<Vec<_>>().join(NEXT);
    let more = [
        ("timeout", timeout),
        ("why", why.to_owned()),
        ("due", due),
        ("began", since_the_beginning(tick.began)),
        ("until", since_the_beginning(tick.began + tick.timeout.unwrap_or_default())),
    ];
    moments::note("tick", &format!("tick {}", tick.number), &more);
}

fn state(event_loop: &EventLoop, is_virtual: bool) -> Vec<(&'static str, String)> {
    let timers = event_loop.waiting(usize::MAX).timers.into_iter().map(|(when, what)| {
        let at = if is_virtual { since_the_beginning(when) } else { String::new() };
        format!("{at}{PART}{PART}{}", described(&what))
    });
    let mut fields = vec![("timers", timers.collect::<Vec<_>>().join(NEXT))];
    if is_virtual {
        fields.push(("clock", since_the_beginning(event_loop.time())));
    }
    if event_loop.is_running() {
        fields.push(("runs", "yes".to_owned()));
    }
    fields
}

fn since_the_beginning(time: Time) -> String {
    let since: Duration = time - Time::ZERO;
    format!("{since:?}")
}
