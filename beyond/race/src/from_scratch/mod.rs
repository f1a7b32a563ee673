//! Compares the cost of `spawn`, `sleep` and an echo on three loops: a loop written in one file,
//! step 07's loop, and tokio's.
//!
//! `cargo run --release -p race -- from_scratch` runs this comparison and writes its tables for the
//! book. The loads are written once, for all contestants; each contestant's file has the code that
//! runs the loads and notes what might be unfair.

mod ours;
mod reference;
mod with_tokio;

use std::time::Duration;

use anyhow::Result;
use kit::OneCpu;

use crate::Options;
use crate::echo::{Load, nanos_per_echo, on_step07, servers};
use crate::findings::Findings;
use crate::from_scratch::ours::Ours;
use crate::from_scratch::reference::Reference;
use crate::from_scratch::with_tokio::Tokio;
use crate::measuring::{nanos_since, per_operation, processor_time};
use crate::rounds::{Contestant, Figures, compete, table};
use crate::serving::Serve;

/// The contestant that all other contestants are compared with.
const BESIDE: &str = "tokio";
/// The number of tasks in a batch, which are spawned together and exist at the same time.
const BATCH: u64 = 1000;

const SPAWNED: u64 = 500_000;
const SLEEPS: u64 = 100_000;
const ECHOES: Load = Load { connections: 64, bytes: 64, messages: 30_000 };

/// Carries out a number of operations and returns their processor time in nanoseconds.
type Run = fn(u64) -> u64;

/// A loop that runs the loads.
trait Contest: 'static {
    type Task;

    /// Runs a task to its end and returns its result.
    fn run(main: impl Future<Output = u64> + 'static) -> u64;

    fn spawn(task: impl Future<Output = u64> + 'static) -> Self::Task;

    fn join(task: Self::Task) -> impl Future<Output = u64>;

    fn sleep(duration: Duration) -> impl Future<Output = ()>;
}

/// Spawns a batch of tasks, awaits each of them, and then continues with the next batch.
async fn spawn_and_join<C: Contest>(count: u64) -> u64 {
    let (began, mut sum) = (processor_time(), 0);
    for _ in 0..count / BATCH {
        let tasks: Vec<C::Task> =
            (0..BATCH).map(|number| C::spawn(async move { number })).collect();
        for task in tasks {
            sum += C::join(task).await;
        }
    }
    assert_eq!(sum, (0..BATCH).sum::<u64>() * (count / BATCH));
    nanos_since(began)
}

/// Makes many tasks sleep at once, with delays that are spread over a thousand milliseconds.
async fn sleep_among_many<C: Contest>(count: u64) -> u64 {
    let (began, mut sum) = (processor_time(), 0);
    let sleeper = |number| async move {
        C::sleep(crate::event_loop::delay_of(number)).await;
        number
    };
    let tasks: Vec<C::Task> = (0..count).map(|number| C::spawn(sleeper(number))).collect();
    for task in tasks {
        sum += C::join(task).await;
    }
    assert_eq!(sum, (0..count).sum::<u64>());
    nanos_since(began)
}

/// Measures the three loads and adds a table for each load.
pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let _one_cpu = OneCpu::here();
    let count = options.share_of(SPAWNED);
    let spawns: [(_, Run); 3] = [
        (reference::NAME, |count| Reference::run(spawn_and_join::<Reference>(count))),
        (ours::NAME, |count| Ours::run(spawn_and_join::<Ours>(count))),
        (BESIDE, |count| Tokio::run(spawn_and_join::<Tokio>(count))),
    ];
    let figures = of_runs(options, count, spawns)?;
    add(findings, "Spawn a thousand tasks, then await each", &figures);

    let count = options.share_of(SLEEPS);
    let sleeps: [(_, Run); 3] = [
        (reference::NAME, |count| Reference::run(sleep_among_many::<Reference>(count))),
        (ours::NAME, |count| Ours::run(sleep_among_many::<Ours>(count))),
        (BESIDE, |count| Tokio::run(sleep_among_many::<Tokio>(count))),
    ];
    let figures = of_runs(options, count, sleeps)?;
    add(findings, "A task sleeps, one of a hundred thousand", &figures);

    let servers: [(_, Serve); 3] = [
        (reference::NAME, reference::serve),
        (ours::NAME, on_step07::tasks),
        (BESIDE, servers::tokio),
    ];
    let load = Load { messages: if options.quick { 1000 } else { ECHOES.messages }, ..ECHOES };
    let mut contestants = servers.map(|(name, serve)| Contestant {
        name,
        run: Box::new(move || nanos_per_echo(serve, load)),
    });
    let figures = compete(options.rounds(), BESIDE, &mut contestants)?;
    add(findings, "An echo of 64 bytes, to one of 64 clients", &figures);
    Ok(())
}

fn of_runs(options: &Options, count: u64, runs: [(&'static str, Run); 3]) -> Result<Vec<Figures>> {
    let mut contestants = runs.map(|(name, run)| Contestant {
        name,
        run: Box::new(move || Ok(per_operation(run(count), count))),
    });
    compete(options.rounds(), BESIDE, &mut contestants)
}

fn add(findings: &mut Findings, says: &str, figures: &[Figures]) {
    findings.add(&format!("\n**{says}.**\n\n{}\n", table(BESIDE, figures)));
}
