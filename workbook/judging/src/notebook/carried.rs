//! Migrates a notebook from an earlier edition. A new notebook gets every body that still belongs
//! to an exercise. The old notebook is kept, unchanged, next to the new notebook.
//!
//! Most of a page is the workbook's own code, copied from the edition that made the page and out of
//! date by now. So instead of updating the page in place, we create a new page and copy each body
//! into the exercise with the same name, along with the reader's functions, imports and files that
//! the bodies use.
//!
//! A body goes to `kept/` instead if its exercise was removed, or if the body no longer compiles on
//! the new page: an exercise with the same name can have a different task. That way, a single body
//! that doesn't compile can't keep the whole page from being judged.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::brought_along::{Used, Users};
use super::fit::{EDITION, aside};
use super::items::{Found, functions, imports};
use super::manifest::{self, Manifest, edition_in};
use super::page::Page;
use super::source::{Function, read_sources};
use super::{Notebook, hidden, on_yours, program, programs};
use crate::Step;
use crate::cargo::{Built, Failure, Messages, Profile, build_page};
use crate::terminal::{Terminal, shown};
use crate::workbook::write;
use exercises::Exercise;

/// The files and directories, apart from the pages, that the workbook can create again.
const MADE: [&str; 8] = [
    "Cargo.toml",
    "Cargo.lock",
    ".cargo",
    "target",
    program::MAP,
    on_yours::DIR,
    programs::DIR,
    hidden::DIR,
];

impl Notebook {
    /// If the notebook belongs to an earlier edition, migrates it and tells the reader.
    pub(super) fn carry_over(&self) -> anyhow::Result<()> {
        if !self.is_of_an_earlier_edition()? {
            return Ok(());
        }
        // Take a lock, because another command could be about to migrate the notebook, too.
        let root = File::open(self.workbook.root.join("Cargo.toml")).context("open Cargo.toml")?;
        root.lock().context("lock Cargo.toml")?;
        if !self.is_of_an_earlier_edition()? {
            return Ok(());
        }
        let before = aside(&self.dir);
        let kept = self.make_anew(&before).with_context(|| {
            format!(
                "can't move {} to a new notebook; none of the old notebook's files was changed",
                shown(&self.dir)
            )
        })?;
        let told = format!(
            "This workbook is newer than your notebook, so the workbook has made a new notebook in \
             {} with all your bodies that still fit. The old notebook is in {}, unchanged.",
            shown(&self.dir),
            shown(&before)
        );
        let terminal = Terminal::of_stdout();
        let mut text = terminal.wrap("", &told);
        for body in kept {
            let place = shown(&self.dir.join(&body.file));
            text += &terminal.wrap_hanging(
                "- ",
                "  ",
                &format!("{}. Your body is in {place}.", body.why),
            );
        }
        eprintln!("{text}");
        Ok(())
    }

    fn is_of_an_earlier_edition(&self) -> anyhow::Result<bool> {
        let file = self.dir.join("Cargo.toml");
        Ok(file.exists() && is_earlier(manifest::edition(&file)?))
    }

    /// Creates the new notebook next to this notebook, moves this notebook to `before`, and moves
    /// the new notebook to this notebook's place. Returns the bodies that aren't on the new pages.
    fn make_anew(&self, before: &Path) -> anyhow::Result<Vec<Kept>> {
        let name = self.dir.file_name().unwrap_or_default().to_string_lossy();
        let new = Notebook {
            workbook: self.workbook.clone(),
            dir: self.dir.with_file_name(format!("{name}-new")),
        };
        // An interrupted attempt may have left its new notebook there.
        if new.dir.exists() {
            fs::remove_dir_all(&new.dir).context(shown(&new.dir))?;
        }
        // A page's form depends on the reader's choices, so first copy the reader's other files,
        // which include these choices.
        let parts = self.workbook.steps()?;
        let is_theirs = |name: &str| !MADE.contains(&name) && !parts.iter().any(|it| it == name);
        copy(&self.dir, &new.dir, &is_theirs)?;
        let mut kept = Vec::new();
        for package in self.pages()? {
            let before = self.page(&package).join("src");
            let carried = new.carry_page_that_compiles(&package, &before);
            kept.extend(carried.with_context(|| package.clone())?);
        }
        for layer in self.own_layers()? {
            new.switch_layer(&layer, true)?;
        }
        fs::rename(&self.dir, before).context(shown(before))?;
        fs::rename(&new.dir, &self.dir).context(shown(&self.dir))?;
        Ok(kept)
    }

    /// Creates a page with the bodies of an older page, except the bodies that would keep the new
    /// page from compiling.
    fn carry_page_that_compiles(&self, package: &str, before: &Path) -> anyhow::Result<Vec<Kept>> {
        let mut without = BTreeSet::new();
        loop {
            let Carried { kept, users, page } = self.carry(package, before, &without)?;
            let built = build_page(self, package, Messages::Kept, Profile::Dev)?;
            let Built::DoesNotCompile(failure) = built else { return Ok(kept) };
            let guilty = guilty(&failure, &page, &users)?;
            // Stop if leaving out more bodies doesn't help. The reader will see the compiler's
            // messages.
            if guilty.is_subset(&without) {
                return Ok(kept);
            }
            without.extend(guilty);
            let dir = self.page(package);
            fs::remove_dir_all(&dir).with_context(|| shown(&dir))?;
        }
    }

    /// Creates a page with those bodies from an older page's `src/` that an exercise still asks
    /// for. Returns the bodies that don't go onto the page because their exercises were removed.
    pub fn carry_page(&self, package: &str, before: &Path) -> anyhow::Result<Vec<Kept>> {
        Ok(self.carry(package, before, &BTreeSet::new())?.kept)
    }

    fn carry(
        &self,
        package: &str,
        before: &Path,
        without: &BTreeSet<String>,
    ) -> anyhow::Result<Carried> {
        let before = &read_sources(before)?;
        let step = Step::without_checks(&self.workbook, package)?;
        let gone = exercises::gone(&self.workbook.step(package))?;
        let given = self.choice().given;
        self.make_optional_ones_given(&step, before)?;
        let (mut page, _) = self.make_and_read(&step, &self.parts_of(package)?)?;
        let reference = read_sources(&self.workbook.step(package).join("src"))?;
        let mut used = Used::new(before, &reference);
        let mut kept = Vec::new();
        for gone in gone.iter().filter(|it| !given.contains(&it.number)) {
            if let Some((_, function)) = written(before, &gone.name) {
                kept.push(self.keep(package, &gone.name, function.whole(), gone.in_words())?);
            }
        }
        for exercise in step.exercises {
            // An older exercise with the same name had a different task.
            if gone.iter().any(|gone| gone.name == exercise.name) {
                continue;
            }
            let Some((name, function)) = written(before, &exercise.name) else { continue };
            if without.contains(&exercise.name) {
                let Exercise { number, name, .. } = exercise;
                let why = format!("{number} {name} doesn't compile on the new page with your body");
                kept.push(self.keep(package, name, function.whole(), why)?);
                continue;
            }
            page.set_body(exercise, function.body())?;
            used.look(&exercise.name, name, function.body());
        }
        used.bring_along(&page, without)?;
        // The imports and functions that were brought along have shifted the page's lines, so read
        // the page again.
        let (page, _) = self.make_and_read(&step, &self.parts_of(package)?)?;
        Ok(Carried { kept, users: used.users, page })
    }

    /// Turns the exercises that have become optional into given exercises, unless the reader has
    /// written their bodies. For a reader who has never chosen a path, all optional exercises are
    /// given already.
    fn make_optional_ones_given(
        &self,
        step: &Step,
        before: &[(PathBuf, String)],
    ) -> anyhow::Result<()> {
        let mut choice = self.choice();
        let optional = step.exercises.iter().filter(|it| it.is_optional);
        let wanted = optional.filter(|it| written(before, &it.name).is_none());
        let was = choice.given.len();
        choice.given.extend(wanted.map(|exercise| exercise.number.clone()));
        if choice.given.len() == was { Ok(()) } else { self.note_choice(&choice) }
    }

    /// Writes a body to a file in `kept/` instead of the new page.
    fn keep(&self, package: &str, name: &str, text: &str, why: String) -> anyhow::Result<Kept> {
        let file = Path::new("kept").join(package).join(format!("{name}.rs"));
        write(&self.dir.join(&file), text)?;
        Ok(Kept { file, why })
    }
}

/// A body from an older page that isn't on the new page.
#[derive(Debug)]
pub struct Kept {
    /// The body's file, relative to the notebook.
    pub file: PathBuf,
    /// The reason why the body isn't on the new page, as a sentence without its full stop.
    pub why: String,
}

/// The result of copying an older page's bodies to a new page.
struct Carried {
    kept: Vec<Kept>,
    users: Users,
    page: Page,
}

/// Returns a function from an older page, with its file, if the reader has written the body.
fn written<'a>(before: &'a [(PathBuf, String)], name: &str) -> Option<(&'a Path, Function<'a>)> {
    before.iter().find_map(|(file, text)| {
        let function = Function::find(text, name).ok()??;
        (!function.is_not_written()).then_some((file.as_path(), function))
    })
}

/// Returns the exercises and the imports that keep a page from compiling: the compiler reports
/// errors in these imports, in the exercises' bodies, or in functions or modules that the bodies
/// have brought along.
fn guilty(failure: &Failure, page: &Page, users: &Users) -> anyhow::Result<BTreeSet<String>> {
    let mut guilty = BTreeSet::new();
    let errors = failure.problems.iter().filter(|problem| problem.is_error());
    for place in errors.filter_map(|problem| problem.place.as_ref()) {
        let Some(line) = place.begin.line else { continue };
        let source = page.files.iter().find(|file| shown(&file.path) == place.begin.file);
        let Some(source) = source else { continue };
        let begin: usize = source.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        // An error in an import means that the workbook no longer has the imported item.
        let import = imports(&source.text).find(|import| {
            let at = source.text.find(import).unwrap_or_default();
            (at..at + import.len()).contains(&(begin + place.column.saturating_sub(1)))
        });
        guilty.extend(import.map(str::to_owned));
        let found = functions(&source.text).into_iter().find(|it| it.lines().contains(&begin));
        let name = found.as_ref().map_or("", Found::name);
        for exercise in page.step.exercises {
            let is_its_file = page.file_of(page.exercise(exercise)?).path == source.path;
            if is_its_file && page.function(exercise).is_ok_and(|it| it.name() == name) {
                guilty.insert(exercise.name.clone());
            }
        }
        let module = source.path.file_stem().unwrap_or_default().to_string_lossy();
        for brought in [name, &*module] {
            guilty.extend(users.get(brought).into_iter().flatten().cloned());
        }
    }
    Ok(guilty)
}

/// Returns true if a notebook with this manifest belongs to an earlier edition.
pub fn is_of_an_earlier_edition(manifest: &str) -> bool {
    Manifest::parse(manifest).is_ok_and(|manifest| is_earlier(edition_in(&manifest)))
}

/// Returns true if the workbook migrates notebooks of this edition.
fn is_earlier(edition: Option<u32>) -> bool {
    edition.is_some_and(|edition| (1..EDITION).contains(&edition))
}

/// Copies files and subdirectories from one directory to another if `is_wanted` accepts their
/// names. A subdirectory is copied with all its files and subdirectories. Links, sockets and pipes
/// are left out.
fn copy(from: &Path, to: &Path, is_wanted: &dyn Fn(&str) -> bool) -> anyhow::Result<()> {
    fs::create_dir_all(to).context(shown(to))?;
    for entry in fs::read_dir(from).context(shown(from))? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        let copied = to.join(&name);
        if !is_wanted(&name.to_string_lossy()) {
            continue;
        }
        if kind.is_dir() {
            copy(&entry.path(), &copied, &|_| true)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &copied).context(shown(&copied))?;
        }
        // We skip links, and also sockets and pipes, which would be of no use in a copy.
    }
    Ok(())
}
