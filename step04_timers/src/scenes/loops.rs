//! Small loops, to see what a heap of timers saves.

use std::fs;
use std::time::Duration;

use anyhow::Context;
use scene::{Transcript, say, scene};
use step01_fd::{pipe, read, write};
use step03_selector::{EpollSelector, Interest, Selector};
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, TimerId, VirtualClock};

const TICK: Duration = Duration::from_millis(10);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

/// When bytes come, in the minute that the two loops are watched.
const BYTES_COME: [Duration; 2] = [Duration::from_millis(12_345), Duration::from_millis(40_001)];

scene!(
    toy_loop_and_real_loop,
    "Sleep 10 ms and look, or ask the heap: what does an idle minute cost?"
);
/// A toy loop sleeps for 10 ms and looks around, all day long. The other one asks its heap, and
/// sleeps until bytes come or the timer is due.
fn toy_loop_and_real_loop(t: Transcript) -> anyhow::Result<()> {
    say!(t, "a minute with two bytes and a timer:");
    say!(t, "  the toy loop: {}", a_minute(|_| Some(TICK)));
    say!(t, "  the loop:     {}", a_minute(|left| left));
    say!(t, "a real timer of 30 ms:");
    say!(t, "  the toy loop: {}", a_real_timer(20, |_| Some(TICK))?);
    say!(t, "  the loop:     {}", a_real_timer(5, |left| left)?);
    Ok(())
}

fn a_minute(timeout: impl Fn(Option<Duration>) -> Option<Duration>) -> String {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    timers.push(Time::ZERO + MINUTE, ());
    let mut bytes = BYTES_COME.map(|after| Time::ZERO + after).into_iter().peekable();
    let (mut wakes, mut latest) = (0, Duration::ZERO);
    loop {
        let asked = timeout(timers.next_timeout(clock.now())).unwrap_or(Duration::MAX);
        // The toy sleeps without a look at its descriptors. A wait ends when bytes come.
        let until_bytes = bytes.peek().map_or(Duration::MAX, |come| *come - clock.now());
        clock.advance(if asked == TICK { TICK } else { asked.min(until_bytes) });
        wakes += 1;
        if let Some(come) = bytes.next_if(|come| *come <= clock.now()) {
            latest = latest.max(clock.now() - come);
        }
        if timers.pop_due(clock.now()).is_some() {
            return format!("{wakes} wake-ups, bytes found after {latest:?} at worst");
        }
    }
}

/// The most wake-ups that a timer cost in so many tries: a busy machine may swallow some.
fn a_real_timer(
    tries: u32,
    timeout: impl Fn(Option<Duration>) -> Option<Duration>,
) -> anyhow::Result<&'static str> {
    let clock = MonotonicClock::new();
    let mut selector = EpollSelector::<()>::new()?;
    let mut most = 0;
    for _ in 0..tries {
        let mut timers = TimerHeap::new();
        timers.push(clock.now() + Duration::from_millis(30), ());
        let mut wakes = 0;
        while timers.pop_due(clock.now()).is_none() {
            selector.select(timeout(timers.next_timeout(clock.now())), &mut Vec::new())?;
            wakes += 1;
        }
        most = most.max(wakes);
        if most > 1 {
            break;
        }
    }
    Ok(if most > 1 { "more than one wake-up" } else { "one wake-up" })
}

scene!(sleep_is_a_heap_entry, "Three sleep, and bytes come. Who is kept waiting?");
/// A sleeper is an entry in the heap. It has no thread, and keeps nobody from reading.
fn sleep_is_a_heap_entry(t: Transcript) -> anyhow::Result<()> {
    let clock = VirtualClock::new();
    let mut timers = TimerHeap::new();
    let mut selector = EpollSelector::new()?;
    let mut ready = Vec::new();
    let (reader, writer) = pipe()?;
    selector.register(&reader, Interest::READABLE, "pipe")?;
    for (name, seconds) in [("Ann", 5), ("Bob", 5), ("Cid", 7)] {
        timers.push(clock.now() + seconds * SECOND, name);
    }
    say!(t, "three are asleep: {} entries, {}", timers.scheduled(), threads()?);

    clock.advance(2 * SECOND);
    write(&writer, b"x")?;
    selector.select(timers.next_timeout(clock.now()), &mut ready)?;
    say!(t, "{}: bytes come, ready: {}", clock.now(), ready.len());
    read(&reader, &mut [0; 8])?;
    while !timers.is_empty() {
        selector.select(clock.sleep_for(timers.next_timeout(clock.now())), &mut ready)?;
        while let Some(name) = timers.pop_due(clock.now()) {
            say!(t, "{}: {name} is awake, {} asleep", clock.now(), timers.len());
        }
    }
    Ok(())
}

fn threads() -> anyhow::Result<String> {
    let count = fs::read_dir("/proc/self/task").context("list the threads")?.count();
    Ok(if count == 1 { "1 thread".to_string() } else { format!("{count} threads") })
}

scene!(
    idle_client_is_closed,
    "Ten thousand clients may be silent for a minute. What does each byte cost?"
);
/// Clients that are silent for a minute are sent away, and each byte counts. Whoever moves the timer
/// with each byte pays two operations a byte, and half of the heap is what was cancelled. Whoever
/// only notes the time pays nothing for a byte, and one timer a client and minute.
fn idle_client_is_closed(t: Transcript) -> anyhow::Result<()> {
    say!(t, "10000 clients, 10 bytes each, one every 10 s; then silence");
    for (name, each_byte_moves) in [("moved by each byte", true), ("the time is noted", false)] {
        let mut door = Door::open(10_000);
        for _ in 0..10 {
            door.wait_until(door.clock.now() + 10 * SECOND);
            door.hear_from_all(each_byte_moves);
        }
        let early = door.closed.len();
        door.wait_until(Time::ZERO + 1000 * SECOND);
        let Door { made, most, closed, .. } = door;
        say!(t, "{name:<18} {made:>6} timers made, at most {most} in the heap");
        let at = closed.first().map(Time::to_string).unwrap_or_default();
        say!(t, "                   sent away early: {early}, at {at}: {}", closed.len());
    }
    Ok(())
}

/// Whoever watches over the clients of a server, on a clock that costs no time.
struct Door {
    clock: VirtualClock,
    timers: TimerHeap<usize>,
    last_heard: Vec<Time>,
    timer_of: Vec<TimerId>,
    /// When somebody was sent away.
    closed: Vec<Time>,
    made: usize,
    most: usize,
}

impl Door {
    fn open(clients: usize) -> Self {
        let mut timers = TimerHeap::new();
        let timer_of = (0..clients).map(|client| timers.push(Time::ZERO + MINUTE, client));
        Door {
            clock: VirtualClock::new(),
            last_heard: vec![Time::ZERO; clients],
            timer_of: timer_of.collect(),
            timers,
            closed: Vec::new(),
            made: clients,
            most: clients,
        }
    }

    fn hear_from_all(&mut self, each_byte_moves: bool) {
        let now = self.clock.now();
        for client in 0..self.last_heard.len() {
            self.last_heard[client] = now;
            if each_byte_moves {
                self.timers.cancel(self.timer_of[client]);
                self.set(client, now + MINUTE);
            }
        }
    }

    fn set(&mut self, client: usize, when: Time) {
        self.timer_of[client] = self.timers.push(when, client);
        self.made += 1;
        self.most = self.most.max(self.timers.scheduled());
    }

    /// The loop: sleeps from deadline to deadline.
    fn wait_until(&mut self, end: Time) {
        while self.clock.now() < end {
            let left = end - self.clock.now();
            let until_nearest = self.timers.next_timeout(self.clock.now());
            self.clock.advance(until_nearest.map_or(left, |nearest| nearest.min(left)));
            while let Some(client) = self.timers.pop_due(self.clock.now()) {
                self.check(client);
            }
        }
    }

    fn check(&mut self, client: usize) {
        let limit = self.last_heard[client] + MINUTE;
        if limit <= self.clock.now() {
            self.closed.push(self.clock.now());
        } else {
            self.set(client, limit);
        }
    }
}
