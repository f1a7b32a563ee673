//! The commands that show hints and solutions and that start an exercise over.

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::account::nudge_for;
use crate::arguments::{Consent, Form, Usage};
use crate::commands::{build_and_judge, exercise};
use crate::json::Json;
use crate::{events, object};
use exercises::Exercise;
use judging::Step;
use judging::diagnostics::Place;
use judging::notebook::Notebook;
use judging::notebook::given::Change;
use judging::notebook::page::Page;
use judging::notebook::source::Function;
use judging::progress;
use judging::terminal::{Terminal, shown};
use judging::verdict::Verdict;

/// Shows the next hint for an exercise or, without a name, for the first exercise that's neither
/// green nor given. If the reader has seen all hints, shows all of them again.
pub(crate) fn hint(step: &Step, name: Option<&str>, form: Form) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let named = name.map(|name| exercise(step, name)).transpose()?;
    let notebook = Notebook::of_step(step)?;
    let (page, _) = notebook.open(step)?;
    let (wanted, red) = match named {
        Some(exercise) => (Some(exercise), None),
        None => first_red(&page)?,
    };
    let Some(exercise) = wanted else {
        terminal.print("Your exercises are all green, so none of them needs a hint.\n");
        return Ok(ExitCode::SUCCESS);
    };

    if let Some(nudge) = red.and_then(|verdict| nudge_for(exercise, &verdict)) {
        let heading = format!("{} {}, a hint for this mistake:\n", exercise.number, exercise.name);
        terminal.print(&(terminal.bold(&heading) + &terminal.wrap("  ", nudge)));
    }
    let shown_before = progress::hints_shown(&notebook, exercise);
    let hints = hints(&page, exercise)?;
    let is_new = shown_before < hints.len();
    if form == Form::Json {
        let Exercise { number, name, .. } = exercise;
        let seen = hints.iter().take(shown_before + 1).map(Json::from);
        let hints = object! { of: hints.len(), shown: Json::list(seen) };
        events::tell("hint", object! { exercise: number, name: name, hints: hints });
    } else {
        terminal.print(&shown_hint(&terminal, &page, exercise, &hints, shown_before));
    }
    if is_new {
        progress::note_hints(&notebook, exercise, shown_before + 1)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Formats the next hint or, if the reader has seen all hints, all of them.
fn shown_hint(
    terminal: &Terminal,
    page: &Page,
    exercise: &Exercise,
    hints: &[Hint<'_>],
    shown_before: usize,
) -> String {
    let title = terminal.bold(&format!("{} {}", exercise.number, exercise.name));
    if let Some(hint) = hints.get(shown_before) {
        let count = format!("hint {} of {}", shown_before + 1, hints.len());
        return format!("{title}, {count}:\n{}", hint.formatted(terminal, ""));
    }
    let mut text = format!("{title}, all its hints:\n");
    for (index, hint) in hints.iter().enumerate() {
        text += &hint.formatted(terminal, &format!("{}. ", index + 1));
    }
    let solution = page.command(&format!(" -- reveal {}", exercise.name));
    text + &terminal.wrap("", &format!("The solution: {solution}"))
}

/// A hint: a sentence or a body.
pub(crate) enum Hint<'a> {
    Text(&'a str),
    Body(&'a str),
}

/// Returns an exercise's hints: a question, the method, and a correct body. The body is the
/// reference's, unless the exercise has a separate body for this hint.
pub(crate) fn hints<'a>(page: &'a Page, exercise: &'a Exercise) -> anyhow::Result<[Hint<'a>; 3]> {
    let Exercise { question, method, body, .. } = exercise;
    let body =
        body.as_deref().map_or_else(|| page.exercise(exercise).map(|it| &*it.solution.body), Ok);
    Ok([Hint::Text(question), Hint::Text(method), Hint::Body(body?)])
}

impl From<&Hint<'_>> for Json {
    fn from(hint: &Hint<'_>) -> Json {
        match hint {
            Hint::Text(text) => object! { kind: "text", text: *text },
            Hint::Body(code) => {
                object! { kind: "code", text: textwrap::dedent(code).trim_matches('\n') }
            }
        }
    }
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

/// Returns the first exercise that's neither green nor given, and the red verdict, if any. If the
/// page doesn't compile, returns that exercise as of the last judgement, or the page's first
/// exercise if no such exercise was recorded.
fn first_red(page: &Page) -> anyhow::Result<(Option<&'static Exercise>, Option<Verdict>)> {
    if let Ok(judgement) = build_and_judge(page, Form::Text)? {
        return Ok((judgement.first_red(), judgement.red));
    }
    let last_time = progress::noted(&page.notebook, page.step.package);
    let name = last_time.and_then(|progress| progress.first_red);
    let is_it = |exercise: &&Exercise| Some(&exercise.name) == name.as_ref();
    let exercises = page.step.exercises;
    Ok((exercises.iter().find(is_it).or(exercises.first()), None))
}

/// Shows the reference's solution.
pub(crate) fn reveal(
    step: &Step,
    name: &str,
    consent: Consent,
    form: Form,
) -> anyhow::Result<ExitCode> {
    let exercise = exercise(step, name)?;
    let (page, _) = Notebook::of_step(step)?.open(step)?;
    let question = Question {
        text: if step.is_from_scratch() {
            "Show our whole loop, all five stages?".to_owned()
        } else {
            format!("Show the solution of {} {}?", exercise.number, exercise.name)
        },
        overwrites: None,
        otherwise: "Not shown.",
    };
    // If the reader's own loop is done, we show our loop without asking first.
    let is_done = step.is_from_scratch()
        && progress::noted(&page.notebook, step.package).is_some_and(|it| it.is_done());
    if !is_done && !question.is_agreed(consent, form, &page, exercise)? {
        return Ok(ExitCode::FAILURE);
    }
    let solution = &page.exercise(exercise)?.solution;
    let ours = Place { file: shown(&solution.file), line: Some(solution.line) };
    let yours = Place::of(&page, exercise)?;
    // The solution would be hard to understand without the hidden functions that it calls.
    let hidden = if solution.calls.is_empty() { "" } else { "\n" };
    let function = format!("{}{hidden}{}", solution.function, solution.calls);
    if form == Form::Json {
        let Exercise { number, name, .. } = exercise;
        let (ours, yours) = (&ours, &yours);
        events::tell(
            "reveal",
            object! { exercise: number, name: name, function: &function, ours: ours, yours: yours },
        );
        return Ok(ExitCode::SUCCESS);
    }
    let terminal = Terminal::of_stdout();
    // We show both paths, because a reader who copies a single path could open the wrong file.
    let places = terminal.dim(&format!("ours:  {ours}\nyours: {yours}"));
    terminal.print(&format!("{places}\n{function}"));
    Ok(ExitCode::SUCCESS)
}

/// Puts the reference's body on the reader's page. From then on, the exercise counts as given.
pub(crate) fn give(
    step: &Step,
    name: &str,
    consent: Consent,
    form: Form,
) -> anyhow::Result<ExitCode> {
    if step.is_from_scratch() {
        let ours = format!("cargo run -- from-scratch reveal {name}");
        let why = "our code wouldn't fit into a design of your own; to see our whole loop";
        return Err(Usage(format!("{why}: {ours}")).into());
    }
    let exercise = exercise(step, name)?;
    let Exercise { number, name, .. } = exercise;
    let notebook = Notebook::of_step(step)?;
    let (page, _) = notebook.open(step)?;
    let function = Some(replaceable(&page, exercise)?).filter(|it| !it.is_not_written());
    let question = Question {
        text: format!("Put our body of {number} {name} into your page?"),
        overwrites: function.map(|function| function.whole().to_owned()),
        otherwise: "Nothing was changed.",
    };
    if !question.is_agreed(consent, form, &page, exercise)? {
        return Ok(ExitCode::FAILURE);
    }
    let wanted = |it: &Exercise| (it == exercise).then_some(Change::GiveInAnyCase);
    let changed = notebook.change(&mut notebook.choice(), step, wanted)?;
    let (page, _) = notebook.open(step)?;
    let Place { file, .. } = Place::of(&page, exercise)?;
    if !page.is_given(exercise) {
        bail!("{file} was changed in the meantime, so {name} isn't given");
    }
    if form == Form::Json {
        let saved = Json::list(changed.saved.iter().map(|copy| shown(copy)));
        events::tell("given", object! { exercise: number, name: name, file: file, saved: saved });
        return Ok(ExitCode::SUCCESS);
    }
    let mut done = format!("{number} {name} is given: its body in {file} is ours now. ");
    done += &changed.saved_in_words();
    let again = page.command(&format!(" -- reset {name}"));
    done += &format!("To write it yourself after all: {again}");
    let terminal = Terminal::of_stdout();
    terminal.print(&terminal.wrap("", &done));
    Ok(ExitCode::SUCCESS)
}

/// Returns the page's function for an exercise whose body is to be replaced.
fn replaceable<'a>(page: &'a Page, exercise: &Exercise) -> anyhow::Result<Function<'a>> {
    page.function(exercise).or_else(|why| {
        let Place { file, .. } = Place::of(page, exercise)?;
        bail!(
            "{file}: {why:#}, so the workbook can't tell what to replace. Fix that, or move the \
             file away to get a fresh one."
        )
    })
}

/// Restores the starter's body and saves a copy of the reader's body.
pub(crate) fn reset(
    step: &Step,
    name: &str,
    consent: Consent,
    form: Form,
) -> anyhow::Result<ExitCode> {
    let exercise = exercise(step, name)?;
    let notebook = Notebook::of_step(step)?;
    let (mut page, _) = notebook.open(step)?;
    let Place { file, line } = Place::of(&page, exercise)?;
    if step.is_from_scratch() {
        return start_over(&notebook, &page, exercise, consent, form);
    }
    let function = replaceable(&page, exercise)?;
    let name = &exercise.name;
    let done =
        |words: &str, saved: Option<&Path>| tell_reset(exercise, &file, line, saved, words, form);
    if function.is_not_written() {
        done(&format!("{name} is still a todo!, so there's nothing to reset."), None);
        return Ok(ExitCode::SUCCESS);
    }
    let question = Question {
        text: format!("Replace the body of {name} in {file} with the starter's?"),
        overwrites: Some(function.whole().to_owned()),
        otherwise: "Nothing was changed.",
    };
    if !question.is_agreed(consent, form, &page, exercise)? {
        return Ok(ExitCode::FAILURE);
    }
    let copy = progress::save_replaced(&notebook, name, function.whole())?;
    page.start_over(exercise)?;
    notebook.is_no_longer_given(exercise)?;
    let had = shown(&copy);
    done(
        &format!("{file}: {name} has the starter's body again. The old version is in {had}."),
        Some(&copy),
    );
    Ok(ExitCode::SUCCESS)
}

/// Replaces a loop from scratch with the empty file and saves a copy of the loop.
fn start_over(
    notebook: &Notebook,
    page: &Page,
    exercise: &Exercise,
    consent: Consent,
    form: Form,
) -> anyhow::Result<ExitCode> {
    let file = page.file_of(page.exercise(exercise)?);
    let place = shown(&file.path);
    let question = Question {
        text: format!("Replace all of {place} with the empty file and start over?"),
        overwrites: Some(file.text.clone()),
        otherwise: "Nothing was changed.",
    };
    if !question.is_agreed(consent, form, page, exercise)? {
        return Ok(ExitCode::FAILURE);
    }
    let copy = progress::save_replaced(notebook, page.step.package, &file.text)?;
    // Opening the page then creates a new file.
    std::fs::remove_file(&file.path).with_context(|| format!("remove {place}"))?;
    notebook.open(&page.step)?;
    let words = format!("{place} is empty again. Your version is in {}.", shown(&copy));
    tell_reset(exercise, &place, Some(1), Some(&copy), &words, form);
    Ok(ExitCode::SUCCESS)
}

/// Reports the outcome of `reset`, with the path of the copy if the reader's text was replaced.
fn tell_reset(
    exercise: &Exercise,
    file: &str,
    line: Option<usize>,
    saved: Option<&Path>,
    words: &str,
    form: Form,
) {
    if form == Form::Json {
        let Exercise { number, name, .. } = exercise;
        let saved = Json::list(saved.map(shown));
        events::tell(
            "reset",
            object! { exercise: number, name: name, file: file, line: line, saved: saved },
        );
    } else {
        let terminal = Terminal::of_stdout();
        terminal.print(&terminal.wrap("", words));
    }
}

/// A question to ask the reader before we show or replace something.
struct Question {
    text: String,
    /// The reader's code that would be replaced, if any.
    overwrites: Option<String>,
    /// Our reply if the reader says no.
    otherwise: &'static str,
}

impl Question {
    /// Asks on the terminal or has another program ask. Fails with `Usage` if there's no terminal
    /// and neither `--yes` nor `--json`.
    fn is_agreed(
        &self,
        consent: Consent,
        form: Form,
        page: &Page,
        exercise: &Exercise,
    ) -> anyhow::Result<bool> {
        if consent == Consent::Given {
            return Ok(true);
        }
        if form == Form::Json {
            let Place { file, line } = Place::of(page, exercise)?;
            events::tell(
                "asks",
                object! {
                    question: &self.text,
                    exercise: &exercise.number,
                    name: &exercise.name,
                    file: file,
                    line: line,
                    overwrites: self.overwrites.as_ref(),
                },
            );
            return Ok(false);
        }
        if !io::stdin().is_terminal() {
            let why = "standard input isn't a terminal, so the workbook can't ask you";
            return Err(Usage(format!("{why}. If you're sure, add --yes.")).into());
        }
        let terminal = Terminal::of_stdout();
        terminal.print(&format!("{} [y/N] ", self.text));
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer).context("read your answer")?;
        let agreed = matches!(answer.trim(), "y" | "Y" | "yes");
        if !agreed {
            // Ctrl-D leaves the cursor at the end of the question's line.
            let newline = if answer.ends_with('\n') { "" } else { "\n" };
            terminal.print(&format!("{newline}{}\n", self.otherwise));
        }
        Ok(agreed)
    }
}
