//! Exercises that were removed from the workbook. A reader or teacher who names a removed exercise
//! sees a sentence that says that the exercise is gone and where its idea, if it's still covered,
//! is covered now.

use crate::workbook::Workbook;

/// Returns a sentence that says that an exercise is gone and which exercises, if any, now cover its
/// idea, given the removed exercise's number or name. Returns `None` if no such exercise was
/// removed.
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

#[cfg(test)]
mod tests {
    use exercises::Gone;

    use super::*;
    use crate::workbook::read;

    #[test]
    fn the_changes_list_what_is_gone_and_what_asks_for_its_idea_now() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let packages = workbook.steps().unwrap().into_iter();
        let gone = packages.flat_map(|it| exercises::gone(&workbook.step(&it)).unwrap());
        let row = |Gone { number, name, now }: Gone| {
            let now = if now.is_empty() { "–".to_owned() } else { now.join(", ") };
            format!("| {number} `{name}` | {now} |")
        };
        let rows: Vec<String> = gone.map(row).collect();
        let changes = read(&workbook.root.join(".github/CHANGELOG.md")).unwrap();
        let (_, table) = changes.split_once("| old | now |\n| --- | --- |\n").unwrap();
        let listed: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
        assert_eq!(listed, rows);
    }

    #[test]
    fn what_is_not_gone_has_nothing_to_tell() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        assert_eq!(told(&workbook, "1.1").unwrap(), None);
    }
}
