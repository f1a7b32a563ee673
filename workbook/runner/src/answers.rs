//! Hints, the reference's answers, and starting an exercise over.

use std::io::{self, BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::arguments::Consent;
use crate::commands::{exercise, judged, notebook, open};
use crate::ledger;
use crate::notebook::Notebook;
use crate::place::{Place, reference_file};
use crate::root::{read, write};
use crate::source::Function;
use crate::terminal::{Terminal, shown};
use crate::usage::Usage;
use scene::{Exercise, Step};

/// The next hint for an exercise, or for the first that is red.
pub(crate) fn hint(step: &Step, name: Option<&str>) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let notebook = notebook(step)?;
    let named = name.map(|name| exercise(step, name)).transpose()?;
    open(&notebook, step)?;
    let wanted = match named {
        Some(exercise) => Some(exercise),
        None => first_red(&notebook, step)?,
    };
    let Some(exercise) = wanted else {
        terminal.print("Nothing is red, so there is nothing to hint at.\n");
        return Ok(ExitCode::SUCCESS);
    };

    let shown_before = ledger::hints_shown(&notebook, exercise.name);
    let title = format!("{} {}", exercise.number, exercise.name);
    let Some(hint) = exercise.hints.get(shown_before) else {
        let all = exercise.hints.iter().enumerate();
        let mut text = format!("{}, all its hints:\n", terminal.bold(&title));
        for (index, hint) in all {
            text += &terminal.wrap("  ", &format!("{}. {hint}", index + 1));
        }
        let last = format!("The answer: cargo run -p {} -- reveal {}", step.package, exercise.name);
        terminal.print(&(text + &terminal.wrap("", &last)));
        return Ok(ExitCode::SUCCESS);
    };
    let count = format!("hint {} of {}", shown_before + 1, exercise.hints.len());
    let heading = format!("{}, {count}:\n", terminal.bold(&title));
    terminal.print(&(heading + &terminal.wrap("  ", hint)));
    ledger::note_hints(&notebook, exercise.name, shown_before + 1)?;
    Ok(ExitCode::SUCCESS)
}

/// The first exercise that is not green; on a page that does not compile, the one that was not.
fn first_red(notebook: &Notebook, step: &Step) -> anyhow::Result<Option<&'static Exercise>> {
    if let Some(judgement) = judged(notebook, step)? {
        return Ok(judgement.first_red());
    }
    let name = ledger::noted(notebook, step.package).and_then(|noted| noted.first_red);
    let is_it = |exercise: &&Exercise| Some(exercise.name) == name.as_deref();
    Ok(step.exercises.iter().find(is_it).or(step.exercises.first()))
}

/// The reference's answer.
pub(crate) fn reveal(step: &Step, name: &str, consent: Consent) -> anyhow::Result<ExitCode> {
    let exercise = exercise(step, name)?;
    let question = format!("Show the answer to {} {}?", exercise.number, exercise.name);
    if !agreed(&question, consent)? {
        return Ok(ExitCode::FAILURE);
    }
    let notebook = notebook(step)?;
    let file = reference_file(&notebook, step.package, exercise)?;
    let text = read(&file)?;
    let function = Function::find(&text, exercise.name)?.context("the answer has gone")?;
    let terminal = Terminal::of_stdout();
    let place = format!("{}:{}", shown(&file), function.line());
    terminal.print(&format!("{}\n{}", terminal.dim(&place), function.whole()));
    Ok(ExitCode::SUCCESS)
}

/// Puts the starter's body back, and keeps what it replaces.
pub(crate) fn reset(step: &Step, name: &str, consent: Consent) -> anyhow::Result<ExitCode> {
    let exercise = exercise(step, name)?;
    let notebook = notebook(step)?;
    open(&notebook, step)?;
    let place = Place::of(&notebook, step.package, exercise)?;
    let file = shown(&place.file);
    if place.line.is_none() {
        bail!(
            "{file} has no function between `// ANCHOR: {0}` and `// ANCHOR_END: {0}`, so it is \
             not known where to put it. Put the two lines around it again, or move the file away \
             to have it made again.",
            exercise.name
        );
    }
    let question = format!("Replace your body of {} in {file} by the starter's?", exercise.name);
    if !agreed(&question, consent)? {
        return Ok(ExitCode::FAILURE);
    }
    let text = read(&place.file)?;
    let function = Function::find(&text, exercise.name)?.context("the exercise has gone")?;
    let kept = ledger::keep(&notebook, exercise.name, function.whole())?;
    write(&place.file, &function.starter(exercise))?;
    let terminal = Terminal::of_stdout();
    let done =
        format!("{file}: {} starts over. What you had is in {}.", exercise.name, shown(&kept));
    terminal.print(&terminal.wrap("", &done));
    Ok(ExitCode::SUCCESS)
}

/// Asks on the terminal. Where nobody can answer, only `--yes` will do.
fn agreed(question: &str, consent: Consent) -> anyhow::Result<bool> {
    if consent == Consent::Given {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        let why = "nobody is there to ask: standard input is no terminal";
        return Err(Usage(format!("{why}. If you mean it, add --yes.")).into());
    }
    Terminal::of_stdout().print(&format!("{question} [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("read your answer")?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
