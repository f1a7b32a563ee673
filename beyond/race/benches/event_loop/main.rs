//! The cost of the loop around the tasks, of waiting for many and of sharing: step 07's, and
//! tokio's, on one core.
//!
//! `cargo run --release -p race -- event_loop` runs this and writes the tables of the book. Both do
//! the same, in turn; `ours.rs` and `tokio.rs` say what might be unfair.

mod our_sharing;
mod ours;
#[path = "../starting.rs"]
mod starting;
mod tokio;
mod tokio_sharing;

use std::future::poll_fn;
use std::process::ExitCode;
use std::sync::{Mutex, mpsc};
use std::task::{Poll, Waker};
use std::time::Duration;

use anyhow::{Result, ensure};
use kit::OneCpu;
use libtest_mimic::Trial;
use race::{BenchmarkOptions, Contestant, compete, per_operation, processor_time, table};

use crate::starting::{start, trial};

/// The contestant with which ours is compared.
const REFERENCE: &str = "tokio";
/// A quick run does so much less.
const QUICK_SHARE: u64 = 100;
/// The number of connections that are open, and idle, where that matters.
pub(crate) const CONNECTIONS: usize = 64;

/// Does a number of operations, and returns the nanoseconds of processor time that they take.
type Run = fn(u64) -> Result<u64>;

struct Load {
    name: &'static str,
    /// Where ours comes from.
    whose: &'static str,
    says: &'static str,
    count: u64,
    ours: Run,
    tokios: Run,
}

macro_rules! load {
    ($whose:literal, $ours:ident, $tokios:ident, $name:ident, $count:literal, $says:literal) => {
        Load {
            name: stringify!($name),
            whose: $whose,
            says: $says,
            count: $count,
            ours: $ours::$name,
            tokios: $tokios::$name,
        }
    };
    ($name:ident beside $tokios:ident, $count:literal, $says:literal) => {
        Load {
            name: stringify!($name),
            whose: "step 07",
            says: $says,
            count: $count,
            ours: ours::$name,
            tokios: tokio::$tokios,
        }
    };
    ($name:ident, $count:literal, $says:literal) => {
        load!("step 07", ours, tokio, $name, $count, $says)
    };
    (sharing $name:ident, $count:literal, $says:literal) => {
        load!("the library", our_sharing, tokio_sharing, $name, $count, $says)
    };
}

const LOADS: [Load; 14] = [
    load!(yield_alone, 1_000_000, "One task yields, and nothing else is registered"),
    load!(yield_beside, 1_000_000, "One task yields beside 64 idle connections"),
    load!(timers_cancelled, 1_000_000, "A timer is made and cancelled"),
    load!(timers_cancelled_behind, 1_000_000, "The same, behind a timer that's due earlier"),
    load!(timers_firing, 1_000_000, "A timer fires, one of a million"),
    load!(tasks_sleeping, 1_000_000, "A task sleeps, one of a million"),
    load!(sparse_sleeps, 10_000, "A task sleeps, one of 10 000, each until a time of its own"),
    load!(wake_from_thread, 100_000, "A thread on the same core wakes a task, which answers"),
    load!(
        wake_through_eventfd beside wake_from_thread,
        100_000,
        "The same, with `EventLoop::with_eventfd`"
    ),
    load!(tasks_again, 1_000_000, "A task ends, one of a million that exist at once"),
    load!(sharing gathered, 100_000, "A task ends, one of 100 000 that are awaited together"),
    load!(sharing lock, 1_000_000, "A lock that nothing else wants is taken and released"),
    load!(sharing queue, 1_000_000, "An item passes through a queue of 100 between two tasks"),
    load!(sharing queue_of_one, 1_000_000, "An item passes through a queue of one"),
];

fn main() -> ExitCode {
    start(measure, trials)
}

/// Measures the loads, and prints a table of each.
fn measure(options: &BenchmarkOptions) -> Result<()> {
    let wanted = |load: &&Load| options.only.as_ref().is_none_or(|only| only == load.name);
    let wanted: Vec<&Load> = LOADS.iter().filter(wanted).collect();
    ensure!(!wanted.is_empty(), "no load has this name: {:?}", options.only);
    let _one_cpu = OneCpu::here();
    for load in wanted {
        eprintln!("{}: {} rounds", load.name, options.rounds());
        let share = if options.quick { QUICK_SHARE } else { 1 };
        let figures = load.compete(options.rounds(), share)?;
        println!("\n**{}.** (`{}`)\n\n{}", load.says, load.name, table(REFERENCE, &figures));
    }
    Ok(())
}

impl Load {
    /// Lets both take turns, with a share of the operations.
    fn compete(&self, rounds: usize, share: u64) -> Result<Vec<race::Figures>> {
        let count = self.count / share;
        let contestant = |name, run: Run| Contestant {
            name,
            run: Box::new(move || Ok(per_operation(run(count)?, count))),
        };
        let mut contestants =
            [contestant(self.whose, self.ours), contestant(REFERENCE, self.tokios)];
        compete(rounds, REFERENCE, &mut contestants)
    }
}

/// Returns the nanoseconds of this thread's processor time since then.
pub(crate) fn nanos_since(began: Duration) -> u64 {
    u64::try_from(processor_time().saturating_sub(began).as_nanos()).unwrap_or(u64::MAX)
}

/// All timers that fire are due by then.
pub(crate) const LONGEST: Duration = Duration::from_millis(1001);

/// Returns when one of a million timers is due: in one of a thousand milliseconds.
pub(crate) fn delay_of(number: u64) -> Duration {
    // Neither in order nor all at the end: a factor that shares nothing with a million.
    Duration::from_micros(number * 7919 % 1_000_000)
}

/// Leaves the waker, lets the thread use it, and waits until it has.
pub(crate) async fn ask(place: &Mutex<Option<Waker>>, questions: &mpsc::Sender<()>) {
    let mut asked = false;
    poll_fn(|context| {
        if asked {
            return Poll::Ready(());
        }
        asked = true;
        place.lock().expect("no panic").replace(context.waker().clone());
        questions.send(()).expect("the thread is there");
        Poll::Pending
    })
    .await;
}

/// Both do a little of each load, which says whether their results are right.
fn trials() -> Vec<Trial> {
    let trials = LOADS.into_iter().map(|load| {
        trial(load.name, move || {
            let figures = load.compete(1, QUICK_SHARE)?;
            ensure!(figures.iter().all(|it| it.nanos.median > 0.0), "{figures:?}");
            Ok(())
        })
    });
    trials.collect()
}
