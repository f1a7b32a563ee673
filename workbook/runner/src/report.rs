//! What a judged page looks like on the terminal.

use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

use crate::compare::beside;
use crate::fault::Fault;
use crate::judge::{Judged, Judgement, State, scenes_of};
use crate::notebook::{Notebook, Opened};
use crate::place::Place;
use crate::terminal::{Terminal, shown, visible};
use crate::verdict::{Verdict, is_of};
use scene::{Exercise, Step};

/// Everything a report draws on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Report<'a> {
    pub(crate) terminal: &'a Terminal,
    pub(crate) notebook: &'a Notebook,
    pub(crate) step: &'a Step,
}

/// Of the reader's own output, this many lines are shown.
const PRINTED_LINES: usize = 12;

impl Report<'_> {
    /// What opening the page has done, if anything.
    pub(crate) fn opened(&self, opened: &Opened) -> String {
        let page = shown(&self.notebook.page(self.step.package));
        let mut text = String::new();
        if opened.is_new {
            let about = format!("Your page of this step is made: {page}/src. Edit it there.");
            text += &self.terminal.wrap("", &about);
        } else {
            for file in &opened.made {
                let about = format!("{} was missing, and has been made again.", shown(file));
                text += &self.terminal.wrap("", &about);
            }
        }
        for (exercise, starter) in &opened.lacking {
            let about = format!(
                "Your page does not have the exercise {exercise}: it is older than the exercise. \
                 No file of yours has been touched; copy it over from {}.",
                shown(starter)
            );
            text += &self.terminal.wrap("", &about);
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    /// The whole judgement: the list, and the one thing to do next.
    pub(crate) fn judgement(&self, judgement: &Judgement) -> anyhow::Result<String> {
        let title = format!("{} · {}", self.step.package, self.step.title);
        let mut text = format!("{}\n", self.terminal.bold(&title));
        for judged in &judgement.exercises {
            let _ = writeln!(text, "  {}", self.line(judged));
        }
        text.push('\n');
        match (judgement.first_red(), &judgement.red) {
            (Some(exercise), Some(verdict)) => {
                text += &self.exercise(exercise)?;
                text += &self.verdict(verdict);
                let hint = format!("A hint: {}", self.command(" -- hint"));
                let _ = write!(text, "\n{}", self.terminal.wrap("  ", &hint));
            }
            (None, Some(verdict)) => {
                let about = "Every exercise is green, but another scene of the step is not:";
                text += &self.terminal.wrap("", about);
                text += &self.verdict(verdict);
            }
            _ => text += &self.all_green(),
        }
        Ok(text)
    }

    /// One exercise in the list.
    pub(crate) fn line(&self, judged: &Judged) -> String {
        let Judged { exercise, state } = *judged;
        let name = format!("{} {}", exercise.number, exercise.name);
        match state {
            State::Green => self.terminal.green(&format!("{} {name}", state.sign())),
            State::Waits => self.terminal.dim(&format!("{} {name:<28} waits", state.sign())),
            _ => self.terminal.red(&format!("{} {name:<28} {}", state.sign(), state.words())),
        }
    }

    fn exercise(&self, exercise: &Exercise) -> anyhow::Result<String> {
        let heading = format!("{} {}", exercise.number, exercise.name);
        let minutes = format!("about {} min", exercise.minutes);
        let mut text =
            format!("{}  {}\n", self.terminal.bold(&heading), self.terminal.dim(&minutes));
        text += &self.terminal.wrap("  ", exercise.task);
        let place = Place::of(self.notebook, self.step.package, exercise)?;
        let _ = match place.line {
            Some(line) => writeln!(text, "  {}:{line}", shown(&place.file)),
            None => writeln!(
                text,
                "  {} (its ANCHOR lines are gone, so the line is not known)",
                shown(&place.file)
            ),
        };
        Ok(text)
    }

    /// What a red scene shows.
    pub(crate) fn verdict(&self, verdict: &Verdict) -> String {
        let scene = format!("scene {}: {}", verdict.scene.name, verdict.scene.question);
        let mut text = format!("\n{}", self.terminal.wrap("  ", &scene));
        for sentence in self.sentences(verdict) {
            let wrapped = self.terminal.wrap("  ", &visible(&sentence));
            let _ = writeln!(text, "{}", self.terminal.red(wrapped.trim_end()));
        }
        if !verdict.is_as_expected() {
            text.push('\n');
            text += &beside(self.terminal, &verdict.expected, &verdict.performance.transcript);
        }
        text + &self.printed(verdict)
    }

    fn sentences(&self, verdict: &Verdict) -> Vec<String> {
        let faults = &verdict.performance.faults;
        if faults.is_empty() {
            return vec![verdict.sentence()];
        }
        let located = faults.iter().map(|fault| self.located(fault));
        located.map(|fault| self.short(&fault, verdict)).collect()
    }

    /// The task of a scene's own exercise stands above already: of its `todo!` there is only the
    /// place to tell. Another's, of a layer below, is told in full.
    fn short(&self, fault: &Fault, verdict: &Verdict) -> String {
        let judged_by = |exercise: &&Exercise| exercise.scenes.contains(&verdict.scene.name);
        let mut own = self.step.exercises.iter().filter(judged_by);
        match fault {
            Fault::NotWritten(panic) if own.any(|exercise| is_of(panic, exercise)) => {
                format!("not written yet: the `todo!` at {}:{}", panic.file, panic.line)
            }
            fault => fault.to_string(),
        }
    }

    /// rustc names files from the notebook; the reader's shell may stand elsewhere.
    fn located(&self, fault: &Fault) -> Fault {
        let mut fault = fault.clone();
        if let Fault::NotWritten(panic) | Fault::Panicked(panic) = &mut fault {
            let file = normal(&self.notebook.dir.join(&panic.file));
            if file.exists() {
                panic.file = shown(&file);
            }
        }
        fault
    }

    /// What the program printed besides: a help to the reader, and no fault.
    pub(crate) fn printed(&self, verdict: &Verdict) -> String {
        let printed = visible(&verdict.performance.printed);
        let lines: Vec<&str> = printed.lines().collect();
        if lines.is_empty() {
            return String::new();
        }
        let mut text = String::from("\n  your program also printed:\n");
        for line in lines.iter().take(PRINTED_LINES) {
            let _ = writeln!(text, "  {} {line}", self.terminal.dim("|"));
        }
        let cut = verdict.performance.cut;
        if cut > 0 {
            let _ = writeln!(text, "  … cut: {cut} more bytes");
        } else if lines.len() > PRINTED_LINES {
            let _ = writeln!(text, "  … cut: {} more lines", lines.len() - PRINTED_LINES);
        }
        text
    }

    fn all_green(&self) -> String {
        let scenes = self.step.scenes.len();
        let about = format!("All green: every exercise, and all {scenes} scenes.");
        let mut text = format!("{}\n", self.terminal.green(&about));
        if self.step.serve.is_some() {
            text += &self.terminal.wrap("", &format!("Try it: {}", self.command(" -- serve")));
        }
        let steps = crate::root::steps(&self.notebook.root).unwrap_or_default();
        let next = steps.into_iter().skip_while(|step| step != self.step.package).nth(1);
        let next = match next {
            Some(next) => format!("Next: cargo run -p {next}"),
            None => "That was the last step: the whole loop is yours.".to_owned(),
        };
        text + &self.terminal.wrap("", &next)
    }

    /// A command for the reader to type.
    pub(crate) fn command(&self, words: &str) -> String {
        format!("cargo run -p {}{words}", self.step.package)
    }

    /// The scenes of an exercise, by name.
    pub(crate) fn scenes(&self, exercise: &Exercise) -> Vec<&'static str> {
        scenes_of(self.step, exercise).map(|scene| scene.name).collect()
    }
}

/// A path without `..`, as far as its own words tell.
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
