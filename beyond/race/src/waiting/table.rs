//! Makes the tables and the plot about waiting from criterion's results.

use std::fmt::Write;

use anyhow::{Context, Result};

use crate::findings::Findings;
use crate::plot::{Dashes, Line, Plot, time, with_spaces};
use crate::waiting::estimates::Estimates;

const BACKENDS: [(&str, &str, Dashes); 3] = [
    ("epoll", "epoll", None),
    ("poll", "poll(2)", Some((7, 4))),
    ("select", "select(2)", Some((2, 4))),
];
const IDLE: [u32; 5] = [1, 10, 100, 1000, 10_000];
const READY: [u32; 4] = [1, 10, 100, 1000];

/// Adds the tables and the plot: one ready descriptor among N idle ones, and the cases that don't
/// favour epoll.
pub(crate) fn add(estimates: &Estimates, findings: &mut Findings) -> Result<()> {
    findings.add(
        "\n**One is ready, N are silent.** One `select()`, in brackets the ratio to epoll:\n\n",
    );
    findings.add(&by_count(estimates, "one_ready", &IDLE)?);
    findings.add("\n**All N are ready.** One `select()` that finds them all:\n\n");
    findings.add(&by_count(estimates, "all_ready", &READY)?);
    findings.add("\n**Changes.** With ten registered:\n\n");
    findings.add(&changes(estimates)?);
    findings.plot(plot(estimates)?);
    Ok(())
}

fn by_count(estimates: &Estimates, group: &str, counts: &[u32]) -> Result<String> {
    let mut table = String::from("| N |");
    for (_, name, _) in BACKENDS {
        write!(table, " {name} |")?;
    }
    table += "\n| ---: | ---: | ---: | ---: |\n";
    for &count in counts {
        write!(table, "| {} |", with_spaces(f64::from(count)))?;
        let epoll = estimates.median(group, "epoll", &count.to_string())?;
        for (backend, ..) in BACKENDS {
            let median = estimates.median(group, backend, &count.to_string())?;
            write!(table, " {} |", cell(median, epoll))?;
        }
        table += "\n";
    }
    Ok(table)
}

fn changes(estimates: &Estimates) -> Result<String> {
    let mut table = String::from("| |");
    for (_, name, _) in BACKENDS {
        write!(table, " {name} |")?;
    }
    table += "\n| --- | ---: | ---: | ---: |\n";
    let rows = [("register", "register, then unregister"), ("modify", "modify, there and back")];
    for (value, says) in rows {
        write!(table, "| {says} |")?;
        let epoll = estimates.median("changes", "epoll", value)?;
        for (backend, ..) in BACKENDS {
            write!(table, " {} |", cell(estimates.median("changes", backend, value)?, epoll))?;
        }
        table += "\n";
    }
    Ok(table)
}

/// Formats a time, followed by its ratio to epoll's time.
fn cell(median: Option<f64>, epoll: Option<f64>) -> String {
    match (median, epoll) {
        (Some(median), Some(epoll)) => format!("{} ({})", time(median), ratio(median / epoll)),
        (Some(median), None) => time(median),
        (None, _) => "–".to_string(),
    }
}

fn ratio(ratio: f64) -> String {
    match ratio {
        10.0.. => with_spaces(ratio),
        0.095.. => format!("{ratio:.1}"),
        _ => format!("{ratio:.2}"),
    }
}

fn plot(estimates: &Estimates) -> Result<Plot> {
    let mut lines = Vec::new();
    let mut description = String::from("The time of one wait that finds one ready descriptor.");
    for (backend, name, dashes) in BACKENDS {
        let mut points = Vec::new();
        for count in IDLE {
            if let Some(median) = estimates.median("one_ready", backend, &count.to_string())? {
                points.push((f64::from(count), median));
            }
        }
        let (first, last) = (points.first(), points.last());
        let (first, last) = first.zip(last).with_context(|| format!("no figures of {backend}"))?;
        write!(
            description,
            " {name}: {} with {} silent, {} with {}.",
            time(first.1),
            with_spaces(first.0),
            time(last.1),
            with_spaces(last.0)
        )?;
        lines.push(Line { name, dashes, points });
    }
    Ok(Plot {
        id: "waiting",
        title: "The price of waiting",
        description,
        x_label: "descriptors that are silent",
        y_label: "one select() that finds one ready",
        y_format: time,
        lines,
    })
}
