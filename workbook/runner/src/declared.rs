//! The exercises that a step declares, read from its source. The map shows all steps, and can't link
//! the programs of all seven.

use std::fs;

use crate::workbook::{Workbook, file_names};

/// An exercise, as its step's `exercises.rs` declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declared {
    /// Its number: `2.3`.
    pub(crate) number: String,
    /// Its name.
    pub(crate) name: String,
    /// How long it takes, in minutes.
    pub(crate) minutes: u32,
}

/// Lists a step's exercises in the order in which they're solved.
pub(crate) fn declared(workbook: &Workbook, package: &str) -> Vec<Declared> {
    let src = workbook.step(package).join("src");
    let parts = src.join("exercises");
    let names = file_names(&parts).unwrap_or_default();
    let files = names.iter().map(|name| parts.join(name)).chain([src.join("exercises.rs")]);
    let texts = files.filter_map(|file| fs::read_to_string(file).ok());
    let mut all: Vec<Declared> = texts.flat_map(|text| in_text(&text)).collect();
    all.sort_by_key(|exercise| place(&exercise.number));
    all
}

/// Finds the exercises in a source file. The fields stand on lines of their own, as rustfmt has them.
fn in_text(text: &str) -> Vec<Declared> {
    let field = |block: &str, name: &str| {
        let prefix = format!("{name}: ");
        let line = block.lines().find_map(|line| line.trim().strip_prefix(&*prefix))?;
        Some(line.trim_end_matches(',').trim_matches('"').to_owned())
    };
    let blocks = text.split("number: \"").skip(1);
    let read = blocks.filter_map(|block| {
        Some(Declared {
            number: block.split('"').next()?.to_owned(),
            name: field(block, "name")?,
            minutes: field(block, "minutes")?.parse().ok()?,
        })
    });
    read.collect()
}

/// Returns the position of a number such as `2.10`, so that it comes after `2.9`.
fn place(number: &str) -> Vec<u32> {
    number.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exercise_of_every_step_is_found() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let steps = workbook.steps().unwrap();
        assert_eq!(steps.len(), 7);
        for step in steps {
            let all = declared(&workbook, &step);
            let first = all.first().unwrap_or_else(|| panic!("{step} has no exercise"));
            let (step_number, _) = first.number.split_once('.').unwrap();
            let expected = (1..=all.len()).map(|index| format!("{step_number}.{index}"));
            let numbers: Vec<String> = all.iter().map(|it| it.number.clone()).collect();
            assert_eq!(numbers, expected.collect::<Vec<_>>(), "{step}");
            let src = workbook.step(&step).join("src");
            let files = [src.join("exercises.rs")].into_iter();
            let parts = file_names(&src.join("exercises")).unwrap_or_default();
            let files = files.chain(parts.iter().map(|name| src.join("exercises").join(name)));
            let text: String = files.map(|file| fs::read_to_string(file).unwrap()).collect();
            assert_eq!(text.matches("minutes: ").count(), all.len(), "{step}");
        }
    }

    #[test]
    fn the_tenth_comes_after_the_ninth() {
        assert!(place("2.10") > place("2.9"));
    }
}
