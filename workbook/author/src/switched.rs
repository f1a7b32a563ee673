//! A notebook in which an environment variable can make each exercise's body end the program.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, bail, ensure};
use scene::root::cargo;

use super::empty_notebook;
use super::reuse::{FILE_SERVER, Program, ProgramKind};
use judging::Step;
use judging::cargo::{Built, Messages, Profile, build_page};
use judging::notebook::Notebook;
use judging::workbook::Workbook;

/// The environment variable with the number of the exercise that should end the program.
pub(super) const SWITCH: &str = "WORKBOOK_ENDS_AT";

/// Makes a notebook with the reference's bodies, each of which begins with a switch. Each page of
/// the notebook builds on the earlier pages. Returns the notebook's programs. The last program is
/// the file server on the notebook's layers.
pub(super) fn build(workbook: &Workbook) -> anyhow::Result<Vec<Program>> {
    let notebook = empty_notebook(workbook.clone(), "switched")?;
    let steps = workbook.steps()?;
    for name in &steps {
        let step = Step::without_checks(workbook, name)?;
        let (mut page, _) = notebook.open(&step)?;
        for exercise in step.exercises {
            let body = switch(&exercise.number) + &page.exercise(exercise)?.solution.body;
            page.set_body(exercise, &body)?;
        }
    }
    for layer in notebook.layers()? {
        notebook.switch_layer(&layer, true)?;
    }
    let mut programs = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        match build_page(&notebook, step, Messages::Kept, Profile::Dev)? {
            Built::Program(file, _) => programs.extend(Program::of_step(place, step, &file)),
            Built::DoesNotCompile(why) => bail!("{step} doesn't build with its switches:\n{why}"),
        }
    }
    programs.push(file_server(&notebook, steps.len())?);
    Ok(programs)
}

/// Builds the file server on the notebook's layers and returns the program.
fn file_server(notebook: &Notebook, place: usize) -> anyhow::Result<Program> {
    let manifest = notebook.program_on_yours(FILE_SERVER)?.manifest;
    let target = notebook.dir.join("target");
    let output = cargo()
        .args(["build", "--quiet", "--bin", FILE_SERVER, "--manifest-path"])
        .arg(&manifest)
        .env("CARGO_TARGET_DIR", &target)
        // Reuse the dependencies that were compiled for the workbook.
        .env("CARGO_BUILD_BUILD_DIR", notebook.workbook.root.join("target"))
        .stdin(Stdio::null())
        .output()
        .context("start cargo")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{FILE_SERVER} doesn't build with switches:\n{said}");
    let directory = manifest.parent().unwrap_or(Path::new("/")).to_owned();
    Ok(Program {
        place,
        name: FILE_SERVER.to_owned(),
        file: target.join("debug").join(FILE_SERVER),
        kind: ProgramKind::Files(directory),
    })
}

/// Returns the code of a switch. The switch reads the environment only once, because a function
/// with a switch can run a million times. The switch aborts the program instead of panicking, since
/// a panic in a task would end only that task, and the program might never retrieve the task's
/// error.
fn switch(number: &str) -> String {
    format!(
        "{{
            static ENDS: ::std::sync::LazyLock<bool> = ::std::sync::LazyLock::new(|| {{
                ::std::env::var({SWITCH:?}).is_ok_and(|number| number == {number:?})
            }});
            if *ENDS {{
                ::std::process::abort();
            }}
        }}
"
    )
}
