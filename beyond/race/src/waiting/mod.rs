//! Measures the cost of waiting with epoll, poll(2) and select(2), for few and for many idle
//! descriptors.
//!
//! `cargo run --release -p race -- waiting` runs this comparison and writes its tables and its plot
//! for the book.

mod estimates;
mod processor_time;
mod table;

use std::fs;
use std::hint::black_box;
use std::os::fd::OwnedFd;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use criterion::{BenchmarkGroup, BenchmarkId, Criterion};
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector};

use crate::Options;
use crate::findings::Findings;
use crate::measuring::{raise_descriptor_limit, scratch_dir};
use crate::pipes::Pipes;
use crate::waiting::estimates::Estimates;
use crate::waiting::processor_time::ProcessorTime;

/// The number of descriptors that the measurements need, which is enough for a thousand pipes. Ten
/// thousand pipes are measured only if the limit allows it.
const DESCRIPTORS: usize = 4096;
/// The number of other descriptors: those that the process has open anyway, and the pipes' write
/// ends that [`Pipes`] hasn't sent yet.
const OTHERS: usize = 300;
/// The maximum number of descriptors that we pass to select(2): it has room for 1024 descriptors,
/// and the process uses some of these for other purposes.
const SELECT_TAKES: usize = 1010;

/// Measures all cases with criterion and adds the medians to the findings.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let limit = raise_descriptor_limit();
    ensure!(
        limit >= DESCRIPTORS,
        "{DESCRIPTORS} descriptors are needed, and `ulimit -Hn` allows {limit}"
    );
    let measured = scratch_dir().join("waiting");
    // Otherwise, we could mistake an earlier run's figures for this run's.
    if measured.exists() {
        fs::remove_dir_all(&measured).context("clear the earlier figures")?;
    }
    let milliseconds = if options.quick { 10 } else { 1500 };
    let mut criterion = Criterion::default()
        .with_measurement(ProcessorTime)
        .without_plots()
        .output_directory(&measured)
        .sample_size(if options.quick { 10 } else { 50 })
        .nresamples(if options.quick { 1000 } else { 100_000 })
        .warm_up_time(Duration::from_millis(milliseconds / 5))
        .measurement_time(Duration::from_millis(milliseconds));
    one_ready(&mut criterion, limit);
    all_ready(&mut criterion);
    changes(&mut criterion);
    table::add(&Estimates::in_dir(&measured), findings)
}

/// Measures a wait that finds one ready descriptor among N idle ones.
fn one_ready(criterion: &mut Criterion<ProcessorTime>, room: usize) {
    let mut group = criterion.benchmark_group("one_ready");
    for idle in [1, 10, 100, 1000, 10_000] {
        if idle + OTHERS > room {
            eprintln!("{idle} idle pipes are more than the limit of {room} allows: left out");
            continue;
        }
        let silent = Pipes::with(b"", idle).expect("idle pipes");
        let speaking = Pipes::with(b"x", 1).expect("a pipe");
        let all = || silent.readers().iter().chain(speaking.readers());
        wait(&mut group, "epoll", idle, 1, EpollSelector::new().expect("epoll"), all());
        wait(&mut group, "poll", idle, 1, PollSelector::new(), all());
        if idle < SELECT_TAKES {
            wait(&mut group, "select", idle, 1, SelectSelector::new(), all());
        }
    }
    group.finish();
}

/// Measures a wait in which all descriptors are ready, so epoll has no idle descriptors to skip.
fn all_ready(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("all_ready");
    for count in [1, 10, 100, 1000] {
        let pipes = Pipes::with(b"x", count).expect("pipes");
        let all = || pipes.readers().iter();
        wait(&mut group, "epoll", count, count, EpollSelector::new().expect("epoll"), all());
        wait(&mut group, "poll", count, count, PollSelector::new(), all());
        wait(&mut group, "select", count, count, SelectSelector::new(), all());
    }
    group.finish();
}

fn wait<'fd>(
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

/// Measures `register` followed by `unregister`, and `modify` to a different interest and back.
/// epoll makes a system call for each; poll and select only change a table in our memory.
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
