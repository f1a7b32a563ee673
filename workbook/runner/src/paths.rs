//! Relates a path to the steps: computes the path's size, finds sections that the path lacks, and
//! puts a notebook on the path.

use std::path::Path as File;

use anyhow::Context;
use exercises::Exercise;
use exercises::paths::{Path, Sections};

use crate::chapter::{Chapter, Section, chapter_of};
use judging::Step;
use judging::notebook::Notebook;
use judging::notebook::given::{Change, Changed, Choice};
use judging::terminal::count;
use judging::workbook::Workbook;

/// The reading speed, in words per minute, on which the chapters' reading times are based. This
/// speed leaves time to run the programs that the chapters show.
const WORDS_A_MINUTE: usize = 120;

/// A step, the library or the loop from scratch, with its chapter.
#[derive(Debug)]
pub struct StepChapter {
    /// The step.
    pub step: Step,
    /// The step's chapter.
    pub sections: Chapter,
}

impl StepChapter {
    /// Reads all steps, the library, and the loop from scratch.
    pub fn all(workbook: &Workbook) -> anyhow::Result<Vec<StepChapter>> {
        let with_chapter = |package: String| {
            let step = Step::without_checks(workbook, &package)?;
            Ok(StepChapter { step, sections: Chapter::read(workbook, &package)? })
        };
        workbook.parts()?.into_iter().map(with_chapter).collect()
    }

    /// Returns the chapter's name: `step02`.
    pub fn name(&self) -> &'static str {
        chapter_of(self.step.package)
    }

    /// Returns the exercises that are on a path.
    pub fn exercises_on(&self, path: &Path) -> impl Iterator<Item = &'static Exercise> {
        self.step.exercises.iter().filter(|it| path.asks_for(it, self.name()))
    }
}

/// Puts a notebook on a path without printing a report. If the path comes from a teacher's file,
/// `file` is that file.
pub fn put_on(
    notebook: &Notebook,
    chapters: &[StepChapter],
    path: &Path,
    file: Option<&File>,
) -> anyhow::Result<(Choice, Changed)> {
    let name = Some(path.name.clone());
    let given = notebook.choice().given;
    let mut choice = Choice { path: name, file: file.map(File::to_owned), given };
    let changed = change(notebook, &mut choice, chapters, |chapter, it| {
        let is_on_it = path.asks_for(it, chapter.name());
        Some(if is_on_it { Change::TakeBack } else { Change::Give })
    })?;
    Ok((choice, changed))
}

/// Turns exercises into given ones or makes them the reader's task again, as `wanted` says for each
/// exercise of each step. A loop from scratch has no place for our code, so its stages can't be
/// given.
pub fn change(
    notebook: &Notebook,
    choice: &mut Choice,
    chapters: &[StepChapter],
    wanted: impl Fn(&StepChapter, &Exercise) -> Option<Change>,
) -> anyhow::Result<Changed> {
    let mut all = Changed::default();
    for chapter in chapters.iter().filter(|it| !it.step.is_from_scratch()) {
        let changed = notebook.change(choice, &chapter.step, |it| wanted(chapter, it));
        let changed = changed
            .with_context(|| format!("can't change your page of {}", chapter.step.package))?;
        all.kept.extend(changed.kept);
        all.saved.extend(changed.saved);
        all.again.extend(changed.again);
    }
    Ok(all)
}

/// Returns a path's first entry that's neither an exercise nor a chapter, if any.
pub fn unknown<'a>(path: &'a Path, chapters: &[StepChapter]) -> Option<&'a String> {
    let is_known = |entry: &String| {
        chapters.iter().any(|chapter| {
            chapter.name() == entry
                || chapter.step.exercises.iter().any(|exercise| exercise.number == *entry)
        })
    };
    path.exercises.iter().find(|entry| !is_known(entry))
}

/// Returns sentences about sections that the path skips although its exercises need them, and about
/// sections that don't exist.
pub fn gaps(path: &Path, chapters: &[StepChapter]) -> Vec<String> {
    let mut gaps = Vec::new();
    let sections: Vec<&Section> =
        chapters.iter().flat_map(|chapter| chapter.sections.sections()).collect();
    let is_there = |named: &str| {
        let (chapter, id) = named.split_once('#').unwrap_or_default();
        sections.iter().any(|it| (chapter.is_empty() || it.chapter() == chapter) && it.id == id)
    };
    let (Sections::Only(named) | Sections::AllBut(named)) = &path.sections else { return gaps };
    let lost = named.iter().filter(|named| !is_there(named));
    gaps.extend(lost.map(|named| format!("there's no section {named}")));
    for chapter in chapters {
        for exercise in chapter.exercises_on(path) {
            let Exercise { number, name, needs, .. } = exercise;
            let own = chapter.sections.section_with(number);
            let own = own.map(|section| format!("{}#{}", section.chapter(), section.id));
            for needed in needs.iter().chain(&own) {
                let (wanted, id) = needed.split_once('#').unwrap_or_default();
                if !is_there(needed) {
                    gaps.push(format!("{number} {name} needs {needed}, which doesn't exist"));
                } else if !path.reads(wanted, id) {
                    gaps.push(format!("{number} {name} needs {needed}, which the path skips"));
                }
            }
        }
    }
    gaps
}

/// The size of a path, in exercises and in minutes.
#[derive(Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of exercises.
    pub exercises: usize,
    /// The reading time in minutes. `None` if a teacher chooses what to read.
    pub reading: Option<usize>,
    /// The writing time in minutes.
    pub writing: usize,
}

impl Size {
    /// Computes the size of a path.
    pub fn of(path: &Path, chapters: &[StepChapter]) -> Size {
        let exercises = || chapters.iter().flat_map(|chapter| chapter.exercises_on(path));
        let on_it = chapters.iter().filter(|chapter| chapter.exercises_on(path).next().is_some());
        let sections = on_it.flat_map(|chapter| chapter.sections.sections());
        let read = sections.filter(|it| path.reads(it.chapter(), &it.id));
        let words: usize = read.map(|section| section.words).sum();
        Size {
            exercises: exercises().count(),
            reading: (path.sections != Sections::InClass).then_some(words / WORDS_A_MINUTE),
            writing: exercises().map(|exercise| usize::from(exercise.minutes)).sum(),
        }
    }

    /// Returns the size in words: `13 exercises, 2 h 35 to write and 1 h 45 to read`.
    pub fn in_words(&self) -> String {
        let exercises = count(self.exercises, "exercise");
        let writing = format!("{exercises}, {} to write", hours(self.writing));
        match self.reading {
            Some(reading) => format!("{writing} and {} to read", hours(reading)),
            None => writing,
        }
    }
}

/// Formats a number of minutes, rounded up to a multiple of five, as in `1 h 25`.
pub fn hours(minutes: usize) -> String {
    let minutes = minutes.next_multiple_of(5);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes:02}"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::chapter::tests::chapter;

    const EXERCISES: &str = "
        [[exercise]]
        number = '90.1'
        name = 'double'
        task = 'Double.'
        minutes = 84
        scenes = []
        question = 'How often?'
        method = 'Twice.'
        [[exercise]]
        number = '90.2'
        name = 'triple'
        task = 'Triple.'
        minutes = 5
        needs = ['step90#twice', 'step91#lost']
        scenes = []
        question = 'How often?'
        method = 'Thrice.'";

    pub(crate) fn exercises() -> Vec<Exercise> {
        exercises::parse(EXERCISES).unwrap()
    }

    fn chapters() -> [StepChapter; 1] {
        let step = Step {
            package: "step90_fixture",
            title: "",
            manifest_dir: "",
            reference: File::new(""),
            scenes: &[],
            keys: &[],
            trials: &[],
            exercises: exercises().leak(),
            has_server: false,
        };
        [StepChapter { step, sections: chapter() }]
    }

    fn path(exercise: &str, sections: Sections) -> Path {
        Path { exercises: vec![exercise.to_owned()], sections, ..Path::all(Vec::new()) }
    }

    fn only(sections: &[&str]) -> Sections {
        Sections::Only(sections.iter().map(|&it| it.to_owned()).collect())
    }

    #[test]
    fn a_section_that_is_left_out_is_named_with_the_exercise_that_needs_it() {
        let gaps = |exercise, sections| gaps(&path(exercise, sections), &chapters());
        let own = ["90.1 double needs step90#twice, which the path skips"];
        assert_eq!(gaps("90.1", only(&[])), own);
        assert_eq!(gaps("90.1", Sections::AllBut(vec!["#twice".to_owned()])), own);
        let nothing = ["there's no section step90#nothing"];
        assert_eq!(gaps("90.1", only(&["step90#twice", "step90#nothing"])), nothing);
        let needed = [
            "90.2 triple needs step90#twice, which the path skips",
            "90.2 triple needs step91#lost, which doesn't exist",
        ];
        assert_eq!(gaps("90.2", only(&["step90#thrice"])), needed);
    }

    #[test]
    fn an_entry_of_a_path_is_an_exercise_or_a_chapter() {
        let unknown = |entry| unknown(&path(entry, only(&[])), &chapters()).cloned();
        assert_eq!([unknown("90.2"), unknown("step90")], [None, None]);
        assert_eq!(unknown("90.3").as_deref(), Some("90.3"));
    }

    #[test]
    fn a_path_takes_as_long_as_its_exercises_and_what_it_reads() {
        let size = |exercise, sections| Size::of(&path(exercise, sections), &chapters());
        let all = size("step90", Sections::AllBut(Vec::new()));
        assert_eq!(all, Size { exercises: 2, reading: Some(7), writing: 89 });
        assert_eq!(all.in_words(), "2 exercises, 1 h 30 to write and 10 min to read");
        assert_eq!(size("90.2", only(&["#thrice"])).reading, Some(1));
        assert_eq!(size("90.2", Sections::InClass).in_words(), "1 exercise, 5 min to write");
        assert_eq!(size("91.1", Sections::AllBut(Vec::new())).reading, Some(0));
    }

    #[test]
    fn minutes_are_told_in_hours() {
        assert_eq!([3, 60, 84, 125].map(hours), ["5 min", "1 h", "1 h 25", "2 h 05"]);
    }
}
