//! The notebook: the reader's own copies of the layers, with bodies to write.
//!
//! Whatever is missing is made; what is there is the reader's, and never written over.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::manifest;
use crate::root::{find_root, read, steps, tests, write};
use crate::source::{Function, layer_files};
use scene::{Exercise, Step};

/// Where the reader's pages are kept.
#[derive(Debug, Clone)]
pub struct Notebook {
    /// The workbook itself.
    pub root: PathBuf,
    /// The notebook: `work/` in the root, or another directory below it.
    pub dir: PathBuf,
}

/// What opening a page has done.
#[derive(Debug, Default)]
pub struct Opened {
    /// The page was not there before.
    pub is_new: bool,
    /// Files that were missing and have been made.
    pub made: Vec<PathBuf>,
    /// Exercises that the page lacks, and where a starter with them has been put.
    pub lacking: Vec<(&'static str, PathBuf)>,
}

impl Opened {
    /// Writes a file that is not there, and never one that is.
    fn make(&mut self, file: &Path, text: &str) -> anyhow::Result<()> {
        if fs::symlink_metadata(file).is_ok() {
            return Ok(());
        }
        write(file, text)?;
        self.made.push(file.to_owned());
        Ok(())
    }
}

impl Notebook {
    /// The reader's notebook in a workbook.
    pub fn of(root: &Path) -> Notebook {
        Notebook::at(root, &root.join("work"))
    }

    /// A notebook in another directory below the root.
    pub fn at(root: &Path, dir: &Path) -> Notebook {
        Notebook { root: root.to_owned(), dir: dir.to_owned() }
    }

    /// The notebook a program belongs to, from the directory of the manifest it was built from:
    /// the one around a page, or for a step itself the reader's.
    pub fn around(manifest_dir: &Path) -> anyhow::Result<Notebook> {
        let root = find_root(manifest_dir)?;
        match manifest_dir.parent() {
            Some(parent) if parent != root => Ok(Notebook::at(&root, parent)),
            _ => Ok(Notebook::of(&root)),
        }
    }

    /// The directory of a step's page.
    pub fn page(&self, package: &str) -> PathBuf {
        self.dir.join(package)
    }

    /// The directory of the step itself.
    pub fn step(&self, package: &str) -> PathBuf {
        self.root.join(package)
    }

    /// What the workbook notes down for itself.
    pub fn state(&self) -> PathBuf {
        self.dir.join(".state")
    }

    /// Makes whatever is missing of a page and of the notebook around it.
    pub fn open(&self, step: &Step) -> anyhow::Result<Opened> {
        let Step { package, exercises, .. } = *step;
        let mut opened = Opened { is_new: !self.page(package).exists(), ..Opened::default() };
        self.make_workspace(&mut opened)?;
        // A page without its manifest would keep cargo from building any other.
        for page in self.pages()? {
            self.make_manifest(&page, &mut opened)?;
        }
        self.make_manifest(package, &mut opened)?;
        let program = manifest::program(package, step.serve.is_some(), &self.up()?);
        opened.make(&self.page(package).join("main.rs"), &program)?;
        self.make_sources(package, exercises, &mut opened)?;
        self.check_age(package)?;
        Ok(opened)
    }

    /// The steps that have a page.
    pub fn pages(&self) -> anyhow::Result<Vec<String>> {
        let has_page = |package: &String| self.page(package).is_dir();
        Ok(steps(&self.root)?.into_iter().filter(has_page).collect())
    }

    fn make_workspace(&self, opened: &mut Opened) -> anyhow::Result<()> {
        let root_manifest = read(&self.root.join("Cargo.toml"))?;
        let mut used = Vec::new();
        for step in steps(&self.root)? {
            used.extend(manifest::dependencies(&read(&self.step(&step).join("Cargo.toml"))?));
        }
        let up = self.up()?;
        let workspace = manifest::workspace(&root_manifest, &up, &used);
        opened.make(&self.dir.join("Cargo.toml"), &workspace)?;
        let lock = read(&self.root.join("Cargo.lock"))?;
        opened.make(&self.dir.join("Cargo.lock"), &lock)?;
        let config = CARGO_CONFIG.replace("UP", &up);
        opened.make(&self.dir.join(".cargo/config.toml"), &config)
    }

    /// Tells this notebook's packages from those of another.
    pub(crate) fn whose(&self) -> &str {
        let is_the_readers = self.dir == self.root.join("work");
        if is_the_readers { "yours" } else { "proof" }
    }

    fn make_manifest(&self, package: &str, opened: &mut Opened) -> anyhow::Result<()> {
        let step = read(&self.step(package).join("Cargo.toml"))?;
        let tests = tests(&self.step(package));
        let page = manifest::page(&step, package, &tests, &self.up()?, self.whose());
        opened.make(&self.page(package).join("Cargo.toml"), &page)
    }

    fn make_sources(
        &self,
        package: &str,
        exercises: &[Exercise],
        opened: &mut Opened,
    ) -> anyhow::Result<()> {
        for source in layer_files(&self.step(package).join("src"))? {
            let reference = read(&self.step(package).join("src").join(&source))?;
            let starter = starter(&reference, exercises)
                .with_context(|| format!("{package}/src/{}", source.display()))?;
            let file = self.page(package).join("src").join(&source);
            opened.make(&file, &starter)?;

            let readers = read(&file)?;
            let kept = self.state().join("starter").join(package).join(&source);
            for exercise in exercises {
                if lacks(&readers, &reference, exercise)? {
                    write(&kept, &starter)?;
                    opened.lacking.push((exercise.name, kept.clone()));
                }
            }
        }
        Ok(())
    }

    /// A notebook from an older workbook may not offer what a page needs by now.
    fn check_age(&self, package: &str) -> anyhow::Result<()> {
        let step = manifest::dependencies(&read(&self.step(package).join("Cargo.toml"))?);
        let own = self.page(package).join("Cargo.toml");
        let page = manifest::dependencies(&read(&own)?);
        if let Some(name) = step.iter().find(|name| !page.contains(name)) {
            bail!(
                "{} is from an older workbook: it lacks the dependency `{name}`. Add the line \
                 `{name}.workspace = true`, or move the file away to have it made again.",
                own.display()
            );
        }
        let shared = self.dir.join("Cargo.toml");
        let offered = manifest::offered(&read(&shared)?);
        if let Some(name) = page.iter().find(|name| !offered.contains(name)) {
            bail!(
                "{} is from an older workbook: it lacks `{name}` under [workspace.dependencies]. \
                 Add it as the workbook's own Cargo.toml has it, or move the file away to have it \
                 made again.",
                shared.display()
            );
        }
        Ok(())
    }

    /// The way from the notebook to the root: `..`, or `../..` and so on.
    fn up(&self) -> anyhow::Result<String> {
        let inside = self.dir.strip_prefix(&self.root).with_context(|| {
            format!("{} is not inside {}", self.dir.display(), self.root.display())
        })?;
        Ok(vec![".."; inside.components().count()].join("/"))
    }
}

const CARGO_CONFIG: &str = "\
# What the workbook has compiled is used again here; from cargo 1.91 on, older ones compile twice.
[build]
target-dir = \"target\"
build-dir = \"UP/target\"
";

/// A file of the reference with each exercise's body still to be written.
pub fn starter(reference: &str, exercises: &[Exercise]) -> anyhow::Result<String> {
    let mut text = reference.to_owned();
    for exercise in exercises {
        if let Some(function) = Function::find(&text, exercise.name)? {
            text = function.starter(exercise);
        }
    }
    Ok(text)
}

/// Whether an exercise of this file is not in the reader's: neither its anchors nor its function.
fn lacks(readers: &str, reference: &str, exercise: &Exercise) -> anyhow::Result<bool> {
    let Some(function) = Function::find(reference, exercise.name)? else {
        return Ok(false);
    };
    let anchor = format!("// ANCHOR: {}", exercise.name);
    let signature = format!("fn {}", function.name());
    Ok(!readers.contains(&anchor) && !readers.contains(&signature))
}
