//! Two ways to close clients that are silent for a minute.

use std::time::Duration;

use scene::{Transcript, say, scene};
use step04_timers::{Clock, Time, TimerHeap, TimerId, VirtualClock};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

scene!(
    idle_client_is_closed,
    "Clients are disconnected after a minute of silence. How many timers does each of their bytes need?"
);
/// `timers made:     110000`, or 30000 with a note, and both servers close their clients at the
/// same moment. With a new timer for each byte, the number of timers grows with the traffic, and
/// cancelled timers stay in the heap for a while. A note of the time costs one assignment per byte.
/// A timer that fires too soon is replaced by a timer for the rest of the minute, so a client has
/// one entry: `in the heap:     at most 10000`.
fn idle_client_is_closed(t: Transcript) -> anyhow::Result<()> {
    say!(t, "10,000 clients send 10 bytes each, one every 10 s, and then nothing");
    for (name, replace) in [("a new timer for each byte", true), ("a note for each byte", false)] {
        let mut clients = IdleTimeouts::new(10_000);
        for _ in 0..10 {
            clients.run_until(clients.clock.now() + 10 * SECOND);
            clients.receive_from_all(replace);
        }
        let early = clients.closed.len();
        clients.run_until(Time::ZERO + 1000 * SECOND);
        let IdleTimeouts { made, most, closed, .. } = clients;
        let at = closed.first().map(Time::to_string).unwrap_or_default();
        say!(t, "{name}");
        say!(t, "  timers made:     {}", made);
        say!(t, "  in the heap:     at most {}", most);
        say!(t, "  closed too soon: {}", early);
        say!(t, "  closed at {}:  {}", at, closed.len());
    }
    Ok(())
}

/// The clients of a server and their timers, on a virtual clock.
struct IdleTimeouts {
    clock: VirtualClock,
    timers: TimerHeap<usize>,
    last_received: Vec<Time>,
    timer_of: Vec<TimerId>,
    /// The time at which each client was closed.
    closed: Vec<Time>,
    made: usize,
    most: usize,
}

impl IdleTimeouts {
    fn new(clients: usize) -> Self {
        let mut timers = TimerHeap::new();
        let timer_of = (0..clients).map(|client| timers.push(Time::ZERO + MINUTE, client));
        IdleTimeouts {
            clock: VirtualClock::new(),
            last_received: vec![Time::ZERO; clients],
            timer_of: timer_of.collect(),
            timers,
            closed: Vec::new(),
            made: clients,
            most: clients,
        }
    }

    fn receive_from_all(&mut self, replace: bool) {
        let now = self.clock.now();
        for client in 0..self.last_received.len() {
            self.last_received[client] = now;
            if replace {
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

    /// Runs the loop, which sleeps from deadline to deadline.
    fn run_until(&mut self, end: Time) {
        while self.clock.now() < end {
            let left = end - self.clock.now();
            let timeout = self.timers.next_timeout(self.clock.now());
            self.clock.advance(timeout.map_or(left, |timeout| timeout.min(left)));
            while let Some(client) = self.timers.pop_due(self.clock.now()) {
                self.check(client);
            }
        }
    }

    /// Closes a client whose minute is over, or sets a timer for the rest of the minute.
    fn check(&mut self, client: usize) {
        let limit = self.last_received[client] + MINUTE;
        if limit <= self.clock.now() {
            self.closed.push(self.clock.now());
        } else {
            self.set(client, limit);
        }
    }
}
