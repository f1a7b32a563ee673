//! The cost of waking a loop from another thread and getting its answer, on one core.
//!
//! `cargo run --release -p race -- wakes` runs this and writes the table of the book.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod ratio;

use std::thread;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ratio::{Ratio, in_turn};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::{read, write};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use step03_selector::{EpollSelector, Interest, Selector};
use step05_selfpipe::{EventFd, SelfPipe};

const ONE: [u8; 8] = 1_u64.to_ne_bytes();
/// The number of trips per round, when two ways take turns.
const A_ROUND: u64 = 2000;

/// A way to wake the loop: makes a number of round trips and returns the time that they take.
type Way = fn(u64) -> Duration;

const WAYS: [(&str, Way); 3] = [("bare", bare), ("event_fd", event_fd), ("self_pipe", self_pipe)];

/// Makes the round trips with bare system calls.
fn bare(trips: u64) -> Duration {
    let alarm = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).expect("an eventfd");
    let loops = epoll::create(CreateFlags::CLOEXEC).expect("epoll");
    epoll::add(&loops, &alarm, EventData::new_u64(0), EventFlags::IN).expect("a registration");
    let mut events = Vec::with_capacity(64);
    there_and_back(
        trips,
        || assert_eq!(write(&alarm, &ONE), Ok(8)),
        || {
            events.clear();
            epoll::wait(&loops, rustix::buffer::spare_capacity(&mut events), None).expect("a wait");
            assert_eq!(read(&alarm, &mut [0; 8]), Ok(8));
        },
    )
}

/// Makes the round trips with the layers, on an eventfd.
fn event_fd(trips: u64) -> Duration {
    let alarm = EventFd::new().expect("an eventfd");
    let mut selector = EpollSelector::new().expect("epoll");
    selector.register(&alarm, Interest::READABLE, ()).expect("a registration");
    let mut ready = Vec::new();
    there_and_back(
        trips,
        || alarm.wake(),
        || {
            selector.select(None, &mut ready).expect("a wait");
            assert!(alarm.drain().expect("what it was woken by") > 0);
        },
    )
}

/// Makes the round trips with the layers, on a socket pair.
fn self_pipe(trips: u64) -> Duration {
    let pipe = SelfPipe::new().expect("a pair");
    let waker = pipe.waker();
    let mut selector = EpollSelector::new().expect("epoll");
    selector.register(&pipe, Interest::READABLE, ()).expect("a registration");
    let mut ready = Vec::new();
    there_and_back(
        trips,
        || waker.wake(),
        || {
            selector.select(None, &mut ready).expect("a wait");
            assert!(pipe.drain().expect("what it was woken by") > 0);
        },
    )
}

/// Lets another thread wake a sleeping loop and wait for its answer, `trips` times. The answer is
/// sent in the same way in all cases. Returns the time from the first wake-up to the last.
fn there_and_back(trips: u64, wake: impl Fn() + Sync, mut sleep: impl FnMut()) -> Duration {
    let answer = eventfd(0, EventfdFlags::CLOEXEC).expect("an eventfd");
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..=trips {
                wake();
                assert_eq!(read(&answer, &mut [0; 8]), Ok(8));
            }
        });
        sleep();
        let began = now();
        for _ in 0..trips {
            assert_eq!(write(&answer, &ONE), Ok(8));
            sleep();
        }
        let took = now().saturating_sub(began);
        assert_eq!(write(&answer, &ONE), Ok(8));
        took
    })
}

/// Returns the processor time that all threads have used so far. They share a core and one of them
/// always works, so on an idle machine this equals the elapsed time.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Keeps this thread, and those it starts, on one core.
fn stay_on_one_core() {
    let allowed = sched_getaffinity(None).expect("the cores");
    let first = (0..CpuSet::MAX_CPU).find(|&core| allowed.is_set(core)).expect("a core");
    let mut one = CpuSet::new();
    one.set(first);
    sched_setaffinity(None, &one).expect("one core");
}

fn times(criterion: &mut Criterion<WallTime>) {
    stay_on_one_core();
    let mut group = criterion.benchmark_group("round_trip");
    for (name, way) in WAYS {
        group.bench_function(BenchmarkId::new(name, 1), |bencher| bencher.iter_custom(way));
    }
    group.finish();
}

fn ratios(criterion: &mut Criterion<Ratio>) {
    stay_on_one_core();
    let mut group = criterion.benchmark_group("round_trip_ratio");
    for (name, way) in WAYS {
        group.bench_function(BenchmarkId::new(name, "bare"), |bencher| {
            in_turn(bencher, || way(A_ROUND), || bare(A_ROUND));
        });
    }
    group.finish();
}

criterion_group! {
    name = of_times;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .sample_size(50);
    targets = times
}
criterion_group! {
    name = of_ratios;
    config = ratio::settings().sample_size(100);
    targets = ratios
}
criterion_main!(of_times, of_ratios);
