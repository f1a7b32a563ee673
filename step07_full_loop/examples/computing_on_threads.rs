//! Measures two computations on threads, and how late sleeps end while a thread computes.
//!
//! `cargo run --release -p step07_full_loop --example computing_on_threads`; the version for
//! CPython is `tests/python/facts/computing_on_threads.py`.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use step07_full_loop::{LoopResult, Result, create_task, run, sleep, to_thread};

fn main() -> LoopResult<()> {
    let began = Instant::now();
    compute(ROUNDS);
    println!("one: {:.3} s", began.elapsed().as_secs_f64());
    let (two, longest) = run(async { Ok((two_on_threads().await?, longest_sleep().await?)) })?;
    println!("two on threads: {:.3} s", two.as_secs_f64());
    println!("the longest of 20 sleeps of 1 ms: {:.1} ms", longest.as_secs_f64() * 1000.0);
    Ok(())
}

const ROUNDS: u64 = 500_000_000;

fn compute(rounds: u64) {
    let mut left = rounds;
    while black_box(left) > 0 {
        left -= 1;
    }
}

async fn two_on_threads() -> Result<Duration> {
    let began = Instant::now();
    let tasks = [(); 2].map(|()| {
        create_task(to_thread(|| {
            compute(ROUNDS);
            Ok(())
        }))
    });
    for task in tasks {
        task?.await?;
    }
    Ok(began.elapsed())
}

/// Returns the longest duration of 20 sleeps during which a thread computes.
async fn longest_sleep() -> Result<Duration> {
    let done = Arc::new(AtomicBool::new(false));
    let is_done = Arc::clone(&done);
    let thread = create_task(to_thread(move || {
        while !is_done.load(Ordering::Relaxed) {
            compute(1000);
        }
        Ok(())
    }))?;
    let mut longest = Duration::ZERO;
    for _ in 0..20 {
        let began = Instant::now();
        sleep(Duration::from_millis(1)).await?;
        longest = longest.max(began.elapsed());
    }
    done.store(true, Ordering::Relaxed);
    thread.await?;
    Ok(longest)
}
