//! The steps with their exercises and chapters, and what a path asks for in them: how much, which
//! sections, and whether an exercise needs one that's left out.

use exercises::Exercise;
use exercises::paths::{Path, Sections};

use judging::Step;
use judging::terminal::{Terminal, count};
use judging::workbook::Workbook;
use runner::chapter::{Chapter, Section, chapter_of};
use runner::reading;

/// How fast a page is read, by what the chapters say of themselves: that leaves time to run what it
/// shows.
const WORDS_A_MINUTE: usize = 120;

pub(super) fn is_known(entry: &str, chapters: &[StepChapter]) -> bool {
    chapters.iter().any(|chapter| {
        chapter.name() == entry
            || chapter.step.exercises.iter().any(|exercise| exercise.number == entry)
    })
}

/// Says what an exercise on a path needs and the path leaves out, and what isn't there at all.
pub(super) fn gaps(path: &Path, chapters: &[StepChapter]) -> Vec<String> {
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
                    gaps.push(format!("{number} {name} needs {needed}, which isn't there"));
                } else if !path.reads(wanted, id) {
                    gaps.push(format!("{number} {name} needs {needed}, which the path skips"));
                }
            }
        }
    }
    gaps
}

/// A step or the library, with its chapter.
pub(super) struct StepChapter {
    pub(super) step: Step,
    sections: Chapter,
}

impl StepChapter {
    pub(super) fn all(workbook: &Workbook) -> anyhow::Result<Vec<StepChapter>> {
        let chapter = |package: String| {
            let step = Step::without_checks(workbook, &package)?;
            Ok(StepChapter { step, sections: Chapter::of(workbook, &package) })
        };
        workbook.steps()?.into_iter().map(chapter).collect()
    }

    pub(super) fn name(&self) -> &'static str {
        chapter_of(self.step.package)
    }

    fn exercises_on(&self, path: &Path) -> impl Iterator<Item = &'static Exercise> {
        self.step.exercises.iter().filter(|it| path.has(&it.number, self.name()))
    }
}

/// How much a path asks for, in exercises and in minutes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) exercises: usize,
    /// `None` if a teacher chooses what's read.
    pub(super) reading: Option<usize>,
    pub(super) writing: usize,
}

impl Size {
    pub(super) fn of(path: &Path, chapters: &[StepChapter]) -> Size {
        let exercises = || chapters.iter().flat_map(|chapter| chapter.exercises_on(path));
        let on_it = chapters.iter().filter(|chapter| chapter.exercises_on(path).next().is_some());
        let sections = on_it.flat_map(|chapter| chapter.sections.sections());
        let read = sections.filter(|it| path.reads(it.chapter(), &it.id));
        let words: usize = read.map(Section::words).sum();
        Size {
            exercises: exercises().count(),
            reading: (path.sections != Sections::InClass).then_some(words / WORDS_A_MINUTE),
            writing: exercises().map(|exercise| usize::from(exercise.minutes)).sum(),
        }
    }

    pub(super) fn in_words(&self) -> String {
        let exercises = count(self.exercises, "exercise");
        let writing = format!("{exercises}, {} to write", hours(self.writing));
        match self.reading {
            Some(reading) => format!("{writing} and {} to read", hours(reading)),
            None => writing,
        }
    }
}

/// Returns minutes in words, to the next five: `1 h 25`.
pub(super) fn hours(minutes: usize) -> String {
    let minutes = minutes.next_multiple_of(5);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes:02}"),
    }
}

/// Lists what a path reads and skips, page by page, with what's written there.
pub(super) fn plan(terminal: &Terminal, path: &Path, chapters: &[StepChapter]) -> String {
    let mut text = String::from("\n");
    let mut add = |page: &str, what: &str| {
        text += &terminal.wrap_hanging(&format!("{page:<15}"), &" ".repeat(22), what);
    };
    if let Some(begins) = &path.begins {
        add("", &format!("first  {begins}"));
    }
    for chapter in chapters {
        if chapter.exercises_on(path).next().is_none() {
            add(chapter.name(), "skip   all of it");
            continue;
        }
        let mut page = "";
        for stretch in reading::stretches(path, chapter.sections.sections()) {
            let numbers = stretch.sections.iter().flat_map(Section::exercises);
            let numbers: Vec<&str> = numbers.filter(|it| path.has(it, chapter.name())).collect();
            let write = if numbers.is_empty() { "" } else { "; write " };
            let what = format!("{}{write}{}", stretch.titles(), numbers.join(", "));
            let shown = if stretch.page() == page { "" } else { stretch.page() };
            add(shown, &format!("{:<7}{what}", if stretch.is_read { "read" } else { "skip" }));
            page = stretch.page();
        }
    }
    if let Some(last) = &path.last {
        add(last, "read   at the end");
    }
    text
}

#[cfg(test)]
mod tests {
    use runner::reading::known;

    use super::*;

    fn workbook() -> Workbook {
        Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap()
    }

    #[test]
    fn no_exercise_on_a_path_needs_what_the_path_skips_and_all_that_it_names_is_there() {
        let chapters = StepChapter::all(&workbook()).unwrap();
        for path in known(&workbook()).unwrap() {
            let unknown = path.exercises.iter().find(|entry| !is_known(entry, &chapters));
            assert_eq!(unknown, None, "{}", path.name);
            assert_eq!(gaps(&path, &chapters), [""; 0], "{}", path.name);
        }
    }

    #[test]
    fn a_section_that_is_left_out_is_named_with_the_exercise_that_needs_it() {
        let chapters = StepChapter::all(&workbook()).unwrap();
        let path = |sections| Path {
            name: "mine".to_owned(),
            about: "mine".to_owned(),
            exercises: vec!["1.1".to_owned()],
            sections,
            begins: None,
            ends: None,
            last: None,
        };
        let own = ["1.1 pipe needs step01#what-is-4, which the path skips"];
        assert_eq!(gaps(&path(Sections::Only(Vec::new())), &chapters), own);
        let skips = Sections::AllBut(vec!["#what-is-4".to_owned()]);
        assert_eq!(gaps(&path(skips), &chapters), own);
        let reads =
            Sections::Only(vec!["step01#what-is-4".to_owned(), "step01#nothing".to_owned()]);
        assert_eq!(gaps(&path(reads), &chapters), ["there's no section step01#nothing"]);
        let flush = Sections::Only(vec!["step01#the-bytes-that-didnt-fit".to_owned()]);
        let flush = Path { exercises: vec!["1.7".to_owned()], ..path(flush) };
        let needed = "1.7 flush needs step01#what-does-write-say, which the path skips";
        assert!(
            gaps(&flush, &chapters).iter().any(|gap| gap == needed),
            "{:?}",
            gaps(&flush, &chapters)
        );
    }

    #[test]
    fn an_afternoon_is_an_afternoon() {
        let chapters = StepChapter::all(&workbook()).unwrap();
        let paths = known(&workbook()).unwrap();
        let size =
            |name: &str| Size::of(paths.iter().find(|it| it.name == name).unwrap(), &chapters);
        let (afternoon, all) = (size("afternoon"), size("all"));
        let minutes = afternoon.writing + afternoon.reading.unwrap();
        assert!((210..=270).contains(&minutes), "{afternoon:?}");
        let exercises: usize = chapters.iter().map(|chapter| chapter.step.exercises.len()).sum();
        assert_eq!(all.exercises, exercises);
        assert!(size("weekend").writing < all.writing);
        assert_eq!(size("first").reading, None);
    }

    #[test]
    fn the_readme_and_the_preface_say_how_long_all_of_it_takes() {
        let all = Size::of(&Path::all(chapters()), &StepChapter::all(&workbook()).unwrap());
        let reading = all.reading.unwrap();
        let [reading, writing, both] =
            [reading, all.writing, reading + all.writing].map(|minutes| match minutes + 15 {
                later if later % 60 < 30 => format!("{}", later / 60),
                later => format!("{}½", later / 60),
            });
        let text = |file: &str| {
            let text = std::fs::read_to_string(workbook().root.join(file)).unwrap();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let readme = format!(
            "about {both} hours in all: {reading} for reading and playing, and, by the minutes the \
             exercises declare, {writing} for writing."
        );
        assert!(text("README.md").contains(&readme), "{readme}");
        let preface = format!(
            "the pages take about {reading} hours to read and play with. That's about {both} hours in all:"
        );
        let preface_text = text("book/src/preface.md");
        assert!(preface_text.contains(&preface), "{preface}");
        assert!(preface_text.contains(&format!("All of it takes about {both} hours")));
    }

    fn chapters() -> Vec<String> {
        let steps = workbook().steps().unwrap();
        steps.iter().map(|step| chapter_of(step).to_owned()).collect()
    }

    #[test]
    fn what_the_page_at_a_paths_end_asks_stands_in_sections_that_the_path_reads() {
        let chapters = StepChapter::all(&workbook()).unwrap();
        let sections: Vec<&Section> =
            chapters.iter().flat_map(|it| it.sections.sections()).collect();
        for path in known(&workbook()).unwrap() {
            let Some(last) = &path.last else { continue };
            let file = workbook().root.join(format!("book/src/{last}.md"));
            let text = std::fs::read_to_string(file).unwrap();
            let (_, questions) = text.split_once("## Five questions").unwrap();
            let (questions, _) = questions.split_once("## And now?").unwrap();
            let answers: Vec<&str> = questions.split("<summary>").skip(1).collect();
            assert_eq!(answers.len(), 5);
            for answer in answers {
                let links = answer.split("](").skip(1).map(|link| link.split(')').next().unwrap());
                let links: Vec<(&str, &str)> =
                    links.map(|link| link.split_once(".md#").unwrap()).collect();
                assert!(!links.is_empty(), "{answer}");
                for (page, id) in links {
                    let is_read = sections.iter().any(|it| {
                        it.page == page && it.id == id && path.reads(it.chapter(), &it.id)
                    });
                    assert!(is_read, "{} skips {page}#{id}", path.name);
                }
            }
        }
    }

    #[test]
    fn minutes_are_told_in_hours() {
        assert_eq!([3, 60, 84, 125].map(hours), ["5 min", "1 h", "1 h 25", "2 h 05"]);
    }
}
