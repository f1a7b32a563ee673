//! Measures the cost of the loop around the tasks, on one core: step 07's loop against tokio's.
//!
//! `cargo run --release -p race -- event_loop` runs this comparison and writes its tables for the
//! book. The two loops take turns at the same work. `ours.rs` and `tokio.rs` note what might be
//! unfair.

mod ours;
mod tokio;

use std::future::poll_fn;
use std::sync::{Mutex, mpsc};
use std::task::{Poll, Waker};
use std::time::Duration;

use anyhow::{Result, ensure};
use kit::OneCpu;

use crate::Options;
use crate::findings::Findings;
use crate::measuring::per_operation;
use crate::rounds::{Contestant, Figures, compete, table};

/// The contestant that our loop is compared with.
const REFERENCE: &str = "tokio";

/// Carries out a number of operations and returns their processor time in nanoseconds.
type Run = fn(u64) -> Result<u64>;

struct Load {
    name: &'static str,
    says: &'static str,
    count: u64,
    ours: Run,
    tokios: Run,
}

macro_rules! load {
    ($name:ident beside $tokios:ident, $count:literal, $says:literal) => {
        Load {
            name: stringify!($name),
            says: $says,
            count: $count,
            ours: ours::$name,
            tokios: tokio::$tokios,
        }
    };
    ($name:ident, $count:literal, $says:literal) => {
        load!($name beside $name, $count, $says)
    };
}

const LOADS: [Load; 10] = [
    load!(yield_alone, 1_000_000, "One task yields, and nothing else is registered"),
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
    load!(
        queue_of_one,
        1_000_000,
        "An item passes to another task: through the library's `Queue::new(1)`, and tokio's \
         `mpsc::channel(1)`"
    ),
];

/// Measures the selected loads and adds a table for each load.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let wanted: Vec<&Load> = LOADS.iter().filter(|load| options.wants(load.name)).collect();
    ensure!(!wanted.is_empty(), "no load has this name: {:?}", options.only);
    let _one_cpu = OneCpu::here();
    for load in wanted {
        eprintln!("{}: {} rounds", load.name, options.rounds());
        let table = table(REFERENCE, &load.compete(options)?);
        findings.add(&format!("\n**{}.** (`{}`)\n\n{table}\n", load.says, load.name));
    }
    Ok(())
}

impl Load {
    /// Makes the two loops take turns at this load and returns their figures.
    fn compete(&self, options: &Options) -> Result<Vec<Figures>> {
        let count = options.share_of(self.count);
        let contestant = |name, run: Run| Contestant {
            name,
            run: Box::new(move || Ok(per_operation(run(count)?, count))),
        };
        let mut contestants =
            [contestant("step 07", self.ours), contestant(REFERENCE, self.tokios)];
        compete(options.rounds(), REFERENCE, &mut contestants)
    }
}

/// Returns the delay of the timer with this number. The delays of a million timers are spread over
/// a thousand milliseconds.
pub(crate) fn delay_of(number: u64) -> Duration {
    // The delays are spread evenly and out of order, because the factor has no common divisor with
    // a million.
    Duration::from_micros(number * 7919 % 1_000_000)
}

/// Returns the delay of one of the sparse sleeps. Each delay is a tenth of a millisecond longer
/// than the previous delay.
pub(crate) fn sparse_delay_of(number: u64) -> Duration {
    Duration::from_micros(100 * number)
}

/// Stores this task's waker, asks the thread to wake the task, and waits until the thread has done
/// so.
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
