//! The verbs that a heap's programs are made of, and the heap on which they're carried out.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use scene::Random;
use step04_timers::{Time, TimerHeap, TimerId};

/// An operation on a heap. The timers are numbered in the order in which they're made.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verb {
    Push { timer: usize, when: u64 },
    Cancel { timer: usize },
    PopDue { now: u64 },
    NextTimeout { now: u64 },
}

impl Verb {
    /// Makes a push of this timer, or a cancel of a timer up to this one, made or not.
    pub(super) fn push_or_cancel(timer: usize, random: &mut Random) -> Verb {
        if random.below(5) < 3 {
            Verb::Push { timer, when: time(random) }
        } else {
            Verb::Cancel { timer: random.below(timer + 1) }
        }
    }

    /// Makes a push, a cancel or a `pop_due`.
    pub(super) fn with_pops(timer: usize, random: &mut Random) -> Verb {
        match random.below(3) {
            0 => Verb::PopDue { now: time(random) },
            _ => Verb::push_or_cancel(timer, random),
        }
    }

    /// Makes any verb.
    pub(super) fn any(timer: usize, random: &mut Random) -> Verb {
        match random.below(3) {
            0 => Verb::NextTimeout { now: time(random) },
            _ => Verb::with_pops(timer, random),
        }
    }
}

/// Returns a time, most often one of only a few, so that many timers are due at once.
fn time(random: &mut Random) -> u64 {
    random.boundary(&[3, 5])
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verb::Push { timer, when } => write!(f, "push timer {timer}, due at {}", Nanos(*when)),
            Verb::Cancel { timer } => write!(f, "cancel timer {timer}"),
            Verb::PopDue { now } => write!(f, "pop_due at {}", Nanos(*now)),
            Verb::NextTimeout { now } => write!(f, "next_timeout at {}", Nanos(*now)),
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

/// A payload: its timer's number, and a reference that counts the payloads that still exist.
type Payload = (usize, Rc<()>);

/// A heap whose timers have numbers.
pub(super) struct Numbered {
    pub(super) timers: TimerHeap<Payload>,
    ids: BTreeMap<usize, TimerId>,
    alive: Rc<()>,
    /// The number of timers that were cancelled. Their entries can still be in the heap.
    cancelled: usize,
}

impl Numbered {
    pub(super) fn new() -> Self {
        Numbered {
            timers: TimerHeap::new(),
            ids: BTreeMap::new(),
            alive: Rc::new(()),
            cancelled: 0,
        }
    }

    /// Carries out a verb and describes its result. Returns `None` if the verb cancels a timer that
    /// wasn't made.
    pub(super) fn carry_out(&mut self, verb: Verb) -> Option<String> {
        Some(match verb {
            Verb::Push { timer, when } => {
                let payload = (timer, Rc::clone(&self.alive));
                self.ids.insert(timer, self.timers.push(Time::from_nanos(when), payload));
                "done".to_owned()
            }
            Verb::Cancel { timer } => {
                let payload = self.timers.cancel(*self.ids.get(&timer)?);
                self.cancelled += usize::from(payload.is_some());
                format!("{:?}", payload.map(|payload| payload.0))
            }
            Verb::PopDue { now } => {
                let payload = self.timers.pop_due(Time::from_nanos(now));
                format!("{:?}", payload.map(|payload| payload.0))
            }
            Verb::NextTimeout { now } => {
                format!("{:?}", self.timers.next_timeout(Time::from_nanos(now)))
            }
        })
    }

    /// Describes the timers that are left, and also their payloads if there are too many or too
    /// few.
    pub(super) fn left(&self) -> String {
        let (waiting, payloads) = (self.timers.len(), Rc::strong_count(&self.alive) - 1);
        if payloads == waiting {
            format!("{waiting} left")
        } else {
            format!("{waiting} left, and {payloads} payloads")
        }
    }

    /// Returns the number of entries in the heap that can't belong to a timer, waiting or
    /// cancelled.
    pub(super) fn entries_without_a_timer(&self) -> usize {
        self.timers.scheduled().saturating_sub(self.timers.len() + self.cancelled)
    }
}
