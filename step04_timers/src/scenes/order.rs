//! In which order timers fire.

use std::collections::BinaryHeap;
use std::iter;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step04_timers::{Clock, Entry, Time, TimerHeap, VirtualClock};

scene!(earliest_deadline_on_top, "std's heap hands out the greatest first. Which timer is that?");
/// std's heap, and nothing around it. It hands out the greatest first; so whoever shall be first has
/// to be the greatest.
fn earliest_deadline_on_top(t: Transcript) -> anyhow::Result<()> {
    let five = [500, 200, 300, 900, 100].map(after);
    let in_turn = handed_out(&five).map(|entry| entry.when.to_string());
    say!(t, "500, 200, 300, 900, 100:  {}", in_turn.collect::<Vec<_>>().join(" "));
    say!(t, "eight times the same:     {}", numbers(&[after(10); 8]));
    let mut mixed = [after(20); 16];
    mixed[8..].fill(after(15));
    say!(t, "and eight earlier ones:   {}", numbers(&mixed));
    let [early, late] = [after(1), after(2)].map(|when| Entry { when, sequence: 0 });
    say!(t, "1 ms beside 2 ms:         {:?}", early.cmp(&late));
    say!(t, "2 ms beside 1 ms:         {:?}", late.cmp(&early));
    say!(t, "1 ms beside itself:       {:?}", early.cmp(&early));
    Ok(())
}

/// What std's heap makes of entries with these deadlines, numbered from 0 on.
fn handed_out(deadlines: &[Time]) -> impl Iterator<Item = Entry> {
    let entries = (0..).zip(deadlines).map(|(sequence, when)| Entry { when: *when, sequence });
    let mut heap: BinaryHeap<Entry> = entries.collect();
    iter::from_fn(move || heap.pop())
}

fn numbers(deadlines: &[Time]) -> String {
    let numbers = handed_out(deadlines).map(|entry| entry.sequence.to_string());
    numbers.collect::<Vec<_>>().join(" ")
}

scene!(timers_fire_in_order, "Timers are made in any order. In which do they fire?");
/// A heap gives the nearest first, whatever the order in which they came.
fn timers_fire_in_order(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    for millis in [500, 200, 300, 900, 100] {
        timers.push(after(millis), millis);
    }
    say!(t, "made:            500, 200, 300, 900, 100");
    say!(t, "due after 99 ms: {}", fired(&mut timers, after(99)));
    say!(t, "due after 300:   {}", fired(&mut timers, after(300)));
    say!(t, "still waiting:   {}", timers.len());
    say!(t, "due after 900:   {}", fired(&mut timers, after(900)));
    Ok(())
}

scene!(equal_deadlines, "Eight timers for the same moment. Who is first?");
/// A heap sorts by what it compares. If that is the deadline alone, equal ones come out in an order
/// that nobody would guess: CPython fires eight of them as 0 2 6 5 7 1 3 4. A counter beside the
/// deadline costs eight bytes and keeps the order in which they were made.
fn equal_deadlines(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    for number in 0..8 {
        timers.push(after(10), number);
    }
    say!(t, "eight for 10 ms:          {}", fired(&mut timers, after(10)));
    for number in 0..8 {
        timers.push(after(20), number);
        timers.push(after(15), 10 + number);
    }
    say!(t, "mixed with eight earlier: {}", fired(&mut timers, after(20)));
    Ok(())
}

scene!(
    periodic_without_drift,
    "Every second, and each time a little late. Where is the timer after an hour?"
);
/// Whoever asks for "a second from now" each time is late by a little each time, and the littles
/// add up. Whoever asks for "a second after the last deadline" is late by one of them at most.
fn periodic_without_drift(t: Transcript) -> anyhow::Result<()> {
    let from_now = hour_of_seconds(|_, now| now + Duration::from_secs(1));
    say!(t, "from now:           the last of 3600 was due at {from_now}");
    let from_deadline = hour_of_seconds(|deadline, _| deadline + Duration::from_secs(1));
    say!(t, "from the deadline:  the last of 3600 was due at {from_deadline}");
    Ok(())
}

/// Fires 3600 times and takes 1 ms each time to notice. Returns the last deadline.
fn hour_of_seconds(next: impl Fn(Time, Time) -> Time) -> Time {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    let mut deadline = Time::ZERO + Duration::from_secs(1);
    for _ in 1..3600 {
        timers.push(deadline, ());
        clock.sleep_for(timers.next_timeout(clock.now()));
        clock.advance(Duration::from_millis(1));
        while timers.pop_due(clock.now()).is_some() {
            deadline = next(deadline, clock.now());
        }
    }
    deadline
}

fn after(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// Takes out all that are due, and lists them.
fn fired(timers: &mut TimerHeap<u64>, now: Time) -> String {
    let due = iter::from_fn(|| timers.pop_due(now));
    let due: Vec<String> = due.map(|value| value.to_string()).collect();
    if due.is_empty() { "none".to_string() } else { due.join(" ") }
}
