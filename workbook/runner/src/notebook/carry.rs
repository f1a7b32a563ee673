//! Carries what a reader wrote from an older notebook's page to a fresh one, exercise by exercise.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Notebook;
use super::edition::edition_of;
use super::page::{Page, read_sources};
use super::renames::{rename, since};
use super::source::Function;
use crate::terminal::{Terminal, shown};
use crate::workbook::Workbook;
use scene::{Exercise, Step};

/// Makes a page of this step in the notebook `new`, and fills it from the one in `old`.
pub(crate) fn carry_over(step: &Step, old: &Path, new: &Path) -> anyhow::Result<ExitCode> {
    let workbook = Workbook::of(step.manifest_dir)?;
    let old = Notebook { workbook: workbook.clone(), dir: old.to_owned() };
    let old_page = OldPage {
        edition: edition_of(&old)?,
        package: step.package,
        files: read_sources(&old.page(step.package).join("src"))?,
        src: old.page(step.package).join("src"),
    };
    let (mut page, _) = Notebook { workbook, dir: new.to_owned() }.open(step)?;
    let terminal = Terminal::of_stdout();
    for exercise in step.exercises {
        let outcome = old_page.carry(exercise, &mut page)?;
        let line = format!("{} {}: {}", exercise.number, exercise.name, outcome.sentence());
        let line = terminal.wrap_hanging("  ", "      ", &line);
        terminal.print(&if outcome.is_lost() { terminal.red(&line) } else { line });
    }
    Ok(ExitCode::SUCCESS)
}

/// A page of the older notebook.
struct OldPage {
    edition: u32,
    package: &'static str,
    src: PathBuf,
    files: Vec<(PathBuf, String)>,
}

/// What became of an exercise.
enum Outcome {
    NotBegun,
    Carried {
        /// Names in it that had to change, each with its new name.
        renamed: Vec<(&'static str, &'static str)>,
        /// Where the old one is, if its signature isn't the one of today.
        had_another_signature: Option<PathBuf>,
    },
    /// It wasn't found between its anchors; the file that probably contains it.
    NotFound(PathBuf),
}

impl OldPage {
    fn carry(&self, exercise: &Exercise, page: &mut Page) -> anyhow::Result<Outcome> {
        let Some((file, function)) = self.find(exercise) else {
            return Ok(Outcome::NotFound(self.likely_file(exercise, page)?));
        };
        if function.is_not_written() {
            return Ok(Outcome::NotBegun);
        }
        let (body, renamed) = self.renamed(function.body());
        let (signature, _) = self.renamed(function.signature());
        let fresh = page.exercise(exercise)?;
        let now = Function::find(&page.file_of(fresh).text, exercise.name)?;
        let differs = now.is_none_or(|now| now.signature() != signature);
        page.set_body(exercise, &body)?;
        let had_another_signature = differs.then(|| self.src.join(file));
        Ok(Outcome::Carried { renamed, had_another_signature })
    }

    /// Finds an exercise by its name of today, or by an earlier one.
    fn find(&self, exercise: &Exercise) -> Option<(&PathBuf, Function<'_>)> {
        self.names(exercise).into_iter().find_map(|name| {
            self.files.iter().find_map(|(file, text)| {
                let function = Function::find(text, name).ok()??;
                Some((file, function))
            })
        })
    }

    fn names(&self, exercise: &Exercise) -> Vec<&'static str> {
        let mut names = vec![exercise.name];
        let renames: Vec<_> = since(self.edition, self.package).collect();
        for (old, new) in renames.into_iter().rev().flat_map(|step| step.exercises) {
            if names.last() == Some(new) {
                names.push(old);
            }
        }
        names
    }

    /// The old file under the name that the exercise's file has now or had before, if it's there.
    fn likely_file(&self, exercise: &Exercise, page: &Page) -> anyhow::Result<PathBuf> {
        let solution = &page.exercise(exercise)?.solution.file;
        let src = page.notebook.workbook.step(self.package).join("src");
        let now = solution.strip_prefix(src)?;
        let pairs = since(self.edition, self.package).flat_map(|step| step.files);
        let earlier = pairs.filter(|(_, new)| Path::new(new) == now).map(|(old, _)| Path::new(old));
        let mut candidates = earlier.chain([now]).map(|name| self.src.join(name));
        Ok(candidates.find(|file| file.exists()).unwrap_or_else(|| self.src.clone()))
    }

    /// Replaces the names that have changed since, and says which ones it contained.
    fn renamed(&self, code: &str) -> (String, Vec<(&'static str, &'static str)>) {
        let mut code = code.to_owned();
        let mut found = Vec::new();
        for &(old, new) in since(self.edition, self.package).flat_map(|step| step.code) {
            let (renamed, count) = rename(&code, old, new);
            code = renamed;
            if count > 0 {
                found.push((old, new));
            }
        }
        (code, found)
    }
}

impl Outcome {
    fn is_lost(&self) -> bool {
        matches!(self, Outcome::NotFound(_))
    }

    fn sentence(&self) -> String {
        match self {
            Outcome::NotBegun => "not begun".to_owned(),
            Outcome::NotFound(file) => format!(
                "not carried over, because I can't find it between its ANCHOR lines. If you wrote \
                 it, it's in {}.",
                shown(file)
            ),
            Outcome::Carried { renamed, had_another_signature } => {
                let mut text = "carried over".to_owned();
                if !renamed.is_empty() {
                    let pairs = renamed.iter().map(|(old, new)| format!("{old} → {new}"));
                    text += &format!(", with {}", pairs.collect::<Vec<_>>().join(", "));
                }
                if let Some(file) = had_another_signature {
                    text += ". Its signature isn't the same as before; compare it with ";
                    text += &shown(file);
                }
                text + "."
            }
        }
    }
}
