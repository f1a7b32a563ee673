//! Measures the cost of waking a loop from another thread and getting its answer, on one core.
//!
//! `cargo run --release -p race -- wakes` runs this comparison and writes its table for the book.

use std::thread;

use anyhow::Result;
use kit::OneCpu;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::{read, write};
use step03_selector::{EpollSelector, Interest, Selector};
use step05_selfpipe::{EventFd, SelfPipe};

use crate::Options;
use crate::findings::Findings;
use crate::measuring::{per_operation, processor_time_of_all};
use crate::plot::time;
use crate::rounds::{Contestant, compete};

const ONE: [u8; 8] = 1_u64.to_ne_bytes();
/// The number of round trips in each contestant's turn.
const TRIPS: u64 = 100_000;
/// The contestant that all other contestants are compared with.
const REFERENCE: &str = "bare `epoll_wait(2)`, `read(2)` and `write(2)`, on an eventfd";

/// A way to wake the loop: makes a number of round trips and returns the nanoseconds per trip.
type Way = fn(u64) -> f64;

const WAYS: [(&str, Way); 3] = [
    (REFERENCE, bare),
    ("`EpollSelector` and `EventFd`", event_fd),
    ("`EpollSelector` and `SelfPipe`, a pair of sockets", self_pipe),
];

/// Makes the contestants take turns on one core and adds a table.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let _one_cpu = OneCpu::here();
    let trips = options.share_of(TRIPS);
    let mut contestants =
        WAYS.map(|(name, way)| Contestant { name, run: Box::new(move || Ok(way(trips))) });
    eprintln!("{trips} round trips: {} rounds", options.rounds());
    let figures = compete(options.rounds(), REFERENCE, &mut contestants)?;
    findings.add("\n| the loop's side | there and back | beside the bare calls |\n");
    findings.add("| --- | ---: | ---: |\n");
    for it in figures {
        let (trip, ratio) = (time(it.nanos.median), it.ratio.median);
        findings.add(&format!("| {} | {trip} | {ratio:.2} times |\n", it.name));
    }
    Ok(())
}

/// Measures the round trips with bare system calls.
fn bare(trips: u64) -> f64 {
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

/// Measures the round trips with our layers, through an eventfd.
fn event_fd(trips: u64) -> f64 {
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

/// Measures the round trips with our layers, through a socket pair.
fn self_pipe(trips: u64) -> f64 {
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

/// Makes another thread wake a sleeping loop and wait for its answer, `trips` times. The answer is
/// sent the same way in all cases. Returns the nanoseconds per trip.
///
/// The processor time of all threads counts. They share a core, and one of them is always working,
/// so on an idle machine, the total equals the elapsed time.
fn there_and_back(trips: u64, wake: impl Fn() + Sync, mut sleep: impl FnMut()) -> f64 {
    let answer = eventfd(0, EventfdFlags::CLOEXEC).expect("an eventfd");
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..=trips {
                wake();
                assert_eq!(read(&answer, &mut [0; 8]), Ok(8));
            }
        });
        sleep();
        let began = processor_time_of_all();
        for _ in 0..trips {
            assert_eq!(write(&answer, &ONE), Ok(8));
            sleep();
        }
        let took = processor_time_of_all().saturating_sub(began);
        assert_eq!(write(&answer, &ONE), Ok(8));
        per_operation(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), trips)
    })
}
