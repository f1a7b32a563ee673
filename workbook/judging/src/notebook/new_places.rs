//! Where things are now, for a notebook that was begun while they were elsewhere: its paths follow once
//! it's opened. In a file that the workbook made, only those paths change, and nothing else.

use std::path::{Path, PathBuf};

use super::Notebook;
use super::edition_1::with_paths_into_the_notebook;
use crate::workbook::{read_as_it_is, write};

/// A part of the workbook, as the notebook's files name it.
struct Place<'a> {
    package: &'a str,
    /// The path from the notebook to the workbook's root.
    up: &'a str,
    /// The path from there to the package's directory.
    directory: &'a Path,
}

impl Notebook {
    /// Lets the notebook's files lead to where things are now. Returns those that have changed.
    pub(super) fn find_new_places(&self) -> anyhow::Result<Vec<PathBuf>> {
        let (up, parts, mut changed) = (self.up()?, self.workbook.steps()?, Vec::new());
        for package in &parts {
            let directory = self.workbook.below_the_root(package);
            let place = Place { package, up: &up, directory };
            let page = self.page(package);
            let files: [(PathBuf, &dyn Fn(&str) -> String); 4] = [
                (self.dir.join("Cargo.toml"), &|text| place.in_the_workspace(text)),
                (page.join("Cargo.toml"), &|text| place.in_a_manifest(text)),
                (page.join("main.rs"), &|text| place.in_a_program(text)),
                (page.join("src/lib.rs"), &|text| with_paths_into_the_notebook(package, text)),
            ];
            for (file, follow) in files {
                if !file.exists() {
                    continue;
                }
                let text = read_as_it_is(&file)?;
                let now = follow(&text);
                if now != text {
                    write(&file, &now)?;
                    changed.push(file);
                }
            }
        }
        changed.dedup();
        Ok(changed)
    }
}

impl Place<'_> {
    /// The layers come without their programs, which have moved beside them.
    fn in_the_workspace(&self, text: &str) -> String {
        let Place { package, up, directory } = self;
        let line = |path: &dyn std::fmt::Display, more: &str| {
            format!("\n{package} = {{ path = \"{up}/{path}\"{more} }}")
        };
        let now = line(&directory.display(), ", default-features = false");
        text.replace(&line(package, ""), &now)
    }

    /// A page's manifest names the step's tests.
    fn in_a_manifest(&self, text: &str) -> String {
        let Place { package, up, directory } = self;
        let begin = |path: &dyn std::fmt::Display| format!("\"../{up}/{path}/tests/");
        text.replace(&begin(package), &begin(&directory.display()))
    }

    /// A page's program takes in the step's scenes and trials.
    fn in_a_program(&self, text: &str) -> String {
        let Place { package, up, directory } = self;
        ["scenes/mod.rs", "trials/mod.rs"].iter().fold(text.to_owned(), |text, file| {
            let now = format!("\"../{up}/{}/experiments/{file}\"", directory.display());
            text.replace(&format!("\"../{up}/{package}/src/{file}\""), &now)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place<'static> {
        Place { package: "library", up: "..", directory: Path::new("beyond/library") }
    }

    #[test]
    fn only_paths_change_and_only_once() {
        let workspace = "# Mine.\nlibrary = { path = \"../library\" } # mine\nother = { path = \"../library2\" }\n";
        let now = place().in_the_workspace(workspace);
        let line = "library = { path = \"../beyond/library\", default-features = false } # mine\n";
        assert_eq!(now, format!("# Mine.\n{line}other = {{ path = \"../library2\" }}\n"));
        assert_eq!(place().in_the_workspace(&now), now);
    }

    #[test]
    fn a_page_finds_the_tests_and_the_scenes() {
        let place = place();
        let tests = place.in_a_manifest("path = \"../../library/tests/scenes.rs\"\n");
        assert_eq!(tests, "path = \"../../beyond/library/tests/scenes.rs\"\n");
        let program =
            place.in_a_program("#[path = \"../../library/src/scenes/mod.rs\"]\nmod scenes;\n");
        let now = "#[path = \"../../beyond/library/experiments/scenes/mod.rs\"]\nmod scenes;\n";
        assert_eq!(program, now);
    }

    #[test]
    fn a_layer_that_is_the_readers_stays_theirs() {
        let own = "\nlibrary = { path = \"library\" }\n";
        assert_eq!(place().in_the_workspace(own), own);
    }
}
