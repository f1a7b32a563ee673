//! Checks the workbook's own paths: everything that a path needs exists, and each path takes as
//! long as the book says.

use exercises::paths::{Path, USE_MINE};
use judging::workbook::{Workbook, read};
use runner::chapter::Section;
use runner::paths::{Size, StepChapter, gaps, unknown};
use runner::reading::known;
use serde_json::{Value, json};

use super::root;
use crate::paths::script;

/// Returns the paths that the terminal offers, together with the chapters.
fn of_the_terminal() -> (Vec<Path>, Vec<StepChapter>) {
    let workbook = Workbook::at(root().to_owned()).expect("the workbook");
    let chapters = StepChapter::all(&workbook).expect("the chapters");
    (known(&workbook).expect("the paths"), chapters)
}

/// Returns a file's text as one line.
fn words_of(file: &str) -> String {
    let text = read(&root().join(file)).expect("a text");
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

fn data() -> Value {
    let script = script(root()).expect("a script");
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
        let page = data["pages"].as_array().and_then(|it| it.iter().find(|it| it["file"] == file));
        let ids = page.expect("a page")["sections"].as_array().expect("sections");
        let place = ids.iter().position(|it| it == id).expect("a section");
        path["skips"][file].as_array().is_some_and(|places| places.contains(&json!(place)))
    };
    assert!(skips(afternoon, "step01.html", "a-client-that-disappears"));
    assert!(!skips(afternoon, "step01.html", "what-is-4"));
    assert!(!skips(weekend, "step02_bites.html", "questions"));
    assert!(skips(weekend, "step02_bites.html", "what-the-articles-say"));
    let third = data["pages"].as_array().expect("pages").iter();
    let third = third.clone().find(|page| page["file"] == "step03.html").expect("step 03");
    let all = third["sections"].as_array().expect("sections").len();
    assert_eq!(afternoon["skips"]["step03.html"].as_array().map(Vec::len), Some(all));
    assert!(third["exercises"].as_array().is_some_and(|it| !it.is_empty()));
}

#[test]
fn no_exercise_on_a_path_needs_what_the_path_skips_and_all_that_it_names_is_there() {
    let (paths, chapters) = of_the_terminal();
    for path in paths {
        assert_eq!(unknown(&path, &chapters), None, "{}", path.name);
        assert_eq!(gaps(&path, &chapters), [""; 0], "{}", path.name);
    }
}

#[test]
fn an_afternoon_is_an_afternoon() {
    let (paths, chapters) = of_the_terminal();
    let size = |name: &str| {
        let path = paths.iter().find(|it| it.name == name).expect("a path");
        Size::of(path, &chapters)
    };
    let (afternoon, all) = (size("afternoon"), size("all"));
    let minutes = afternoon.writing + afternoon.reading.expect("minutes");
    assert!((210..=270).contains(&minutes), "{afternoon:?}");
    let steps = chapters.iter().filter(|chapter| !chapter.step.is_from_scratch());
    let exercises = steps.flat_map(|chapter| chapter.step.exercises);
    let (optional, asked_for): (Vec<_>, Vec<_>) = exercises.partition(|it| it.is_optional);
    assert_eq!((all.exercises, optional.len()), (asked_for.len(), 1));
    assert!(size("weekend").writing < all.writing);
    assert_eq!(size("first").reading, None);
}

#[test]
fn a_loop_from_scratch_is_an_evening_with_one_page() {
    let (paths, chapters) = of_the_terminal();
    let path = paths.iter().find(|it| it.name == "from-scratch").expect("a path");
    let Size { exercises, reading, writing } = Size::of(path, &chapters);
    assert_eq!((exercises, writing), (5, 240));
    assert!(reading.is_some_and(|minutes| minutes <= 30), "{reading:?}");
    let read = chapters.iter().flat_map(|chapter| chapter.sections.sections());
    let on_it = |it: &&Section| it.chapter() == "from_scratch";
    assert!(read.filter(on_it).all(|it| path.reads(it.chapter(), &it.id)));
    let data = data();
    let path = data["paths"].as_array().expect("paths").iter();
    let path = path.clone().find(|path| path["name"] == "from-scratch").expect("a path");
    assert!(path["ends"].as_str().is_some_and(|ends| ends.starts_with("Serve a browser from it")));
    assert_eq!(path["skips"]["from_scratch.html"], Value::Null);
}

#[test]
fn the_readme_and_the_preface_say_how_long_all_of_it_takes() {
    let (paths, chapters) = of_the_terminal();
    let all = paths.iter().find(|it| it.name == "all").expect("the whole book");
    let Size { reading, writing, .. } = Size::of(all, &chapters);
    let reading = reading.expect("minutes");
    let [reading, writing, both] =
        [reading, writing, reading + writing].map(|minutes| match minutes + 15 {
            later if later % 60 < 30 => format!("{}", later / 60),
            later => format!("{}½", later / 60),
        });
    let readme = format!(
        "about {both} hours in all: {reading} for reading and playing, and, by the minutes the \
         exercises declare, {writing} for writing."
    );
    assert!(words_of("README.md").contains(&readme), "{readme}");
    let preface = format!(
        "the pages take about {reading} hours to read and play with. The sum is about {both} hours:"
    );
    let said = words_of("book/src/preface.md");
    assert!(said.contains(&preface), "{preface}");
    assert!(said.contains(&format!("add up to about {both} hours.")));
}

#[test]
fn what_the_page_at_a_paths_end_asks_stands_in_sections_that_the_path_reads() {
    let (paths, chapters) = of_the_terminal();
    let sections = || chapters.iter().flat_map(|it| it.sections.sections());
    for path in paths {
        let Some(last) = &path.last else { continue };
        let text = read(&root().join(format!("book/src/{last}.md"))).expect("a page");
        let (_, questions) = text.split_once("## Five questions").expect("questions");
        let (questions, _) = questions.split_once("## And now?").expect("their end");
        let answers: Vec<&str> = questions.split("<summary>").skip(1).collect();
        assert_eq!(answers.len(), 5);
        for answer in answers {
            let links = answer.split("](").skip(1).filter_map(|link| link.split_once(')'));
            let links: Vec<(&str, &str)> =
                links.map(|(link, _)| link.split_once(".md#").expect("a section")).collect();
            assert!(!links.is_empty(), "{answer}");
            for (page, id) in links {
                let is_read =
                    |it: &Section| it.page == page && it.id == id && path.reads(it.chapter(), id);
                assert!(sections().any(is_read), "{} skips {page}#{id}", path.name);
            }
        }
    }
}
