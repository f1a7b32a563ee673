//! A loop leaves no thread and no descriptor behind, and cancelled work leaves no memory.

use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use kit::limit_time;
use kit::memory::Memory;
use kit::proc::threads_of;
use step01_fd::open_descriptors;
use step07_full_loop::{Error, ThreadPool, get_running_loop, run, to_thread, yield_now};

const RUNS: usize = 50;

pub(crate) fn nothing_is_left_of_the_threads() {
    limit_time();
    let threads = threads_of(Path::new("/proc/self")).len();
    let descriptors = open_descriptors().unwrap().len();
    for _ in 0..RUNS {
        run(async {
            let event_loop = get_running_loop()?;
            let work: Vec<_> = (0..4).map(|_| event_loop.run_in_executor(|| Ok(()))).collect();
            for future in work {
                future.await?;
            }
            event_loop.run_in_executor(|| Ok(()));
            Ok(())
        })
        .unwrap();
    }
    // The kernel lists a joined thread for a moment longer. A thread that's left behind stays until
    // the time is over.
    while threads_of(Path::new("/proc/self")).len() > threads {
        thread::yield_now();
    }
    assert_eq!(open_descriptors().unwrap().len(), descriptors);

    let rounds = run(async {
        get_running_loop()?.set_default_executor(ThreadPool::new(NonZero::<usize>::MIN));
        let mut rounds = Vec::new();
        for _ in 0..2 {
            // The first round leaves some lists that have grown.
            cancel_a_hundred().await?;
            let before = Memory::until_now().in_use;
            cancel_a_hundred().await?;
            rounds.push(Memory::until_now().in_use - before);
        }
        Ok(rounds)
    });
    let left = rounds.unwrap()[1];
    // Each thread counts its own memory, so this includes the empty shell of each work, which the
    // pool's thread frees.
    assert!(left < 100 * 100, "{left} bytes are left of a hundred pieces of work");
}

/// Cancels work that waits behind other work and lets the thread find it.
async fn cancel_a_hundred() -> Result<(), Error> {
    let (open, gate) = mpsc::channel::<()>();
    let event_loop = get_running_loop()?;
    let first = event_loop.run_in_executor(move || gate.recv().map_err(Error::other));
    let cancelled = [0_u8; 1024];
    for _ in 0..100 {
        event_loop.run_in_executor(move || Ok(cancelled.len())).cancel();
    }
    yield_now().await?;
    open.send(()).map_err(Error::other)?;
    first.await?;
    to_thread(|| Ok(())).await
}
