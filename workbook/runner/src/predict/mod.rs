//! `-- predict NAME`: shows a scene's code, asks for its transcript line by line, checks each
//! answer, explains the outcome, and keeps score.
//!
//! - `source.rs`: the code;
//! - `sheet.rs`: the parts of a line that the reader has to predict;
//! - `words.rs`: the words to choose from in a blank;
//! - `misconceptions.rs`: the wrong answers that a chapter expects;
//! - `answer.rs`: parses an answer and decides whether it's right;
//! - `asking.rs`: the conversation;
//! - `taken.rs`: a prediction in which another program asks the reader for the values;
//! - `explanation.rs`: the outcome and its cause;
//! - `score.rs`: the file with the scores.

mod answer;
mod asking;
mod explanation;
mod misconceptions;
pub mod score;
mod sheet;
mod source;
mod taken;
mod words;

use std::process::ExitCode;

use anyhow::{Context, ensure};

use crate::arguments::Form;
use crate::chapter::Chapter;
use crate::commands::scene;
use crate::part::told_predictions;
use crate::{events, object, reading};
pub use answer::Answer;
use asking::{Asking, End};
use explanation::explanation;
use judging::Step;
use judging::keys;
use judging::machine;
use judging::notebook::Notebook;
use judging::run::run_scene_showing;
use judging::step::Check;
use judging::terminal::{Terminal, count};
use judging::workbook::Workbook;
pub use misconceptions::Misconception;
use score::{Score, Scores};
pub use sheet::{Blank, Candidate, Form as LineForm, Line, Sheet};
pub use source::SceneSource;
pub(crate) use taken::take;

/// Lists the predictions that the reader's path asks for in the step's chapter, each with its
/// score.
pub(crate) fn list(step: &Step, form: Form) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let notebook = Notebook::of_step(step)?;
    let scores = Scores::of(&notebook)?;
    let chapter = Chapter::of(&notebook.workbook, step.package);
    let path = reading::chosen(&notebook)?;
    let asked = || reading::asked(&path, &chapter);
    if form == Form::Json {
        let told = told_predictions(Some(&scores), asked());
        events::tell("predictions", object! { package: step.package, predictions: told });
        return Ok(ExitCode::SUCCESS);
    }
    let whose = if path.skips_sections() { "your path" } else { "the chapter" };
    let title = format!("{} · predictions that {whose} asks for", step.package);
    let mut text = format!("{}\n", terminal.bold(&title));
    let mut next = None;
    for prediction in asked() {
        let name = &prediction.scene;
        let score = scores.get(&prediction.package, name);
        let line = match score {
            Some(score) if score.is_complete() => {
                terminal.green(&format!("✓ {name:<36} {}", in_words(score)))
            }
            Some(score) => format!("· {name:<36} {}", in_words(score)),
            None => format!("· {name}"),
        };
        if !score.is_some_and(Score::is_complete) {
            next = next.or(Some(name));
        }
        text += &format!("  {line}\n");
    }
    text.push('\n');
    if let Some(name) = next {
        let command = notebook.typed(Some(step.package), &format!(" -- predict {name}"));
        text += &terminal.wrap_hanging("", "      ", &format!("Next: {}", terminal.bold(&command)));
    }
    let about = "You can predict any other scene, too. `play` lists all scenes.";
    terminal.print(&(text + &terminal.wrap("", about)));
    Ok(ExitCode::SUCCESS)
}

/// Returns a score such as `6 of 8`, or `3 of 4, 4 to go`.
fn in_words(score: Score) -> String {
    let Score { right, asked, of } = score;
    let to_go = if asked < of { format!(", {} to go", of - asked) } else { String::new() };
    format!("{right} of {asked}{to_go}")
}

/// Asks the reader for a scene's transcript.
pub(crate) fn predict(step: &Step, name: &str) -> anyhow::Result<ExitCode> {
    let scene = scene(step, name)?;
    let notebook = Notebook::of_step(step)?;
    let chapter = Chapter::of(&notebook.workbook, step.package);
    let source = source_of(&notebook.workbook, &chapter, step.package, name)?;
    let sheet = sheet_of(step, &scene, &chapter, &source)?;
    let terminal = Terminal::of_stdout();
    terminal.print(&introduction(&terminal, scene.about, &source, &sheet));

    let all = sheet.asked();
    let mut scores = Scores::of(&notebook)?;
    let before = scores.before(step.package, name, all);
    let is_practice = before.is_some_and(Score::is_complete);
    let resumed = before.filter(|_| !is_practice).unwrap_or_default();
    let mut score = Score { of: all, ..resumed };
    let mut asking = Asking::new(&terminal, &sheet);
    if let Some(before) = before {
        terminal.print(&terminal.wrap("", &about_the_last_time(before)));
    } else if scores.get(step.package, name).is_some() {
        let changed = "This scene has changed since you predicted it, so you start over.";
        terminal.print(&terminal.wrap("", changed));
    }
    let end = asking.ask(score.asked, |is_right| {
        score.asked += 1;
        score.right += usize::from(is_right);
        if is_practice { Ok(()) } else { scores.note(step.package, name, score) }
    })?;
    let mut text = format!("\n{}\n", terminal.bold(&summary(score, &sheet)));
    if end == End::Stopped {
        let on = notebook.typed(Some(step.package), &format!(" -- predict {name}"));
        let what = if is_practice { "To practise again" } else { "To go on where you stopped" };
        text += &terminal.wrap("", &format!("{what}: {on}"));
    } else {
        text += "\n";
        text += &explanation(&terminal, &chapter, step.package, name, &source.notes);
        text += "\n";
        text += &where_to_read(&terminal, &chapter, step, name);
        let play = notebook.typed(Some(step.package), &format!(" -- play {name}"));
        text += &terminal.wrap("", &format!("To see the scene run: {play}"));
    }
    terminal.print(&text);
    Ok(ExitCode::SUCCESS)
}

/// Returns a scene's code, with the helpers that the chapter shows when it asks for the prediction.
fn source_of(
    workbook: &Workbook,
    chapter: &Chapter,
    package: &str,
    name: &str,
) -> anyhow::Result<SceneSource> {
    let mut predictions = chapter.predictions();
    let asked_for = predictions.find(|it| it.package == package && it.scene == name);
    let helpers = asked_for.map(|prediction| prediction.helpers.as_slice());
    SceneSource::find(workbook, package, name, helpers)
}

/// Plays a scene and creates a sheet from its transcript.
fn sheet_of(
    step: &Step,
    scene: &Check,
    chapter: &Chapter,
    source: &SceneSource,
) -> anyhow::Result<Sheet> {
    let list = chapter.wrong_answers(step.package, scene.name);
    Sheet::new(&source.code, &played(step, scene)?, scene.asks_for_order, list)
}

/// Creates the sheet for a scene from the scene's lines and from the prediction, which can be on
/// any page of the book.
///
/// Fails if the scene has no source, or if the book's list of wrong answers to the scene contains a
/// mistake.
pub fn sheet_in_book(
    workbook: &Workbook,
    package: &str,
    name: &str,
    said: &[String],
) -> anyhow::Result<Sheet> {
    let book = Chapter::whole_book(workbook)?;
    let source = source_of(workbook, &book, package, name)?;
    Sheet::new(&source.code, said, source.asks_for_order, book.wrong_answers(package, name))
}

/// Plays a scene on the reference and returns its lines, with their values marked.
///
/// Fails if the scene has a different transcript on this machine, since the explanation wouldn't
/// match that transcript.
fn played(step: &Step, scene: &Check) -> anyhow::Result<Vec<String>> {
    machine::look()?;
    let program = std::env::current_exe().context("find this program")?;
    let mut lines = Vec::new();
    let name = scene.name;
    let run = run_scene_showing(&program, name, &mut |line| lines.push(line.to_owned()))?;
    let is_as_expected = run.transcript.trim_end() == keys::of(step, name)?;
    ensure!(
        run.faults.is_empty() && is_as_expected,
        "{name} doesn't run as expected on this machine, so you can't predict it; `play {name} \
         --reference` shows what it does here",
    );
    Ok(lines)
}

/// Returns the text above the first question.
fn introduction(
    terminal: &Terminal,
    question: &str,
    source: &SceneSource,
    sheet: &Sheet,
) -> String {
    let mut text = format!("{}\n{}\n\n", terminal.bold(&terminal.wrap("", question)), source.code);
    let how = if sheet.choices.is_empty() && sheet.bank.is_empty() {
        "Predict each ____, which is a number. If a line has several blanks, put commas between the numbers."
    } else if sheet.choices.is_empty() {
        "Predict each ____: type a number, or one of the words listed below it or that word's \
         letter. If a line has several blanks, put commas between the answers."
    } else {
        "In which order are these lines printed? Some may not occur, and a line can occur several \
         times. Type a line's letter and then the values for its blanks, as in `a 1`, or type the \
         whole line."
    };
    text += &terminal.wrap("", how);
    for LineForm { label, asked, .. } in &sheet.choices {
        text += &terminal.wrap_hanging(&format!("  {label:<2} "), "     ", asked);
    }
    if !sheet.choices.is_empty() && !sheet.bank.is_empty() {
        text += &terminal
            .wrap("", "Fill each blank with a number, or with one of these words or its letter:");
        for Candidate { label, text: word } in &sheet.bank {
            text += &terminal.wrap_hanging(&format!("  {label:<2} "), "     ", word);
        }
    }
    text += &terminal.wrap(
        "",
        "Enter alone shows the line you're asked for, which then counts as wrong. Ctrl-D stops and \
         keeps the score.",
    );
    text + "\n"
}

fn about_the_last_time(before: Score) -> String {
    if before.is_complete() {
        format!(
            "You've predicted this scene before: {}. That score counts; this time it's practice.",
            in_words(before)
        )
    } else {
        format!(
            "You stopped here after {}, so you go on with the next line.",
            count(before.asked, "line")
        )
    }
}

fn summary(score: Score, sheet: &Sheet) -> String {
    match score.of - score.asked {
        0 => format!("{} of {} right.", score.right, count(score.of, "line")),
        _ if sheet.asks_for_their_number() => {
            format!("{} of {} right so far.", score.right, count(score.asked, "line"))
        }
        left => {
            format!("{} of {} right so far, {left} to go.", score.right, count(score.asked, "line"))
        }
    }
}

/// Returns a sentence that names the chapter's section that shows a scene or asks for its
/// prediction, if there's such a section.
fn where_to_read(terminal: &Terminal, chapter: &Chapter, step: &Step, name: &str) -> String {
    let section = chapter.section_of(step.package, name);
    section.map_or_else(String::new, |section| {
        let id = format!("{}-{name}", step.package);
        let place = format!("In the book: “{}”, {}.html#{id}", section.title, section.page);
        terminal.wrap("", &place)
    })
}
