//! Exercises that earlier versions had: what has become of one that a reader or a teacher names.

use crate::workbook::Workbook;

/// Says what has become of an exercise, by its number or its name. `None` if there was none.
///
/// Fails if a package's exercises can't be read.
pub fn told(workbook: &Workbook, named: &str) -> anyhow::Result<Option<String>> {
    for package in workbook.steps()? {
        let gone = exercises::gone(&workbook.step(&package))?;
        if let Some(gone) = gone.iter().find(|it| it.number == named || it.name == named) {
            return Ok(Some(gone.in_words()));
        }
    }
    Ok(None)
}
