//! Scenes about leaks: after a great many turns, and after a run.

use std::fs;
use std::future::{pending, poll_fn};
use std::io::{self, Read, Write};
use std::panic::resume_unwind;
use std::sync::mpsc;
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use from_scratch::{JoinHandle, block_on, readable, sleep, spawn};
use kit::memory::Memory;
use kit::proc::processes_of_group;
use rustix::process::getpgrp;
use scene::{Transcript, say, scene};

use crate::waiting::{Gate, yield_now};

/// The amounts of memory that don't count as a leak, because a list may have grown one last time,
/// or several lists if many tasks are woken at once.
const NO_LEAK: isize = 4096;
const NO_LEAK_OF_MANY: isize = 64 * 1024;
/// The time within which a loop has to release what it no longer needs.
const SOON: Duration = Duration::from_secs(1);

/// The process's resources at one moment.
struct Left {
    /// The number of additional bytes that don't count as a leak.
    no_leak: isize,
    memory: isize,
    descriptors: usize,
    threads: usize,
    processes: usize,
}

impl Left {
    fn now() -> io::Result<Left> {
        Ok(Left {
            no_leak: NO_LEAK,
            memory: Memory::in_use_by_all_threads(),
            descriptors: kit::cost::open_descriptors()?,
            threads: fs::read_dir("/proc/self/task")?.count(),
            processes: processes_of_group(getpgrp().as_raw_pid().unsigned_abs()).len(),
        })
    }

    /// Returns the current resources. If there are more than before, waits for a moment first,
    /// because a loop doesn't have to wait until its own threads have ended.
    fn since(before: &Left) -> io::Result<Left> {
        let began = Instant::now();
        loop {
            let now = Left { no_leak: before.no_leak, ..Left::now()? };
            if !now.is_more_than(before) || began.elapsed() > SOON {
                return Ok(now);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn is_more_than(&self, before: &Left) -> bool {
        self.memory - before.memory > before.no_leak
            || self.descriptors > before.descriptors
            || self.threads > before.threads
            || self.processes > before.processes
    }

    /// Reports which resources have grown. `meanwhile` describes what happened in the meantime.
    fn say_more(&self, t: Transcript, meanwhile: &str, before: &Left) {
        say!(t, "{meanwhile}");
        let memory = self.memory - before.memory;
        if memory <= before.no_leak {
            say!(t, "  memory: not grown");
        } else {
            say!(t, "  memory: grown by {memory} bytes");
        }
        say!(t, "  descriptors: {} more", self.descriptors.saturating_sub(before.descriptors));
        say!(t, "  threads: {} more", self.threads.saturating_sub(before.threads));
        say!(t, "  processes: {} more", self.processes.saturating_sub(before.processes));
    }
}

scene!(
    after_very_many_turns,
    "A loop runs 10,000 turns, in which tasks begin and end, and then 60,000 more. What has grown?"
);
/// No resource has grown. A task that has ended leaves nothing behind, and neither does a past
/// wake. A task that has been waiting all along still exists, no matter how many tasks have been
/// spawned since.
fn after_very_many_turns(t: Transcript) -> anyhow::Result<()> {
    let (few, many) = block_on(async {
        let gate = Gate::default();
        let waits = gate.clone();
        let oldest = spawn(async move { waits.passed().await });
        turns(10_000).await;
        let few = Left::now()?;
        turns(60_000).await;
        let many = Left::since(&few)?;
        gate.open();
        if oldest.await.is_ok() {
            say!(t, "the oldest task has ended last");
        }
        anyhow::Ok((few, many))
    })?;
    many.say_more(t, "60,000 turns, with a new task in each", &few);
    Ok(())
}

async fn turns(count: usize) {
    for turn in 0..count {
        let task = spawn(async {});
        if turn % 16 == 0 {
            let _ = task.await;
        }
        yield_now().await;
    }
    // By now, the tasks whose handles were dropped have ended.
    for _ in 0..8 {
        yield_now().await;
    }
}

scene!(
    after_panics_and_foreign_wakes,
    "Hundreds of tasks panic, and another thread wakes thousands of tasks. What has grown?"
);
/// No resource has grown. A panic's payload goes to the task that awaits the handle, which drops
/// the payload here.
fn after_panics_and_foreign_wakes(t: Transcript) -> anyhow::Result<()> {
    block_on(async {
        panics(50).await;
        let few = Left::now()?;
        panics(500).await;
        Left::since(&few)?.say_more(t, "500 tasks panic", &few);
        anyhow::Ok(())
    })?;
    let (opens, opened) = mpsc::channel::<Vec<Gate>>();
    let thread = thread::spawn(move || {
        for gates in opened {
            gates.iter().for_each(Gate::open);
        }
    });
    block_on(async {
        foreign_wakes(5, &opens).await;
        let few = Left { no_leak: NO_LEAK_OF_MANY, ..Left::now()? };
        foreign_wakes(50, &opens).await;
        Left::since(&few)?.say_more(t, "10,000 tasks are woken by another thread", &few);
        anyhow::Ok(())
    })?;
    drop(opens);
    anyhow::ensure!(thread.join().is_ok(), "a thread of the scene panicked");
    Ok(())
}

scene!(
    after_many_waits,
    "A task waits 400 times for a pipe with a byte in it, and 400 times for a byte that's written later. What has grown?"
);
/// No resource has grown. A wait that's over leaves as little behind as a wait that's dropped
/// before: no memory, and no copy of its descriptor.
fn after_many_waits(t: Transcript) -> anyhow::Result<()> {
    block_on(async {
        for (is_ready, meanwhile) in
            [(true, "400 waits for a byte"), (false, "400 waits for a later byte")]
        {
            waits(is_ready).await?;
            let few = Left::now()?;
            waits(is_ready).await?;
            let many = Left::since(&few)?;
            many.say_more(t, meanwhile, &few);
            // If each wait leaves a descriptor open, there may soon be no room for another.
            if many.is_more_than(&few) {
                break;
            }
        }
        anyhow::Ok(())
    })
}

/// Waits for a pipe 400 times. Its byte is there from the beginning or is written once the task
/// waits.
async fn waits(is_ready: bool) -> io::Result<()> {
    let (reader, mut writer) = io::pipe()?;
    for _ in 0..400 {
        if is_ready {
            writer.write_all(b"!")?;
        }
        let mut wait = Box::pin(readable(&reader));
        let is_over = poll_fn(|context| Poll::Ready(wait.as_mut().poll(context).is_ready())).await;
        if !is_ready {
            writer.write_all(b"!")?;
        }
        if !is_over {
            wait.await?;
        }
        (&reader).read_exact(&mut [0])?;
    }
    Ok(())
}

async fn panics(count: usize) {
    for _ in 0..count {
        let task: JoinHandle<()> = spawn(async { resume_unwind(Box::new("oh no")) });
        let _ = task.await;
    }
}

/// Makes a thread wake two hundred tasks in each round.
async fn foreign_wakes(rounds: usize, opens: &mpsc::Sender<Vec<Gate>>) {
    for _ in 0..rounds {
        let gates: Vec<Gate> = (0..200).map(|_| Gate::default()).collect();
        let waiting = |gate: &Gate| {
            let gate = gate.clone();
            spawn(async move { gate.passed().await })
        };
        let tasks: Vec<JoinHandle<()>> = gates.iter().map(waiting).collect();
        // Give all of them time to start waiting.
        yield_now().await;
        yield_now().await;
        let _ = opens.send(gates);
        for task in tasks {
            let _ = task.await;
        }
    }
}

scene!(
    between_two_runs,
    "Runs end while tasks wait for all kinds of things. What's left of these tasks?"
);
/// Nothing is left beyond what the first three runs have left: no memory, no descriptors, no
/// threads, no processes. A loop may keep something for as long as the program runs, such as a
/// thread that waits for descriptors.
fn between_two_runs(t: Transcript) -> anyhow::Result<()> {
    for _ in 0..3 {
        run()?;
    }
    let before = Left::now()?;
    for _ in 0..200 {
        run()?;
    }
    let after = Left::since(&before)?;
    after.say_more(t, "200 runs", &before);
    // If something leaks, the process may have no room left for more descriptors, so stop here.
    if after.is_more_than(&before) {
        return Ok(());
    }
    for _ in 0..1000 {
        block_on(spawned_once());
    }
    Left::since(&after)?.say_more(t, "1,000 short runs", &after);
    Ok(())
}

async fn spawned_once() {
    let _ = spawn(yield_now()).await;
}

fn run() -> anyhow::Result<()> {
    let (reader, _writer) = io::pipe()?;
    block_on(async {
        for _ in 0..10 {
            let reader = reader.try_clone()?;
            drop(spawn(async move { readable(&reader).await.is_ok() }));
            drop(spawn(sleep(Duration::from_hours(1))));
            drop(spawn(pending::<[u8; 1000]>()));
            let waits = spawn(pending::<()>());
            drop(spawn(async move { waits.await.is_ok() }));
        }
        for _ in 0..3 {
            yield_now().await;
        }
        sleep(Duration::from_millis(1)).await;
        anyhow::Ok(())
    })
}
