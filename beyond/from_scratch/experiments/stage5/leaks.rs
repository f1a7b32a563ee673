//! Scenes of what's left: after very many turns, and after a run.

use std::fs;
use std::future::pending;
use std::io;
use std::time::Duration;

use from_scratch::{block_on, readable, sleep, spawn};
use kit::memory::Memory;
use kit::proc::processes_of_group;
use rustix::process::getpgrp;
use scene::{Transcript, say, scene};

use crate::waiting::yield_now;

/// A list that has grown once more is no leak.
const NO_LEAK: isize = 4096;

/// What the process has at a moment.
struct Left {
    memory: isize,
    descriptors: usize,
    threads: usize,
    processes: usize,
}

impl Left {
    fn now() -> io::Result<Left> {
        Ok(Left {
            memory: Memory::in_use_by_all_threads(),
            descriptors: kit::cost::open_descriptors()?,
            threads: fs::read_dir("/proc/self/task")?.count(),
            processes: processes_of_group(getpgrp().as_raw_pid().unsigned_abs()).len(),
        })
    }

    fn say_more(&self, t: Transcript, before: &Left) {
        let memory = self.memory - before.memory;
        if memory <= NO_LEAK {
            say!(t, "memory: no more");
        } else {
            say!(t, "memory: {memory} bytes more");
        }
        say!(t, "descriptors: {} more", self.descriptors.saturating_sub(before.descriptors));
        say!(t, "threads: {} more", self.threads.saturating_sub(before.threads));
        say!(t, "processes: {} more", self.processes.saturating_sub(before.processes));
    }
}

scene!(
    after_very_many_turns,
    "A loop has had 10,000 turns, with tasks that come and go, and then 200,000. What does it have more?"
);
/// Nothing. A task that has ended leaves nothing behind, and a wake that's over doesn't, either.
fn after_very_many_turns(t: Transcript) -> anyhow::Result<()> {
    let (few, many) = block_on(async {
        turns(10_000).await;
        let few = Left::now()?;
        turns(190_000).await;
        anyhow::Ok((few, Left::now()?))
    })?;
    many.say_more(t, &few);
    Ok(())
}

async fn turns(count: usize) {
    for turn in 0..count {
        if turn % 16 == 0 {
            let task = spawn(async { yield_now().await });
            if turn % 32 == 0 {
                let _ = task.await;
            }
        }
        yield_now().await;
    }
    // Those whose handles were dropped have ended by then.
    for _ in 0..8 {
        yield_now().await;
    }
}

scene!(between_two_runs, "A run ends while tasks wait for all that there is. What's left of it?");
/// Nothing that the run before hasn't left as well: no memory, no descriptor, no thread, and no
/// process. (A loop may keep something as long as the program runs, such as a thread that waits for
/// descriptors.)
fn between_two_runs(t: Transcript) -> anyhow::Result<()> {
    run()?;
    run()?;
    let second = Left::now()?;
    run()?;
    Left::now()?.say_more(t, &second);
    Ok(())
}

fn run() -> anyhow::Result<()> {
    let (reader, _writer) = io::pipe()?;
    block_on(async {
        for _ in 0..50 {
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
