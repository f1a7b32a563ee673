//! The cost of waiting, in a thread and in a task.

use std::fs;
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, anyhow};
use scene::{Transcript, say, scene};
use step06_tasks::{Future, ReadyQueue};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

scene!(
    waiting_in_a_thread_or_in_a_task,
    "64 threads wait, each with a stack of 1 MiB. How much memory do they use?"
);
/// Less than 64 KiB each, of a stack of 1 MiB: the kernel only reserves addresses for the stack
/// and finds memory for a page when the thread first touches it. A thread that waits has touched a
/// few pages. A task has no stack. While it waits, all that's left of it is its coroutine, with the
/// variables that it still needs, and some bookkeeping (`in use:   less than 1 KiB each`).
fn waiting_in_a_thread_or_in_a_task(t: Transcript) -> anyhow::Result<()> {
    // The scene compares stacks, and an arena of the allocator can be larger than one.
    kit::memory::share_one_arena();
    let (reserved, used) = growth(|| start_threads(64), stop_threads)?;
    say!(t, "64 threads, each with a stack of 1 MiB");
    say!(t, "  reserved: {} each", at_least(reserved / 64, MIB, "1 MiB"));
    say!(t, "  in use:   {} each", less_than(used / 64, 64 * KIB, "64 KiB"));

    let (_, used) = growth(|| create_tasks(10_000), clear)?;
    say!(t, "10000 tasks, each waiting for a future");
    say!(t, "  in use:   {} each", less_than(used / 10_000, KIB, "1 KiB"));
    Ok(())
}

fn at_least(bytes: u64, bound: u64, name: &str) -> String {
    if bytes >= bound { format!("{name} or more") } else { format!("only {bytes} bytes") }
}

fn less_than(bytes: u64, bound: u64, name: &str) -> String {
    if bytes < bound { format!("less than {name}") } else { format!("{bytes} bytes") }
}

/// Returns by how much the reserved and the used memory of this process grow while something
/// exists.
fn growth<S>(
    start: impl FnOnce() -> anyhow::Result<S>,
    stop: impl FnOnce(S) -> anyhow::Result<()>,
) -> anyhow::Result<(u64, u64)> {
    let before = (reserved()?, used()?);
    let something = start()?;
    let after = (reserved()?, used()?);
    stop(something)?;
    Ok((after.0.saturating_sub(before.0), after.1.saturating_sub(before.1)))
}

/// The size of the address space; see `proc_pid_status(5)`.
fn reserved() -> anyhow::Result<u64> {
    kilobytes("/proc/self/status", "VmSize:")
}

/// The memory that is resident, counted page by page; see `proc_pid_smaps(5)`.
fn used() -> anyhow::Result<u64> {
    kilobytes("/proc/self/smaps_rollup", "Rss:")
}

fn kilobytes(file: &str, field: &str) -> anyhow::Result<u64> {
    let text = fs::read_to_string(file)?;
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB")).context("no such field")?;
    Ok(number.parse::<u64>()? * KIB)
}

/// A thread, and the channel whose end it waits for.
type Waiting = (thread::JoinHandle<()>, mpsc::Sender<()>);

fn start_threads(count: usize) -> anyhow::Result<Vec<Waiting>> {
    let mut threads = Vec::new();
    for _ in 0..count {
        let (sender, receiver) = mpsc::channel::<()>();
        let (started, has_started) = mpsc::channel();
        let body = move || {
            let _ = started.send(());
            let _ = receiver.recv();
        };
        let builder = thread::Builder::new().stack_size(usize::try_from(MIB)?);
        threads.push((builder.spawn(body)?, sender));
        has_started.recv()?;
    }
    Ok(threads)
}

fn stop_threads(threads: Vec<Waiting>) -> anyhow::Result<()> {
    for (thread, sender) in threads {
        drop(sender);
        thread.join().map_err(|_| anyhow!("a thread panicked"))?;
    }
    Ok(())
}

fn clear(queue: ReadyQueue) -> anyhow::Result<()> {
    // Each task would be reported as pending.
    queue.set_exception_handler(|_| {});
    queue.clear();
    Ok(())
}

fn create_tasks(count: usize) -> anyhow::Result<ReadyQueue> {
    let queue = ReadyQueue::new()?;
    for _ in 0..count {
        let never: Future<()> = queue.create_future();
        queue.create_task(never);
    }
    queue.run_ready();
    Ok(queue)
}
