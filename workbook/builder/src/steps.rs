//! The steps' scenes and listings, read from their source.
//!
//! No scene or listing is copied into the book by hand. If a chapter refers to something that
//! doesn't exist, the book doesn't build.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use judging::notebook::source::layer_files;
use judging::workbook::Workbook;
use runner::chapter::Chapter;
use runner::predict;

use crate::exercises::{self, ExerciseSource, with_starter};

/// The source of a step or of the library.
pub(crate) struct StepSource {
    package: String,
    root: PathBuf,
    dir: PathBuf,
}

/// A scene, together with its recorded transcript and its Python twin.
pub(crate) struct SceneSource {
    /// The question that the scene answers.
    pub(crate) question: String,
    /// The scene's function, without its doc comment, and its helpers, with theirs.
    pub(crate) code: String,
    /// The scene's expected transcript.
    pub(crate) transcript: String,
    /// The scene's doc comment, which may reveal too much to a reader who hasn't predicted the
    /// outcome yet.
    pub(crate) notes: String,
    /// The Python program that repeats the scene's actions on CPython, if the scene has such a
    /// twin.
    pub(crate) twin: Option<Twin>,
}

/// A Python program with the same output as a scene.
pub(crate) struct Twin {
    /// The file's path, relative to the root.
    pub(crate) path: String,
    /// The program, without its docstring.
    pub(crate) code: String,
}

/// Some lines from a layer, an example or a scene, without the bodies of exercises.
pub(crate) struct Listing {
    /// The file's path, relative to the root.
    pub(crate) path: String,
    pub(crate) code: String,
    /// The exercises whose bodies were replaced.
    pub(crate) exercises: Vec<ExerciseSource>,
}

/// Opens the workbook in a root directory. Each listing needs it, and parsing its manifest for each
/// took a quarter of the book's build, so it's read only once.
pub(crate) fn workbook(root: &Path) -> Result<Workbook> {
    static READ: Mutex<BTreeMap<PathBuf, Workbook>> = Mutex::new(BTreeMap::new());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(workbook) = read.get(root) {
        return Ok(workbook.clone());
    }
    let workbook = Workbook::at(root.to_owned())?;
    read.insert(root.to_owned(), workbook.clone());
    Ok(workbook)
}

/// Returns a package's directory.
pub(crate) fn directory_of(root: &Path, package: &str) -> Result<PathBuf> {
    Ok(workbook(root)?.step(package))
}

/// Returns the packages of the steps and of the library, first to last, as the root's `Cargo.toml`
/// lists them.
pub(crate) fn packages(root: &Path) -> Result<Vec<String>> {
    workbook(root)?.steps()
}

impl StepSource {
    pub(crate) fn open(root: &Path, package: &str) -> Result<Self> {
        let dir = directory_of(root, package)?;
        if !dir.join("exercises.toml").exists() {
            bail!("there's no step `{package}`");
        }
        Ok(StepSource { package: package.to_owned(), root: root.to_owned(), dir })
    }

    pub(crate) fn package(&self) -> &str {
        &self.package
    }

    /// Returns the package's directory.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the package's directory, relative to the root.
    fn below_the_root(&self) -> std::path::Display<'_> {
        self.dir.strip_prefix(&self.root).unwrap_or(&self.dir).display()
    }

    /// Returns the directory of the step's source.
    pub(crate) fn src(&self) -> PathBuf {
        self.dir.join("src")
    }

    /// Returns a scene. `helpers` are additional functions that a reader needs to see.
    pub(crate) fn scene(&self, name: &str, helpers: &[&str]) -> Result<SceneSource> {
        let workbook = workbook(&self.root)?;
        let helpers: Vec<String> = helpers.iter().map(|&it| it.to_owned()).collect();
        let predict::SceneSource { question, code_with_docs: code, notes, .. } =
            predict::SceneSource::find(&workbook, &self.package, name, Some(&helpers))?;
        let transcript = workbook.snapshot(&self.package, name)?;
        Ok(SceneSource { question, code, transcript, notes, twin: self.twin(name)? })
    }

    fn twin(&self, scene: &str) -> Result<Option<Twin>> {
        let path = format!("tests/python/twins/{scene}.py");
        let code = author::twins::code_of(&self.dir, scene)?;
        Ok(code.map(|code| Twin { path: format!("{}/{path}", self.below_the_root()), code }))
    }

    /// Returns the step's exercises. Each listing and each fold with a solution needs them, so
    /// they're read only once.
    pub(crate) fn exercises(&self) -> Result<Vec<ExerciseSource>> {
        static READ: Mutex<BTreeMap<PathBuf, Vec<ExerciseSource>>> = Mutex::new(BTreeMap::new());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(exercises) = read.get(&self.dir) {
            return Ok(exercises.clone());
        }
        let exercises = exercises::declared(self)?;
        read.insert(self.dir.clone(), exercises.clone());
        Ok(exercises)
    }

    /// Returns the step's chapter, from the index that the commands use.
    pub(crate) fn chapter(&self) -> Result<Chapter> {
        Chapter::read(&workbook(&self.root)?, &self.package)
    }

    /// Returns the first heading of the step's chapter.
    pub(crate) fn title(&self) -> Result<String> {
        let chapter = self.chapter()?;
        let first = chapter.sections().first();
        Ok(first.with_context(|| format!("{} has no chapter", self.package))?.title.clone())
    }

    /// Returns the lines between `// ANCHOR: name` and `// ANCHOR_END: name` in a file of `src/`,
    /// `examples/` or `experiments/`, with a `todo!` as the body of each exercise.
    pub(crate) fn listing(&self, file: &str, anchor: &str) -> Result<Listing> {
        let is_beside = ["examples/", "experiments/"].iter().any(|dir| file.starts_with(dir));
        let below = if is_beside { file.to_owned() } else { format!("src/{file}") };
        let path = format!("{}/{below}", self.below_the_root());
        let mut exercises = self.exercises()?;
        exercises.retain(|exercise| exercise.file == file);
        let mut text = read(&self.dir.join(&below))?;
        for exercise in &exercises {
            text = with_starter(&text, &exercise.name, &exercise.number)?;
        }
        let code = between_anchors(&text, anchor)
            .with_context(|| format!("{path} has no anchor `{anchor}`"))?;
        exercises.retain(|exercise| code.contains(&exercise.todo()));
        Ok(Listing { path, code, exercises })
    }

    /// Returns the text of a program in `examples/`, without its module doc comment.
    pub(crate) fn example(&self, name: &str) -> Result<String> {
        let text = read(&self.dir.join(format!("examples/{name}.rs")))?;
        let code = text.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
        Ok(code.collect::<Vec<&str>>().join("\n"))
    }

    /// Returns the path, relative to `src/`, and the text of each file of the layer and its server.
    pub(crate) fn files(&self) -> Result<Vec<(String, String)>> {
        let src = self.src();
        let texts = layer_files(&src)?.into_iter().map(|file| {
            let text = read(&src.join(&file))?;
            Ok((file.display().to_string(), text))
        });
        texts.collect()
    }
}

pub(crate) fn between_anchors(text: &str, anchor: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let inside = lines.get(anchored(&lines, anchor)?)?.iter().copied();
    let inside: Vec<&str> = inside.filter(|line| !is_mark(line)).collect();
    Some(outdented(&inside))
}

/// Returns the range of the lines from `// ANCHOR: name` to just before `// ANCHOR_END: name`.
pub(crate) fn anchored(lines: &[&str], name: &str) -> Option<Range<usize>> {
    let place = |mark: &str| {
        let mark = format!("// {mark}: {name}");
        lines.iter().position(|line| line.trim() == mark)
    };
    Some(place("ANCHOR")?..place("ANCHOR_END")?)
}

/// Returns source text without its anchors, for a listing or a comparison.
pub(crate) fn without_marks(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !is_mark(line)).collect();
    lines.join("\n") + "\n"
}

pub(crate) fn is_mark(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("// ANCHOR: ") || line.starts_with("// ANCHOR_END: ")
}

/// Returns the lines as one string, without their common indentation.
pub(crate) fn outdented(lines: &[&str]) -> String {
    let written = lines.iter().filter(|line| !line.trim().is_empty());
    let indent = written.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let shifted: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or("")).collect();
    shifted.join("\n")
}

pub(crate) use judging::workbook::read;
pub(crate) use runner::chapter::chapter_of;
