//! A copy of the steps in which any exercise can be made to end the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, ensure};

use scene::root::cargo;

use super::reuse::{FILE_SERVER, OfAStep, Program, ProgramKind};
use judging::notebook::source::Function;
use judging::workbook::{Workbook, file_names, read, write};

/// The environment variable with the number of the exercise that should end the program.
pub(super) const SWITCH: &str = "WORKBOOK_ENDS_AT";

/// Creates the copy, builds it once, and returns its programs.
pub(super) fn build(workbook: &Workbook, exercises: &[OfAStep]) -> anyhow::Result<Vec<Program>> {
    let root = &workbook.root;
    let copy = root.join("target/switched");
    let steps = workbook.steps()?;
    let server = Path::new("beyond").join(FILE_SERVER);
    make_workspace(workbook, &copy, &steps, &server)?;
    copy_sources(&root.join(&server), &copy.join(&server))?;
    for step in &steps {
        let to = copy.join(workbook.below_the_root(step));
        copy_step(&workbook.step(step), &to, step, exercises)?;
    }
    let target = copy.join("target");
    let output = cargo()
        .current_dir(&copy)
        .args(["build", "--quiet", "--bins"])
        .args(steps.iter().flat_map(|step| ["--package", step]))
        .args(["--package", FILE_SERVER])
        .env("CARGO_TARGET_DIR", &target)
        // Reuse the files that were compiled for the workbook.
        .env("CARGO_BUILD_BUILD_DIR", root.join("target"))
        .env_remove("CARGO_MANIFEST_DIR")
        .stdin(Stdio::null())
        .output()
        .context("start cargo")?;
    ensure!(
        output.status.success(),
        "the copy with switches doesn't build:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let programs = steps.iter().enumerate().flat_map(|(place, step)| {
        let file = target.join("debug").join(step);
        Program::of_step(place, step, &file)
    });
    let files = Program {
        place: steps.len(),
        name: FILE_SERVER.to_owned(),
        file: target.join("debug").join(FILE_SERVER),
        kind: ProgramKind::Files(copy.join(&server)),
    };
    Ok(programs.chain([files]).collect())
}

/// Writes the lock file and the root's manifest, whose only workspace members are the steps and the
/// server.
fn make_workspace(
    workbook: &Workbook,
    copy: &Path,
    steps: &[String],
    server: &Path,
) -> anyhow::Result<()> {
    let root = &workbook.root;
    let manifest = read(&root.join("Cargo.toml"))?;
    let (before, after) = manifest.split_once("members = [").context("find the members")?;
    let (_, after) = after.split_once("\nexclude").context("find what is excluded")?;
    let of_steps = steps.iter().map(|step| workbook.below_the_root(step));
    let members: Vec<String> =
        of_steps.chain([server]).map(|member| format!("\"{}\"", member.display())).collect();
    let manifest = format!("{before}members = [{}]\nexclude{after}", members.join(", "))
        .replace("path = \"workbook/", "path = \"../../workbook/");
    write_if_new(&copy.join("Cargo.toml"), &manifest)?;
    write_if_new(&copy.join("Cargo.lock"), &read(&root.join("Cargo.lock"))?)
}

/// Copies a package without its tests.
fn copy_sources(from: &Path, to: &Path) -> anyhow::Result<()> {
    for file in [vec![from.join("Cargo.toml")], sources(&from.join("src"))?].concat() {
        write_if_new(&to.join(file.strip_prefix(from)?), &read(&file)?)?;
    }
    Ok(())
}

fn copy_step(from: &Path, to: &Path, step: &str, exercises: &[OfAStep]) -> anyhow::Result<()> {
    write_if_new(&to.join("Cargo.toml"), &read(&from.join("Cargo.toml"))?)?;
    // Cargo.toml declares some tests, so cargo needs their files.
    let tests = from.join("tests");
    for file in sources(&tests)? {
        let is_in_a_directory = file.ends_with("main.rs");
        let own =
            if is_in_a_directory { file.parent().and_then(Path::parent) } else { file.parent() };
        if own == Some(&tests) && file.extension().is_some_and(|it| it == "rs") {
            write_if_new(&to.join(file.strip_prefix(from)?), &read(&file)?)?;
        }
    }
    write_if_new(&to.join(exercises::FILE), &read(&from.join(exercises::FILE))?)?;
    // The build script puts the snapshots into the program as keys, and cargo shares the script's
    // result with the workbook without running it again.
    let snapshots = Path::new("tests/snapshots");
    for name in file_names(&from.join(snapshots))? {
        let file = snapshots.join(name);
        write_if_new(&to.join(&file), &read(&from.join(&file))?)?;
    }
    let mut switched = 0;
    for file in [sources(&from.join("src"))?, sources(&from.join("experiments"))?].concat() {
        let mut text = read(&file)?;
        for OfAStep { exercise, .. } in exercises.iter().filter(|it| it.step == step) {
            if let Some(function) = Function::find(&text, &exercise.name)? {
                let body = format!("{}{}", switch(&exercise.number), function.body());
                text = function.with_body(&body);
                switched += 1;
            }
        }
        write_if_new(&to.join(file.strip_prefix(from)?), &text)?;
    }
    let all = exercises.iter().filter(|it| it.step == step).count();
    ensure!(switched == all, "{step}: {switched} of {all} exercises have a switch");
    Ok(())
}

/// Returns the code of a switch. The switch reads the environment only once, because a function
/// with a switch can run a million times. It doesn't panic, since a panic would end only a task,
/// and perhaps no code asks for that task's error.
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

fn sources(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("list {}", dir.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(sources(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// Writes a file unless it already has this text, so that cargo doesn't rebuild it unnecessarily.
fn write_if_new(file: &Path, text: &str) -> anyhow::Result<()> {
    if fs::read_to_string(file).is_ok_and(|there| there == text) {
        return Ok(());
    }
    write(file, text)
}
