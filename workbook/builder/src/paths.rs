//! The paths through the workbook, for the bar that `theme/path.js` shows: which sections of which
//! page a path reads, and which exercises it has.
//!
//! It's one script for all pages, so that it also works from a file.

use std::collections::BTreeMap;
use std::path::Path as File;

use anyhow::{Context, Result};
use exercises::paths::{self, Path, Sections, USE_MINE};
use judging::workbook::Workbook;
use runner::chapter::{Chapter, Section};
use serde_json::{Value, json};

use crate::steps::{chapter_of, directory_of, packages, read};

/// The script's name, in the directory of the pages.
pub(crate) const SCRIPT: &str = "paths.js";

/// A step's chapter, with its exercises.
struct ChapterOutline {
    chapter: String,
    sections: Chapter,
    numbers: Vec<String>,
}

/// Returns the script.
pub(crate) fn script(root: &File) -> Result<String> {
    let book = root.join("book");
    let mut all = paths::paths(&read(&book.join("paths.toml"))?).context("book/paths.toml")?;
    all.extend(paths::sessions(&read(&book.join("teaching.toml"))?).context("teaching.toml")?);
    let outlines = outlines(root)?;
    let pages = pages(&read(&book.join("src/SUMMARY.md"))?, &outlines);
    let paths: Vec<Value> = all.iter().map(|path| path_of(path, &outlines)).collect();
    let data = json!({ "pages": pages, "paths": paths });
    Ok(format!("window.workbook = window.workbook || {{}};\nwindow.workbook.paths = {data};\n"))
}

fn outlines(root: &File) -> Result<Vec<ChapterOutline>> {
    let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR"))?;
    let outline = |package: String| {
        let exercises = exercises::read(&directory_of(root, &package)?)?;
        Ok(ChapterOutline {
            chapter: chapter_of(&package).to_owned(),
            sections: Chapter::of(&workbook, &package),
            numbers: exercises.into_iter().map(|exercise| exercise.number).collect(),
        })
    };
    packages(root)?.into_iter().map(outline).collect()
}

/// Lists the pages in the order of the book, each with its sections if it belongs to a step.
fn pages(summary: &str, outlines: &[ChapterOutline]) -> Vec<Value> {
    let links = summary.lines().filter_map(|line| {
        let (title, file) = line.split_once('[')?.1.split_once("](")?;
        Some((title, file.split_once(".md)")?.0))
    });
    let page = |(title, name): (&str, &str)| {
        let outline = outlines.iter().find(|outline| sections_on(outline, name).next().is_some());
        let sections = outline.into_iter().flat_map(|outline| sections_on(outline, name));
        let sections: Vec<&String> = sections.map(|section| &section.id).collect();
        let exercises = outline.into_iter().flat_map(|outline| {
            outline.numbers.iter().filter(|number| page_with(outline, number) == Some(name))
        });
        let exercises: Vec<&String> = exercises.collect();
        json!({
            "file": format!("{name}.html"), "title": title,
            "sections": sections, "exercises": exercises,
        })
    };
    links.map(page).collect()
}

fn sections_on<'a>(
    outline: &'a ChapterOutline,
    page: &'a str,
) -> impl Iterator<Item = &'a Section> {
    outline.sections.sections().iter().filter(move |section| section.page == page)
}

fn page_with<'a>(outline: &'a ChapterOutline, number: &str) -> Option<&'a str> {
    outline.sections.section_with(number).map(|section| section.page.as_str())
}

/// Returns a path: its exercises, and the places of the sections that it skips, by their pages. A
/// chapter without any of its exercises is skipped as a whole.
fn path_of(path: &Path, outlines: &[ChapterOutline]) -> Value {
    let mut exercises = Vec::new();
    let mut skips: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for outline in outlines {
        let written = outline.numbers.iter().filter(|number| path.has(number, &outline.chapter));
        let before = exercises.len();
        exercises.extend(written);
        let is_skipped = exercises.len() == before;
        for section in outline.sections.sections() {
            let place = sections_on(outline, &section.page).position(|it| it == section);
            if is_skipped || !path.reads(section.chapter(), &section.id) {
                skips.entry(format!("{}.html", section.page)).or_default().extend(place);
            }
        }
    }
    let ends = path.ends.as_ref().map(|ends| format!("{USE_MINE} {ends}"));
    let last = path.last.as_ref().map(|page| format!("{page}.html"));
    json!({
        "name": path.name, "about": path.about, "begins": path.begins, "ends": ends, "last": last,
        "isInClass": path.sections == Sections::InClass,
        "exercises": exercises, "skips": skips,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> Value {
        let root = File::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
        let script = script(root).expect("a script");
        let (_, data) = script.split_once(".paths = ").expect("data");
        serde_json::from_str(data.trim().trim_end_matches(';')).expect("JSON")
    }

    #[test]
    fn what_a_path_reads_last_is_a_page_of_the_book() {
        let data = data();
        let pages = data["pages"].as_array().expect("pages");
        let paths = data["paths"].as_array().expect("paths");
        let last: Vec<&str> = paths.iter().filter_map(|path| path["last"].as_str()).collect();
        assert_eq!(last, ["afternoon.html"]);
        assert!(last.iter().all(|last| pages.iter().any(|page| page["file"] == *last)));
        assert!(paths[0]["ends"].as_str().is_some_and(|ends| ends.starts_with(USE_MINE)));
    }

    #[test]
    fn the_bar_knows_the_paths_of_the_terminal_and_what_they_skip() {
        let data = data();
        let paths = data["paths"].as_array().expect("paths");
        let names: Vec<&str> = paths.iter().filter_map(|path| path["name"].as_str()).collect();
        assert_eq!(names[..2], ["afternoon", "weekend"]);
        assert!(names.contains(&"first") && !names.contains(&"all"), "{names:?}");
        let (afternoon, weekend) = (&paths[0], &paths[1]);
        let skips = |path: &Value, file: &str, id: &str| {
            let page =
                data["pages"].as_array().and_then(|it| it.iter().find(|it| it["file"] == file));
            let ids = page.expect("a page")["sections"].as_array().expect("sections");
            let place = ids.iter().position(|it| it == id).expect("a section");
            path["skips"][file].as_array().is_some_and(|places| places.contains(&json!(place)))
        };
        assert!(skips(afternoon, "step01.html", "a-client-that-disappears"));
        assert!(!skips(afternoon, "step01.html", "what-is-4"));
        assert!(!skips(weekend, "step02_bites.html", "questions"));
        assert!(skips(weekend, "step02_bites.html", "further-reading"));
        let third = data["pages"].as_array().expect("pages").iter();
        let third = third.clone().find(|page| page["file"] == "step03.html").expect("step 03");
        let all = third["sections"].as_array().expect("sections").len();
        assert_eq!(afternoon["skips"]["step03.html"].as_array().map(Vec::len), Some(all));
        assert!(third["exercises"].as_array().is_some_and(|it| !it.is_empty()));
    }
}
