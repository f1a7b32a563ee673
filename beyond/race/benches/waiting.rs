//! The price of waiting: epoll, poll(2) and select(2), with few and with many idle descriptors.
//!
//! `cargo run --release -p race -- waiting` runs this and writes the table and the plot of the
//! book.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod processor_time;

use std::hint::black_box;
use std::os::fd::OwnedFd;

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use processor_time::{ProcessorTime, settings};
use race::{Pipes, raise_descriptor_limit};
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector};

/// The number of other descriptors: those that a process has open anyway, and writing ends that
/// aren't sent yet.
const OTHERS: usize = 300;
/// The number of descriptors that select(2) can take: it has room for 1024, and some are used
/// otherwise.
const SELECT_TAKES: usize = 1010;

/// Measures one wait that finds one ready descriptor among N idle ones.
fn one_ready(criterion: &mut Criterion<ProcessorTime>) {
    let room = usize::try_from(raise_descriptor_limit()).unwrap_or(usize::MAX);
    let mut group = criterion.benchmark_group("one_ready");
    for idle in [1, 10, 100, 1000, 10_000] {
        if idle + OTHERS > room {
            println!("{idle} idle pipes are more than the limit of {room} allows: left out");
            continue;
        }
        let silent = Pipes::with(b"", idle).expect("idle pipes");
        let speaking = Pipes::with(b"x", 1).expect("a pipe");
        let all = || silent.readers().iter().chain(speaking.readers());
        measure(&mut group, "epoll", idle, 1, EpollSelector::new().expect("epoll"), all());
        measure(&mut group, "poll", idle, 1, PollSelector::new(), all());
        if idle < SELECT_TAKES {
            measure(&mut group, "select", idle, 1, SelectSelector::new(), all());
        }
    }
    group.finish();
}

/// Measures a wait in which all descriptors are ready, so epoll has no idle ones to skip.
fn all_ready(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("all_ready");
    for count in [1, 10, 100, 1000] {
        let pipes = Pipes::with(b"x", count).expect("pipes");
        let all = || pipes.readers().iter();
        measure(&mut group, "epoll", count, count, EpollSelector::new().expect("epoll"), all());
        measure(&mut group, "poll", count, count, PollSelector::new(), all());
        measure(&mut group, "select", count, count, SelectSelector::new(), all());
    }
    group.finish();
}

fn measure<'fd>(
    group: &mut BenchmarkGroup<'_, ProcessorTime>,
    backend: &str,
    count: usize,
    found: usize,
    mut selector: impl Selector<usize>,
    descriptors: impl Iterator<Item = &'fd OwnedFd>,
) {
    for (place, fd) in descriptors.enumerate() {
        selector.register(fd, Interest::READABLE, place).expect("a registration");
    }
    let mut ready = Vec::new();
    group.bench_function(BenchmarkId::new(backend, count), |bencher| {
        bencher.iter(|| {
            selector.select(None, &mut ready).expect("a wait");
            assert_eq!(black_box(&ready).len(), found);
        });
    });
}

/// Measures register and unregister, and modify there and back. epoll makes a system call for each;
/// the others only change a table of their own.
fn changes(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("changes");
    change(&mut group, "epoll", EpollSelector::new().expect("epoll"));
    change(&mut group, "poll", PollSelector::new());
    change(&mut group, "select", SelectSelector::new());
    group.finish();
}

fn change(
    group: &mut BenchmarkGroup<'_, ProcessorTime>,
    backend: &str,
    mut selector: impl Selector<usize>,
) {
    let pipes = Pipes::with(b"", 10).expect("pipes");
    for fd in &pipes.readers()[1..] {
        selector.register(fd, Interest::READABLE, 0).expect("a registration");
    }
    let fd = &pipes.readers()[0];
    group.bench_function(BenchmarkId::new(backend, "register"), |bencher| {
        bencher.iter(|| {
            selector.register(fd, Interest::READABLE, 0).expect("a registration");
            selector.unregister(fd).expect("the end of it");
        });
    });
    let both = Interest::READABLE | Interest::WRITABLE;
    selector.register(fd, Interest::READABLE, 0).expect("a registration");
    group.bench_function(BenchmarkId::new(backend, "modify"), |bencher| {
        bencher.iter(|| {
            selector.modify(fd, both, 0).expect("a change");
            selector.modify(fd, Interest::READABLE, 0).expect("and back");
        });
    });
}

criterion_group! {
    name = waiting;
    config = settings();
    targets = one_ready, all_ready, changes
}
criterion_main!(waiting);
