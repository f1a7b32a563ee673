//! What a reader sees when an exercise has turned green: what its docs promise and nothing checks,
//! and where to compare.

use exercises::Exercise;

use crate::chapter::Chapter;
use judging::notebook::page::Page;
use judging::terminal::Terminal;

/// What there is to say of an exercise that has just turned green for the first time.
#[derive(Debug, Clone)]
pub(crate) struct AfterGreen(Vec<String>);

impl AfterGreen {
    pub(crate) fn of(page: &Page, exercise: &Exercise) -> anyhow::Result<AfterGreen> {
        let Exercise { number, name, .. } = exercise;
        let mut sentences = vec![format!("{number} {name} is green.")];
        if let Some(promise) = not_checked(&page.exercise(exercise)?.solution.function) {
            sentences.push(format!("Its docs also make a promise that nothing checks: {promise}"));
        }
        let package = page.step.package;
        let fold = Chapter::of(&page.notebook.workbook, package).fold_of(package, number);
        let reveal = page.command(&format!(" -- reveal {name}"));
        sentences.push(format!("To compare it with ours: {fold}, or {reveal}"));
        Ok(AfterGreen(sentences))
    }

    pub(crate) fn shown(&self, terminal: &Terminal) -> String {
        let [green, others @ ..] = self.0.as_slice() else { return String::new() };
        let lines = others.iter().map(|it| terminal.wrap_hanging("  ", "    ", it));
        terminal.green(&terminal.wrap("", green)) + &lines.collect::<String>() + "\n"
    }
}

/// Returns what stands behind `(Not checked: ` in a function's docs, up to the closing parenthesis.
pub(crate) fn not_checked(function: &str) -> Option<String> {
    let docs = function.lines().filter_map(|line| line.trim().strip_prefix("///"));
    let docs = docs.map(str::trim).collect::<Vec<_>>().join(" ");
    let (_, promise) = docs.split_once("(Not checked: ")?;
    let mut open = 1;
    let end = promise.find(|char| {
        open += i32::from(char == '(') - i32::from(char == ')');
        open == 0
    })?;
    Some(promise[..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_checked_is_found_in_the_docs() {
        let function = "    /// Sleeps. (Not checked: that\n    /// a sleep (of 0 s) is\n    /// short.) More.\n\
            fn sleep() {}\n";
        assert_eq!(not_checked(function).as_deref(), Some("that a sleep (of 0 s) is short."));
        assert_eq!(not_checked("/// Sleeps.\nfn sleep() {}\n"), None);
    }
}
