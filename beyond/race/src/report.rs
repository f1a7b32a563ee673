//! The tables and plots that go into the book.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::estimates::Estimates;
use crate::plot::{Dashes, Line, Plot, time, with_spaces};

const BACKENDS: [(&str, &str, Dashes); 3] = [
    ("epoll", "epoll", None),
    ("poll", "poll(2)", Some((7, 4))),
    ("select", "select(2)", Some((2, 4))),
];
const PROCESSOR_TIME: &str = "Medians of processor time";
const IDLE: [u32; 5] = [1, 10, 100, 1000, 10_000];
const READY: [u32; 4] = [1, 10, 100, 1000];

/// Writes the table and the plot of waiting: one ready among N idle descriptors, and the cases in
/// which epoll doesn't win.
pub(crate) fn waiting(root: &Path, estimates: &Estimates) -> Result<()> {
    let mut table = machine(PROCESSOR_TIME)?;
    table +=
        "\n**One is ready, N are silent.** One `select()`, in brackets the ratio to epoll:\n\n";
    table += &by_count(estimates, "one_ready", &IDLE)?;
    table += "\n**All N are ready.** One `select()` that finds them all:\n\n";
    table += &by_count(estimates, "all_ready", &READY)?;
    table += "\n**Changes.** With ten registered:\n\n";
    table += &changes(estimates)?;
    write_file(&root.join("book/measured/waiting.md"), &table)?;
    let plot = plot(estimates)?.to_svg()?;
    write_file(&root.join("book/pictures/waiting.svg"), &plot)?;
    print!("{table}");
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

/// Formats a time and its ratio to epoll's.
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

/// Writes the table of a million timers, in our heap and in its alternatives.
pub(crate) fn timers(root: &Path, estimates: &Estimates) -> Result<()> {
    let mut table = machine(PROCESSOR_TIME)?;
    table += "\n| a million timers | `TimerHeap`, each | beside std's `BinaryHeap` alone | beside a \
              `BTreeMap` | beside tokio's sleeps |\n| --- | ---: | ---: | ---: | ---: |\n";
    for (what, says) in [("pop", "pushed, then popped"), ("cancel", "pushed, then cancelled")] {
        let each = estimates.median("million", "TimerHeap", what)?;
        write!(table, "| {says} | {} |", time(each.context("the timers were not measured")?))?;
        for other in ["BinaryHeap", "BTreeMap", "tokio"] {
            write!(table, " {} |", times(estimates.median("million_ratio", other, what)?))?;
        }
        table += "\n";
    }
    write_file(&root.join("book/measured/timers.md"), &table)?;
    print!("{table}");
    Ok(())
}

/// Writes the table of a wake-up and its answer.
pub(crate) fn wakes(root: &Path, estimates: &Estimates) -> Result<()> {
    let rows = [
        ("bare", "bare `epoll_wait(2)`, `read(2)` and `write(2)`, on an eventfd"),
        ("event_fd", "`EpollSelector` and `EventFd`"),
        ("self_pipe", "`EpollSelector` and `SelfPipe`, a pair of sockets"),
    ];
    let mut table = machine(PROCESSOR_TIME)?
        + "\n| the loop's side | there and back | beside the bare calls |\n";
    table += "| --- | ---: | ---: |\n";
    for (way, says) in rows {
        let trip = estimates.median("round_trip", way, "1")?;
        let trip = time(trip.context("the wakes were not measured")?);
        let ratio = times(estimates.median("round_trip_ratio", way, "bare")?);
        writeln!(table, "| {says} | {trip} | {ratio} |")?;
    }
    write_file(&root.join("book/measured/wakes.md"), &table)?;
    print!("{table}");
    Ok(())
}

fn times(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "–".to_string(), |ratio| format!("{ratio:.2} times"))
}

/// Writes the table of what the loop itself costs.
pub(crate) fn turns(root: &Path, estimates: &Estimates) -> Result<()> {
    let rows = [
        ("call_soon", "ticks", "1", "`call_soon`, a tick each"),
        ("call_soon", "ticks", "1000", "`call_soon`, a thousand in a tick"),
        ("timer", "push_and_pop", "1000", "a timer among a thousand: push and pop"),
        ("timer", "push_and_cancel", "1000", "a timer among a thousand: push and cancel"),
        ("task", "spawn_and_finish", "1000", "a task: spawn and finish"),
        ("task", "yield", "1", "yield, one task: a tick each"),
        ("task", "yield", "1000", "yield, a thousand tasks"),
    ];
    let mut table = machine(PROCESSOR_TIME)? + "\n| | each |\n| --- | ---: |\n";
    for (group, function, value, says) in rows {
        let median = estimates.median(group, function, value)?;
        let median = median.with_context(|| format!("{group} {function} was not measured"))?;
        writeln!(table, "| {says} | {} |", time(median))?;
    }
    write_file(&root.join("book/measured/turns.md"), &table)?;
    print!("{table}");
    Ok(())
}

/// Writes the tables that a benchmark has printed.
pub(crate) fn printed(root: &Path, name: &str, measure: &str, tables: &str) -> Result<()> {
    let head = machine(measure)?;
    write_file(&root.join("book/measured").join(name).with_extension("md"), &(head + tables))
}

/// Writes the tables of the laws, and a plot of Amdahl's, which is the last one.
pub(crate) fn laws(root: &Path, name: &str, measure: &str, tables: &str) -> Result<()> {
    printed(root, name, measure, tables)?;
    let plot = amdahl(tables)?.to_svg()?;
    write_file(&root.join("book/pictures/amdahl.svg"), &plot)
}

fn amdahl(tables: &str) -> Result<Plot> {
    let rows =
        tables.lines().rev().take_while(|line| line.starts_with("| ") && !line.contains('-'));
    let rows: Vec<Vec<f64>> = rows.map(numbers).collect::<Result<_>>()?;
    let line = |name, dashes, column: usize| -> Result<Line> {
        let point = |row: &Vec<f64>| Some((*row.first()?, *row.get(column)?));
        let points = rows.iter().rev().map(point).collect::<Option<_>>();
        Ok(Line { name, dashes, points: points.context("a table of the laws")? })
    };
    let lines = vec![
        line("", None, 1)?,
        line("all alike", Some((7, 4)), 3)?,
        line("uneven", Some((2, 4)), 5)?,
    ];
    Ok(Plot {
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
        lines,
    })
}

/// Returns the figures of a row of a table.
fn numbers(row: &str) -> Result<Vec<f64>> {
    let cells = row.trim_matches('|').split('|');
    cells.map(|cell| cell.trim().parse().with_context(|| format!("a figure in {row}"))).collect()
}

/// Says what was measured, and describes the machine by its cores, architecture and kernel.
fn machine(measure: &str) -> Result<String> {
    let cores = std::thread::available_parallelism()?;
    let release =
        fs::read_to_string("/proc/sys/kernel/osrelease").context("the kernel's release")?;
    let version: Vec<&str> = release.split('.').take(2).collect();
    let (version, processor) = (version.join("."), std::env::consts::ARCH);
    Ok(format!("{measure}, on {cores} cores ({processor}), Linux {version}.\n"))
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    let dir = path.parent().context("a directory")?;
    fs::create_dir_all(dir)
        .and_then(|()| fs::write(path, text))
        .with_context(|| format!("write {}", path.display()))
}
