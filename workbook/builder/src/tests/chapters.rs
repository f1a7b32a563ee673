//! Checks that the index of the chapters, which the commands read, agrees with the chapters and the
//! built pages.

use std::fs;

use judging::workbook::{Workbook, file_names, read};
use runner::chapter::{Chapter, INDEX};
use runner::predict::SceneSource;
use scraper::Html;

use super::{PAGES, all_packages, root, texts};
use crate::index::files;
use crate::steps::StepSource;

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
        for prediction in chapter.predictions() {
            let (of, scene) = (&prediction.package, &prediction.scene);
            assert_eq!(of, &package, "{scene}");
            // The index takes an explanation only from a closed fold right behind the scene, so no
            // page shows it to a reader who hasn't predicted yet.
            assert!(chapter.explanation(of, scene).is_some(), "the explanation of {scene}");
        }
        for name in file_names(&workbook.snapshots(&package)).expect("snapshots") {
            let scene = name.trim_end_matches(".snap");
            let source = SceneSource::find(&workbook, &package, scene, None).expect("a scene");
            let said = chapter.explanation(&package, scene).unwrap_or(&source.notes);
            assert!(!said.contains("{{"), "{package} {scene}: {said}");
            assert!(said.split_whitespace().count() >= 20, "{package} {scene}: {said}");
        }
    }
}

#[test]
fn what_the_preface_and_the_readme_ask_first_is_from_the_scene() {
    let file = |path: &str| read(&root().join(path)).expect("a file");
    let scene = file("step02_epoll/experiments/scenes/triggers.rs");
    let prints = file("step02_epoll/tests/snapshots/level_or_edge.snap");
    for page in ["README.md", "book/src/preface.md"] {
        let page = file(page);
        let block = |language: &str| {
            let (_, rest) = page.split_once(&format!("\n```{language}")).expect("a block");
            let (_, rest) = rest.split_once('\n').expect("its lines");
            rest.split_once("\n```").expect("its end").0.to_owned()
        };
        for (lines, from) in [(block("rust"), &scene), (block("text"), &prints)] {
            let mut rest = from.as_str();
            for line in lines.lines() {
                rest = rest.split_once(line).unwrap_or_else(|| panic!("{line}")).1;
            }
        }
    }
}

#[test]
fn the_picture_of_a_traced_run_says_what_the_scene_prints() {
    let picture = read(&root().join("book/pictures/traced_run.svg")).expect("a picture");
    let (_, described) = picture.split_once("<desc").expect("a description");
    let described: Vec<&str> = described.split("Tick ").skip(1).collect();
    let step = StepSource::open(root(), "step07_full_loop").expect("a step");
    let printed = step.scene("a_trace_of_every_tick", &[]).expect("a scene").transcript;
    let ticks: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("tick ")).collect();
    assert_eq!(ticks.len(), described.len());
    for (tick, described) in ticks.iter().zip(described) {
        let (slept, ran) = tick.split_once(", events ").expect("what it found");
        let times = slept.split([' ', ',', ':']).filter(|word| word.starts_with(char::is_numeric));
        let names = ran.split('"').skip(1).step_by(2);
        for said in times.chain(names) {
            assert!(described.contains(said), "{said:?} of tick {tick} isn't in the picture");
        }
    }
}
