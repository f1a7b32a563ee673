//! Trials of the heap: random programs of push, cancel, pop and the question how long to sleep.

use std::fmt;
use std::time::Duration;

use scene::{Program, Random, Transcript, say, trial};
use step04_timers::{Time, TimerHeap};

/// Something to do with a heap. Timers are numbered in the order they're made.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Push { timer: usize, when: u64 },
    Cancel { timer: usize },
    PopDue { now: u64 },
}

impl Verb {
    fn random(timer: usize, random: &mut Random) -> Verb {
        // Few different times, so that many timers are due at once.
        let time = random.boundary(&[3, 5]);
        match random.below(6) {
            0..3 => Verb::Push { timer, when: time },
            3 => Verb::Cancel { timer: random.below(timer + 1) },
            _ => Verb::PopDue { now: time },
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Push { timer, when } => write!(f, "push timer {timer}, due at {}", Nanos(*when)),
            Verb::Cancel { timer } => write!(f, "cancel timer {timer}"),
            Verb::PopDue { now } => write!(f, "pop_due at {}", Nanos(*now)),
        }
    }
}

struct Nanos(u64);

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u64::MAX => f.write_str("u64::MAX ns"),
            nanos => write!(f, "{:?}", Duration::from_nanos(nanos)),
        }
    }
}

trial!(
    timers_in_any_order,
    300,
    "Whatever is pushed and cancelled, each timer that's due comes out once, the earliest first."
);
fn timers_in_any_order(program: &Program, t: Transcript) -> anyhow::Result<()> {
    let mut random = program.random();
    let verbs = program.verbs((0..40).map(|timer| Verb::random(timer, &mut random)));
    let mut timers = TimerHeap::new();
    let mut ids = std::collections::BTreeMap::new();
    for verb in verbs {
        let did = match verb {
            Verb::Push { timer, when } => {
                ids.insert(timer, timers.push(Time::from_nanos(when), timer));
                "done".to_owned()
            }
            Verb::Cancel { timer } => match ids.get(&timer) {
                Some(&id) => format!("{:?}", timers.cancel(id)),
                None => continue,
            },
            Verb::PopDue { now } => format!("{:?}", timers.pop_due(Time::from_nanos(now))),
        };
        say!(t, "{verb}: {did}; {} left", timers.len());
    }
    Ok(())
}
