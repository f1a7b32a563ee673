//! The moment from which a timer is due, and the moment until which it can be cancelled.

use std::iter;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step01_fd::{pipe, write};
use step03_selector::{EpollSelector, Interest, Selector};
use step04_timers::{Time, TimerHeap, TimerId};

const SECOND: Duration = Duration::from_secs(1);

scene!(
    due_to_the_nanosecond,
    "A timer is set for 1 s. At which of these moments does pop_due return the timer?"
);
/// `a nanosecond before 1 s: None`, and `at 1 s:                  Some("a second")`: a timer is due
/// from its deadline on and not a moment earlier. Nothing is rounded here: only the kernel's wait
/// counts in milliseconds. `at 1 s, again:           None`, because popping removes the timer. A
/// timer set for the past is due at once, and the timer for the end of time just waits.
fn due_to_the_nanosecond(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    let just_before = Time::from_nanos(999_999_999);
    let second = Time::ZERO + SECOND;
    say!(t, "no timer");
    say!(t, "  pop_due at 1 s:          {:?}", timers.pop_due(second));
    timers.push(second, "a second");
    say!(t, "a timer for 1 s");
    say!(t, "  a nanosecond before 1 s: {:?}", timers.pop_due(just_before));
    say!(t, "  at 1 s:                  {:?}", timers.pop_due(second));
    say!(t, "  at 1 s, again:           {:?}", timers.pop_due(second));

    timers.push(Time::ZERO, "the past");
    timers.push(Time::ZERO + Duration::MAX, "the far future");
    say!(t, "a timer for 0 s and another for the end of time");
    say!(t, "  an hour after 1 s:       {:?}", timers.pop_due(second + 3600 * SECOND));
    say!(t, "  at that time, again:     {:?}", timers.pop_due(second + 3600 * SECOND));
    say!(t, "  still waiting:           {}", timers.len());
    Ok(())
}

scene!(
    until_when_to_cancel,
    "Until when can a timer be cancelled: its deadline, or the moment when it's popped?"
);
/// Both timers are for 1 s, and it's 1 s, but `cancel other:               done`: a timer can be
/// cancelled for as long as the heap has its payload, even after its deadline. `pop_due` hands the
/// payload out, so for the first timer it's `too late`. Cancelled entries at the top are dropped on
/// the way: `pop_due, two are cancelled: Some("three")`.
fn until_when_to_cancel(t: Transcript) -> anyhow::Result<()> {
    let second = Time::ZERO + SECOND;
    let mut timers = TimerHeap::new();
    let timer = timers.push(second, "timer");
    say!(t, "a timer for 1 s, before its time");
    say!(t, "  cancel it:                  {}", cancel(&mut timers, timer));
    say!(t, "  pop_due at 1 s:             {:?}", timers.pop_due(second));

    let [first, other] = ["first", "other"].map(|name| timers.push(second, name));
    say!(t, "two timers for 1 s, at 1 s");
    say!(t, "  pop_due:                    {:?}", timers.pop_due(second));
    say!(t, "  cancel other:               {}", cancel(&mut timers, other));
    say!(t, "  pop_due:                    {:?}", timers.pop_due(second));
    say!(t, "  cancel first:               {}", cancel(&mut timers, first));

    let [one, two, _] = ["one", "two", "three"].map(|name| timers.push(second, name));
    timers.cancel(one);
    timers.cancel(two);
    say!(t, "three timers for 1 s, of which one and two are cancelled");
    say!(t, "  pop_due, two are cancelled: {:?}", timers.pop_due(second));
    say!(t, "  left in the heap:           {}", timers.scheduled());
    Ok(())
}

fn cancel(timers: &mut TimerHeap<&'static str>, timer: TimerId) -> &'static str {
    timers.cancel(timer).map_or("too late", |_| "done")
}

scene!(
    a_timer_sets_a_timer,
    "Each timer sets another one that is due at once. Does the loop ever look at its pipe?"
);
/// A byte is in the pipe. One loop runs each timer as it pops it. The other loop pops all timers
/// that are due before it runs any. At the end, two timers are popped, and the first timer cancels
/// the second.
fn a_timer_sets_a_timer(t: Transcript) -> anyhow::Result<()> {
    let now = Time::ZERO + SECOND;
    let mut timers = TimerHeap::new();
    let again = |timers: &mut TimerHeap<&'static str>| timers.push(Time::ZERO, "again");
    let mut selector = EpollSelector::new()?;
    let mut ready = Vec::new();
    let (reader, writer) = pipe()?;
    selector.register(&reader, Interest::READABLE, ())?;
    write(&writer, b"x")?;

    again(&mut timers);
    let mut runs = 0;
    while runs < 1000 && timers.pop_due(now).is_some() {
        again(&mut timers);
        runs += 1;
    }
    say!(t, "pop one, run it: {} timers have run before the loop first looks at the pipe", runs);

    for turn in 1..=3 {
        let due: Vec<_> = iter::from_fn(|| timers.pop_due(now)).collect();
        for _ in &due {
            again(&mut timers);
        }
        selector.select(Some(Duration::ZERO), &mut ready)?;
        say!(
            t,
            "pop all, then run them, turn {turn}: {} timer, {} pipe ready",
            due.len(),
            ready.len()
        );
    }

    let other = again(&mut timers);
    let due: Vec<_> = iter::from_fn(|| timers.pop_due(now)).collect();
    let cancelled = cancel(&mut timers, other);
    say!(t, "pop {}, then cancel the second: {}", due.len(), cancelled);
    Ok(())
}
