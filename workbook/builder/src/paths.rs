//! The paths through the workbook, for the bar that `theme/path.js` shows: each path's exercises
//! and the sections that the path skips on each page.
//!
//! The data is in a script, because a page that's opened from a file can load a script but can't
//! fetch data.

use std::collections::BTreeMap;
use std::path::Path as File;

use anyhow::Result;
use exercises::paths::{Path, Sections, USE_MINE};
use judging::workbook::Workbook;
use runner::chapter::Section;
use runner::paths::StepChapter;
use runner::reading::known;
use serde_json::{Value, json};

use crate::index::{self, Page};

/// The script's file name in the pages' directory.
pub(crate) const SCRIPT: &str = "paths.js";

/// Returns the script's text.
pub(crate) fn script(root: &File) -> Result<String> {
    let workbook = Workbook::at(root.to_owned())?;
    let chapters = StepChapter::all(&workbook)?;
    let pages: Vec<Value> = index::pages(root)?.iter().map(|it| page(it, &chapters)).collect();
    let paths = known(&workbook)?;
    // The path `all` isn't needed, because a reader without a path reads everything.
    let paths = paths.iter().filter(|path| path.name != "all");
    let paths: Vec<Value> = paths.map(|path| path_of(path, &chapters)).collect();
    let data = json!({ "pages": pages, "paths": paths });
    Ok(format!("window.workbook = window.workbook || {{}};\nwindow.workbook.paths = {data};\n"))
}

/// Returns a page's data, including its sections and exercises if the page belongs to a step.
fn page(Page { title, name, .. }: &Page, chapters: &[StepChapter]) -> Value {
    let sections = chapters.iter().flat_map(|chapter| chapter.sections.sections());
    let sections: Vec<&Section> = sections.filter(|section| section.page == *name).collect();
    let ids: Vec<&String> = sections.iter().map(|section| &section.id).collect();
    let exercises: Vec<&String> = sections.iter().flat_map(|it| &it.exercises).collect();
    json!({
        "file": format!("{name}.html"), "title": title, "sections": ids, "exercises": exercises,
    })
}

/// Returns a path's data: its exercises and, for each page, the indexes of the sections that the
/// path skips. If a chapter has none of the path's exercises, the path skips the whole chapter.
fn path_of(path: &Path, chapters: &[StepChapter]) -> Value {
    let mut exercises = Vec::new();
    let mut skips: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for chapter in chapters {
        let before = exercises.len();
        exercises.extend(chapter.exercises_on(path).map(|exercise| &exercise.number));
        let is_skipped = exercises.len() == before;
        for page in chapter.sections.sections().chunk_by(|one, next| one.page == next.page) {
            let is_read = |it: &Section| !is_skipped && path.reads(it.chapter(), &it.id);
            let places = page.iter().enumerate().filter(|(_, section)| !is_read(section));
            let places: Vec<usize> = places.map(|(place, _)| place).collect();
            if !places.is_empty() {
                skips.insert(format!("{}.html", page[0].page), places);
            }
        }
    }
    // A loop from scratch isn't a layer under any step, so it doesn't need `use-mine`.
    let is_layer =
        |it: &StepChapter| !it.step.is_from_scratch() && it.exercises_on(path).next().is_some();
    let use_mine = if chapters.iter().any(is_layer) { USE_MINE } else { "" };
    let ends = path.ends.as_ref().map(|ends| format!("{use_mine} {ends}").trim_start().to_owned());
    let last = path.last.as_ref().map(|page| format!("{page}.html"));
    json!({
        "name": path.name, "about": path.about, "begins": path.begins, "ends": ends, "last": last,
        "isInClass": path.sections == Sections::InClass,
        "exercises": exercises, "skips": skips,
    })
}
