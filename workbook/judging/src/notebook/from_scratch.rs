//! The page of *From scratch*: a file that's empty except for the contract at the top, and a
//! program for each stage. A stage's program uses only the names from that stage and from earlier
//! stages.

use std::path::Path;

use anyhow::{Context, bail};

use super::manifest::Manifest;
use super::page::Page;
use super::{CONFIG, Notebook, Opened};
use crate::Step;
use crate::terminal::shown;
use crate::workbook::{read, write_if_different};

/// The page's directory for the stages' programs.
const STAGES: &str = ".stages";
/// The modules that all stages share.
pub const SHARED: [&str; 3] = ["idle", "waiting", "watch"];

/// Returns the name of a stage's program.
pub(crate) fn program_of(stage: usize) -> String {
    format!("from_scratch_stage{stage}")
}

impl Notebook {
    /// Creates any files that are missing from the page, and then reads the page.
    ///
    /// Fails if the reader has changed the page's `Cargo.toml`, or has changed another file so that
    /// the loop can use more crates or is built differently. A loop may use only the crates that
    /// the task names.
    pub(super) fn open_from_scratch(&self, step: &Step) -> anyhow::Result<(Page, Opened)> {
        let (package, home) = (step.package, self.workbook.step(step.package));
        let page = self.page(package);
        let mut opened = Opened { is_new: !page.exists(), ..Opened::default() };
        self.make_workspace(&mut opened)?;
        let others = self.pages()?;
        for other in &others {
            self.make_manifest(other, &mut opened)?;
        }
        self.make_hidden_of(&others)?;

        let up = self.up_to(package)?;
        let manifest = page.join("Cargo.toml");
        let ours = self.manifest_from_scratch(step, &up);
        opened.make(&manifest, || Ok(ours.clone()))?;
        if read(&manifest)? != ours {
            bail!("{}", not_ours(&manifest, ""));
        }
        self.check_what_cargo_reads(package)?;
        for stage in 1..=step.exercises.len() {
            let program = program(stage, &Path::new("../..").join(&up).join("experiments"));
            write_if_different(&page.join(STAGES).join(format!("stage{stage}.rs")), &program)?;
        }
        let empty = read(&home.join("empty.rs"))?;
        let lib = page.join("src/lib.rs");
        opened.make(&lib, || Ok(empty.clone()))?;
        let is_untouched = read(&lib)? == empty;
        let reference = home.join("src/lib.rs");
        Ok((Page::of_a_whole_file(self, step, &reference, is_untouched)?, opened))
    }

    /// Fails if one of the notebook's files gives the loop access to an additional crate or makes
    /// cargo build the loop with settings that differ from the workbook's settings. The reader may
    /// make other, harmless changes to these files.
    fn check_what_cargo_reads(&self, package: &str) -> anyhow::Result<()> {
        let own = self.own_layers()?;
        let workspace = self.fitted(&self.workspace_manifest(&own)?)?;
        let offered = |name| ["workspace", "dependencies", name].to_vec();
        let mut keys = vec![vec!["patch"], vec!["replace"], vec!["profile"]];
        keys.extend(FOR_LOOPS.into_iter().chain(FOR_STAGES).map(offered));
        check(&self.dir.join("Cargo.toml"), &workspace, &keys)?;
        for layer in own.iter().filter(|layer| FOR_LOOPS.contains(&layer.as_str())) {
            let keys = [vec!["dependencies"], vec!["build-dependencies"], vec!["target"]];
            check(&self.page(layer).join("Cargo.toml"), &self.page_manifest(layer)?, &keys)?;
        }
        let config = self.dir.join(CONFIG);
        check(&config, &self.cargo_config()?, &[vec![]])?;
        // The workbook never creates these files, but cargo reads them, or a reader expects cargo
        // to read them.
        let directories = [self.dir.join(".cargo"), self.page(package).join(".cargo")];
        let configs =
            directories.iter().flat_map(|dir| [dir.join("config"), dir.join("config.toml")]);
        let layers = own.iter().filter(|layer| FOR_LOOPS.contains(&layer.as_str()));
        let pages = layers.map(String::as_str).chain([package]);
        for file in configs.chain(pages.map(|page| self.page(page).join("build.rs"))) {
            if file != config && file.exists() {
                bail!("{} isn't one of the workbook's files. {ALLOWED}", shown(&file));
            }
        }
        Ok(())
    }

    fn manifest_from_scratch(&self, step: &Step, up: &Path) -> String {
        let (package, up) = (step.package, Path::new("..").join(up));
        let up = up.display();
        let mut text = format!(
            "# Your loop from scratch: `src/` is yours. This file is the workbook's.\n\
             [package]\n\
             name = \"{package}\"\n\
             version = \"0.1.0-{}\"\n\
             edition.workspace = true\n\
             rust-version.workspace = true\n\
             publish = false\n\
             build = false\n",
            self.owner()
        );
        for stage in 1..=step.exercises.len() {
            let name = program_of(stage);
            text +=
                &format!("\n[[example]]\nname = \"{name}\"\npath = \"{STAGES}/stage{stage}.rs\"\n");
        }
        for name in EXAMPLES {
            text +=
                &format!("\n[[example]]\nname = \"{name}\"\npath = \"{up}/examples/{name}.rs\"\n");
        }
        text + &dependencies() + "\n[lints]\nworkspace = true\n"
    }
}

/// Fails if one of the notebook's files differs from ours at one of these key paths.
fn check(file: &Path, ours: &str, keys: &[Vec<&str>]) -> anyhow::Result<()> {
    let text = read(file)?;
    let theirs = Manifest::parse(&text).with_context(|| format!("parse {}", shown(file)))?;
    let ours = Manifest::parse(ours)?;
    for key in keys {
        if ours.meaning(key) != theirs.meaning(key) {
            let what = key.last().map(|key| format!(": its `{key}` differs"));
            bail!("{}", not_ours(file, &what.unwrap_or_default()));
        }
    }
    Ok(())
}

/// Returns the error message for a file that the reader has changed, given words for the changed
/// part.
fn not_ours(file: &Path, what: &str) -> String {
    format!(
        "{} isn't as the workbook made it{what}. {ALLOWED} The workbook will then make the file \
         again.",
        shown(file)
    )
}

const ALLOWED: &str = "Your loop may use std, libc and the layers of steps 01 to 05 but no other \
                       crate, no build script and no procedural macro of its own. Move the file \
                       away.";

/// Returns a manifest's dependencies: the crates that a loop may use, and the crates that only the
/// stages' programs need. The programs are examples, so the manifest can give them crates that a
/// loop can't use.
pub fn dependencies() -> String {
    let lines = |names: &[&str]| -> String {
        names.iter().flat_map(|name| [name, ".workspace = true\n"]).collect()
    };
    let (loops, stages) = (lines(&FOR_LOOPS), lines(&FOR_STAGES));
    format!("\n[dependencies]\n{loops}\n[dev-dependencies]\n{stages}")
}

/// The workbook's programs that can run on a loop from scratch.
const EXAMPLES: [&str; 2] = ["tiny_echo", "tiny_http"];

const FOR_LOOPS: [&str; 6] =
    ["libc", "step01_fd", "step02_epoll", "step03_selector", "step04_timers", "step05_selfpipe"];
const FOR_STAGES: [&str; 4] = ["anyhow", "kit", "rustix", "scene"];

/// Returns the source of a stage's program. `experiments` is the path from the program's directory
/// to the directory with the stages' scenes.
fn program(stage: usize, experiments: &Path) -> String {
    let experiments = experiments.display();
    let mut text = format!(
        "//! Runs the scenes of stage {stage} on your loop. The workbook made this file.\n\n\
         #[path = \"{experiments}/stage{stage}/mod.rs\"]\nmod stage;\n"
    );
    for module in SHARED {
        text += &format!("#[path = \"{experiments}/{module}.rs\"]\nmod {module};\n");
    }
    text + "\n\
        #[global_allocator]\n\
        static ALLOCATOR: kit::memory::Counting = kit::memory::Counting;\n\n\
        fn main() -> std::process::ExitCode {\n    \
            // A loop may keep some descriptors. The last stage counts them itself.\n    \
            scene::descriptors::may_stay_open();\n    \
            scene::main(&scene::Page {\n        \
                package: env!(\"CARGO_PKG_NAME\"),\n        \
                manifest_dir: env!(\"CARGO_MANIFEST_DIR\"),\n        \
                scenes: stage::SCENES,\n        \
                trials: stage::TRIALS,\n        \
                serve: None,\n    \
            })\n\
        }\n"
}
