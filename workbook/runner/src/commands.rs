//! The commands of a step's program, except hints and solutions.

use std::fmt::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::Context;

use crate::account::Account;
use crate::arguments::{Form, Usage};
use crate::json::Json;
use crate::part::Part;
use crate::report::Report;
use crate::whose::{Whose, choose};
use crate::{class, events, last_run, object, reading};
use exercises::Exercise;
use judging::cargo::{Built, Failure, build};
use judging::judge::{Judgement, judge};
use judging::machine;
use judging::notebook::page::Page;
use judging::notebook::{Notebook, Opened};
use judging::progress;
use judging::run::run_scene_showing;
use judging::stages::judge_stages;
use judging::step::{Check, Declared, Step};
use judging::terminal::{Terminal, cut, visible};
use judging::workbook::Workbook;
use scene::serve_on;
use scene::values::plain;

/// Opens, builds and judges the page and prints what to do next.
pub(crate) fn judge_page(step: &Step, form: Form) -> anyhow::Result<ExitCode> {
    let notebook = Notebook::of_step(step)?;
    if form == Form::Json {
        events::begin("judge", step.package);
        let (page, opened) = notebook.open(step)?;
        tell_opened(&page, &opened, form);
        tell_list(&notebook, &Part::noted(&notebook, step))?;
    }
    let code = judge_now(step, form)?;
    if let Some(words) = class::tell(&notebook) {
        show_told(&words, form);
    }
    if form == Form::Json {
        events::end(None);
    }
    Ok(code)
}

/// Shows the note that [`class::tell`] returned about a report to the class.
pub(crate) fn show_told(words: &str, form: Form) {
    note(form, |terminal| terminal.dim(&format!("\n{}", terminal.wrap("", words))));
}

/// Shows a note to the reader or sends the note to another program. Does nothing if the note is
/// empty.
fn note(form: Form, words: impl FnOnce(&Terminal) -> String) {
    if form != Form::Json {
        let terminal = Terminal::of_stdout();
        return terminal.print(&words(&terminal));
    }
    let words = words(&Terminal::UNWRAPPED);
    if !words.trim().is_empty() {
        events::tell("note", object! { words: words.trim() });
    }
}

/// Judges the page without sending a report to the class. `watch` sends that report itself, because
/// it shows the verdict only after this process has ended.
pub(crate) fn judge_now(step: &Step, form: Form) -> anyhow::Result<ExitCode> {
    let began = Instant::now();
    let (page, opened) = Notebook::of_step(step)?.open(step)?;
    tell_opened(&page, &opened, form);
    warn(&page, form);
    let (judgement, account) = match build_and_judge(&page, form)? {
        Ok(judgement) => {
            let account = Account::of(&page, &judgement)?;
            (judgement, account)
        }
        Err(failure) => {
            let account = Account::of_a_failure(&page, &failure);
            let mut judgement = Judgement::does_not_compile(step);
            let noted = progress::noted(&page.notebook, step.package);
            judgement.remember(&noted.map_or(Vec::new(), |progress| progress.reached));
            (judgement, account)
        }
    };
    let plain = Report { terminal: &Terminal::PLAIN, page: &page };
    let kept = plain.account(&judgement.exercises, &account.clone().without_output())?;
    // Only `report` uses the note, so an error here doesn't matter.
    let _ = progress::note_verdict(&page.notebook, &(kept + &account.complaints));
    // If we can't save the report for the class, the reader should still see the verdict.
    let _ = class::keep(&page, &judgement, &account);
    let terminal = Terminal::of_stdout();
    let report = Report { terminal: &terminal, page: &page };
    match form {
        Form::Text => terminal.print(&report.account(&judgement.exercises, &account)?),
        Form::Problems => {
            let report = report.account(&judgement.exercises, &account)?;
            terminal.print(&format!("{report}\n{}", account.problems()));
        }
        Form::Json => {
            events::verdict(&page, &judgement, &account, began.elapsed().as_secs_f64())?;
        }
    }
    Ok(if judgement.is_green() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reports which files were created when the page was opened, and which exercises the page lacks.
pub(crate) fn tell_opened(page: &Page, opened: &Opened, form: Form) {
    note(form, |terminal| Report { terminal, page }.opened(opened));
}

/// Warns the reader if the kernel is old or if the last run was killed.
fn warn(page: &Page, form: Form) {
    note(form, |_| old_kernel().unwrap_or_default());
    let ending = last_run::ending(&page.notebook).unwrap_or_default();
    if !ending.is_empty() {
        note(form, |terminal| terminal.wrap("", &ending));
    }
}

/// Builds and judges a page. The inner error means that the page doesn't compile.
pub(crate) fn build_and_judge(
    page: &Page,
    form: Form,
) -> anyhow::Result<Result<Judgement, Failure>> {
    let before = progress::noted(&page.notebook, page.step.package);
    let going_on = last_run::begin(page);
    let mut judgement = match Judgement::of_an_untouched_page(page) {
        Some(judgement) => judgement,
        None => match build_and_judge_now(page, form)? {
            Ok(judgement) => judgement,
            Err(failure) => return Ok(Err(failure)),
        },
    };
    drop(going_on);
    judgement.remember(&before.map_or(Vec::new(), |progress| progress.reached));
    // The verdict doesn't depend on this record, so an error here shouldn't keep the reader from
    // seeing it.
    let _ = progress::note(page, &judgement);
    Ok(Ok(judgement))
}

fn build_and_judge_now(page: &Page, form: Form) -> anyhow::Result<Result<Judgement, Failure>> {
    machine::look()?;
    let messages = events::compiling(form, page.step.package);
    if page.step.is_from_scratch() {
        return judge_stages(page, messages);
    }
    match build(page, messages)? {
        Built::Program(program, _) => {
            if form == Form::Json {
                events::tell("judging", object! {});
            }
            judge(page, &program).map(Ok)
        }
        Built::DoesNotCompile(failure) => Ok(Err(failure)),
    }
}

/// Lists the exercises with their states.
pub(crate) fn list(step: &Step, form: Form) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let notebook = Notebook::of_step(step)?;
    let (page, _) = notebook.open(step)?;
    let judged = build_and_judge(&page, Form::Text)?;
    let judgement = judged.unwrap_or_else(|_| Judgement::does_not_compile(step));
    if form == Form::Json {
        tell_list(&notebook, &Part::judged(&notebook, page, &judgement))?;
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

/// Sends the list of a step's exercises to another program. The list doesn't say what to do next,
/// because that depends on all the steps.
pub(crate) fn tell_list(notebook: &Notebook, part: &Part<'_>) -> anyhow::Result<()> {
    let part = part.told(&reading::chosen(notebook)?)?;
    let next: Option<Json> = None;
    events::list(notebook, Json::list([part]), next.into());
    Ok(())
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

/// Plays a scene. Without `--json`, standard output shows only the scene's lines and what the scene
/// printed. The heading and errors go to standard error.
pub(crate) fn play(step: &Step, name: &str, whose: Whose, form: Form) -> anyhow::Result<ExitCode> {
    let scene = scene(step, name)?;
    if form == Form::Json {
        events::begin("play", step.package);
    }
    machine::look()?;
    let chosen = choose(step, whose, form, Some(scene.name))?;
    let terminal = Terminal::of_stdout();
    if form == Form::Json {
        let (whose, runs) = (chosen.whose(), &chosen.runs);
        let fields = object! { scene: name, about: scene.about, whose: whose, runs: runs };
        events::tell("play", fields);
    } else {
        eprintln!("{}\n{}", chosen.runs, terminal.wrap("", scene.about));
    }
    let program = chosen.program()?;
    let mut show = |line: &str| {
        let line = visible(&plain(line));
        match form {
            Form::Json => events::tell("line", object! { text: line }),
            _ => terminal.print(&format!("{line}\n")),
        }
    };
    let run = run_scene_showing(&program, scene.name, &mut show)?;
    let mut printed: Vec<String> = visible(&run.printed).lines().map(cut).collect();
    if form == Form::Json {
        printed.extend((run.cut > 0).then(|| format!("… cut: {} more bytes", run.cut)));
        if !printed.is_empty() {
            events::tell("printed", object! { lines: printed });
        }
        let fault = run.sentence().map(|sentence| visible(&sentence));
        events::end(fault.as_deref());
        return Ok(if fault.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    for line in printed {
        terminal.print(&format!("{}\n", terminal.dim(&format!("| {line}"))));
    }
    if run.cut > 0 {
        terminal.print(&format!("… cut: {} more bytes\n", run.cut));
    }
    match run.sentence() {
        None => Ok(ExitCode::SUCCESS),
        Some(sentence) => anyhow::bail!("{}: {sentence}", scene.name),
    }
}

/// Runs the step's echo server on the reader's page or on the reference.
pub(crate) fn serve(declared: &Declared, port: u16, whose: Whose) -> anyhow::Result<ExitCode> {
    let serve = declared.serve.ok_or_else(|| {
        Usage(format!("{} has no server; every step from step 02 on has one", declared.package))
    })?;
    let chosen = choose(&declared.step()?, whose, Form::Text, None)?;
    eprintln!("{}", chosen.runs);
    match chosen.page {
        Some(page) => {
            let error = Command::new(page).args(["serve-on", &port.to_string()]).exec();
            Err(error).context("start the page's server")
        }
        None => serve_on(serve, port).map(|()| ExitCode::SUCCESS),
    }
}

/// Prints a step's title, scenes and trials, one per line, with tabs between the fields.
pub(crate) fn describe(declared: &Declared) {
    println!("title\t{}", declared.title);
    for scene in declared.scenes {
        println!("scene\t{}\t{}\t1", scene.name, scene.question);
    }
    for trial in declared.trials {
        println!("trial\t{}\t{}\t{}", trial.name, trial.promise, trial.programs);
    }
}

/// Finds a scene by its name.
pub(crate) fn scene(step: &Step, name: &str) -> anyhow::Result<Check> {
    let names: Vec<&str> = step.scenes.iter().map(|scene| scene.name).collect();
    let found = step.scenes.iter().find(|scene| scene.name == name);
    Ok(*found.ok_or_else(|| Usage::unknown("scene", name, &names))?)
}

/// Finds an exercise by its name or number.
pub(crate) fn exercise(step: &Step, name: &str) -> anyhow::Result<&'static Exercise> {
    let is_it = |exercise: &&Exercise| exercise.name == name || exercise.number == name;
    let names: Vec<&str> = step.exercises.iter().map(|exercise| &*exercise.name).collect();
    if let Some(found) = step.exercises.iter().find(is_it) {
        return Ok(found);
    }
    let gone = judging::gone::told(&Workbook::of(step.manifest_dir)?, name)?;
    Err(gone.map_or_else(|| Usage::unknown("exercise", name, &names), Usage).into())
}

/// Returns a warning if the kernel is older than the oldest that the workbook supports.
fn old_kernel() -> Option<String> {
    let release = judging::workbook::read(Path::new("/proc/sys/kernel/osrelease"));
    let release = release.ok().filter(|release| is_older_than_5_11(release))?;
    Some(format!(
        "This is Linux {}. The workbook is made for Linux 5.11 or later, so some scenes may print different lines.\n",
        release.trim()
    ))
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
