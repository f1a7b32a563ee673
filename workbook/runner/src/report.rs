//! Formats the judgement of a page for the terminal.

use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

use crate::after_green::after_green;
use crate::diff::diff;
use crate::judge::{Judged, Judgement, State};
use crate::notebook::Opened;
use crate::notebook::page::Page;
use crate::progress::{all_done, next_step};
use crate::run::Fault;
use crate::step::{Check, Kind};
use crate::terminal::{Terminal, count, cut, shown, visible};
use crate::verdict::{Verdict, is_of};
use exercises::Exercise;
use scene::record::{Call, Panic};

/// Formats reports about one page, for one terminal.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// Where it's shown.
    pub terminal: &'a Terminal,
    /// The page that it's about.
    pub page: &'a Page,
}

/// The number of lines shown of the reader's own output.
const PRINTED_LINES: usize = 12;

impl Report<'_> {
    /// Reports what opening the page has changed, if anything.
    pub(crate) fn opened(&self, opened: &Opened) -> String {
        let mut text = String::new();
        if opened.is_new {
            let src = shown(&self.page.dir().join("src"));
            let about = format!("Your page for this step is ready: {src}. Edit it there.");
            text += &self.terminal.wrap("", &about);
        } else {
            for file in &opened.made {
                let about = format!("{} was missing, so I've made it again.", shown(file));
                text += &self.terminal.wrap("", &about);
            }
        }
        for (exercise, starter) in &opened.lacking {
            let about = format!(
                "Exercise {exercise} is newer than your page, which doesn't have it yet. I haven't \
                 changed any of your files; you can copy the exercise from {}.",
                shown(starter)
            );
            text += &self.terminal.wrap("", &about);
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    /// Reports the whole judgement: the list of exercises, and the one thing to do next.
    pub fn judgement(&self, judgement: &Judgement) -> anyhow::Result<String> {
        let title = format!("{} · {}", self.page.step.package, self.page.step.title);
        let mut text = format!("{}\n", self.terminal.bold(&title));
        for judged in &judgement.exercises {
            let _ = writeln!(text, "  {}", self.line(judged));
        }
        text.push('\n');
        if let Some(exercise) = judgement.newly_green().last() {
            text += &after_green(self.terminal, self.page, exercise)?;
        }
        match (judgement.first_red(), &judgement.red) {
            (Some(exercise), Some(verdict)) => {
                text += &self.exercise(exercise)?;
                if let Some(later) = judgement.noticed_by {
                    text += &self.terminal.wrap("  ", &noticed(later, exercise));
                }
                if let Some(layer) = &judgement.layer_at_fault {
                    text += &self.terminal.wrap("  ", &self.in_a_layer(layer));
                }
                if let Some(scene) = judgement.stuck_in {
                    text += &self.terminal.wrap("  ", &stuck(scene));
                }
                text += &self.verdict(verdict);
                let hint = format!("Need a hint? {}", self.page.command(" -- hint"));
                let _ = write!(text, "\n{}", self.terminal.wrap("  ", &hint));
            }
            (Some(exercise), None) => {
                text += &self.exercise(exercise)?;
                text += &self.what_judges(exercise);
                let hint = format!("Need a hint? {}", self.page.command(" -- hint"));
                let _ = write!(text, "\n{}", self.terminal.wrap("  ", &hint));
            }
            (None, Some(verdict)) => {
                let about = "Every exercise is green, but another scene of this step isn't:";
                text += &self.terminal.wrap("", about);
                text += &self.verdict(verdict);
            }
            _ => text += &self.all_green()?,
        }
        Ok(text)
    }

    /// Formats one exercise for the list.
    pub(crate) fn line(&self, judged: &Judged) -> String {
        let Judged { exercise, state, was_green } = *judged;
        let name = format!("{} {}", exercise.number, exercise.name);
        match state {
            State::Green => self.terminal.green(&format!("{} {name}", state.sign())),
            State::Given => {
                let state = state.words();
                self.terminal.dim(&format!("{} {name:<28} {state}", judged.state.sign()))
            }
            State::Waits => {
                let is_written = !self.page.is_not_written(exercise);
                let was = if was_green && is_written { ", was green" } else { "" };
                self.terminal.dim(&format!("{} {name:<28} waits{was}", state.sign()))
            }
            _ => self.terminal.red(&format!("{} {name:<28} {}", state.sign(), state.words())),
        }
    }

    fn exercise(&self, exercise: &Exercise) -> anyhow::Result<String> {
        let heading = format!("{} {}", exercise.number, exercise.name);
        let minutes = format!("about {} min", exercise.minutes);
        let mut text =
            format!("{}  {}\n", self.terminal.bold(&heading), self.terminal.dim(&minutes));
        text += &self.terminal.wrap("  ", &exercise.task);
        let located = self.page.exercise(exercise)?;
        let file = shown(&self.page.file_of(located).path);
        text += &match located.line {
            Some(line) => format!("  {file}:{line}\n"),
            None => format!("  {file} (I can't find it between its ANCHOR lines)\n"),
        };
        Ok(text)
    }

    /// Says that the fault is in a layer below.
    fn in_a_layer(&self, layer: &str) -> String {
        format!(
            "The fault is in your {layer}: with the reference's layer in its place, this is green. \
             To judge yours: {}",
            self.page.notebook.typed(Some(layer), "")
        )
    }

    /// Says where an exercise that isn't written yet is explained, and what will judge it. It shows
    /// no transcript: the reader is to predict those.
    fn what_judges(&self, exercise: &Exercise) -> String {
        let section = format!(
            "In the book: {}.html#exercise-{}",
            self.page.notebook.workbook.book_page_of(self.page.step.package, &exercise.number),
            exercise.number.replace('.', "-")
        );
        let mut text = self.terminal.wrap("  ", &section);
        text += &self.terminal.wrap("  ", "Your body will be judged by:");
        for check in self.page.step.checks_of(exercise) {
            text += &self.terminal.wrap_hanging("  - ", "    ", &check.title());
        }
        text
    }

    /// Reports a red scene or trial: what went wrong, and the diff of the transcripts.
    pub fn verdict(&self, verdict: &Verdict) -> String {
        let title = verdict.check.title();
        let mut text = format!("\n{}", self.terminal.wrap("  ", &title));
        for sentence in self.sentences(verdict) {
            text += &self.terminal.red(&self.terminal.wrap("  ", &visible(&sentence)));
        }
        if let Some(Fault::Panicked(panic)) = verdict.run.faults.first() {
            text += &self.calls(panic);
        }
        if verdict.only_leaks() {
            let about = "Their owner was never dropped: look for a value that your code forgets, keeps in a \
                         table, or has in a circle of `Rc`s.";
            text += &self.terminal.wrap("  ", about);
        }
        if !verdict.is_as_expected() {
            text.push('\n');
            let is_trial = verdict.check.kind == Kind::Trial;
            if is_trial {
                let about = "The shortest program found that shows it:";
                text += &self.terminal.wrap("  ", about);
            }
            // What a trial prints is its program, and any line of that can be the cause.
            let lines_before = if is_trial { 40 } else { 6 };
            text += &diff(self.terminal, lines_before, &verdict.expected, &verdict.run.transcript);
        }
        text + &self.printed(verdict)
    }

    fn sentences(&self, verdict: &Verdict) -> Vec<String> {
        let faults: Vec<Fault> = verdict.run.faults.iter().map(|it| self.located(it)).collect();
        let mut sentences = verdict.sentences_of(&faults);
        if let Some(Fault::NotWritten(panic)) = faults.first() {
            sentences[0] = self.not_written(panic, verdict);
        }
        sentences
    }

    /// Says that a scene came to a `todo!`. The task of the scene's own exercise is printed above, and
    /// a later exercise isn't the reader's turn. The `todo!` of a lower layer is reported in full.
    fn not_written(&self, panic: &Panic, verdict: &Verdict) -> String {
        let name = verdict.check.name;
        let Panic { file, line, .. } = panic;
        match self.page.step.exercises.iter().find(|exercise| is_of(panic, exercise)) {
            Some(Exercise { scenes, trials, .. })
                if scenes.iter().chain(trials).any(|it| it == name) =>
            {
                format!("not written yet: the `todo!` at {file}:{line}")
            }
            Some(Exercise { number, name, .. }) => format!(
                "called `{name}` ({file}:{line}). That's exercise {number}, which comes later: once the \
                 body of the exercise above is right, nothing here calls it"
            ),
            None => Fault::NotWritten(panic.clone()).to_string(),
        }
    }

    /// Rewrites a fault's file name as the reader would type it, if the file exists. rustc's file
    /// names are relative to the notebook.
    fn located(&self, fault: &Fault) -> Fault {
        let mut fault = fault.clone();
        if let Fault::NotWritten(panic) | Fault::Panicked(panic) = &mut fault {
            let file = normal(&self.page.notebook.dir.join(&panic.file));
            if let Some((_, in_std)) = panic.file.split_once("/library/") {
                panic.file = format!("library/{in_std}");
            } else if file.exists() {
                panic.file = shown(&file);
            }
        }
        fault
    }

    /// Lists the reader's own calls that led to a panic, innermost first: the last one, and those in
    /// what they've written. The calls in between are the layer's, as it was given.
    fn calls(&self, panic: &Panic) -> String {
        let here = std::env::current_dir().unwrap_or_default();
        let src = normal(&here.join(self.page.dir()).join("src"));
        let own = panic.calls.iter().map(|call| (normal(&here.join(&call.file)), call));
        let mut own: Vec<_> = own.filter(|(file, _)| file.starts_with(&src)).collect();
        own.dedup_by(|(file, call), (last_file, last)| {
            (file, &call.function) == (last_file, &last.function)
        });
        let mut text = String::new();
        let mut left_out = 0;
        for (index, (file, Call { function, line, .. })) in own.iter().enumerate() {
            let exercise = self.page.step.exercises.iter().find(|it| it.name == *function);
            if index > 0 && exercise.is_none() {
                left_out += 1;
                continue;
            }
            if left_out > 0 {
                let _ = writeln!(text, "    … {}", count(left_out, "more call"));
                left_out = 0;
            }
            let place = format!("{}:{line}", shown(file));
            let yours = exercise.map_or(String::new(), |it| format!(", exercise {}", it.number));
            text += &self.terminal.wrap_hanging(
                "    ",
                "      ",
                &format!("{place} {function}{yours}"),
            );
        }
        if text.is_empty() {
            return text;
        }
        // RefCell says so of a second borrow. The first one is mostly further out.
        let is_borrowed = panic.message.starts_with("RefCell already");
        let which = if is_borrowed { "; one of them still has it borrowed" } else { "" };
        self.terminal
            .wrap("  ", &format!("The calls in your page that led there, the latest first{which}:"))
            + &text
    }

    /// Reports the program's other output, which can help the reader and isn't a fault.
    pub(crate) fn printed(&self, verdict: &Verdict) -> String {
        let printed = visible(&verdict.run.printed);
        let lines: Vec<&str> = printed.lines().collect();
        if lines.is_empty() {
            return String::new();
        }
        let mut text = String::from("\n  your program also printed:\n");
        for line in lines.iter().take(PRINTED_LINES) {
            let _ = writeln!(text, "  {} {}", self.terminal.dim("|"), cut(line));
        }
        let cut = verdict.run.cut;
        if cut > 0 {
            let _ = writeln!(text, "  … cut: {cut} more bytes");
        } else if lines.len() > PRINTED_LINES {
            let _ = writeln!(text, "  … cut: {} more lines", lines.len() - PRINTED_LINES);
        }
        text
    }

    fn all_green(&self) -> anyhow::Result<String> {
        let given = self.page.step.exercises.iter().filter(|it| self.page.is_given(it)).count();
        let exercises = match given {
            0 => "every exercise".to_owned(),
            given => {
                let yours = count(self.page.step.exercises.len() - given, "exercise");
                format!("your {yours} ({given} more given)")
            }
        };
        let about = format!(
            "All green: {exercises}, {} scenes, and {} programs in {} trials. Well done!",
            self.page.step.scenes.len(),
            self.page.step.trials.iter().map(|trial| trial.programs).sum::<u32>(),
            self.page.step.trials.len(),
        );
        let mut text = format!("{}\n", self.terminal.green(&about));
        if self.page.step.has_server {
            text += &self.terminal.wrap("", &format!("Try it: {}", self.page.command(" -- serve")));
        }
        let Page { notebook, step, .. } = self.page;
        let next = match next_step(notebook, Some(step.package))? {
            Some(next) => format!("Next: {}", notebook.typed(Some(&next), "")),
            None => all_done(notebook)?,
        };
        if notebook.workbook.steps()?.last().is_some_and(|last| last == step.package) {
            let book = notebook.typed(Some("book"), " -- serve");
            let on = format!(
                "That was the last step. The book goes on, with programs to run and servers to fix: \
                 {book}"
            );
            text += &self.terminal.wrap("", &on);
        }
        Ok(text + &self.terminal.wrap("", &next))
    }
}

fn stuck(scene: Check) -> String {
    format!(
        "In the scene {}, a task or a callback waits, and nothing will ever wake it, so lines are \
         missing. A trial shows more:",
        scene.name
    )
}

fn noticed(later: &Exercise, at_fault: &Exercise) -> String {
    format!(
        "Its own checks are green, but a check of {later_number} {later_name} isn't. With the \
         reference's body of {number} {name}, that check is green, too.",
        later_number = later.number,
        later_name = later.name,
        number = at_fault.number,
        name = at_fault.name,
    )
}

/// Removes each `..` from a path, together with the directory before it. Symbolic links aren't
/// looked up.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
