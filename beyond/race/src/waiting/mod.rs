//! Measures the cost of waiting with epoll, poll(2) and select(2), for few and for many idle
//! descriptors.
//!
//! `cargo run --release -p race -- waiting` runs this comparison and writes its tables and its plot
//! for the book.

mod estimates;
mod table;

use std::hint::black_box;
use std::os::fd::OwnedFd;
use std::time::Duration;

use anyhow::{Result, ensure};
use step03_selector::{EpollSelector, Interest, PollSelector, SelectSelector, Selector};

use crate::Options;
use crate::findings::Findings;
use crate::measuring::raise_descriptor_limit;
use crate::pipes::Pipes;
use crate::waiting::estimates::Estimates;

/// The number of descriptors that the measurements need, which is enough for a thousand pipes. Ten
/// thousand pipes are measured only if the limit allows it.
const DESCRIPTORS: usize = 4096;
/// The number of other descriptors: those that the process has open anyway, and the pipes' write
/// ends that [`Pipes`] hasn't sent yet.
const OTHERS: usize = 300;
/// The maximum number of descriptors that we pass to select(2): it has room for 1024 descriptors,
/// and the process uses some of these for other purposes.
const SELECT_TAKES: usize = 1010;

/// Measures all cases and adds the medians to the findings.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let limit = raise_descriptor_limit();
    ensure!(
        limit >= DESCRIPTORS,
        "{DESCRIPTORS} descriptors are needed, and `ulimit -Hn` allows {limit}"
    );
    let (samples, each) = if options.quick { (10, 1) } else { (50, 30) };
    let mut estimates = Estimates::new(samples, Duration::from_millis(each));
    one_ready(&mut estimates, limit);
    all_ready(&mut estimates);
    changes(&mut estimates);
    table::add(&estimates, findings)
}

/// Measures a wait that finds one ready descriptor among N idle ones.
fn one_ready(estimates: &mut Estimates, room: usize) {
    for idle in [1, 10, 100, 1000, 10_000] {
        if idle + OTHERS > room {
            eprintln!("{idle} idle pipes are more than the limit of {room} allows: left out");
            continue;
        }
        let silent = Pipes::with(b"", idle).expect("idle pipes");
        let speaking = Pipes::with(b"x", 1).expect("a pipe");
        let all = || silent.readers().iter().chain(speaking.readers());
        wait(estimates, "one_ready", "epoll", idle, 1, EpollSelector::new().expect("epoll"), all());
        wait(estimates, "one_ready", "poll", idle, 1, PollSelector::new(), all());
        if idle < SELECT_TAKES {
            wait(estimates, "one_ready", "select", idle, 1, SelectSelector::new(), all());
        }
    }
}

/// Measures a wait in which all descriptors are ready, so epoll has no idle descriptors to skip.
fn all_ready(estimates: &mut Estimates) {
    for count in [1, 10, 100, 1000] {
        let pipes = Pipes::with(b"x", count).expect("pipes");
        let all = || pipes.readers().iter();
        wait(
            estimates,
            "all_ready",
            "epoll",
            count,
            count,
            EpollSelector::new().expect("epoll"),
            all(),
        );
        wait(estimates, "all_ready", "poll", count, count, PollSelector::new(), all());
        wait(estimates, "all_ready", "select", count, count, SelectSelector::new(), all());
    }
}

fn wait<'fd>(
    estimates: &mut Estimates,
    group: &'static str,
    backend: &'static str,
    count: usize,
    found: usize,
    mut selector: impl Selector<usize>,
    descriptors: impl Iterator<Item = &'fd OwnedFd>,
) {
    for (place, fd) in descriptors.enumerate() {
        selector.register(fd, Interest::READABLE, place).expect("a registration");
    }
    let mut ready = Vec::new();
    estimates.measure(group, backend, count, || {
        selector.select(None, &mut ready).expect("a wait");
        assert_eq!(black_box(&ready).len(), found);
    });
}

/// Measures `register` followed by `unregister`, and `modify` to a different interest and back.
/// epoll makes a system call for each; poll and select only change a table in our memory.
fn changes(estimates: &mut Estimates) {
    change(estimates, "epoll", EpollSelector::new().expect("epoll"));
    change(estimates, "poll", PollSelector::new());
    change(estimates, "select", SelectSelector::new());
}

fn change(estimates: &mut Estimates, backend: &'static str, mut selector: impl Selector<usize>) {
    let pipes = Pipes::with(b"", 10).expect("pipes");
    for fd in &pipes.readers()[1..] {
        selector.register(fd, Interest::READABLE, 0).expect("a registration");
    }
    let fd = &pipes.readers()[0];
    estimates.measure("changes", backend, "register", || {
        selector.register(fd, Interest::READABLE, 0).expect("a registration");
        selector.unregister(fd).expect("the end of it");
    });
    let both = Interest::READABLE | Interest::WRITABLE;
    selector.register(fd, Interest::READABLE, 0).expect("a registration");
    estimates.measure("changes", backend, "modify", || {
        selector.modify(fd, both, 0).expect("a change");
        selector.modify(fd, Interest::READABLE, 0).expect("and back");
    });
}
