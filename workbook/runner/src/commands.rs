//! The commands of a step's program, apart from hints and solutions.

use std::env;
use std::fmt::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Context;
use tinyjson::JsonValue;

use crate::arguments::Usage;
use crate::cargo::{Built, Failure, Messages, build};
use crate::judge::{Judged, Judgement, judge};
use crate::last_run;
use crate::notebook::Notebook;
use crate::notebook::page::Page;
use crate::progress;
use crate::report::Report;
use crate::run::run_scene_showing;
use crate::step::{Check, Declared, Step};
use crate::terminal::{Terminal, cut, shown, visible};
use crate::whose::{Whose, choose};
use exercises::Exercise;
use scene::moments::{self, RECORDS_MOMENTS};
use scene::values::plain;
use scene::{Selection, serve_on};

/// Opens, builds and judges the page, and says what to do next.
pub(crate) fn judge_page(step: &Step) -> anyhow::Result<ExitCode> {
    warn_of_an_old_kernel();
    let terminal = Terminal::of_stdout();
    let (page, opened) = Notebook::of_step(step)?.open(step)?;
    let report = Report { terminal: &terminal, page: &page };
    terminal.print(&report.opened(&opened));
    if let Some(ending) = last_run::ending(&page.notebook) {
        terminal.print(&terminal.wrap("", &ending));
    }
    let judgement = match build_and_judge(&page)? {
        Ok(judgement) => judgement,
        Err(failure) => {
            terminal.print(&terminal.wrap("", &failure.sentence(&page)));
            return Ok(ExitCode::FAILURE);
        }
    };
    terminal.print(&report.judgement(&judgement)?);
    Ok(if judgement.is_green() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Builds and judges a page. The inner error is for a page that doesn't compile.
pub(crate) fn build_and_judge(page: &Page) -> anyhow::Result<Result<Judgement, Failure>> {
    let going_on = last_run::begin(page);
    let mut judgement = match build(page, Messages::Shown)? {
        Built::Program(program, _) => judge(page, &program)?,
        Built::DoesNotCompile(failure) => return Ok(Err(failure)),
    };
    drop(going_on);
    let before = progress::noted(&page.notebook, page.step.package);
    judgement.remember(&before.map_or(Vec::new(), |progress| progress.reached));
    // Only the map and `hint` use this note, so an error here shouldn't keep the verdict from the
    // reader.
    let _ = progress::note(page, &judgement);
    Ok(Ok(judgement))
}

/// Lists the exercises with their states.
pub(crate) fn list(step: &Step, json: bool) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let (page, _) = Notebook::of_step(step)?.open(step)?;
    let judgement = build_and_judge(&page)?.unwrap_or_else(|_| Judgement::does_not_compile(step));
    if json {
        let exercises: Result<Vec<JsonValue>, anyhow::Error> =
            judgement.exercises.iter().map(|judged| as_json(&page, judged)).collect();
        let json = JsonValue::from(exercises?);
        terminal.print(&(json.format().context("format JSON")? + "\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let report = Report { terminal: &terminal, page: &page };
    let mut text = String::new();
    for judged in &judgement.exercises {
        let _ = writeln!(text, "{}", report.line(judged));
        text += &terminal.wrap("    ", &judged.exercise.task);
        let checks: Vec<&str> =
            page.step.checks_of(judged.exercise).map(|check| check.name).collect();
        let checks = format!("judged by {}", checks.join(", "));
        text += &terminal.dim(&terminal.wrap("    ", &checks));
    }
    terminal.print(&text);
    Ok(ExitCode::SUCCESS)
}

fn as_json(page: &Page, judged: &Judged) -> anyhow::Result<JsonValue> {
    let Judged { exercise, state, .. } = *judged;
    let located = page.exercise(exercise)?;
    let text = |text: &str| JsonValue::from(text.to_owned());
    let line = located.line.and_then(|line| u32::try_from(line).ok());
    let names = |names: &[String]| names.iter().map(|name| text(name)).collect::<Vec<_>>();
    let fields = [
        ("number", text(&exercise.number)),
        ("name", text(&exercise.name)),
        ("task", text(&exercise.task)),
        ("minutes", JsonValue::from(f64::from(exercise.minutes))),
        ("state", text(state.words())),
        ("file", text(&shown(&page.file_of(located).path))),
        ("line", line.map_or(JsonValue::from(()), |line| JsonValue::from(f64::from(line)))),
        ("scenes", JsonValue::from(names(&exercise.scenes))),
        ("trials", JsonValue::from(names(&exercise.trials))),
    ];
    let object = fields.map(|(name, value)| (name.to_owned(), value));
    Ok(JsonValue::from(std::collections::HashMap::from(object)))
}

/// Lists the scenes of the step with their questions.
pub(crate) fn scenes(step: &Step) -> ExitCode {
    let terminal = Terminal::of_stdout();
    let mut text = String::new();
    for scene in step.scenes {
        let _ = writeln!(text, "{}", terminal.bold(scene.name));
        text += &terminal.wrap("    ", scene.about);
    }
    terminal.print(&text);
    ExitCode::SUCCESS
}

/// Plays one scene. Only its own lines go to standard output.
pub(crate) fn play(step: &Step, name: &str, whose: Whose) -> anyhow::Result<ExitCode> {
    let scene = scene(step, name)?;
    let terminal = Terminal::of_stdout();
    let program = match choose(step, whose)? {
        Some(page) => page,
        None => std::env::current_exe().context("find this program")?,
    };
    eprintln!("{}", terminal.wrap("", scene.about));
    let mut show = |line: &str| terminal.print(&format!("{}\n", visible(&plain(line))));
    let run = run_scene_showing(&program, scene.name, &mut show)?;
    for line in visible(&run.printed).lines() {
        terminal.print(&format!("{}\n", terminal.dim(&format!("| {}", cut(line)))));
    }
    if run.cut > 0 {
        terminal.print(&format!("… cut: {} more bytes\n", run.cut));
    }
    match run.sentence() {
        None => Ok(ExitCode::SUCCESS),
        Some(sentence) => anyhow::bail!("{}: {sentence}", scene.name),
    }
}

/// Runs the echo server on the loop so far.
pub(crate) fn serve(declared: &Declared, port: u16, whose: Whose) -> anyhow::Result<ExitCode> {
    let serve = server(declared)?;
    match choose(&declared.step()?, whose)? {
        Some(page) => {
            let error = Command::new(page).args(["serve-on", &port.to_string()]).exec();
            Err(error).context("start the page's server")
        }
        None => serve_on(serve, port).map(|()| ExitCode::SUCCESS),
    }
}

/// Runs this very program's server.
pub(crate) fn serve_this(declared: &Declared, port: u16) -> anyhow::Result<ExitCode> {
    serve_on(server(declared)?, port).map(|()| ExitCode::SUCCESS)
}

fn server(declared: &Declared) -> anyhow::Result<fn(u16) -> anyhow::Result<()>> {
    Ok(declared.serve.ok_or_else(|| {
        Usage(format!("{} has no server; from step 02 on, every step has one", declared.package))
    })?)
}

/// Runs a scene in this very process.
pub(crate) fn run_scene(declared: &Declared, name: &str) -> anyhow::Result<ExitCode> {
    let names: Vec<&str> = declared.scenes.iter().map(|scene| scene.name).collect();
    let scene = &declared.scenes[position("scene", &names, name)?];
    if env::var_os(RECORDS_MOMENTS).is_some() {
        kit::see_calls(moments::is_noting, |call| moments::note("call", &call.what, &call.more))?;
    }
    Ok(scene::run_scene(scene))
}

/// Runs programs of a trial in this very process.
pub(crate) fn run_trial(declared: &Declared, words: &[String]) -> anyhow::Result<ExitCode> {
    let (name, which) = words.split_first().context("run-trial takes a name")?;
    let which: Vec<&str> = which.iter().map(String::as_str).collect();
    let names: Vec<&str> = declared.trials.iter().map(|trial| trial.name).collect();
    let trial = &declared.trials[position("trial", &names, name)?];
    Ok(scene::run_trial(trial, Selection::from_words(&which)?))
}

/// Finds a scene by its name.
pub(crate) fn scene(step: &Step, name: &str) -> anyhow::Result<Check> {
    let names: Vec<&str> = step.scenes.iter().map(|scene| scene.name).collect();
    Ok(step.scenes[position("scene", &names, name)?])
}

/// Returns the position of a name in a list of what there is.
fn position(what: &str, names: &[&str], name: &str) -> Result<usize, Usage> {
    let found = names.iter().position(|it| *it == name);
    found.ok_or_else(|| Usage::unknown(what, name, names))
}

/// Finds an exercise by its name or number.
pub(crate) fn exercise(step: &Step, name: &str) -> anyhow::Result<&'static Exercise> {
    let is_it = |exercise: &&Exercise| exercise.name == name || exercise.number == name;
    let names: Vec<&str> = step.exercises.iter().map(|exercise| &*exercise.name).collect();
    let found = step.exercises.iter().find(is_it);
    Ok(found.ok_or_else(|| Usage::unknown("exercise", name, &names))?)
}

fn warn_of_an_old_kernel() {
    let release = crate::workbook::read(Path::new("/proc/sys/kernel/osrelease"));
    if let Some(release) = release.ok().filter(|release| is_older_than_5_11(release)) {
        let text = format!(
            "This is Linux {}. The workbook is made for 5.11 or later, so some scenes may print something else.\n",
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
    fn versions_compare_as_numbers() {
        for old in ["5.10.0-28-amd64", "4.19.0", "5.4"] {
            assert!(is_older_than_5_11(old), "{old}");
        }
        for new in ["5.11.0", "5.15.0-generic", "6.1", "10.0", "?"] {
            assert!(!is_older_than_5_11(new), "{new}");
        }
    }
}
