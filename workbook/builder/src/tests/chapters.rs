//! The index of the chapters, which the commands read, is as the chapters and the built pages are.

use std::fs;

use judging::workbook::{Workbook, file_names, read};
use runner::chapter::{Chapter, INDEX};
use runner::predict::SceneSource;
use scraper::Html;

use super::{PAGES, all_packages, root, texts};
use crate::index::files;

#[test]
fn the_index_is_what_the_chapters_say() {
    let files = files(root()).expect("the chapters");
    let dir = root().join(INDEX);
    let there = file_names(&dir).expect("the index");
    let is_it =
        |(name, text): (&String, &String)| read(&dir.join(name)).is_ok_and(|there| there == *text);
    assert!(
        there.iter().eq(files.keys()) && files.iter().all(is_it),
        "the chapters say something else than book/index: run `cargo run -p book -- index`, and commit \
         what it writes"
    );
}

#[test]
fn each_section_that_the_commands_know_has_its_heading_on_the_built_page() {
    let workbook = Workbook::at(root().to_owned()).expect("the workbook");
    let book = Chapter::whole_book(&workbook).expect("the index");
    assert!(book.sections().len() > 200, "{} sections", book.sections().len());
    for sections in book.sections().chunk_by(|one, next| one.page == next.page) {
        let page = fs::read_to_string(PAGES.join(&sections[0].page).with_extension("html"));
        let page = Html::parse_document(&page.expect("a page"));
        for section in sections {
            let heading = texts(&page, &format!("[id=\"{}\"]", section.id));
            assert_eq!(heading, [&*section.title], "{}", section.link());
        }
    }
}

#[test]
fn every_prediction_is_of_its_chapter_s_step_and_every_scene_is_explained() {
    let workbook = Workbook::at(root().to_owned()).expect("the workbook");
    for package in all_packages() {
        let chapter = Chapter::read(&workbook, &package).expect("an index");
        assert!(chapter.predictions().all(|it| it.package == package), "{package}");
        for name in file_names(&workbook.snapshots(&package)).expect("snapshots") {
            let scene = name.trim_end_matches(".snap");
            let source = SceneSource::find(&workbook, &package, scene, None).expect("a scene");
            let said = chapter.explanation(&package, scene).unwrap_or(&source.notes);
            assert!(!said.contains("{{"), "{package} {scene}: {said}");
            assert!(said.split_whitespace().count() >= 20, "{package} {scene}: {said}");
        }
    }
}
