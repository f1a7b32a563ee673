//! The order in which timers fire.

use std::collections::BinaryHeap;
use std::iter;
use std::time::Duration;

use scene::{Transcript, say, scene};
use step04_timers::{Clock, Entry, Time, TimerHeap, VirtualClock};

scene!(
    order_of_a_binary_heap,
    "std's BinaryHeap pops its greatest entry. In which order does it pop these timers?"
);
/// `1 ms compared with 2 ms:        Greater`: std's heap pops its greatest entry, so our `Ord`
/// turns the comparison around, and the earliest deadline counts as the greatest. A binary heap
/// doesn't keep the order of equal entries. That's why a sequence number decides between equal
/// deadlines: `0 to 7, all at 10 ms:           0 1 2 3 4 5 6 7`.
fn order_of_a_binary_heap(t: Transcript) -> anyhow::Result<()> {
    let five = [500, 200, 300, 900, 100].map(after);
    let in_turn = popped(&five).map(|entry| entry.when.to_string());
    say!(t, "500, 200, 300, 900, 100 ms:     {}", in_turn.collect::<Vec<_>>().join(" "));
    say!(t, "0 to 7, all at 10 ms:           {}", sequences(&[after(10); 8]));
    let mut mixed = [after(20); 16];
    mixed[8..].fill(after(15));
    say!(t, "0 to 7 at 20, 8 to 15 at 15 ms: {}", sequences(&mixed));
    let [early, late] = [after(1), after(2)].map(|when| Entry { when, sequence: 0 });
    say!(t, "1 ms compared with 2 ms:        {:?}", early.cmp(&late));
    say!(t, "2 ms compared with 1 ms:        {:?}", late.cmp(&early));
    say!(t, "1 ms compared with itself:      {:?}", early.cmp(&early));
    Ok(())
}

/// Makes entries with these deadlines and sequence numbers from 0 and returns them in the order in
/// which std's heap pops them.
fn popped(deadlines: &[Time]) -> impl Iterator<Item = Entry> {
    let entries = (0..).zip(deadlines).map(|(sequence, when)| Entry { when: *when, sequence });
    let mut heap: BinaryHeap<Entry> = entries.collect();
    iter::from_fn(move || heap.pop())
}

fn sequences(deadlines: &[Time]) -> String {
    let sequences = popped(deadlines).map(|entry| entry.sequence.to_string());
    sequences.collect::<Vec<_>>().join(" ")
}

scene!(
    five_timers,
    "Timers are set for 500, 200, 300, 900 and 100 ms. Which are due at 99, at 300, at 900 ms?"
);
/// `due at 300 ms: 100 200 300`: by deadline, not in the order of the pushes, and with the timer
/// for 300 ms, which is due from that moment on. A heap isn't a sorted list: it only knows which
/// entry is the earliest and finds the next entry after each pop. The scene pops until the earliest
/// entry isn't due, so 500 and 900 stay until they're due.
fn five_timers(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    for millis in [500, 200, 300, 900, 100] {
        timers.push(after(millis), millis);
    }
    say!(t, "pushed, in ms: 500 200 300 900 100");
    say!(t, "due at 99 ms:  {}", fired(&mut timers, after(99)));
    say!(t, "due at 300 ms: {}", fired(&mut timers, after(300)));
    say!(t, "still waiting: {}", timers.len());
    say!(t, "due at 900 ms: {}", fired(&mut timers, after(900)));
    Ok(())
}

scene!(
    equal_deadlines,
    "Eight timers, 0 to 7, are made for the same moment. In which order do they fire?"
);
/// `they fire: 0 1 2 3 4 5 6 7`, in the order in which they were made. A binary heap alone wouldn't
/// do that, because it swaps equal entries as it likes. Each entry has a sequence number, and if
/// two deadlines are equal, the smaller number goes first. Timers that were made in between, for an
/// earlier time, change nothing: `they fire: 10 11 12 13 14 15 16 17 0 1 2 3 4 5 6 7`.
fn equal_deadlines(t: Transcript) -> anyhow::Result<()> {
    let mut timers = TimerHeap::new();
    for name in 0..8 {
        timers.push(after(10), name);
    }
    say!(t, "0 to 7 are made for 10 ms");
    say!(t, "  they fire: {}", fired(&mut timers, after(10)));
    for name in 0..8 {
        timers.push(after(20), name);
        timers.push(after(15), 10 + name);
    }
    say!(t, "0 to 7 are made for 20 ms, 10 to 17 for 15 ms");
    say!(t, "  they fire: {}", fired(&mut timers, after(20)));
    Ok(())
}

scene!(
    a_periodic_timer,
    "A timer fires every second, and each time the loop notices it 1 ms late. How late is the timer after an hour?"
);
/// `a second from now:                last deadline at 3603.599s`: each timer is noticed 1 ms late,
/// and if the next second is counted from that moment, the delays add up: to 3.599 s after 3,599
/// timers. If the next second is counted from the last deadline, each delay affects only its own
/// timer, and the last deadline is at exactly 3600 s.
fn a_periodic_timer(t: Transcript) -> anyhow::Result<()> {
    say!(t, "an hour of 3600 timers, each noticed 1 ms late");
    let from_now = hour_of_seconds(|_, now| now + Duration::from_secs(1));
    say!(t, "  a second from now:                last deadline at {}", from_now);
    let from_deadline = hour_of_seconds(|deadline, _| deadline + Duration::from_secs(1));
    say!(t, "  a second after the last deadline: last deadline at {}", from_deadline);
    Ok(())
}

/// Fires 3,599 timers, each 1 ms late, and returns the deadline of the next one, the last of the
/// hour.
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

/// Pops all timers that are due and lists them.
fn fired(timers: &mut TimerHeap<u64>, now: Time) -> String {
    let due = iter::from_fn(|| timers.pop_due(now));
    let due: Vec<String> = due.map(|value| value.to_string()).collect();
    if due.is_empty() { "none".to_string() } else { due.join(" ") }
}
