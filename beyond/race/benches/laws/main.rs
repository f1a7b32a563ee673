//! Three laws about waiting: what the formula says, what a simulation gives, and what's measured.
//!
//! `cargo run --release -p race -- laws` runs this, and writes the book's tables and a plot. The
//! same programs run twice: on a virtual clock, and on the real one.

mod programs;
#[path = "../starting.rs"]
mod starting;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use race::BenchmarkOptions;

use crate::programs::{Request, World, arrivals, batch};
use crate::starting::{start, trial};

const WORLDS: [World; 2] = [World::Simulated, World::Real];
const MILLISECOND: Duration = Duration::from_millis(1);

fn main() -> ExitCode {
    start(measure, trials)
}

fn measure(options: &BenchmarkOptions) -> Result<()> {
    let share = if options.quick { 10 } else { 1 };
    littles_law(share)?;
    a_limit_in_number(share)?;
    amdahls_law(share)
}

/// 500 requests per second, 0.2 s each: λW is 100 as long as there are enough connections.
fn littles_law(share: u32) -> Result<()> {
    let seconds = (4 / share).max(1);
    println!(
        "\n**Little's law.** In the last of {seconds} s in which 500 requests arrive per second:\n"
    );
    println!(
        "| connections, of 0.2 s per request | in flight, simulated | measured | each takes, simulated | measured |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for connections in [200, 100, 50] {
        let [simulated, measured] =
            WORLDS.map(|world| arrivals(world, (500, seconds), connections, 200 * MILLISECOND));
        let (simulated, measured) = (simulated?, measured?);
        println!(
            "| {connections} | {} | {} | {} | {} |",
            simulated.in_flight,
            measured.in_flight,
            in_seconds(simulated.answered_each_in),
            in_seconds(measured.answered_each_in)
        );
    }
    Ok(())
}

/// Each request takes 0.5 s, and nothing else limits them.
fn a_limit_in_number(share: u32) -> Result<()> {
    let count = 2000 / share;
    println!("\n**N / R.** Of {count} requests of 0.5 s each, so many are answered per second:\n");
    println!("| N, at a time | N / R | simulated | measured |\n| ---: | ---: | ---: | ---: |");
    for limit in [100, 200, 400] {
        let request = Request { wait: |_| 500 * MILLISECOND, compute: Duration::ZERO };
        let [simulated, measured] = WORLDS.map(|world| batch(world, request, count, limit));
        let per_second = |took: Duration| f64::from(count) / took.as_secs_f64();
        println!(
            "| {limit} | {} | {:.0} | {:.0} |",
            limit * 2,
            per_second(simulated?),
            per_second(measured?)
        );
    }
    Ok(())
}

const COMPUTE: Duration = MILLISECOND;
const ALIKE: Request = Request { wait: |_| 9 * MILLISECOND, compute: COMPUTE };
const UNEVEN: Request = Request { wait: uneven, compute: COMPUTE };

/// Returns 4.5 ms to 13.5 ms, each equally often.
fn uneven(number: u32) -> Duration {
    Duration::from_micros(4500 + u64::from(number * 37 % 91) * 100)
}

/// A request waits for 9 ms and computes for 1 ms.
fn amdahls_law(share: u32) -> Result<()> {
    let count = 1000 / share;
    println!(
        "\n**Amdahl's law.** {count} requests that compute for a tenth of their time are so many times as fast as in turn:\n"
    );
    println!(
        "| N, at a time | 1 / (0.1 + 0.9 / N) | all wait 9 ms, simulated | measured | they wait 4.5 to 13.5 ms, simulated | measured |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for limit in [1_u8, 2, 5, 10, 20, 50, 100] {
        print!("| {limit} | {:.1} |", 1.0 / (0.1 + 0.9 / f64::from(limit)));
        for request in [ALIKE, UNEVEN] {
            let in_turn: Duration = (0..count).map(|it| (request.wait)(it) + COMPUTE).sum();
            for world in WORLDS {
                let took = batch(world, request, count, limit.into())?;
                print!(" {:.1} |", in_turn.as_secs_f64() / took.as_secs_f64());
            }
        }
        println!();
    }
    Ok(())
}

fn in_seconds(duration: Duration) -> String {
    format!("{:.2} s", duration.as_secs_f64())
}

/// Checks on a small scale that the simulations are what the laws say.
fn trials() -> Vec<Trial> {
    vec![
        trial("littles_law", || {
            let second = arrivals(World::Simulated, (500, 1), 100, 200 * MILLISECOND)?;
            ensure!(second.in_flight.abs_diff(100) <= 1, "{} in flight", second.in_flight);
            Ok(())
        }),
        trial("amdahls_law", || {
            let took = batch(World::Simulated, ALIKE, 100, 100)?;
            ensure!(took == 109 * MILLISECOND, "{took:?}");
            Ok(())
        }),
        trial("so_many_at_a_time_for_real", || {
            let request = Request { wait: |_| 5 * MILLISECOND, compute: Duration::ZERO };
            let took = batch(World::Real, request, 20, 10)?;
            ensure!(took >= 10 * MILLISECOND, "{took:?}");
            Ok(())
        }),
    ]
}
