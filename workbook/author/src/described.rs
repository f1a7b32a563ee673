//! A step as seen from outside: we build the step's own program, ask it for its scenes and trials,
//! and read the exercises and snapshots from their files. Programs that judge any step's pages use
//! this module, because they can't link the steps.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use exercises::Exercise;
use judging::Step;
use judging::run::output_of;
use judging::step::{Check, CheckKind};
use judging::workbook::{Workbook, file_names, read};
use scene::root::cargo;
use serde_json::Value;

/// Builds a step's program and returns the step's description.
pub fn step(workbook: &Workbook, package: &str) -> anyhow::Result<Step> {
    step_of(workbook, package, program_of(workbook, package)?)
}

/// Returns a step's description, given its program.
pub fn step_of(workbook: &Workbook, package: &str, reference: PathBuf) -> anyhow::Result<Step> {
    let description = description(&reference)?;
    let fields = description.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let mut step = Step {
        reference: reference.leak(),
        keys: keys(workbook, package)?.leak(),
        ..Step::without_checks(workbook, package)?
    };
    let (mut scenes, mut trials) = (Vec::new(), Vec::new());
    for fields in fields {
        match *fields {
            ["title", title] => step.title = title,
            ["scene", name, about, count] => {
                scenes.push(check(CheckKind::Scene, name, about, count)?);
            }
            ["trial", name, about, count] => {
                trials.push(check(CheckKind::Trial, name, about, count)?);
            }
            _ => anyhow::bail!("{package} describes itself as {fields:?}"),
        }
    }
    Ok(Step { scenes: scenes.leak(), trials: trials.leak(), ..step })
}

fn check(
    kind: CheckKind,
    name: &'static str,
    about: &'static str,
    programs: &str,
) -> anyhow::Result<Check> {
    let programs = programs.parse().with_context(|| format!("{name} has {programs} programs"))?;
    Ok(Check { kind, name, about, programs, asks_for_order: false })
}

/// Fails if an exercise names a scene or a trial that the step doesn't have.
pub fn has_the_checks_of(step: &Step, exercise: &Exercise) -> anyhow::Result<()> {
    for (what, names, all) in
        [("scene", &exercise.scenes, step.scenes), ("trial", &exercise.trials, step.trials)]
    {
        for name in names {
            let (package, number) = (step.package, &exercise.number);
            let is_known = all.iter().any(|check| check.name == name);
            ensure!(is_known, "{package}: exercise {number}: there's no {what} `{name}`");
        }
    }
    Ok(())
}

/// Runs a step's program to list its scenes and trials. Returns the list.
fn description(program: &Path) -> anyhow::Result<&'static str> {
    let (status, output) =
        output_of(Command::new(program).arg("describe")).context("ask the step's program")?;
    ensure!(status.success(), "{} describe: {status}", program.display());
    Ok(String::from_utf8(output).context("read what the step has")?.leak())
}

/// Reads a step's snapshots, each with its scene's name.
fn keys(workbook: &Workbook, package: &str) -> anyhow::Result<Vec<(&'static str, &'static str)>> {
    let files = file_names(&workbook.snapshots(package)).unwrap_or_default();
    let names = files.iter().filter_map(|file| file.strip_suffix(".snap"));
    let key = |scene: &str| {
        let text = read(&workbook.snapshots(package).join(format!("{scene}.snap")))?;
        Ok((&*scene.to_owned().leak(), &*text.leak()))
    };
    names.map(key).collect()
}

/// Builds a step's program and returns the program's path.
pub fn program_of(workbook: &Workbook, package: &str) -> anyhow::Result<PathBuf> {
    let built = cargo()
        .current_dir(&workbook.root)
        .args(["build", "--quiet", "--message-format", "json"])
        .args(["--bin", package, "--package", package])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("build {package}"))?;
    let lines = String::from_utf8_lossy(&built.stdout);
    let program = lines.lines().find_map(|line| {
        let said: Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(said["executable"].as_str()?))
    });
    ensure!(
        built.status.success(),
        "the reference {package} doesn't build, and without it nothing can be judged"
    );
    program.context("cargo named no program")
}
