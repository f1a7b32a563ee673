//! The notebook: a directory with the reader's pages. A page is the reader's own version of a layer
//! or of the library, in which the reader writes the bodies of the exercises' functions, or it's
//! the reader's loop from scratch.
//!
//! Opening a page creates its missing files. Existing sources belong to the reader and are never
//! overwritten.

mod brought_along;
pub mod carried;
pub mod fit;
pub mod from_scratch;
mod function;
pub mod given;
pub(crate) mod hidden;
mod items;
pub(crate) mod layers;
pub(crate) mod manifest;
mod module;
mod new_manifest;
pub(crate) mod on_yours;
pub mod page;
mod program;
mod programs;
pub mod source;
pub mod standing;
pub(crate) mod tokens;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::Step;
use crate::step::FROM_SCRATCH;
use crate::terminal::shown;
use crate::workbook::{Workbook, file_names, read, write};
use hidden::Parts;
use page::Page;
use scene::root::package_dir;

/// A notebook: the directory with the reader's pages.
#[derive(Debug, Clone)]
pub struct Notebook {
    /// The workbook that the notebook belongs to.
    pub workbook: Workbook,
    /// The notebook's directory: `work/` in the workbook's root, or another directory below that
    /// root.
    pub dir: PathBuf,
}

/// The files that opening a page has created, and the exercises that the page lacks.
#[derive(Debug, Default)]
pub struct Opened {
    /// True if the page didn't exist before.
    pub is_new: bool,
    /// The missing files that were created.
    pub made: Vec<PathBuf>,
    /// The exercises that the page lacks, each with the file that contains its starter.
    pub lacking: Vec<(&'static str, PathBuf)>,
}

impl Opened {
    /// Creates a file if it's missing. Never overwrites a file.
    pub(crate) fn make(
        &mut self,
        file: &Path,
        text: impl FnOnce() -> anyhow::Result<String>,
    ) -> anyhow::Result<()> {
        if fs::symlink_metadata(file).is_ok() {
            return Ok(());
        }
        write(file, &text()?)?;
        self.made.push(file.to_owned());
        Ok(())
    }
}

/// Returns the command line for a step, given the words after the package. For the loop from
/// scratch, the command line runs the workbook's own program.
fn run(package: &str, words: &str) -> String {
    if package == FROM_SCRATCH {
        return format!("cargo run -- from-scratch{}", words.strip_prefix(" --").unwrap_or(words));
    }
    format!("cargo run -p {package}{words}")
}

impl Notebook {
    /// Returns the reader's notebook for a workbook.
    pub fn of(workbook: Workbook) -> Notebook {
        Notebook { dir: workbook.root.join("work"), workbook }
    }

    /// Returns the notebook that a step's program works with. If the variable `CARGO_MANIFEST_DIR`
    /// names a page of the step, returns that page's notebook. Otherwise, returns the reader's
    /// notebook.
    pub fn of_step(step: &Step) -> anyhow::Result<Notebook> {
        let workbook = Workbook::of(step.manifest_dir)?;
        let dir = package_dir(step.manifest_dir);
        match dir.parent() {
            Some(parent) if dir != workbook.step(step.package) => {
                Ok(Notebook { dir: parent.to_owned(), workbook })
            }
            _ => Ok(Notebook::of(workbook)),
        }
    }

    /// Migrates the notebook if it belongs to an earlier edition, creates any files that are
    /// missing from a page and its notebook, and then reads the page.
    ///
    /// Fails if the notebook doesn't fit the workbook.
    pub fn open(&self, step: &Step) -> anyhow::Result<(Page, Opened)> {
        self.check_edition()?;
        if step.is_from_scratch() {
            return self.open_from_scratch(step);
        }
        let reference = self.parts_of(step.package)?;
        self.make_and_read(step, &reference).with_context(|| {
            let dir = shown(&self.dir);
            format!("can't open the notebook in {dir}; none of your files was changed")
        })
    }

    fn make_and_read(&self, step: &Step, reference: &Parts) -> anyhow::Result<(Page, Opened)> {
        let package = step.package;
        let mut opened = Opened { is_new: !self.page(package).exists(), ..Opened::default() };
        self.make_workspace(&mut opened)?;
        // Cargo needs every page's manifest, and the hidden files of the pages that it builds.
        let mut others = self.pages()?;
        others.retain(|page| page != package);
        for page in &others {
            self.make_manifest(page, &mut opened)?;
        }
        self.make_hidden_of(&others)?;
        self.make_manifest(package, &mut opened)?;
        self.make_hidden(package, reference)?;
        let directory = self.up_to(package)?;
        opened.make(&self.page(package).join("main.rs"), || {
            Ok(program::program(package, step.has_server, &directory))
        })?;
        let page = Page::open(self, step, reference, &mut opened)?;
        self.check_dependencies(package)?;
        Ok((page, opened))
    }

    /// Returns the directory of a step's page.
    pub fn page(&self, package: &str) -> PathBuf {
        self.dir.join(package)
    }

    /// Returns the sources that a page of this notebook would have if all of its exercises were
    /// written as in the reference.
    pub fn reference_for(&self, package: &str) -> anyhow::Result<Vec<(PathBuf, String)>> {
        Ok(self.parts_of(package)?.page)
    }

    /// Returns the directory of the workbook's own records.
    pub fn state(&self) -> PathBuf {
        self.dir.join(".state")
    }

    /// Returns the steps that have a page.
    pub fn pages(&self) -> anyhow::Result<Vec<String>> {
        let mut steps = self.workbook.steps()?;
        steps.retain(|package| self.page(package).is_dir());
        Ok(steps)
    }

    fn make_workspace(&self, opened: &mut Opened) -> anyhow::Result<()> {
        let root = &self.workbook.root;
        let manifest = self.dir.join("Cargo.toml");
        opened.make(&manifest, || self.workspace_manifest(&self.noted_layers()?))?;
        self.fit_layers()?;
        let map = self.dir.join(program::MAP);
        opened.make(&map.join("Cargo.toml"), || Ok(program::map_manifest(&self.owner())))?;
        opened.make(&map.join("main.rs"), || Ok(program::MAP_MAIN.to_owned()))?;
        opened.make(&self.dir.join("Cargo.lock"), || read(&root.join("Cargo.lock")))?;
        opened.make(&self.dir.join(CONFIG), || self.cargo_config())
    }

    /// Returns the notebook's cargo configuration.
    fn cargo_config(&self) -> anyhow::Result<String> {
        Ok(CARGO_CONFIG.replace("UP", &self.up()?))
    }

    /// Returns a new manifest for the notebook, in which the layers in `own` are the reader's
    /// pages.
    pub(crate) fn workspace_manifest(&self, own: &[String]) -> anyhow::Result<String> {
        let (mut used, parts) = (Vec::new(), self.workbook.steps()?);
        for step in &parts {
            used.extend(manifest::dependencies(&self.workbook.step(step).join("Cargo.toml"))?);
        }
        let root_manifest = read(&self.workbook.root.join("Cargo.toml"))?;
        let manifest = new_manifest::workspace(&root_manifest, &self.up()?, &used, &parts)?;
        self.with_own_layers(&manifest, own)
    }

    fn make_manifest(&self, package: &str, opened: &mut Opened) -> anyhow::Result<()> {
        let manifest = self.page(package).join("Cargo.toml");
        opened.make(&manifest, || self.page_manifest(package))
    }

    /// Returns a page's manifest.
    fn page_manifest(&self, package: &str) -> anyhow::Result<String> {
        let step = self.workbook.step(package);
        let to_the_step = format!("../{}", self.up_to(package)?.display());
        let files = file_names(&step.join("tests")).unwrap_or_default();
        let tests = files.iter().filter_map(|file| file.strip_suffix(".rs"));
        let tests: Vec<String> = tests.map(str::to_owned).collect();
        let step = read(&step.join("Cargo.toml"))?;
        new_manifest::page(&step, package, &tests, &to_the_step, &self.owner())
    }

    /// Returns a word that distinguishes the reader's packages from packages with the same names
    /// that our checks create. Cargo uses the same build directory for both kinds of packages.
    fn owner(&self) -> String {
        let ours = self.dir.strip_prefix(self.workbook.root.join("target")).ok();
        // A version can't contain a slash.
        ours.and_then(Path::to_str).unwrap_or("yours").replace('/', "-")
    }

    /// Fails if the page's manifest lacks a dependency that the step needs, or if the notebook's
    /// manifest lacks a dependency that the page needs. Manifests that are older than the workbook
    /// can lack dependencies.
    fn check_dependencies(&self, package: &str) -> anyhow::Result<()> {
        let mut step = manifest::dependencies(&self.workbook.step(package).join("Cargo.toml"))?;
        step.retain(|name| name != new_manifest::RUNNER);
        let page_manifest = self.page(package).join("Cargo.toml");
        let page = manifest::dependencies(&page_manifest)?;
        if let Some(name) = step.iter().find(|name| !page.contains(name)) {
            bail!(
                "{} is older than the step: it lacks the dependency `{name}`. Add the line \
                 `{name}.workspace = true`, or move the file away to get a fresh one.",
                shown(&page_manifest)
            );
        }
        let workspace = self.dir.join("Cargo.toml");
        let offered = manifest::offered(&workspace)?;
        if let Some(name) = page.iter().find(|name| !offered.contains(name)) {
            bail!(
                "{} is older than the workbook: it lacks `{name}` under [workspace.dependencies]. \
                 Copy the line from the workbook's own Cargo.toml, or move the file away to get a \
                 fresh one.",
                shown(&workspace)
            );
        }
        Ok(())
    }

    /// Returns a `cargo run` command for the reader to type in the current directory. The command
    /// runs a package or the workbook's own program.
    pub fn typed(&self, package: Option<&str>, words: &str) -> String {
        let here = std::env::current_dir().unwrap_or_default();
        // Inside the notebook, cargo knows only the pages that exist.
        let knows = |package: &str| !here.starts_with(&self.dir) || self.page(package).is_dir();
        let has_map = here == self.dir && here.join(program::MAP).is_dir();
        let is_of_a_step = package.filter(|package| *package != FROM_SCRATCH);
        let is_known = is_of_a_step.map_or(has_map || here == self.workbook.root, knows);
        let cd = if is_known || !here.starts_with(&self.workbook.root) {
            String::new()
        } else {
            format!("cd {} && ", shown(&self.workbook.root))
        };
        cd + &package.map_or_else(|| format!("cargo run{words}"), |package| run(package, words))
    }

    /// Creates any of the notebook's own files that are missing, and updates the hidden code.
    pub fn repair(&self) -> anyhow::Result<()> {
        self.make_workspace(&mut Opened::default())?;
        self.make_hidden_of(&self.pages()?)
    }

    /// Returns the path from the notebook to the directory of one of the workbook's packages.
    fn up_to(&self, package: &str) -> anyhow::Result<PathBuf> {
        Ok(Path::new(&self.up()?).join(self.workbook.below_the_root(package)))
    }

    /// Returns the path from the notebook to the root: `..`, or `../..` and so on.
    fn up(&self) -> anyhow::Result<String> {
        let root = &self.workbook.root;
        let inside = self
            .dir
            .strip_prefix(root)
            .with_context(|| format!("{} isn't inside {}", self.dir.display(), root.display()))?;
        Ok(vec![".."; inside.components().count()].join("/"))
    }
}

/// The path of the notebook's cargo configuration, relative to the notebook.
const CONFIG: &str = ".cargo/config.toml";
const CARGO_CONFIG: &str = "\
# Here, cargo 1.91 or later reuses the crates that it compiled for the workbook.
[build]
target-dir = \"target\"
build-dir = \"UP/target\"
";
