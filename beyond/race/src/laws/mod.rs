//! Checks three laws about waiting: compares each formula's result with a simulated and a measured
//! result.
//!
//! `cargo run --release -p race -- laws` runs these checks and writes their tables and a plot for
//! the book. The same programs run twice, once on a virtual clock and once on a real clock.

mod programs;

use std::time::Duration;

use anyhow::Result;

use crate::Options;
use crate::findings::Findings;
use crate::laws::programs::{Request, World, arrivals, batch};
use crate::plot::{Line, Plot};

const WORLDS: [World; 2] = [World::Simulated, World::Real];
const MILLISECOND: Duration = Duration::from_millis(1);

pub(crate) fn measure(options: &Options, findings: &mut Findings) -> Result<()> {
    let share = if options.quick { 10 } else { 1 };
    littles_law(share, findings)?;
    a_limit_in_number(share, findings)?;
    amdahls_law(share, findings)
}

/// Checks Little's law: 500 requests arrive per second and take 0.2 s each, so λW is 100 as long as
/// there are enough connections.
fn littles_law(share: u32, findings: &mut Findings) -> Result<()> {
    let seconds = (4 / share).max(1);
    findings.add(&format!(
        "\n**Little's law.** In the last of {seconds} s in which 500 requests arrive per second:\n\n\
         | connections, of 0.2 s per request | in flight, simulated | measured \
         | each takes, simulated | measured |\n| ---: | ---: | ---: | ---: | ---: |\n"
    ));
    for connections in [200, 100, 50] {
        let [simulated, measured] =
            WORLDS.map(|world| arrivals(world, (500, seconds), connections, 200 * MILLISECOND));
        let (simulated, measured) = (simulated?, measured?);
        findings.add(&format!(
            "| {connections} | {} | {} | {:.2} s | {:.2} s |\n",
            simulated.in_flight,
            measured.in_flight,
            simulated.answered_each_in.as_secs_f64(),
            measured.answered_each_in.as_secs_f64()
        ));
    }
    Ok(())
}

/// Checks the limit N / R on the requests answered per second: each request takes 0.5 s (R), and at
/// most N requests are in progress at once.
fn a_limit_in_number(share: u32, findings: &mut Findings) -> Result<()> {
    let count = 2000 / share;
    findings.add(&format!(
        "\n**N / R.** How many of {count} requests, of 0.5 s each, are answered per second:\n\n\
         | N, at a time | N / R | simulated | measured |\n| ---: | ---: | ---: | ---: |\n"
    ));
    for limit in [100, 200, 400] {
        let request = Request { wait: |_| 500 * MILLISECOND, compute: Duration::ZERO };
        let [simulated, measured] = WORLDS.map(|world| batch(world, request, count, limit));
        let per_second = |took: Duration| f64::from(count) / took.as_secs_f64();
        let (simulated, measured) = (per_second(simulated?), per_second(measured?));
        findings.add(&format!("| {limit} | {} | {simulated:.0} | {measured:.0} |\n", limit * 2));
    }
    Ok(())
}

const COMPUTE: Duration = MILLISECOND;
const ALIKE: Request = Request { wait: |_| 9 * MILLISECOND, compute: COMPUTE };
const UNEVEN: Request = Request { wait: uneven, compute: COMPUTE };

/// Returns one of 91 different waits, from 4.5 ms to 13.5 ms. Their mean is 9 ms, and 91
/// consecutive numbers give each of them once.
fn uneven(number: u32) -> Duration {
    Duration::from_micros(4500 + u64::from(number * 37 % 91) * 100)
}

/// Checks Amdahl's law: a request waits for 9 ms on average and computes for 1 ms.
fn amdahls_law(share: u32, findings: &mut Findings) -> Result<()> {
    let count = 1000 / share;
    findings.add(&format!(
        "\n**Amdahl's law.** How many times as fast as in turn {count} requests are that compute for \
         a tenth of their time:\n\n\
         | N, at a time | 1 / (0.1 + 0.9 / N) | all wait 9 ms, simulated | measured \
         | they wait 4.5 to 13.5 ms, simulated | measured |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    ));
    let (mut formula, mut alike, mut uneven) = (Vec::new(), Vec::new(), Vec::new());
    for limit in [1_u8, 2, 5, 10, 20, 50, 100] {
        let at_a_time = f64::from(limit);
        let law = 1.0 / (0.1 + 0.9 / at_a_time);
        formula.push((at_a_time, law));
        let mut row = vec![limit.to_string(), format!("{law:.1}")];
        for (request, points) in [(ALIKE, &mut alike), (UNEVEN, &mut uneven)] {
            let in_turn: Duration = (0..count).map(|it| (request.wait)(it) + COMPUTE).sum();
            let [simulated, measured] = WORLDS.map(|world| {
                let took = batch(world, request, count, limit.into());
                took.map(|took| in_turn.as_secs_f64() / took.as_secs_f64())
            });
            let (simulated, measured) = (simulated?, measured?);
            points.push((at_a_time, measured));
            row.extend([simulated, measured].map(|times| format!("{times:.1}")));
        }
        findings.add(&format!("| {} |\n", row.join(" | ")));
    }
    findings.plot(Plot {
        id: "amdahl",
        title: "Amdahl's law, and a loop",
        description: "How many times as fast as in turn requests are answered that compute for a \
                      tenth of their time. The formula and the measured figures agree as long as \
                      all wait equally long. If they wait unevenly, twenty at a time reach nearly \
                      ten times already."
            .to_owned(),
        x_label: "requests at a time",
        y_label: "times as fast as in turn",
        y_format: |value| format!("{value:.0}"),
        lines: vec![
            Line { name: "", dashes: None, points: formula },
            Line { name: "all alike", dashes: Some((7, 4)), points: alike },
            Line { name: "uneven", dashes: Some((2, 4)), points: uneven },
        ],
    });
    Ok(())
}
