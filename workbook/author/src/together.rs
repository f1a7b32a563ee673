//! All bodies for an exercise in one program, because compiling a program for each body took most of
//! a check's time.
//!
//! The function of the exercise becomes a `match` with an arm for each body. The number of the body
//! comes from the name by which the program is started, so each body has a link to it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::body::Body;
use exercises::Exercise;
use runner::cargo::{Built, Messages, build};
use runner::notebook::page::Page;
use runner::workbook::{read, write};

/// A program for each body.
pub(super) struct Together {
    dir: PathBuf,
}

impl Together {
    /// Builds the program, and restores the page. Returns `None` if the bodies don't compile
    /// together, or not without a warning; then one of them doesn't, or can't be an arm.
    pub(super) fn build(
        page: &mut Page,
        exercise: &Exercise,
        bodies: &[Body],
    ) -> anyhow::Result<Option<Together>> {
        let main = page.dir().join("main.rs");
        let usual_main = read(&main)?;
        let (file, usual_text) = page.set_body(exercise, &one_of(bodies))?;
        let lib = page.files.iter().position(|file| file.path.ends_with("src/lib.rs"));
        let lib = lib.context("the page has no lib.rs")?;
        let usual_lib = page.set_text(lib, page.files[lib].text.clone() + STATIC)?;
        write(&main, &with_a_choice(&usual_main, page.step.package)?)?;
        let built = build(page, Messages::Kept);
        // In reverse order, because the exercise can be in lib.rs.
        write(&main, &usual_main)?;
        page.set_text(lib, usual_lib)?;
        page.set_text(file, usual_text)?;
        match built? {
            Built::Program(program, messages) if messages.trim().is_empty() => {
                let dir = page.notebook.dir.join("target/answers");
                make_links(&program, &dir, bodies.len())?;
                Ok(Some(Together { dir }))
            }
            _ => Ok(None),
        }
    }

    /// Returns the program in which the exercise has a certain body.
    pub(super) fn program(&self, number: usize) -> PathBuf {
        self.dir.join(number.to_string())
    }
}

/// What `lib.rs` needs, besides its own text. It's an atomic because a signal handler can read it.
const STATIC: &str = "
#[doc(hidden)]
pub static NUMBER_OF_THE_BODY: ::std::sync::atomic::AtomicUsize =
    ::std::sync::atomic::AtomicUsize::new(usize::MAX);
";

fn one_of(bodies: &[Body]) -> String {
    let arms = bodies.iter().enumerate();
    let arms = arms.map(|(number, body)| format!("{number} => {{\n{}\n}}\n", body.text));
    format!(
        "match crate::NUMBER_OF_THE_BODY.load(::std::sync::atomic::Ordering::Relaxed) {{\n\
         {}\
         _ => ::std::process::abort(),\n}}\n",
        arms.collect::<String>()
    )
}

/// Makes the page's program choose the body before it does anything else.
fn with_a_choice(main: &str, package: &str) -> anyhow::Result<String> {
    let begins = "fn main() -> std::process::ExitCode {\n";
    let (before, after) = main.split_once(begins).context("find the page's main function")?;
    Ok(format!(
        "{before}{begins}    \
             let name = std::env::args_os().next().map(std::path::PathBuf::from);\n    \
             let number = name.as_ref().and_then(|name| name.file_name()?.to_str()?.parse().ok());\n    \
             let number = number.expect(\"the number of a body\");\n    \
             {package}::NUMBER_OF_THE_BODY.store(number, std::sync::atomic::Ordering::Relaxed);\n\
         {after}"
    ))
}

fn make_links(program: &Path, dir: &Path, count: usize) -> anyhow::Result<()> {
    if dir.exists() {
        fs::remove_dir_all(dir).with_context(|| format!("remove {}", dir.display()))?;
    }
    fs::create_dir_all(dir).with_context(|| format!("make {}", dir.display()))?;
    // Cargo can write its program anew, so the links lead to a copy.
    let copy = dir.join("program");
    fs::copy(program, &copy).with_context(|| format!("copy {}", program.display()))?;
    for number in 0..count {
        let link = dir.join(number.to_string());
        fs::hard_link(&copy, &link).with_context(|| format!("make {}", link.display()))?;
    }
    Ok(())
}
