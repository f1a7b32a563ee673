//! The parts of the book's chapters that the commands need: the section with an exercise or a
//! scene, the predictions that a chapter asks for, and its explanations of the outcomes.
//!
//! The commands read all these parts from the chapter's index, such as `book/index/step02.toml`.
//! Each build of the book writes the index. If an author has changed a chapter since the last
//! build, the commands still use the chapter from that build.

use std::path::Path;

use anyhow::Context;
use exercises::fields::Fields;
use judging::step::FROM_SCRATCH;
use judging::terminal::shown;
use judging::workbook::{Workbook, file_names, read};

/// The directory with the chapters' indexes, relative to the workbook's root.
pub const INDEX: &str = "book/index";

/// The sections of a step's chapter, in reading order, or of the whole book.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chapter {
    sections: Vec<Section>,
}

/// A section: the text between one heading and the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The page's name, without its extension: `step02_bites`.
    pub page: String,
    /// The heading.
    pub title: String,
    /// The heading's id on the built page.
    pub id: String,
    /// The number of words in the section's source.
    pub words: usize,
    /// The numbers of the exercises in the section.
    pub exercises: Vec<String>,
    /// The scenes that the section shows with their transcripts: `step02_epoll/ghost`.
    shows: Vec<String>,
    /// The predictions that the section asks for.
    predictions: Vec<Prediction>,
}

/// A scene that a chapter asks the reader to predict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The scene's step.
    pub package: String,
    /// The scene's name.
    pub scene: String,
    /// The functions shown along with the scene's own function.
    pub(crate) helpers: Vec<String>,
    /// The list of wrong answers that the chapter expects.
    wrong: String,
    /// The chapter's text about the outcome: paragraphs, lists and commands.
    explanation: Option<String>,
}

impl Section {
    /// Returns the path of the section's built page, or of the page's source if the book hasn't
    /// been built. If the width is sufficient, appends the heading's id to the path of a built
    /// page.
    pub fn place(&self, workbook: &Workbook, width: usize) -> String {
        let page = place_of_page(workbook, &self.page);
        let link = format!("{page}#{}", self.id);
        let is_built = Path::new(&page).extension().is_some_and(|it| it == "html");
        if is_built && link.chars().count() <= width { link } else { page }
    }

    /// Returns the section's link in the built book: `step02.html#level-or-edge`.
    pub fn link(&self) -> String {
        format!("{}.html#{}", self.page, self.id)
    }

    /// Returns the name of the section's chapter, such as `step02` for the pages `step02` and
    /// `step02_bites`.
    pub fn chapter(&self) -> &str {
        chapter_of(&self.page)
    }

    fn has_exercise(&self, number: &str) -> bool {
        self.exercises.iter().any(|it| it == number)
    }

    fn shows(&self, package: &str, scene: &str) -> bool {
        let is_it = |shown: &String| shown.split_once('/') == Some((package, scene));
        self.shows.iter().any(is_it) || self.predictions.iter().any(|it| it.is_of(package, scene))
    }
}

impl Prediction {
    fn is_of(&self, package: &str, scene: &str) -> bool {
        self.package == package && self.scene == scene
    }
}

impl Chapter {
    /// Reads a step's chapter. If the workbook has no book or the chapter's index can't be read,
    /// the chapter has no sections, so that we can still report on an exercise.
    pub fn of(workbook: &Workbook, package: &str) -> Chapter {
        Chapter::read(workbook, package).unwrap_or_default()
    }

    /// Reads a step's chapter.
    ///
    /// Fails if the chapter's index exists but can't be read.
    pub fn read(workbook: &Workbook, package: &str) -> anyhow::Result<Chapter> {
        let file = workbook.root.join(INDEX).join(format!("{}.toml", chapter_of(package)));
        if file.exists() { Chapter::in_file(&file) } else { Ok(Chapter::default()) }
    }

    /// Reads the sections of all the book's pages, chapter by chapter in the order of the indexes'
    /// names.
    ///
    /// Fails if any index can't be read.
    pub fn whole_book(workbook: &Workbook) -> anyhow::Result<Chapter> {
        let dir = workbook.root.join(INDEX);
        let mut book = Chapter::default();
        for name in file_names(&dir).unwrap_or_default() {
            book.sections.extend(Chapter::in_file(&dir.join(name))?.sections);
        }
        Ok(book)
    }

    fn in_file(file: &Path) -> anyhow::Result<Chapter> {
        let read = read(file).and_then(|text| Chapter::indexed(&text));
        read.with_context(|| format!("{}, which `cargo run -p book -- index` writes", shown(file)))
    }

    /// Parses the sections in the text of an index.
    pub fn indexed(text: &str) -> anyhow::Result<Chapter> {
        let mut file = Fields::of(text)?;
        let sections = file.tables("section", section)?;
        file.end()?;
        Ok(Chapter { sections })
    }

    /// Returns the predictions that the chapter asks for, in reading order.
    pub fn predictions(&self) -> impl Iterator<Item = &Prediction> {
        self.predictions_in(|_| true)
    }

    /// Returns the predictions in the sections that `is_read` chooses, in reading order.
    pub fn predictions_in(
        &self,
        is_read: impl Fn(&Section) -> bool,
    ) -> impl Iterator<Item = &Prediction> {
        let read = self.sections.iter().filter(move |section| is_read(section));
        read.flat_map(|section| &section.predictions)
    }

    fn prediction(&self, package: &str, scene: &str) -> Option<&Prediction> {
        self.predictions().find(|it| it.is_of(package, scene))
    }

    /// Returns the section that shows a scene or asks the reader to predict it.
    pub fn section_of(&self, package: &str, scene: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.shows(package, scene))
    }

    /// Returns the chapter's text about a scene's outcome, with an empty line between its
    /// paragraphs. Returns `None` if the chapter doesn't ask the reader to predict the scene or
    /// doesn't explain it.
    pub fn explanation(&self, package: &str, scene: &str) -> Option<&str> {
        self.prediction(package, scene)?.explanation.as_deref()
    }

    /// Returns the list of wrong answers to a scene, or an empty string if the chapter doesn't have
    /// such a list.
    pub(crate) fn wrong_answers(&self, package: &str, scene: &str) -> &str {
        self.prediction(package, scene).map_or("", |it| &it.wrong)
    }

    /// Returns the sections that lead from one exercise to the next: those after the section with
    /// the exercise `done`, up to and including the section with the exercise `next`. If `done` is
    /// `None`, begins with the first section.
    pub fn sections_to(&self, done: Option<&str>, next: &str) -> &[Section] {
        let place = |number| self.sections.iter().position(|section| section.has_exercise(number));
        let Some(next) = place(next) else { return &[] };
        let first = match done {
            None => 0,
            Some(done) => place(done).map_or(next, |done| next.min(done + 1)),
        };
        &self.sections[first..=next]
    }

    /// Returns the chapter's sections after the one with this exercise.
    pub fn sections_behind(&self, last: Option<&str>) -> &[Section] {
        let has_it = |it: &Section| last.is_some_and(|last| it.has_exercise(last));
        let place = self.sections.iter().position(has_it);
        place.map_or(&[], |place| &self.sections[place + 1..])
    }

    /// Returns the section with an exercise.
    pub fn section_with(&self, exercise: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.has_exercise(exercise))
    }

    /// Returns the book's link to a step's exercise: `step02.html#exercise-2-3`.
    pub(crate) fn fold_of(&self, package: &str, exercise: &str) -> String {
        let page = self.section_with(exercise).map(|section| section.page.as_str());
        let page = page.unwrap_or_else(|| chapter_of(package));
        format!("{page}.html#exercise-{}", exercise.replace('.', "-"))
    }

    /// Returns all sections, in reading order within each chapter.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }
}

/// Returns the name of a step's chapter: `step02`.
pub fn chapter_of(package: &str) -> &str {
    if package == FROM_SCRATCH { package } else { package.split('_').next().unwrap_or_default() }
}

/// Returns the path of a built page, or of the page's source if the book hasn't been built.
pub(crate) fn place_of_page(workbook: &Workbook, page: &str) -> String {
    let built = workbook.root.join("target/book").join(format!("{page}.html"));
    let source = workbook.root.join("book/src").join(format!("{page}.md"));
    shown(if built.exists() { &built } else { &source })
}

fn section(fields: &mut Fields<'_>) -> anyhow::Result<Section> {
    Ok(Section {
        page: fields.text("page")?,
        id: fields.text("id")?,
        title: fields.text("title")?,
        words: fields.number("words", usize::MAX)?,
        exercises: fields.optional("exercises", Fields::names)?.unwrap_or_default(),
        shows: fields.optional("shows", Fields::names)?.unwrap_or_default(),
        predictions: fields.tables("prediction", prediction)?,
    })
}

fn prediction(fields: &mut Fields<'_>) -> anyhow::Result<Prediction> {
    Ok(Prediction {
        package: fields.text("package")?,
        scene: fields.text("scene")?,
        helpers: fields.optional("helpers", Fields::names)?.unwrap_or_default(),
        wrong: fields.optional("wrong", Fields::text)?.unwrap_or_default(),
        explanation: fields.optional("explanation", Fields::text)?,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A chapter with two pages.
    pub(crate) const INDEXED: &str = "
        [[section]]
        page = 'step90'
        id = 'step-90'
        title = 'Step 90'
        words = 600
        [[section]]
        page = 'step90'
        id = 'twice'
        title = 'Twice'
        words = 120
        exercises = ['90.1']
        [[section.prediction]]
        package = 'step90_x'
        scene = 'guess'
        helpers = ['helper']
        wrong = '- 1: no | Not so.'
        explanation = 'It did.'
        [[section]]
        page = 'step90_more'
        id = 'more'
        title = 'More'
        words = 60
        shows = ['step90_x/seen']
        [[section]]
        page = 'step90_more'
        id = 'thrice'
        title = 'Thrice'
        words = 120
        exercises = ['90.2', '90.3']
        [[section]]
        page = 'step90_more'
        id = 'the-end'
        title = 'The end'
        words = 1";

    pub(crate) fn chapter() -> Chapter {
        Chapter::indexed(INDEXED).unwrap()
    }

    #[test]
    fn a_scene_is_asked_for_or_only_shown() {
        let chapter = chapter();
        let asked: Vec<&str> = chapter.predictions().map(|it| it.scene.as_str()).collect();
        assert_eq!(asked, ["guess"]);
        assert_eq!(chapter.predictions().next().unwrap().helpers, ["helper"]);
        assert_eq!(chapter.section_of("step90_x", "seen").unwrap().title, "More");
        assert_eq!(chapter.section_of("step90_x", "guess").unwrap().title, "Twice");
        assert_eq!(chapter.explanation("step90_x", "guess"), Some("It did."));
        assert_eq!(chapter.explanation("step90_x", "seen"), None);
        assert_eq!(chapter.wrong_answers("step90_x", "guess"), "- 1: no | Not so.");
        assert_eq!(chapter.wrong_answers("step90_x", "seen"), "");
    }

    #[test]
    fn reading_goes_on_behind_the_last_green_exercise() {
        let chapter = chapter();
        let read = |done, next| {
            let sections = chapter.sections_to(done, next).iter();
            sections.map(|section| section.title.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(read(None, "90.1"), ["Step 90", "Twice"]);
        assert_eq!(read(Some("90.1"), "90.2"), ["More", "Thrice"]);
        assert_eq!(read(Some("90.2"), "90.3"), ["Thrice"]);
    }
}
