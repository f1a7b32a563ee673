//! The price of waiting: epoll, poll(2) and select(2), with few and with many idle descriptors.
//!
//! `cargo run --release -p race -- waiting` runs this and writes the table and the plot of the
//! book. The benchmarks never sleep, so on an idle machine the processor time that they take is the
//! time that passes.

mod table;

use std::collections::HashMap;
use std::hint::black_box;
use std::os::fd::OwnedFd;

use anyhow::{Result, ensure};
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector};

use crate::Options;
use crate::findings::Findings;
use crate::measuring::{nanos_since, per_operation, processor_time, raise_descriptor_limit};
use crate::pipes::Pipes;
use crate::rounds::Quartiles;

/// The number of descriptors that we need, which is enough for a thousand pipes. Ten thousand pipes
/// are measured only if the limit allows it.
const DESCRIPTORS: usize = 4096;
/// The number of other descriptors: those that a process has open anyway, and writing ends that
/// aren't sent yet.
const OTHERS: usize = 300;
/// The number of descriptors that select(2) can take: it has room for 1024, and some are used
/// otherwise.
const SELECT_TAKES: usize = 1010;

/// What each case takes, in nanoseconds.
struct Medians {
    samples: usize,
    /// An operation is repeated until a sample takes this many nanoseconds.
    sample: u64,
    of: HashMap<(&'static str, &'static str, String), f64>,
}

impl Medians {
    fn new(options: &Options) -> Self {
        let (samples, sample) = if options.quick { (10, 100_000) } else { (50, 20_000_000) };
        Medians { samples, sample, of: HashMap::new() }
    }

    /// Measures an operation, after it has been repeated for a while.
    fn measure(
        &mut self,
        group: &'static str,
        backend: &'static str,
        case: impl ToString,
        mut operation: impl FnMut(),
    ) {
        let mut take = |count: u64| {
            let began = processor_time();
            (0..count).for_each(|_| operation());
            nanos_since(began)
        };
        let mut count = 1;
        while take(count) < self.sample {
            count *= 2;
        }
        let samples = (0..self.samples).map(|_| per_operation(take(count), count)).collect();
        let case = (group, backend, case.to_string());
        self.of.insert(case, Quartiles::of(samples).median);
    }

    /// Returns the median in nanoseconds, or `None` if it wasn't measured.
    fn median(&self, group: &'static str, backend: &'static str, case: &str) -> Option<f64> {
        self.of.get(&(group, backend, case.to_owned())).copied()
    }
}

/// Measures all and adds the medians.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let limit = raise_descriptor_limit();
    ensure!(
        limit >= DESCRIPTORS,
        "{DESCRIPTORS} descriptors are needed, and `ulimit -Hn` allows {limit}"
    );
    let mut medians = Medians::new(options);
    one_ready(&mut medians, limit);
    all_ready(&mut medians);
    changes(&mut medians);
    table::add(&medians, findings)
}

/// Measures one wait that finds one ready descriptor among N idle ones.
fn one_ready(medians: &mut Medians, room: usize) {
    for idle in [1, 10, 100, 1000, 10_000] {
        if idle + OTHERS > room {
            eprintln!("{idle} idle pipes are more than the limit of {room} allows: left out");
            continue;
        }
        let silent = Pipes::with(b"", idle).expect("idle pipes");
        let speaking = Pipes::with(b"x", 1).expect("a pipe");
        let all = || silent.readers().iter().chain(speaking.readers());
        let mut wait = Wait { medians, group: "one_ready", count: idle, found: 1 };
        wait.with("epoll", EpollSelector::new().expect("epoll"), all());
        wait.with("poll", PollSelector::new(), all());
        if idle < SELECT_TAKES {
            wait.with("select", SelectSelector::new(), all());
        }
    }
}

/// Measures a wait in which all descriptors are ready, so epoll has no idle ones to skip.
fn all_ready(medians: &mut Medians) {
    for count in [1, 10, 100, 1000] {
        let pipes = Pipes::with(b"x", count).expect("pipes");
        let all = || pipes.readers().iter();
        let mut wait = Wait { medians, group: "all_ready", count, found: count };
        wait.with("epoll", EpollSelector::new().expect("epoll"), all());
        wait.with("poll", PollSelector::new(), all());
        wait.with("select", SelectSelector::new(), all());
    }
}

/// A wait with this many descriptors, of which so many are found ready.
struct Wait<'a> {
    medians: &'a mut Medians,
    group: &'static str,
    count: usize,
    found: usize,
}

impl Wait<'_> {
    fn with<'fd>(
        &mut self,
        backend: &'static str,
        mut selector: impl Selector<usize>,
        descriptors: impl Iterator<Item = &'fd OwnedFd>,
    ) {
        for (place, fd) in descriptors.enumerate() {
            selector.register(fd, Interest::READABLE, place).expect("a registration");
        }
        let (mut ready, found) = (Vec::new(), self.found);
        self.medians.measure(self.group, backend, self.count, || {
            selector.select(None, &mut ready).expect("a wait");
            assert_eq!(black_box(&ready).len(), found);
        });
    }
}

/// Measures register and unregister and modify there and back. epoll makes a system call for each;
/// the others only change a table of their own.
fn changes(medians: &mut Medians) {
    change(medians, "epoll", EpollSelector::new().expect("epoll"));
    change(medians, "poll", PollSelector::new());
    change(medians, "select", SelectSelector::new());
}

fn change(medians: &mut Medians, backend: &'static str, mut selector: impl Selector<usize>) {
    let pipes = Pipes::with(b"", 10).expect("pipes");
    for fd in &pipes.readers()[1..] {
        selector.register(fd, Interest::READABLE, 0).expect("a registration");
    }
    let fd = &pipes.readers()[0];
    medians.measure("changes", backend, "register", || {
        selector.register(fd, Interest::READABLE, 0).expect("a registration");
        selector.unregister(fd).expect("the end of it");
    });
    let both = Interest::READABLE | Interest::WRITABLE;
    selector.register(fd, Interest::READABLE, 0).expect("a registration");
    medians.measure("changes", backend, "modify", || {
        selector.modify(fd, both, 0).expect("a change");
        selector.modify(fd, Interest::READABLE, 0).expect("and back");
    });
}
