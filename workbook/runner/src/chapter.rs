//! The book's chapters, as far as the runner needs them: the predictions that a chapter asks for,
//! what it says about their outcomes, and the section in which an exercise or a scene stands.
//!
//! All of it is read from the chapters themselves, `book/src/*.md`, where `{{#scene …}}` asks for a
//! prediction, `{{#transcript …}}` only shows a scene, and `{{#exercise …}}` is an exercise's
//! place. So there's no second list that could become outdated.

use std::path::Path;

use crate::predict::split_list;
use judging::terminal::shown;
use judging::workbook::{Workbook, file_names, read};

/// The sections of a step's chapter, in reading order.
#[derive(Debug, Default)]
pub struct Chapter {
    sections: Vec<Section>,
}

/// A section: what stands between one heading and the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The page, without its extension: `step02_bites`.
    pub page: String,
    /// The heading.
    pub title: String,
    /// The heading's id on the built page.
    pub id: String,
    /// What it contains, in order.
    marks: Vec<Mark>,
    /// Its text, without the heading.
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Mark {
    Exercise(String),
    /// A scene that's shown with its transcript.
    Shown(String, String),
    Asked(Prediction),
}

/// A scene that a chapter asks the reader to predict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The scene's step.
    pub package: String,
    /// The scene's name.
    pub scene: String,
    /// The functions that are shown next to the scene's own.
    pub(crate) helpers: Vec<String>,
}

impl Section {
    /// Returns where to read the section: on its built page, or in the chapter's source as long as
    /// the book isn't built. The heading is a part of a link that fits the width.
    pub fn place(&self, workbook: &Workbook, width: usize) -> String {
        let page = place_of_page(workbook, &self.page);
        let link = format!("{page}#{}", self.id);
        let is_built = Path::new(&page).extension().is_some_and(|it| it == "html");
        if is_built && link.chars().count() <= width { link } else { page }
    }

    /// Returns its place in the built book: `step02.html#level-or-edge`.
    pub fn link(&self) -> String {
        format!("{}.html#{}", self.page, self.id)
    }

    /// Returns the chapter that it's in: `step02` for the page `step02_bites`, too.
    pub fn chapter(&self) -> &str {
        chapter_of(&self.page)
    }

    /// Returns the number of its words, as its source has them.
    pub fn words(&self) -> usize {
        self.text.split_whitespace().count()
    }

    /// Returns the numbers of the exercises that stand in it.
    pub fn exercises(&self) -> impl Iterator<Item = &str> {
        self.marks.iter().filter_map(|mark| match mark {
            Mark::Exercise(number) => Some(number.as_str()),
            _ => None,
        })
    }

    fn has_exercise(&self, number: &str) -> bool {
        self.exercises().any(|it| it == number)
    }

    fn shows(&self, package: &str, scene: &str) -> bool {
        self.marks.iter().any(|mark| mark.is_of(package, scene))
    }

    /// Returns the text behind a scene that the chapter shows or asks for.
    fn behind(&self, package: &str, scene: &str) -> Option<&str> {
        let is_its = |line: &&str| mark_in(line).is_some_and(|mark| mark.is_of(package, scene));
        let line = self.text.lines().find(is_its)?;
        self.text.split_once(line).map(|(_, behind)| behind)
    }

    /// Returns what explains the outcome of a scene that the chapter asks for, in Markdown: the
    /// fold right behind it and its list of wrong answers.
    fn explanation(&self, package: &str, scene: &str) -> Option<&str> {
        let (_, behind) = split_list(self.behind(package, scene)?).ok()?;
        let fold = behind.trim_start().strip_prefix("<details><summary>What happened")?;
        let (_, inside) = fold.split_once("</summary>")?;
        inside.split_once("</details>").map(|(inside, _)| inside.trim())
    }
}

impl Mark {
    fn is_of(&self, package: &str, scene: &str) -> bool {
        match self {
            Mark::Exercise(_) => false,
            Mark::Shown(of, name) => of == package && name == scene,
            Mark::Asked(prediction) => prediction.package == package && prediction.scene == scene,
        }
    }
}

impl Chapter {
    /// Reads the chapter of a step. A workbook without its book has chapters without sections.
    pub fn of(workbook: &Workbook, package: &str) -> Chapter {
        let chapter = chapter_of(package);
        Chapter::of_pages(workbook, |page| chapter_of(page) == chapter)
    }

    /// Reads all pages of the book.
    pub fn whole_book(workbook: &Workbook) -> Chapter {
        Chapter::of_pages(workbook, |_| true)
    }

    /// Reads some of the pages, in the order of the book's table of contents; behind those, in the
    /// order of their names, the pages that it doesn't list.
    fn of_pages(workbook: &Workbook, is_its: impl Fn(&str) -> bool) -> Chapter {
        let src = workbook.root.join("book/src");
        let summary = read(&src.join("SUMMARY.md")).unwrap_or_default();
        let place = |page: &str| summary.find(&format!("]({page}.md)")).unwrap_or(summary.len());
        let files = file_names(&src).unwrap_or_default();
        let pages = files.iter().filter_map(|file| file.strip_suffix(".md"));
        let mut pages: Vec<&str> = pages.filter(|page| is_its(page)).collect();
        pages.sort_by_key(|page| place(page));
        let sections = pages.into_iter().flat_map(|page| {
            let text = read(&src.join(format!("{page}.md"))).unwrap_or_default();
            sections_of(page, &text)
        });
        Chapter { sections: sections.collect() }
    }

    /// Returns the predictions that the chapter asks for, in reading order.
    pub fn predictions(&self) -> impl Iterator<Item = &Prediction> {
        self.predictions_in(|_| true)
    }

    /// Returns the predictions that some of the sections ask for, in reading order.
    pub fn predictions_in(
        &self,
        is_read: impl Fn(&Section) -> bool,
    ) -> impl Iterator<Item = &Prediction> {
        let read = self.sections.iter().filter(move |section| is_read(section));
        let marks = read.flat_map(|section| &section.marks);
        marks.filter_map(|mark| match mark {
            Mark::Asked(prediction) => Some(prediction),
            _ => None,
        })
    }

    /// Returns the section that shows a scene, or asks for it.
    pub(crate) fn section_of(&self, package: &str, scene: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.shows(package, scene))
    }

    /// Returns what the chapter says of a scene's outcome, in Markdown. `None` if it doesn't ask
    /// for the scene.
    pub fn explanation(&self, package: &str, scene: &str) -> Option<&str> {
        self.sections.iter().find_map(|section| section.explanation(package, scene))
    }

    /// Returns the list of wrong answers behind a scene, which is empty if there's none.
    pub(crate) fn wrong_answers(&self, package: &str, scene: &str) -> anyhow::Result<&str> {
        let behind = self.sections.iter().find_map(|section| section.behind(package, scene));
        Ok(split_list(behind.unwrap_or_default())?.0)
    }

    /// Returns the sections between two exercises: those behind the one of `done`, or all if
    /// nothing is done, up to the one of `next`.
    pub fn sections_to(&self, done: Option<&str>, next: &str) -> &[Section] {
        let place = |number| self.sections.iter().position(|section| section.has_exercise(number));
        let Some(next) = place(next) else { return &[] };
        let first = match done {
            None => 0,
            Some(done) => place(done).map_or(next, |done| next.min(done + 1)),
        };
        &self.sections[first..=next]
    }

    /// Returns the sections behind an exercise, up to the chapter's end.
    pub fn sections_behind(&self, last: Option<&str>) -> &[Section] {
        let has_it = |it: &Section| last.is_some_and(|last| it.has_exercise(last));
        let place = self.sections.iter().position(has_it);
        place.map_or(&[], |place| &self.sections[place + 1..])
    }

    /// Returns the section that an exercise stands in.
    pub fn section_with(&self, exercise: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.has_exercise(exercise))
    }

    /// Returns where the book shows an exercise of a step: `step02.html#exercise-2-3`.
    pub(crate) fn fold_of(&self, package: &str, exercise: &str) -> String {
        let page = self.section_with(exercise).map(|section| section.page.as_str());
        let page = page.unwrap_or_else(|| chapter_of(package));
        format!("{page}.html#exercise-{}", exercise.replace('.', "-"))
    }

    /// Returns all sections, in reading order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }
}

/// Returns the name of a step's chapter: `step02`.
pub fn chapter_of(package: &str) -> &str {
    package.split('_').next().unwrap_or_default()
}

/// Returns where to read a page: as it's built, or its source as long as the book isn't built.
pub(crate) fn place_of_page(workbook: &Workbook, page: &str) -> String {
    let built = workbook.root.join("target/book").join(format!("{page}.html"));
    let source = workbook.root.join("book/src").join(format!("{page}.md"));
    shown(if built.exists() { &built } else { &source })
}

/// Splits a page into its sections. Lines of code don't count.
fn sections_of(page: &str, text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if let Some((title, id)) = heading(line).filter(|_| !is_code) {
            let (page, text) = (page.to_owned(), String::new());
            sections.push(Section { page, title, id, marks: Vec::new(), text });
            continue;
        }
        if let Some(section) = sections.last_mut() {
            section.marks.extend(line.split("{{#").skip(1).filter_map(mark));
            section.text.push_str(line);
            section.text.push('\n');
        }
    }
    sections
}

/// Returns the text of a heading, without its marks, and its id.
fn heading(line: &str) -> Option<(String, String)> {
    let text = line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))?;
    let (text, id) = match text.split_once(" {#") {
        Some((text, id)) => (text, Some(id.trim_end().trim_end_matches('}').to_owned())),
        None => (text, None),
    };
    let text = text.trim().replace(['`', '*'], "");
    let id = id.unwrap_or_else(|| id_of(&text));
    Some((text, id))
}

/// Returns the id that mdBook gives a heading.
fn id_of(text: &str) -> String {
    let chars = text.chars().filter_map(|char| match char {
        _ if char.is_alphanumeric() || "_-".contains(char) => Some(char.to_ascii_lowercase()),
        _ if char.is_whitespace() => Some('-'),
        _ => None,
    });
    chars.collect()
}

/// Returns what the directive at the beginning of a line stands for.
fn mark_in(line: &str) -> Option<Mark> {
    line.strip_prefix("{{#").and_then(mark)
}

/// Returns what a directive stands for, given the text behind its `{{#`.
fn mark(directive: &str) -> Option<Mark> {
    let (directive, _) = directive.split_once("}}")?;
    let words: Vec<&str> = directive.split_whitespace().collect();
    let owned = |word: &&str| (*word).to_owned();
    match words.as_slice() {
        ["exercise", number] => Some(Mark::Exercise(owned(number))),
        ["transcript", package, scene] => Some(Mark::Shown(owned(package), owned(scene))),
        ["scene", package, scene, helpers @ ..] => Some(Mark::Asked(Prediction {
            package: owned(package),
            scene: owned(scene),
            helpers: helpers.iter().map(owned).collect(),
        })),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Step 90: A page\n\n## First\n{{#scene step90_x guess helper other}}\n\
        {{#exercise 90.1}}\n```text\n# no heading {{\n```\n## `Second` {#two}\n\
        {{#transcript step90_x seen}}\n## Third\n{{#exercise 90.2}} {{#exercise 90.3}}\n";

    fn chapter() -> Chapter {
        Chapter { sections: sections_of("step90", PAGE) }
    }

    #[test]
    fn a_page_is_split_at_its_headings_but_not_in_code() {
        let titles: Vec<String> = chapter().sections.into_iter().map(|it| it.title).collect();
        assert_eq!(titles, ["Step 90: A page", "First", "Second", "Third"]);
    }

    #[test]
    fn a_heading_has_the_id_of_the_built_page() {
        let chapter = chapter();
        let ids: Vec<&str> = chapter.sections.iter().map(|section| section.id.as_str()).collect();
        assert_eq!(ids, ["step-90-a-page", "first", "two", "third"]);
        assert_eq!(id_of("What's there, and `sleep(0)`"), "whats-there-and-sleep0");
    }

    #[test]
    fn the_chapters_ask_for_every_scene_that_has_the_directive() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let src = workbook.root.join("book/src");
        let files = file_names(&src).unwrap();
        // The preface has one as an example.
        let is_chapter = |file: &&String| {
            let is_text = std::path::Path::new(file).extension().is_some_and(|it| it == "md");
            is_text && *file != "preface.md"
        };
        let files = files.iter().filter(is_chapter);
        let texts = files.map(|file| read(&src.join(file)).unwrap());
        let texts: String = texts.collect();
        let mut asked = 0;
        for step in workbook.steps().unwrap() {
            for prediction in Chapter::of(&workbook, &step).predictions() {
                assert_eq!(prediction.package, step);
                workbook.snapshot(&step, &prediction.scene).unwrap();
                asked += 1;
            }
        }
        assert_eq!(asked, texts.matches("{{#scene ").count());
    }

    #[test]
    fn a_scene_is_asked_for_and_a_transcript_is_only_shown() {
        let chapter = chapter();
        let asked: Vec<&str> = chapter.predictions().map(|it| it.scene.as_str()).collect();
        assert_eq!(asked, ["guess"]);
        let helpers = &chapter.predictions().next().unwrap().helpers;
        assert_eq!(helpers, &["helper", "other"]);
        assert_eq!(chapter.section_of("step90_x", "seen").unwrap().title, "Second");
        assert_eq!(chapter.section_of("step90_x", "guess").unwrap().title, "First");
    }

    #[test]
    fn the_fold_behind_a_scene_explains_it() {
        let page = "# Step\n{{#scene step90_x guess}}\n\n<!-- answers\n- 1: no | Not \
            so.\n-->\n\n<details><summary>What happened, and \
            why</summary>\n\nIt *did*.\n\nSo.\n\n</details>\n\n{{#transcript step90_x seen}}\n\nOne.\n";
        let chapter = Chapter { sections: sections_of("step90", page) };
        assert_eq!(chapter.explanation("step90_x", "guess"), Some("It *did*.\n\nSo."));
        assert_eq!(chapter.explanation("step90_x", "seen"), None);
        assert_eq!(chapter.wrong_answers("step90_x", "guess").unwrap(), "- 1: no | Not so.\n");
        assert_eq!(chapter.wrong_answers("step90_x", "seen").unwrap(), "");
    }

    #[test]
    fn reading_goes_on_behind_the_last_green_exercise() {
        let chapter = chapter();
        let read = |done, next| {
            let sections = chapter.sections_to(done, next).iter();
            sections.map(|section| section.title.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(read(None, "90.1"), ["Step 90: A page", "First"]);
        assert_eq!(read(Some("90.1"), "90.2"), ["Second", "Third"]);
        assert_eq!(read(Some("90.2"), "90.3"), ["Third"]);
    }
}
