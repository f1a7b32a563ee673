//! Formats the report on a page for the terminal.

use std::fmt::Write;

use crate::account::{Account, Red};
use crate::chapter::Chapter;
use crate::reading::on_the_screen;
use exercises::Exercise;
use judging::diagnostics::Place;
use judging::judge::{Judged, Judgement, State};
use judging::notebook::Opened;
use judging::notebook::page::Page;
use judging::terminal::{Terminal, count, shown};
use judging::verdict::Verdict;

/// Formats reports about one page, for one terminal.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The terminal that shows the reports.
    pub terminal: &'a Terminal,
    /// The page that the reports are about.
    pub page: &'a Page,
}

impl Report<'_> {
    /// Formats a report on the changes that opening the page has made.
    pub(crate) fn opened(&self, opened: &Opened) -> String {
        let mut text = String::new();
        if opened.is_new {
            let src = shown(&self.page.dir().join("src"));
            let about = format!("Your page for this step is ready: {src}. Edit it there.");
            text += &self.terminal.wrap("", &about);
        } else {
            for file in &opened.made {
                let about = format!("{} was missing, so the workbook made it.", shown(file));
                text += &self.terminal.wrap("", &about);
            }
        }
        for (exercise, starter) in &opened.lacking {
            let about = format!(
                "Your page has no exercise {exercise}: the exercise was deleted there or is newer \
                 than the page. None of your files was changed. To add the exercise, copy it from \
                 {}.",
                shown(starter)
            );
            text += &self.terminal.wrap("", &about);
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    /// Formats the report on a judgement: the list of exercises and what to do next.
    pub fn judgement(&self, judgement: &Judgement) -> anyhow::Result<String> {
        self.account(&judgement.exercises, &Account::of(self.page, judgement)?)
    }

    /// Formats the whole report.
    pub(crate) fn account(
        &self,
        exercises: &[Judged],
        account: &Account,
    ) -> anyhow::Result<String> {
        if account.outcome == State::DoesNotCompile {
            return Ok(self.terminal.wrap("", &account.words));
        }
        let title = format!("{} · {}", self.page.step.package, self.page.step.title);
        let mut text = format!("{}\n", self.terminal.bold(&title));
        for judged in exercises {
            let _ = writeln!(text, "  {}", self.line(judged));
        }
        text.push('\n');
        if let Some(after_green) = &account.after_green {
            text += &after_green.shown(self.terminal);
        }
        if account.outcome == State::Green {
            text += &format!("{}\n", self.terminal.green(&account.words));
            text.extend(account.next.iter().map(|sentence| self.terminal.wrap("", sentence)));
            return Ok(text);
        }
        match account.exercise {
            Some(exercise) => {
                text += &self.exercise(exercise)?;
                text.extend(account.lacks.iter().map(|it| self.terminal.wrap("  ", it)));
            }
            None => text += &self.terminal.wrap("", &account.words),
        }
        match (account.exercise, &account.red) {
            (_, Some(red)) => text += &self.red(red),
            (Some(exercise), None) => text += &self.what_judges(exercise),
            (None, None) => (),
        }
        if account.exercise.is_some() {
            let hint = format!("Need a hint? {}", self.page.command(" -- hint"));
            let _ = write!(text, "\n{}", self.terminal.wrap("  ", &hint));
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
        let Place { file, line } = Place::of(self.page, exercise)?;
        text += &match (line, self.page.function(exercise)) {
            (Some(line), _) => format!("  {file}:{line}\n"),
            (None, Err(why)) => self.terminal.wrap("  ", &format!("{file} ({why:#})")),
            (None, Ok(_)) => format!("  {file}\n"),
        };
        Ok(text)
    }

    /// Returns text that says where an unwritten exercise is explained and which scenes and trials
    /// will judge it. The text contains no transcripts, because the reader should predict them.
    fn what_judges(&self, exercise: &Exercise) -> String {
        let Page { notebook, step, .. } = self.page;
        let chapter = Chapter::of(&notebook.workbook, step.package);
        let fold = chapter.fold_of(step.package, &exercise.number);
        let mut text = on_the_screen(self.page, exercise, self.terminal);
        text += &self.terminal.wrap("  ", &format!("In the book: {fold}"));
        let what = if step.is_from_scratch() { "stage" } else { "function" };
        text += &self.terminal.wrap("  ", &format!("The checks of this {what}:"));
        for check in step.checks_of(exercise) {
            text += &self.terminal.wrap_hanging("  - ", "    ", &check.title());
        }
        text
    }

    /// Formats the report on a single red scene or trial.
    pub fn verdict(&self, verdict: &Verdict) -> String {
        self.red(&Red::of(self.page, verdict))
    }

    /// Formats the report on a red scene or trial: its mistakes and the diff of the transcripts.
    fn red(&self, red: &Red) -> String {
        let wrap = |sentence: &str| self.terminal.wrap("  ", sentence);
        let mut text: String = red.notes.iter().map(|note| wrap(note)).collect();
        text += &format!("\n{}", wrap(&red.check.title()));
        for sentence in &red.sentences {
            text += &self.terminal.red(&wrap(sentence));
        }
        text += &self.calls(red);
        text.extend(red.advice.map(wrap));
        if let Some(difference) = &red.difference {
            text.push('\n');
            if red.is_shortened() {
                text += &wrap("The shortest program found that shows the mistake:");
            }
            text += &difference.shown(self.terminal);
        }
        text + &self.printed(red)
    }

    fn calls(&self, red: &Red) -> String {
        if red.calls.is_empty() {
            return String::new();
        }
        let mut text = self.terminal.wrap("  ", red.calls_title);
        for call in &red.calls {
            if call.skipped > 0 {
                let _ = writeln!(text, "    … {}", count(call.skipped, "more call"));
            }
            let (place, function) = (&call.place, &call.function);
            let yours = call.exercise.map(|it| format!(", exercise {it}")).unwrap_or_default();
            let call = format!("{place} {function}{yours}");
            text += &self.terminal.wrap_hanging("    ", "      ", &call);
        }
        text
    }

    /// Formats the program's other output. This output isn't a fault but can help the reader find a
    /// fault.
    fn printed(&self, red: &Red) -> String {
        if red.printed.is_empty() {
            return String::new();
        }
        let mut text = String::from("\n  your program also printed:\n");
        for line in &red.printed {
            let _ = writeln!(text, "  {} {line}", self.terminal.dim("|"));
        }
        if let Some(more) = &red.printed_more {
            let _ = writeln!(text, "  {more}");
        }
        text
    }
}
