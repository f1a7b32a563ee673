//! Reports a layer that hangs. The watchdog runs only under `run-mine`, where the reader wrote the
//! layers.
//!
//! A layer that never returns keeps the GIL, so no Python code can notice the hang, and Ctrl-C has
//! to wait for the GIL, too. A separate thread therefore checks from time to time what each thread
//! is doing and what it has finished, and reports a thread that hangs. A loop that sleeps because
//! it has nothing to do isn't hanging, and neither is Python code that takes a long time.
//!
//! Without `run-mine`, no watchdog is started. `IS_ON` is false, so the threads record nothing.

#[cfg(feature = "loop")]
use std::cmp::Reverse;
#[cfg(feature = "loop")]
use std::collections::{BinaryHeap, HashMap};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use rustix::process::{Signal, getpid, kill_process};
use rustix::thread::gettid;
use rustix::time::{ClockId, clock_gettime};

static IS_ON: AtomicBool = AtomicBool::new(false);
static THREADS: Mutex<Vec<Arc<Thread>>> = Mutex::new(Vec::new());

/// The number of turns after which a loop that runs no callbacks counts as hanging.
const TURNS: u64 = 100_000;
/// The minimum length of a real sleep, in nanoseconds.
#[cfg(feature = "loop")]
const A_REAL_SLEEP: u64 = 1_000_000;
/// The number of checks after which the watchdog reports a hang.
const LOOKS: u64 = 10;

/// A thread's current activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Place {
    /// The thread runs none of our code, or it runs Python code that a layer has called.
    Python,
    /// The thread is in a call from Python into a layer.
    Call,
    /// The thread is in the selector's `select`, which sleeps.
    Select,
    /// The thread is running the loop.
    Tick,
    /// The thread is in our own sleep, in the middle of a tick.
    Sleep,
}

const PLACES: [Place; 5] = [Place::Python, Place::Call, Place::Select, Place::Tick, Place::Sleep];

impl Place {
    fn in_words(self) -> &'static str {
        match self {
            Place::Python => "Python",
            Place::Call => "a call into the layers (such as call_soon, call_later or add_reader)",
            Place::Select => "select of step 03",
            Place::Tick | Place::Sleep => {
                "a tick of the loop (run_once of step 07, or a layer that it calls)"
            }
        }
    }
}

/// The watchdog's record of a thread that has called a layer.
struct Thread {
    id: i32,
    place: AtomicU8,
    /// The number of times that a layer has finished a piece of work.
    done: AtomicU64,
    /// The number of turns that a loop has made, whether or not they did any work.
    turns: AtomicU64,
    /// The time by which the thread should be awake, in nanoseconds on the monotonic clock.
    deadline: AtomicU64,
}

thread_local! {
    static THREAD: Arc<Thread> = {
        let thread = Arc::new(Thread {
            id: gettid().as_raw_pid(),
            place: AtomicU8::new(Place::Python as u8),
            done: AtomicU64::new(0),
            turns: AtomicU64::new(0),
            deadline: AtomicU64::new(u64::MAX),
        });
        THREADS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&thread));
        thread
    };
}

/// Returns true if the watchdog is running, as it is under `run-mine`.
pub(crate) fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// Sets the thread's place for as long as `work` runs and then restores the previous place, even
/// after a panic.
pub(crate) fn at<T>(place: Place, work: impl FnOnce() -> T) -> T {
    struct Back(u8);
    impl Drop for Back {
        fn drop(&mut self) {
            THREAD.with(|thread| thread.place.store(self.0, Relaxed));
        }
    }
    if !is_on() {
        return work();
    }
    let _back = Back(THREAD.with(|thread| thread.place.swap(place as u8, Relaxed)));
    work()
}

/// Records that a layer has finished a piece of work.
pub(crate) fn done() {
    if is_on() {
        THREAD.with(|thread| thread.done.fetch_add(1, Relaxed));
    }
}

/// Records that a loop has begun another turn.
pub(crate) fn turn() {
    if is_on() {
        THREAD.with(|thread| thread.turns.fetch_add(1, Relaxed));
    }
}

/// Records the maximum time for which the thread may sleep next.
pub(crate) fn expect_in(timeout: Option<Duration>) {
    if is_on() {
        let timeout = timeout.and_then(|timeout| u64::try_from(timeout.as_nanos()).ok());
        expect_by(timeout.and_then(|timeout| now().checked_add(timeout)));
    }
}

/// Records when the thread has to be awake again, in nanoseconds on the monotonic clock.
pub(crate) fn expect_by(deadline: Option<u64>) {
    THREAD.with(|thread| thread.deadline.store(deadline.unwrap_or(u64::MAX), Relaxed));
}

/// Sleeps in the middle of a tick. A real sleep counts as work, but a check without a wait doesn't,
/// and neither does a sleep that's ended by a signal, such as our own.
#[cfg(feature = "loop")]
pub(crate) fn sleep<T, E>(asleep: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let began = if is_on() { now() } else { 0 };
    let result = at(Place::Sleep, asleep);
    if is_on() && result.is_ok() && now() - began > A_REAL_SLEEP {
        done();
    }
    result
}

/// Starts the watchdog. It reports a hang after `patience` seconds and an overlong sleep after half
/// that time.
#[pyfunction]
pub(crate) fn watch(patience: f64) -> PyResult<()> {
    if !IS_ON.swap(true, Relaxed) {
        let patience = Duration::try_from_secs_f64(patience).unwrap_or(Duration::MAX);
        thread::Builder::new().name("watchdog".to_owned()).spawn(move || look_forever(patience))?;
    }
    Ok(())
}

/// Turns the watchdog off in a forked child, which doesn't inherit the watchdog's thread.
#[pyfunction]
pub(crate) fn stop_watching() {
    IS_ON.store(false, Relaxed);
}

/// The times at which a loop's callbacks should run, by the slots of their handles.
#[cfg(feature = "loop")]
#[derive(Default)]
pub(crate) struct Expected {
    /// Each entry consists of a time, a unique number and a slot. The number is needed because the
    /// slot may belong to a different callback by now.
    by_time: BinaryHeap<Reverse<(u64, u64, u32)>>,
    numbers: HashMap<u32, u64>,
    last: u64,
}

#[cfg(feature = "loop")]
impl Expected {
    pub(crate) fn insert(&mut self, slot: u32, when: u64) {
        self.last += 1;
        self.numbers.insert(slot, self.last);
        self.by_time.push(Reverse((when, self.last, slot)));
    }

    /// Forgets the previous callback in a slot.
    pub(crate) fn forget(&mut self, slot: u32) {
        self.numbers.remove(&slot);
    }

    /// Returns the time of the next callback that's still waiting.
    pub(crate) fn next(&mut self, waits: impl Fn(u32) -> bool) -> Option<u64> {
        while let Some(&Reverse((when, number, slot))) = self.by_time.peek() {
            if self.numbers.get(&slot) == Some(&number) && waits(slot) {
                return Some(when);
            }
            self.by_time.pop();
        }
        None
    }
}

/// What the watchdog has seen of a thread since the thread last finished a piece of work.
#[derive(Default)]
struct Seen {
    done: u64,
    turns: u64,
    /// The number of checks that have found the thread in a layer since then, or since it last
    /// slept where it may.
    looks: u64,
    is_reported: bool,
}

fn look_forever(patience: Duration) {
    let pause = patience / u32::try_from(LOOKS).unwrap_or(u32::MAX);
    let mut seen: Vec<Seen> = Vec::new();
    loop {
        thread::sleep(pause);
        // A thread that has ended stays in the list; its place is Python forever.
        let threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner).clone();
        seen.resize_with(threads.len(), Seen::default);
        for (thread, seen) in threads.iter().zip(&mut seen) {
            if let Some(complaint) = seen.look(thread, patience) {
                report(&complaint);
            }
        }
    }
}

impl Seen {
    /// Checks a thread. Returns a description of the thread's fault, if there's a fault that hasn't
    /// been reported yet.
    fn look(&mut self, thread: &Thread, patience: Duration) -> Option<String> {
        let (done, turns) = (thread.done.load(Relaxed), thread.turns.load(Relaxed));
        let place = PLACES[usize::from(thread.place.load(Relaxed))];
        if done != self.done {
            *self = Seen { done, turns, ..Seen::default() };
            return None;
        }
        let waits = match place {
            Place::Python => return None,
            Place::Select => is_asleep(thread.id),
            Place::Sleep => true,
            Place::Call | Place::Tick => false,
        };
        self.looks = if waits { 0 } else { self.looks + 1 };
        if self.is_reported {
            return None;
        }
        let complaint = self.complaint(thread, place, waits, turns - self.turns, patience);
        self.is_reported = complaint.is_some();
        complaint
    }

    fn complaint(
        &self,
        thread: &Thread,
        place: Place,
        waits: bool,
        turns: u64,
        patience: Duration,
    ) -> Option<String> {
        let late = Duration::from_nanos(now().saturating_sub(thread.deadline.load(Relaxed)));
        if waits && late > patience / 2 {
            let late = late.as_secs_f64();
            return Some(match place {
                Place::Select => {
                    format!("select of step 03 sleeps {late:.0} s longer than it was told")
                }
                _ => format!(
                    "the loop sleeps, although something was due {late:.0} s ago (see select_timeout \
                     of step 07, the timers of step 04 and the queue of step 06)"
                ),
            });
        }
        if turns >= TURNS {
            let loops = if place == Place::Select { place } else { Place::Tick };
            return Some(format!(
                "{} has come {turns} times in a row without a sleep, and nothing has run",
                loops.in_words()
            ));
        }
        (self.looks >= LOOKS).then(|| {
            let (call, patience) = (place.in_words(), patience.as_secs_f64());
            if is_asleep(thread.id) {
                format!(
                    "{call} has slept in the kernel for {patience:.0} s, and no other thread of \
                     Python can run meanwhile (does run_once ask the clock how long to sleep?)"
                )
            } else {
                format!("{call} has neither returned nor slept for {patience:.0} s")
            }
        })
    }
}

/// Reports a fault and sends the signal for Python's faulthandler, which prints a traceback without
/// needing the GIL.
fn report(complaint: &str) {
    eprintln!(
        "\nworkbook: {complaint}. This is where Python is, with the latest call first. (Ctrl-\\ ends a \
         program that doesn't listen to Ctrl-C.)"
    );
    let _ = kill_process(getpid(), Signal::STKFLT);
}

fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// Returns true if a thread is waiting in the kernel.
fn is_asleep(thread: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap_or_default();
    // The thread's name is in parentheses and may itself contain parentheses.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
}
