//! The commands that show hints and solutions, and that start an exercise over.

use std::io::{self, BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::Step;
use crate::arguments::{Consent, Usage};
use crate::commands::{build_and_judge, exercise};
use crate::notebook::Notebook;
use crate::notebook::given::Change;
use crate::notebook::page::Page;
use crate::notebook::source::Function;
use crate::progress;
use crate::terminal::{Terminal, shown};
use crate::verdict::Verdict;
use exercises::{Exercise, Nudge};

/// Shows the next hint for an exercise, or for the first that isn't green. After the last hint,
/// shows all of them.
pub(crate) fn hint(step: &Step, name: Option<&str>) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let named = name.map(|name| exercise(step, name)).transpose()?;
    let notebook = Notebook::of_step(step)?;
    let (page, _) = notebook.open(step)?;
    let (wanted, red) = match named {
        Some(exercise) => (Some(exercise), None),
        None => first_red(&page)?,
    };
    let Some(exercise) = wanted else {
        terminal.print("Everything is green, so there's nothing left to hint at.\n");
        return Ok(ExitCode::SUCCESS);
    };

    if let Some(nudge) = red.and_then(|verdict| nudge_for(exercise, &verdict)) {
        let heading = format!("{} {}, about what went wrong:\n", exercise.number, exercise.name);
        terminal.print(&(terminal.bold(&heading) + &terminal.wrap("  ", nudge)));
    }
    let shown_before = progress::hints_shown(&notebook, &exercise.name);
    let title = format!("{} {}", exercise.number, exercise.name);
    let hints = hints(&page, exercise)?;
    let Some(hint) = hints.get(shown_before) else {
        let mut text = format!("{}, all its hints:\n", terminal.bold(&title));
        for (index, hint) in hints.iter().enumerate() {
            text += &hint.formatted(&terminal, &format!("{}. ", index + 1));
        }
        let solution = page.command(&format!(" -- reveal {}", exercise.name));
        terminal.print(&(text + &terminal.wrap("", &format!("The solution: {solution}"))));
        return Ok(ExitCode::SUCCESS);
    };
    let count = format!("hint {} of {}", shown_before + 1, hints.len());
    let heading = format!("{}, {count}:\n", terminal.bold(&title));
    terminal.print(&(heading + &hint.formatted(&terminal, "")));
    progress::note_hints(&notebook, &exercise.name, shown_before + 1)?;
    Ok(ExitCode::SUCCESS)
}

/// A hint, which is a sentence or a body.
enum Hint<'a> {
    Text(&'a str),
    Body(&'a str),
}

/// Returns the hints for an exercise: a question, the method, and a body that's right. Unless the
/// exercise has one of its own for that, it's the reference's.
fn hints<'a>(page: &'a Page, exercise: &'a Exercise) -> anyhow::Result<[Hint<'a>; 3]> {
    let Exercise { question, method, body, .. } = exercise;
    let body =
        body.as_deref().map_or_else(|| page.exercise(exercise).map(|it| &*it.solution.body), Ok);
    Ok([Hint::Text(question), Hint::Text(method), Hint::Body(body?)])
}

impl Hint<'_> {
    fn formatted(&self, terminal: &Terminal, number: &str) -> String {
        match self {
            Hint::Text(text) => terminal.wrap("  ", &format!("{number}{text}")),
            Hint::Body(code) => {
                let number =
                    if number.is_empty() { "" } else { &format!("  {}\n", number.trim_end()) };
                let code = textwrap::dedent(code);
                format!("{number}{}\n", textwrap::indent(code.trim_matches('\n'), "    "))
            }
        }
    }
}

/// Returns the hint for the mistake that a verdict shows, if the exercise has one.
fn nudge_for<'a>(exercise: &'a Exercise, verdict: &Verdict) -> Option<&'a str> {
    let seen = verdict.first_wrong_line();
    let fits = |nudge: &&Nudge| nudge.at == verdict.check.name && seen.contains(&nudge.sees);
    exercise.nudges.iter().find(fits).map(|nudge| &*nudge.hint)
}

/// Returns the first exercise that isn't green, and the verdict on it. If the page doesn't compile,
/// returns the first that wasn't green when it was last judged, or the first of all if none is
/// noted.
fn first_red(page: &Page) -> anyhow::Result<(Option<&'static Exercise>, Option<Verdict>)> {
    if let Ok(judgement) = build_and_judge(page)? {
        return Ok((judgement.first_red(), judgement.red));
    }
    let last_time = progress::noted(&page.notebook, page.step.package);
    let name = last_time.and_then(|progress| progress.first_red);
    let is_it = |exercise: &&Exercise| Some(&exercise.name) == name.as_ref();
    let exercises = page.step.exercises;
    Ok((exercises.iter().find(is_it).or(exercises.first()), None))
}

/// Shows the reference's solution.
pub(crate) fn reveal(step: &Step, name: &str, consent: Consent) -> anyhow::Result<ExitCode> {
    let exercise = exercise(step, name)?;
    let question = format!("Show the solution of {} {}?", exercise.number, exercise.name);
    if !agreed(&question, consent, "Not shown.")? {
        return Ok(ExitCode::FAILURE);
    }
    let (page, _) = Notebook::of_step(step)?.open(step)?;
    let located = page.exercise(exercise)?;
    let solution = &located.solution;
    let mut yours = shown(&page.file_of(located).path);
    if let Some(line) = located.line {
        yours += &format!(":{line}");
    }
    let terminal = Terminal::of_stdout();
    // Both paths, because whoever copies it could open the wrong one.
    let places = format!("ours:  {}:{}\nyours: {yours}", shown(&solution.file), solution.line);
    terminal.print(&format!("{}\n{}", terminal.dim(&places), solution.function));
    Ok(ExitCode::SUCCESS)
}

/// Puts the reference's body into the reader's page, where it's given from then on.
pub(crate) fn give(step: &Step, name: &str, consent: Consent) -> anyhow::Result<ExitCode> {
    let exercise = exercise(step, name)?;
    let Exercise { number, name, .. } = exercise;
    let question = format!("Put our body of {number} {name} into your page?");
    if !agreed(&question, consent, "Nothing was changed.")? {
        return Ok(ExitCode::FAILURE);
    }
    let notebook = Notebook::of_step(step)?;
    notebook.open(step)?;
    let wanted = |it: &Exercise| (it == exercise).then_some(Change::GiveInAnyCase);
    let mut choice = notebook.choice();
    let changed = notebook.change(&mut choice, step.package, step.exercises, wanted)?;
    let (page, _) = notebook.open(step)?;
    let file = shown(&page.file_of(page.exercise(exercise)?).path);
    let mut done = if page.is_given(exercise) {
        format!("{number} {name} is given: {file} has our body. ")
    } else {
        bail!("{file}: I can't find {name} between its ANCHOR lines, so I've changed nothing");
    };
    done += &changed.saved_in_words();
    let again = page.command(&format!(" -- reset {name}"));
    done += &format!("To write it yourself after all: {again}");
    let terminal = Terminal::of_stdout();
    terminal.print(&terminal.wrap("", &done));
    Ok(ExitCode::SUCCESS)
}

/// Puts the starter's body back, and saves a copy of what it replaces.
pub(crate) fn reset(step: &Step, name: &str, consent: Consent) -> anyhow::Result<ExitCode> {
    let exercise = exercise(step, name)?;
    let notebook = Notebook::of_step(step)?;
    let (mut page, _) = notebook.open(step)?;
    let located = page.exercise(exercise)?;
    let (index, line) = (located.file, located.line);
    let source = page.file_of(located);
    let file = shown(&source.path);
    if line.is_none() {
        let why = match Function::find(&source.text, &exercise.name) {
            Err(error) => format!("{error:#}"),
            Ok(_) => format!(
                "no function between `// ANCHOR: {0}` and `// ANCHOR_END: {0}`",
                exercise.name
            ),
        };
        bail!(
            "{file}: {why}, so I can't tell what to replace. Fix that, or move the file away, and \
             I'll make a fresh one."
        );
    }
    let function = Function::find(&source.text, &exercise.name)?.context("the exercise is gone")?;
    let starter = function.starter(exercise);
    let terminal = Terminal::of_stdout();
    if function.is_not_written() || starter == source.text {
        let done = format!("{} is still a todo!, so there's nothing to reset.", exercise.name);
        terminal.print(&terminal.wrap("", &done));
        return Ok(ExitCode::SUCCESS);
    }
    let question = format!("Replace your body of {} in {file} with the starter's?", exercise.name);
    if !agreed(&question, consent, "Nothing was changed.")? {
        return Ok(ExitCode::FAILURE);
    }
    let copy = progress::save_replaced(&notebook, &exercise.name, function.whole())?;
    page.set_text(index, starter)?;
    notebook.is_no_longer_given(exercise)?;
    let done =
        format!("{file}: {} starts over. What you had is in {}.", exercise.name, shown(&copy));
    terminal.print(&terminal.wrap("", &done));
    Ok(ExitCode::SUCCESS)
}

/// Asks the reader on the terminal, and after a no says `otherwise`. Fails with `Usage` if there's
/// neither a terminal nor `--yes`.
fn agreed(question: &str, consent: Consent, otherwise: &str) -> anyhow::Result<bool> {
    if consent == Consent::Given {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        let why = "standard input isn't a terminal, so I can't ask you";
        return Err(Usage(format!("{why}. If you're sure, add --yes.")).into());
    }
    let terminal = Terminal::of_stdout();
    terminal.print(&format!("{question} [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("read your answer")?;
    let agreed = matches!(answer.trim(), "y" | "Y" | "yes");
    if !agreed {
        // Ctrl-D leaves the cursor behind the question.
        let newline = if answer.ends_with('\n') { "" } else { "\n" };
        terminal.print(&format!("{newline}{otherwise}\n"));
    }
    Ok(agreed)
}
