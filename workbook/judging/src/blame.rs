//! When an exercise is red, finds the exercise or layer that contains the mistake: the red exercise
//! itself, an earlier exercise whose own scenes and trials didn't detect the mistake, or one of the
//! reader's own layers below the page.
//!
//! The red scene or trial runs again on a copy of the page in `target/`, with the reference's
//! layers or with the reference's bodies for the earlier exercises. If the check is still red
//! either way, the red exercise itself is at fault.

use std::fs;

use anyhow::Context;

use crate::cargo::{Built, Messages, build};
use crate::notebook::page::Page;
use crate::notebook::source::read_sources;
use crate::notebook::{Notebook, hidden};
use crate::step::Check;
use crate::verdict::{Effort, Verdict};
use crate::workbook::{write, write_if_different};
use exercises::Exercise;

/// The exercise or layer at fault.
#[derive(Debug)]
pub(crate) enum Culprit {
    /// An exercise of the page, by its index.
    Exercise(usize),
    /// One of the reader's own layers below the page, by the name of its package.
    Layer(String),
}

/// Finds the exercise or layer at fault, given the index of the red exercise.
pub(crate) fn culprit(page: &Page, red: usize, verdict: &Verdict) -> anyhow::Result<Culprit> {
    if let Some(layer) =
        layer_at_fault(page, verdict).context("can't try the check on other layers")?
    {
        return Ok(Culprit::Layer(layer));
    }
    let found =
        exercise_at_fault(page, red, verdict).context("can't try the check with other bodies")?;
    Ok(Culprit::Exercise(found))
}

/// Returns the lowest of the reader's layers that can be at fault, if any: the lowest for which the
/// check is green with the workbook's version of that layer. If the check is green only with the
/// workbook's versions of several layers, returns the lowest of the reader's layers.
fn layer_at_fault(page: &Page, verdict: &Verdict) -> anyhow::Result<Option<String>> {
    let own = page.notebook.own_layers()?;
    let is_green_on = |own: &[String]| -> anyhow::Result<bool> {
        Ok(!is_still_red(page, &mut copy_of(page, own)?, &[], verdict.check)?)
    };
    if own.is_empty() || !is_green_on(&[])? {
        return Ok(None);
    }
    for suspect in &own {
        let others: Vec<String> = own.iter().filter(|layer| *layer != suspect).cloned().collect();
        if others.is_empty() || is_green_on(&others)? {
            return Ok(Some(suspect.clone()));
        }
    }
    // Several layers are at fault. We don't know whether the lowest is one of them, but the reader
    // should begin there.
    Ok(own.into_iter().next())
}

/// Returns the index of the exercise at fault: the earlier exercise whose mistake makes the check
/// red, or `red` itself if the check is red even with the reference's bodies for all earlier
/// exercises.
fn exercise_at_fault(page: &Page, red: usize, verdict: &Verdict) -> anyhow::Result<usize> {
    let exercises = page.step.exercises;
    let suspects: Vec<usize> =
        (0..red).filter(|&index| differs_from_the_reference(page, &exercises[index])).collect();
    if suspects.is_empty() {
        return Ok(red);
    }
    let mut copy = copy_of(page, &page.notebook.own_layers()?)?;
    let mut are_innocent = |suspects: &[usize]| {
        let innocent: Vec<&Exercise> = suspects.iter().map(|&index| &exercises[index]).collect();
        is_still_red(page, &mut copy, &innocent, verdict.check)
    };
    if are_innocent(&suspects)? {
        return Ok(red);
    }
    // Find the smallest number of suspects, from the first suspect on, whose reference bodies make
    // the check green. The last of these suspects is at fault.
    for count in 1..suspects.len() {
        if !are_innocent(&suspects[..count])? {
            return Ok(suspects[count - 1]);
        }
    }
    Ok(suspects[suspects.len() - 1])
}

fn differs_from_the_reference(page: &Page, exercise: &Exercise) -> bool {
    let solution = page.exercise(exercise).map(|located| located.solution.body.trim());
    match (page.body(exercise), solution) {
        (Ok(body), Ok(solution)) => body.trim() != solution,
        _ => false,
    }
}

/// Copies the page into a separate notebook that uses the reader's own versions of the layers in
/// `own`.
fn copy_of(page: &Page, own: &[String]) -> anyhow::Result<Page> {
    let theirs = &page.notebook;
    let workbook = theirs.workbook.clone();
    let ours = Notebook { dir: place_beside(theirs), workbook };
    write_if_different(&ours.dir.join("Cargo.toml"), &ours.workspace_manifest(own)?)?;
    for layer in own.iter().filter(|layer| *layer != page.step.package) {
        let (from, to) = (theirs.page(layer).join("src"), ours.page(layer));
        for (name, text) in read_sources(&from)? {
            write_if_different(&to.join("src").join(name), &text)?;
        }
        write_if_different(&to.join("main.rs"), "fn main() {}\n")?;
    }
    // Remove the previous copy's page and layers, except the layers that this copy also needs.
    for entry in fs::read_dir(&ours.dir).with_context(|| format!("list {}", ours.dir.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_layer = own.contains(&name) && name != page.step.package;
        let is_kept = name == "target" || name == hidden::DIR;
        if path.is_dir() && !is_kept && !is_layer {
            fs::remove_dir_all(&path).with_context(|| format!("remove {}", path.display()))?;
        }
    }
    for file in &page.files {
        let name = file.path.strip_prefix(page.dir()).context("a file of the page")?;
        write(&ours.page(page.step.package).join(name), &file.text)?;
    }
    Ok(ours.open(&page.step)?.0)
}

/// Returns a directory in `target/` for a copy. Several notebooks can be judged at once, so each
/// notebook gets its own directory.
fn place_beside(notebook: &Notebook) -> std::path::PathBuf {
    let target = notebook.workbook.root.join("target");
    if !notebook.dir.starts_with(&target) {
        return target.join("blame");
    }
    let name = notebook.dir.file_name().unwrap_or_default().to_string_lossy();
    notebook.dir.with_file_name(format!("{name}-blame"))
}

/// Returns true if the scene or trial is red on the copy with the reference's bodies for the
/// exercises in `innocent`. Also returns true if the copy doesn't compile, because in that case the
/// check can't run.
fn is_still_red(
    page: &Page,
    copy: &mut Page,
    innocent: &[&Exercise],
    check: Check,
) -> anyhow::Result<bool> {
    for (index, file) in page.files.iter().enumerate() {
        copy.set_text(index, file.text.clone())?;
    }
    for exercise in innocent {
        let body = page.exercise(exercise)?.solution.body.clone();
        copy.set_body(exercise, &body)?;
    }
    match build(copy, Messages::Kept)? {
        Built::Program(program, _) => {
            Ok(!check.verdict(copy, &program, Effort::for_a_check())?.is_green())
        }
        Built::DoesNotCompile(_) => Ok(true),
    }
}
