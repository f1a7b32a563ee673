//! What a step's program does for the reader, but for the answers.

use std::fmt::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Context;
use tinyjson::JsonValue;

use crate::cargo::{Built, Messages, build};
use crate::judge::{Judged, Judgement};
use crate::ledger;
use crate::notebook::{Notebook, Opened};
use crate::performance::Performance;
use crate::place::Place;
use crate::report::Report;
use crate::terminal::{Terminal, shown, visible};
use crate::usage::Usage;
use scene::PAGE_PROGRAM;
use scene::{Exercise, Scene, Step};

/// Opens, builds and judges the page, and says what to do next.
pub(crate) fn judge(step: &Step) -> anyhow::Result<ExitCode> {
    warn_of_an_old_kernel();
    let terminal = Terminal::of_stdout();
    let notebook = notebook(step)?;
    let report = Report { terminal: &terminal, notebook: &notebook, step };
    let opened = open(&notebook, step)?;
    terminal.print(&report.opened(&opened));
    let judgement = judged(&notebook, step)?;
    let Some(judgement) = judgement else {
        terminal.print(&format!("{} does not compile yet.\n", shown(&notebook.page(step.package))));
        return Ok(ExitCode::FAILURE);
    };
    terminal.print(&report.judgement(&judgement)?);
    Ok(if judgement.is_green() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Builds and judges a page that is open; `None` if it does not compile.
pub(crate) fn judged(notebook: &Notebook, step: &Step) -> anyhow::Result<Option<Judgement>> {
    let Built::Program(program, _) = build(notebook, step.package, Messages::Shown)? else {
        return Ok(None);
    };
    let judgement = crate::judge::judge(step, &program, &notebook.step(step.package))?;
    // The map can do without; a verdict is worth more than the note of it.
    let _ = ledger::note(notebook, step.package, &judgement);
    Ok(Some(judgement))
}

/// The exercises and how they stand.
pub(crate) fn list(step: &Step, json: bool) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let notebook = notebook(step)?;
    let report = Report { terminal: &terminal, notebook: &notebook, step };
    open(&notebook, step)?;
    let judgement = judged(&notebook, step)?.unwrap_or_else(|| Judgement::does_not_compile(step));
    if json {
        let exercises: Result<Vec<JsonValue>, anyhow::Error> =
            judgement.exercises.iter().map(|judged| as_json(&report, judged)).collect();
        let json = JsonValue::from(exercises?);
        terminal.print(&(json.format().context("format JSON")? + "\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    for judged in &judgement.exercises {
        let _ = writeln!(text, "{}", report.line(judged));
        text += &terminal.wrap("    ", judged.exercise.task);
        let scenes = report.scenes(judged.exercise).join(", ");
        text += &terminal.dim(&terminal.wrap("    ", &format!("judged by {scenes}")));
    }
    terminal.print(&text);
    Ok(ExitCode::SUCCESS)
}

fn as_json(report: &Report<'_>, judged: &Judged) -> anyhow::Result<JsonValue> {
    let Judged { exercise, state } = *judged;
    let place = Place::of(report.notebook, report.step.package, exercise)?;
    let text = |text: &str| JsonValue::from(text.to_owned());
    let line = place.line.and_then(|line| u32::try_from(line).ok());
    let scenes = exercise.scenes.iter().map(|name| text(name)).collect::<Vec<_>>();
    let fields = [
        ("number", text(exercise.number)),
        ("name", text(exercise.name)),
        ("task", text(exercise.task)),
        ("minutes", JsonValue::from(f64::from(exercise.minutes))),
        ("state", text(state.words())),
        ("file", text(&shown(&place.file))),
        ("line", line.map_or(JsonValue::from(()), |line| JsonValue::from(f64::from(line)))),
        ("scenes", JsonValue::from(scenes)),
    ];
    let object = fields.map(|(name, value)| (name.to_owned(), value));
    Ok(JsonValue::from(std::collections::HashMap::from(object)))
}

/// The scenes of the step.
pub(crate) fn scenes(step: &Step, names_alone: bool) -> ExitCode {
    let terminal = Terminal::of_stdout();
    let mut text = String::new();
    for scene in step.scenes {
        if names_alone {
            let _ = writeln!(text, "{}", scene.name);
        } else {
            let _ = writeln!(text, "{}", terminal.bold(scene.name));
            text += &terminal.wrap("    ", scene.question);
        }
    }
    if step.scenes.is_empty() && !names_alone {
        text += "This step has no scenes yet.\n";
    }
    terminal.print(&text);
    ExitCode::SUCCESS
}

/// The exercises of the step for the authors' checks: a line each, its fields between tabs.
pub(crate) fn describe(step: &Step) -> ExitCode {
    for Exercise { number, name, only_here, .. } in step.exercises {
        println!("{number}\t{name}\t{}", only_here.unwrap_or_default());
    }
    ExitCode::SUCCESS
}

/// Plays one scene on the layer this program was built with.
pub(crate) fn play(step: &Step, name: &str) -> anyhow::Result<ExitCode> {
    let scene = scene(step, name)?;
    let terminal = Terminal::of_stdout();
    let program = match page_program() {
        Some(page) => page,
        None => std::env::current_exe().context("find this program")?,
    };
    let mut show = |line: &str| terminal.print(&format!("{}\n", visible(line)));
    let performance = Performance::shown(&program, scene.name, &mut show)?;
    for line in visible(&performance.printed).lines() {
        terminal.print(&format!("{}\n", terminal.dim(&format!("| {line}"))));
    }
    if performance.cut > 0 {
        terminal.print(&format!("… cut: {} more bytes\n", performance.cut));
    }
    match performance.sentence() {
        None => Ok(ExitCode::SUCCESS),
        Some(sentence) => anyhow::bail!("{}: {sentence}", scene.name),
    }
}

/// Runs the echo server on the loop so far.
pub(crate) fn serve(step: &Step, port: u16) -> anyhow::Result<ExitCode> {
    let serve = step.serve.ok_or_else(|| {
        Usage(format!("{} has no server; from step 02 on, each has one", step.package))
    })?;
    if let Some(page) = page_program() {
        let error = Command::new(page).args(["serve-on", &port.to_string()]).exec();
        return Err(error).context("start the page's server");
    }
    serve(port)?;
    Ok(ExitCode::SUCCESS)
}

/// The page's program, if it was the page that was asked to do this.
fn page_program() -> Option<PathBuf> {
    std::env::var_os(PAGE_PROGRAM).map(PathBuf::from)
}

/// The scene of a name.
pub(crate) fn scene<'a>(step: &Step, name: &str) -> anyhow::Result<&'a Scene> {
    let found = step.scenes.iter().find(|scene| scene.name == name);
    let names = step.scenes.iter().map(|scene| scene.name);
    Ok(found.ok_or_else(|| Usage::unknown("scene", name, names))?)
}

/// The exercise of a name, or of a number.
pub(crate) fn exercise(step: &Step, name: &str) -> anyhow::Result<&'static Exercise> {
    let is_it = |exercise: &&Exercise| exercise.name == name || exercise.number == name;
    let names = step.exercises.iter().map(|exercise| exercise.name);
    let found = step.exercises.iter().find(is_it);
    Ok(found.ok_or_else(|| Usage::unknown("exercise", name, names))?)
}

/// The notebook this program works with.
pub(crate) fn notebook(step: &Step) -> anyhow::Result<Notebook> {
    // `cargo run` says where the package lies now; the program knows where it lay when built.
    let dir = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let is_ours = |dir: &PathBuf| dir.file_name().is_some_and(|name| name == step.package);
    let dir = dir.filter(is_ours).unwrap_or_else(|| PathBuf::from(step.manifest_dir));
    Notebook::around(&dir)
}

/// Opens the page, and explains what stands in the way.
pub(crate) fn open(notebook: &Notebook, step: &Step) -> anyhow::Result<Opened> {
    notebook.open(step).with_context(|| {
        let dir = shown(&notebook.dir);
        format!("the notebook in {dir} cannot be opened; nothing of yours was changed")
    })
}

fn warn_of_an_old_kernel() {
    let release = crate::root::read(Path::new("/proc/sys/kernel/osrelease"));
    if let Some(release) = release.ok().filter(|release| is_older_than_5_11(release)) {
        let text = format!(
            "This is Linux {}; the workbook needs 5.11 or later, so some scenes may not be right.\n",
            release.trim()
        );
        Terminal::of_stdout().print(&text);
    }
}

fn is_older_than_5_11(release: &str) -> bool {
    let mut numbers = release.split(|char: char| !char.is_ascii_digit()).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) < (5, 11),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_old_by_its_numbers_and_not_by_its_letters() {
        for old in ["5.10.0-28-amd64", "4.19.0", "5.4"] {
            assert!(is_older_than_5_11(old), "{old}");
        }
        for new in ["5.11.0", "5.15.0-generic", "6.1", "10.0", "?"] {
            assert!(!is_older_than_5_11(new), "{new}");
        }
    }
}
