//! Paths through the workbook. A path says which exercises a reader writes and which sections they
//! read.
//!
//! The book has some paths in `book/paths.toml`, a teacher can write more paths in the same format,
//! and each session in `book/teaching.toml` is also a path.

use super::Exercise;
use super::fields::Fields;

/// A path through the workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The name on the command line.
    pub name: String,
    /// A few words about the path's audience or its subject.
    pub about: String,
    /// The path's exercises. An item is either an exercise's number, such as `2.3`, or a chapter,
    /// such as `step02`. A chapter stands for all of its exercises that aren't optional.
    pub exercises: Vec<String>,
    /// The sections to read.
    pub sections: Sections,
    /// A note about the pages to read before everything else.
    pub begins: Option<String>,
    /// What to do next once all of the path's exercises are green and the reader's layers are in
    /// use under the later steps.
    pub ends: Option<String>,
    /// The page of the book to read last, as a file name without its extension.
    pub last: Option<String>,
}

/// The instruction for readers whose layers aren't in use yet. The instruction is shown before a
/// path's `ends`.
pub const USE_MINE: &str = "Put your own layers under the later steps: `cargo run -- use-mine`.";

/// The sections to read on a path. Each section is given as its chapter and its heading's id, as in
/// `step01#what-is-4`. Without a chapter, as in `#questions`, the entry applies to all chapters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sections {
    /// Only these sections.
    Only(Vec<String>),
    /// All sections except these.
    AllBut(Vec<String>),
    /// The sections that the teacher chooses.
    InClass,
}

impl Path {
    /// Returns the path that includes every section, and every exercise in `chapters` that isn't
    /// optional.
    pub fn all(chapters: Vec<String>) -> Path {
        Path {
            name: "all".to_owned(),
            about: "the seven steps and the library".to_owned(),
            exercises: chapters,
            sections: Sections::AllBut(Vec::new()),
            begins: None,
            ends: None,
            last: None,
        }
    }

    /// Returns true if a reader without a class reads only part of the book on this path.
    pub fn skips_sections(&self) -> bool {
        match &self.sections {
            Sections::Only(_) => true,
            Sections::AllBut(sections) => !sections.is_empty(),
            Sections::InClass => false,
        }
    }

    /// Returns true if the path includes this exercise number or all of this chapter.
    pub fn has(&self, number: &str, chapter: &str) -> bool {
        self.exercises.iter().any(|it| it == number || it == chapter)
    }

    /// Returns true if the path asks for an exercise. An optional exercise must be named
    /// explicitly.
    pub fn asks_for(&self, exercise: &Exercise, chapter: &str) -> bool {
        let chapter = if exercise.is_optional { "" } else { chapter };
        self.has(&exercise.number, chapter)
    }

    /// Returns true if the path includes a section.
    pub fn reads(&self, chapter: &str, id: &str) -> bool {
        let is_it = |section: &String| {
            let (of, named) = section.split_once('#').unwrap_or_default();
            named == id && (of.is_empty() || of == chapter)
        };
        match &self.sections {
            Sections::Only(sections) => sections.iter().any(is_it),
            Sections::AllBut(sections) => !sections.iter().any(is_it),
            Sections::InClass => true,
        }
    }
}

/// Parses the paths in a file's text.
pub fn paths(text: &str) -> anyhow::Result<Vec<Path>> {
    let mut file = Fields::of(text)?;
    let paths = file.tables("path", |fields| {
        let reads = fields.optional("reads", Fields::names)?;
        let skips = fields.optional("skips", Fields::names)?.unwrap_or_default();
        anyhow::ensure!(reads.is_none() || skips.is_empty(), "both `reads` and `skips`");
        Ok(Path {
            name: fields.text("name")?,
            about: fields.prose("about")?,
            exercises: fields.names("exercises")?,
            sections: reads.map_or(Sections::AllBut(skips), Sections::Only),
            begins: fields.optional("begins", Fields::prose)?,
            ends: fields.optional("ends", Fields::prose)?,
            last: fields.optional("last", Fields::text)?,
        })
    })?;
    file.end()?;
    Ok(paths)
}

/// Parses the plans for a class and returns a path for each session. Ignores the rest of the file,
/// which only the book reads.
pub fn sessions(text: &str) -> anyhow::Result<Vec<Path>> {
    let mut file = Fields::of(text)?;
    let sessions = file.tables("session", |fields| {
        let parts = fields.tables("part", |part| {
            let exercises = part.optional("exercises", Fields::names)?.unwrap_or_default();
            part.ignore_the_rest();
            Ok(exercises)
        })?;
        let mut exercises = parts.concat();
        exercises.extend(fields.optional("homework", Fields::names)?.unwrap_or_default());
        let name = fields.text("name")?;
        fields.ignore_the_rest();
        let about = "a session with a class and its homework".to_owned();
        let (begins, ends, last) = (None, None, None);
        Ok(Path { name, about, exercises, sections: Sections::InClass, begins, ends, last })
    })?;
    Ok(sessions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_exercises_and_whole_chapters_and_reads_what_it_says() {
        let text = "[[path]]\nname = 'short'\nabout = 'little'\nexercises = ['1.2', 'step02']\n\
                    reads = ['step01#one']\n[[path]]\nname = 'long'\nabout = 'much'\nexercises = []\n\
                    skips = ['#one', 'step02#two']\n";
        let paths = paths(text).expect("two paths");
        assert!(paths[0].has("1.2", "step01") && paths[0].has("2.9", "step02"));
        assert!(!paths[0].has("1.1", "step01"));
        let read = |path: &Path| {
            let all = [("step01", "one"), ("step01", "two"), ("step02", "one"), ("step02", "two")];
            all.map(|(chapter, id)| path.reads(chapter, id))
        };
        assert_eq!(read(&paths[0]), [true, false, false, false]);
        assert_eq!(read(&paths[1]), [false, true, false, false]);
    }

    #[test]
    fn a_session_is_a_path_with_what_is_written_in_class_and_at_home() {
        let text = "[[session]]\nname = 'first'\nlimit = 180\nhomework = ['1.4']\n\
                    [[session.part]]\ndoes = 'Talk.'\nminutes = 5\n\
                    [[session.part]]\nexercises = ['1.1', '1.2']\n";
        let sessions = sessions(text).expect("a session");
        assert_eq!(sessions[0].exercises, ["1.1", "1.2", "1.4"]);
    }

    #[test]
    fn what_is_read_cannot_be_said_twice() {
        let text =
            "[[path]]\nname = 'x'\nabout = 'x'\nexercises = []\nreads = []\nskips = ['#a']\n";
        let error = format!("{:#}", paths(text).expect_err("a mistake"));
        assert_eq!(error, "path 1: both `reads` and `skips`");
    }
}
