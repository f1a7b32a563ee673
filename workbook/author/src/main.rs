//! `cargo run -p author -- COMMAND`: the checks for the workbook's authors.

#![forbid(unsafe_code)]

use std::env;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, ensure};
use author::at_a_time::at_a_time;
use author::check::check;
use author::described;
use author::hunt::hunt;
use author::record::{self, Task, Whose, record};
use author::reuse::check_reuse;
use author::stress::stress;
use author::try_out::{Told, try_out};
use judging::Step;
use judging::terminal::Terminal;
use judging::workbook::Workbook;

const HELP: &str = "\
check [STEP]          prove every exercise of a step, or of all
check-reuse           prove that later steps run what a reader
                      writes
record [STEP [NAME…]] record again the runs that pages step
                      through, or those of a step, or these
record --check [N]    play them again, N times, and compare
record STEP NAME --mine|--reference --json
                      record a run now, for a page of the book
stress [COUNT [STEP]] run every scene and every trial COUNT
                      times (300), under load
try STEP DIR [full]   try the answers in DIR/EXERCISE/*.rs, and
                      say what a reader would be told: in a
                      line, or in full
hunt STEP             record what a reader is told of the bugs that
                      are worth a hunt

STEP is a package, such as step02_epoll.
";

fn main() -> ExitCode {
    kit::start_as_a_parent();
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = Workbook::of(env!("CARGO_MANIFEST_DIR")).and_then(|it| run(&it, &words));
    result.unwrap_or_else(|error| runner::report_error(&error))
}

fn run(workbook: &Workbook, words: &[&str]) -> anyhow::Result<ExitCode> {
    let step = |name: &str| -> anyhow::Result<Step> {
        let steps = workbook.steps()?;
        let is_known = steps.iter().any(|step| step == name);
        ensure!(is_known, "there's no step `{name}`. Known: {}", steps.join(", "));
        described::step(workbook, name)
    };
    match *words {
        ["check"] => check_all(workbook),
        ["check", name] => check(&step(name)?, "check"),
        ["check", name, notebook] => check(&step(name)?, notebook),
        ["check-reuse"] => check_reuse(workbook),
        ["record"] => record(workbook, Task::Write, None, &[]),
        ["record", "--check"] => record(workbook, Task::Check(1), None, &[]),
        ["record", "--check", count] => {
            record(workbook, Task::Check(usize::try_from(number(count)?)?), None, &[])
        }
        ["record", package, scene, whose @ ("--mine" | "--reference"), "--json"] => {
            let whose = if whose == "--mine" { Whose::Mine } else { Whose::Reference };
            record::tell(workbook, package, scene, whose)
        }
        ["record", name, ref scenes @ ..] => record(workbook, Task::Write, Some(name), scenes),
        ["stress"] => stress_all(workbook, 300),
        ["stress", count] => stress_all(workbook, number(count)?),
        ["stress", count, name] => stress(&step(name)?, number(count)?),
        ["try", name, dir] => try_out(&step(name)?, dir.as_ref(), Told::InALine),
        ["try", name, dir, "full"] => try_out(&step(name)?, dir.as_ref(), Told::InFull),
        ["hunt", name] => hunt(&step(name)?),
        ["help" | "--help" | "-h"] => {
            Terminal::of_stdout().print(&format!("cargo run -p author -- COMMAND\n\n{HELP}"));
            Ok(ExitCode::SUCCESS)
        }
        _ => Ok(runner::misused(&format!("there's no command `{}`.\n\n{HELP}", words.join(" ")))),
    }
}

fn number(text: &str) -> anyhow::Result<u32> {
    text.parse().with_context(|| format!("`{text}` isn't a count"))
}

/// Stresses one step after another, since each step keeps all processors busy.
fn stress_all(workbook: &Workbook, count: u32) -> anyhow::Result<ExitCode> {
    let mut failed = Vec::new();
    for name in workbook.steps()? {
        if stress(&described::step(workbook, &name)?, count)? != ExitCode::SUCCESS {
            failed.push(name);
        }
    }
    Ok(summary(&failed))
}

/// Checks all steps, two at a time. The last step comes first, because it has the most answers and
/// would otherwise run alone at the end. Each step is checked in a separate process, whose output
/// is shown when the process ends, or after all others if the check fails. The checks share two
/// notebooks, so cargo compiles the pages' dependencies only twice, rather than for each step.
fn check_all(workbook: &Workbook) -> anyhow::Result<ExitCode> {
    let program = env::current_exe().context("find this program")?;
    let steps: Vec<String> = workbook.steps()?.into_iter().rev().collect();
    let notebooks = ["check", "check-beside"];
    let outputs = at_a_time(notebooks.len(), steps.len(), |worker, number| {
        let step = &steps[number];
        let mut command = Command::new(&program);
        command.args(["check", step, notebooks[worker]]);
        command.stdin(Stdio::null()).stderr(Stdio::inherit());
        let ran = command.output().with_context(|| format!("check {step}"))?;
        let output = format!("{step}\n{}", String::from_utf8_lossy(&ran.stdout));
        if ran.status.success() {
            Terminal::of_stdout().print(&output);
        }
        anyhow::Ok((ran.status.success(), output))
    });
    let mut failed = Vec::new();
    for (step, checked) in steps.into_iter().zip(outputs) {
        let (has_passed, output) = checked?;
        if !has_passed {
            Terminal::of_stdout().print(&output);
            failed.push(step);
        }
    }
    Ok(summary(&failed))
}

/// Prints which steps failed and returns the exit code.
fn summary(failed: &[String]) -> ExitCode {
    let verdict = match failed {
        [] => "every step passed\n".to_owned(),
        failed => format!("{} failed: {}\n", failed.len(), failed.join(", ")),
    };
    Terminal::of_stdout().print(&verdict);
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
