//! Paths through the workbook: which exercises a reader writes, and which sections they read.
//!
//! The book has some paths in `book/paths.toml`, a teacher can write others in the same form, and
//! each session of `book/teaching.toml` is a path, too.

use super::Exercise;
use super::fields::Fields;

/// A path through the workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The name on the command line.
    pub name: String,
    /// The path's readers, or its subject, in a few words.
    pub about: String,
    /// The numbers of the exercises on the path, and the chapters whose exercises it has all: `2.3`
    /// or `step02`.
    pub exercises: Vec<String>,
    /// The sections to read.
    pub sections: Sections,
    /// A sentence about the pages to read before everything else.
    pub begins: Option<String>,
    /// The next thing to do when all its exercises are green and the reader's layers lie under the
    /// later steps.
    pub ends: Option<String>,
    /// The page of the book to read last, without its extension.
    pub last: Option<String>,
}

/// What to do first if the reader's layers aren't in use yet: it comes before a path's `ends`.
pub const USE_MINE: &str = "Put your own layers under the later steps: `cargo run -- use-mine`.";

/// The sections to read on a path. Each is a heading's id after its chapter, as in
/// `step01#what-is-4`. With no chapter in front, as in `#questions`, it's for all chapters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sections {
    /// Only these sections.
    Only(Vec<String>),
    /// All sections but these.
    AllBut(Vec<String>),
    /// The sections that a teacher chooses.
    InClass,
}

impl Path {
    /// Returns the path with every exercise and every section.
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

    /// Returns true if a reader without a class reads only a part of the book on this path.
    pub fn skips_sections(&self) -> bool {
        match &self.sections {
            Sections::Only(_) => true,
            Sections::AllBut(sections) => !sections.is_empty(),
            Sections::InClass => false,
        }
    }

    /// Returns true if the path names this number, or all of this chapter.
    pub fn has(&self, number: &str, chapter: &str) -> bool {
        self.exercises.iter().any(|it| it == number || it == chapter)
    }

    /// Returns true if the path asks for an exercise. An optional exercise has to be named.
    pub fn asks_for(&self, exercise: &Exercise, chapter: &str) -> bool {
        let chapter = if exercise.is_optional { "" } else { chapter };
        self.has(&exercise.number, chapter)
    }

    /// Returns true if the path's readers read a section.
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

/// Reads the paths from a file's text.
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

/// Reads a path for each session from the plans for a class. The rest of that file is for the
/// book.
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
        let about = "a session with a class, and its homework".to_owned();
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
