//! The cost of the loop itself, without any ready descriptor.
//!
//! `cargo run --release -p race -- turns` runs this and writes a table.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod processor_time;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Error, EventLoop, create_task, yield_now};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use processor_time::{ProcessorTime, settings};
use race::processor_time as now;
use step04_timers::{Time, TimerHeap};

/// The number of callbacks or tasks in the queue at once, in the cases with many.
const MANY: u64 = 1000;

/// Measures callbacks. One that schedules itself gets a tick to itself, with a call of the
/// selector; a thousand that are scheduled together share one tick.
fn call_soon(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("call_soon");
    group.bench_function(BenchmarkId::new("ticks", 1), |bencher| {
        bencher.iter_custom(|turns| {
            let event_loop = EventLoop::new().expect("a loop");
            again(&event_loop, &Rc::new(Cell::new(turns)));
            timed(|| event_loop.run_forever().expect("a run"))
        });
    });
    group.bench_function(BenchmarkId::new("ticks", MANY), |bencher| {
        bencher.iter_custom(|turns| {
            let event_loop = EventLoop::new().expect("a loop");
            let took = timed(|| {
                for _ in 0..turns.div_ceil(MANY) {
                    for _ in 0..MANY {
                        event_loop.call_soon(|| {});
                    }
                    event_loop.stop();
                    event_loop.run_forever().expect("a run");
                }
            });
            took.mul_f64(share(turns))
        });
    });
    group.finish();
}

fn again(event_loop: &EventLoop, turns: &Rc<Cell<u64>>) {
    if turns.get() == 0 {
        return event_loop.stop();
    }
    turns.set(turns.get() - 1);
    let (next, turns) = (event_loop.clone(), Rc::clone(turns));
    event_loop.call_soon(move || again(&next, &turns));
}

/// Returns the part of the batches' time that belongs to `turns` turns, because we can only run
/// whole batches.
#[expect(clippy::cast_precision_loss, reason = "a share of a time need not be exact")]
fn share(turns: u64) -> f64 {
    turns as f64 / (turns.div_ceil(MANY) * MANY) as f64
}

fn timed(what: impl FnOnce()) -> Duration {
    let began = now();
    what();
    now().saturating_sub(began)
}

/// Measures a timer among a thousand others.
fn timers(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("timer");
    let mut timers = TimerHeap::new();
    let far = Time::ZERO + Duration::from_hours(1);
    for millis in 0..MANY {
        timers.push(far + Duration::from_millis(millis), ());
    }
    let near = Time::ZERO + Duration::from_secs(1);
    group.bench_function(BenchmarkId::new("push_and_pop", MANY), |bencher| {
        bencher.iter(|| {
            timers.push(near, ());
            timers.pop_due(near)
        });
    });
    group.bench_function(BenchmarkId::new("push_and_cancel", MANY), |bencher| {
        bencher.iter(|| {
            let timer = timers.push(far, ());
            timers.cancel(timer);
            timers.next_timeout(Time::ZERO)
        });
    });
    group.finish();
}

/// Measures a task that ends in its first step, and tasks that yield again and again.
fn tasks(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("task");
    group.bench_function(BenchmarkId::new("spawn_and_finish", MANY), |bencher| {
        bencher.iter_custom(|turns| {
            let took = in_loop(async move {
                for _ in 0..turns.div_ceil(MANY) {
                    for _ in 0..MANY {
                        create_task(async { Ok(()) }).map_err(|_| Error::cancelled())?;
                    }
                    yield_now().await?;
                }
                Ok(())
            });
            took.mul_f64(share(turns))
        });
    });
    group.bench_function(BenchmarkId::new("yield", 1), |bencher| {
        bencher.iter_custom(|turns| in_loop(yield_often(turns)));
    });
    group.bench_function(BenchmarkId::new("yield", MANY), |bencher| {
        bencher.iter_custom(|turns| {
            let took = in_loop(async move {
                let each = turns.div_ceil(MANY);
                let tasks: Result<Vec<_>, _> =
                    (0..MANY).map(|_| create_task(yield_often(each))).collect();
                for task in tasks.map_err(|_| Error::cancelled())? {
                    task.await?;
                }
                Ok(())
            });
            took.mul_f64(share(turns))
        });
    });
    group.finish();
}

async fn yield_often(turns: u64) -> asyncio::Result<()> {
    for _ in 0..turns {
        yield_now().await?;
    }
    Ok(())
}

/// Returns the time that a loop takes to run a coroutine.
fn in_loop(main: impl Future<Output = asyncio::Result<()>> + 'static) -> Duration {
    let event_loop = EventLoop::new().expect("a loop");
    timed(|| event_loop.run_until_complete(main).expect("a result"))
}

criterion_group! {
    name = turns;
    config = settings();
    targets = call_soon, timers, tasks
}
criterion_main!(turns);
