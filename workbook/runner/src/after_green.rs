//! The text that a reader sees when an exercise has turned green: the promises in the exercise's
//! docs that no check covers, and where to find the reference's version.

use exercises::Exercise;

use crate::chapter::Chapter;
use judging::notebook::page::Page;
use judging::promises::not_checked;
use judging::terminal::Terminal;

/// The report on an exercise that has just turned green for the first time.
#[derive(Debug, Clone)]
pub(crate) struct AfterGreen(Vec<String>);

impl AfterGreen {
    pub(crate) fn of(page: &Page, exercise: &Exercise) -> anyhow::Result<AfterGreen> {
        let Exercise { number, name, .. } = exercise;
        let mut sentences = vec![format!("{number} {name} is green.")];
        for promise in not_checked(&page.exercise(exercise)?.solution.function) {
            sentences.push(format!("Its docs also make a promise that isn't checked: {promise}"));
        }
        let package = page.step.package;
        let fold = Chapter::of(&page.notebook.workbook, package).fold_of(package, number);
        let reveal = page.command(&format!(" -- reveal {name}"));
        sentences.push(format!("To compare your function with ours: {fold}, or {reveal}"));
        Ok(AfterGreen(sentences))
    }

    pub(crate) fn shown(&self, terminal: &Terminal) -> String {
        let [green, others @ ..] = self.0.as_slice() else { return String::new() };
        let lines = others.iter().map(|it| terminal.wrap_hanging("  ", "    ", it));
        terminal.green(&terminal.wrap("", green)) + &lines.collect::<String>() + "\n"
    }
}
