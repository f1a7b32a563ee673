//! Builds one program with all bodies of a step's exercises, because compiling a program for each
//! body took most of a check's time.
//!
//! Each exercise's function becomes a `match` with an arm for each of its bodies. The program's
//! name determines the bodies that the program uses: in `3-1-0`, the first exercise uses its fourth
//! body. So each choice of bodies is a link to the same program.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;

use super::body::Body;
use exercises::Exercise;
use judging::cargo::{Built, Messages, build};
use judging::notebook::page::Page;
use judging::workbook::{read, write};

/// A program for each choice of bodies.
pub(super) struct Together {
    dir: PathBuf,
    /// The index of each exercise's last body, which is the reference's.
    references: Vec<usize>,
}

impl Together {
    /// Builds the program and restores the page. Returns `None` if an exercise has no bodies, or if
    /// the bodies don't compile together without a warning. A body that compiles by itself may not
    /// compile as an arm.
    pub(super) fn build(
        page: &mut Page,
        exercises: &[(&Exercise, &[Body])],
    ) -> anyhow::Result<Option<Together>> {
        if exercises.iter().any(|(_, bodies)| bodies.is_empty()) {
            return Ok(None);
        }
        let main = page.dir().join("main.rs");
        let usual_main = read(&main)?;
        let mut before = Vec::new();
        for (place, (exercise, bodies)) in exercises.iter().enumerate() {
            before.push(page.set_body(exercise, &one_of(place, bodies))?);
        }
        let lib = page.files.iter().position(|file| file.path.ends_with("src/lib.rs"));
        let lib = lib.context("the page has no lib.rs")?;
        let with_choice = page.files[lib].text.clone() + &choice(exercises.len());
        before.push((lib, page.set_text(lib, with_choice)?));
        write(&main, &with_a_choice(&usual_main, page.step.package)?)?;
        let built = build(page, Messages::Kept);
        write(&main, &usual_main)?;
        // In reverse order, because one file can contain several exercises.
        for (index, text) in before.into_iter().rev() {
            page.set_text(index, text)?;
        }
        match built? {
            Built::Program(program, messages) if messages.trim().is_empty() => {
                let dir = page.notebook.dir.join("target/answers");
                if dir.exists() {
                    fs::remove_dir_all(&dir)
                        .with_context(|| format!("remove {}", dir.display()))?;
                }
                fs::create_dir_all(&dir).with_context(|| format!("make {}", dir.display()))?;
                // Cargo may overwrite its program, so the links lead to a copy.
                fs::copy(&program, dir.join(PROGRAM))
                    .with_context(|| format!("copy {}", program.display()))?;
                let references = exercises.iter().map(|(_, bodies)| bodies.len() - 1).collect();
                Ok(Some(Together { dir, references }))
            }
            _ => Ok(None),
        }
    }

    /// Returns the program in which the exercise with the index `place` has the body with the index
    /// `body`. As on a reader's page, earlier exercises have the reference's bodies, and later
    /// exercises have the starter's bodies.
    pub(super) fn program(&self, place: usize, body: usize) -> anyhow::Result<PathBuf> {
        let mut bodies = self.references.clone();
        bodies[place..].fill(0);
        bodies[place] = body;
        self.program_with(&bodies)
    }

    /// Returns the program in which each exercise has the body with the index in `bodies`. `None`
    /// stands for the reference's body.
    pub(super) fn program_of(&self, bodies: &[Option<usize>]) -> anyhow::Result<PathBuf> {
        let bodies = bodies.iter().zip(&self.references).map(|(body, last)| body.unwrap_or(*last));
        self.program_with(&bodies.collect::<Vec<_>>())
    }

    fn program_with(&self, bodies: &[usize]) -> anyhow::Result<PathBuf> {
        let name = bodies.iter().map(ToString::to_string).collect::<Vec<_>>().join("-");
        let link = self.dir.join(name);
        if !link.exists() {
            let program = self.dir.join(PROGRAM);
            fs::hard_link(program, &link).with_context(|| format!("make {}", link.display()))?;
        }
        Ok(link)
    }
}

const PROGRAM: &str = "program";

/// Returns the code for the choices, which is added to `lib.rs`. The choices are atomics because a
/// signal handler can read them.
fn choice(exercises: usize) -> String {
    format!(
        "\n#[doc(hidden)]\n\
         pub static BODIES: [::std::sync::atomic::AtomicUsize; {exercises}] =\n    \
             [const {{ ::std::sync::atomic::AtomicUsize::new(usize::MAX) }}; {exercises}];\n"
    )
}

fn one_of(place: usize, bodies: &[Body]) -> String {
    let arms = bodies.iter().enumerate();
    let arms = arms.map(|(number, body)| format!("{number} => {{\n{}\n}}\n", body.text));
    format!(
        "match crate::BODIES[{place}].load(::std::sync::atomic::Ordering::Relaxed) {{\n\
         {}\
         _ => ::std::process::abort(),\n}}\n",
        arms.collect::<String>()
    )
}

/// Returns the text of `main.rs` with code that chooses the bodies before the program does anything
/// else.
fn with_a_choice(main: &str, package: &str) -> anyhow::Result<String> {
    let begins = "fn main() -> std::process::ExitCode {\n";
    let (before, after) = main.split_once(begins).context("find the page's main function")?;
    Ok(format!(
        "{before}{begins}    \
             let program = std::env::args_os().next().map(std::path::PathBuf::from).expect(\"a name\");\n    \
             let name = program.file_name().and_then(|name| name.to_str()).expect(\"a name\");\n    \
             for (body, number) in {package}::BODIES.iter().zip(name.split('-')) {{\n        \
                 body.store(number.parse().expect(\"a number\"), std::sync::atomic::Ordering::Relaxed);\n    \
             }}\n\
         {after}"
    ))
}
