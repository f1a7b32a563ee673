//! A step's exercises, as declared in its `exercises.toml`.
//!
//! The runner, the map, the authors' checks and the book all read the exercises with [`parse`] or
//! [`read`], so each exercise is declared only once. An error of [`read`] names the file; an error
//! of either names the exercise and the field or, if the text isn't TOML, the line.

#![forbid(unsafe_code)]

pub mod fields;
pub mod paths;

use std::fs;
use std::path::Path;

use anyhow::Context;

use fields::Fields;

/// The name of the file that declares a package's exercises. The file is in the package's
/// directory.
pub const FILE: &str = "exercises.toml";

/// A function body for the reader to write, or a stage of the loop from scratch, judged by scenes
/// and trials.
///
/// In the reference, an exercise's function is between `// ANCHOR: name` and `// ANCHOR_END: name`,
/// in one of the files in `src/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exercise {
    /// The chapter and the exercise's number in the chapter: `2.3`. The numbers needn't be in
    /// order, since a new exercise never gets the number of a removed one.
    pub number: String,
    /// The name on the command line, which is also the anchor in the source.
    pub name: String,
    /// The task, in one or two sentences in the imperative.
    pub task: String,
    /// The time that the exercise takes, in minutes.
    pub minutes: u8,
    /// The sections that a reader has to know in addition to the section with the exercise, such as
    /// `step01#what-is-4`.
    pub needs: Vec<String>,
    /// The code that a brief shows around the function, as anchors in the function's file, or as
    /// `other.rs#anchor` for a different file in `src/`. One of the anchors encloses the function
    /// or is the exercise's own anchor. Without anchors, the brief shows only the function.
    pub around: Vec<String>,
    /// True if only paths that name the exercise ask for it. On all other paths, readers are given
    /// its body. No other exercise needs an optional exercise, and optional exercises come last.
    pub is_optional: bool,
    /// The reason why no later step runs the body, or `None` if a later step does run it. The
    /// authors' `check-reuse` checks whether a later step runs the body.
    pub only_here: Option<String>,
    /// The names of the scenes that judge the exercise. Each scene fails as long as the exercise
    /// isn't written.
    pub scenes: Vec<String>,
    /// The names of the trials that judge the exercise after the scenes.
    pub trials: Vec<String>,
    /// The first hint.
    pub question: String,
    /// The second hint.
    pub method: String,
    /// The third hint: a body that compiles or, for a stage, an outline of the loop. `None` stands
    /// for the reference's body.
    pub body: Option<String>,
    /// Hints for particular mistakes, which are shown before the other hints.
    pub nudges: Vec<Nudge>,
}

/// A hint for a particular mistake, which is recognised by the behaviour of the reader's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nudge {
    /// The name of the scene or trial that's red.
    pub at: String,
    /// Part of the first line that differs from the expected line, or of the fault's sentence. An
    /// empty string matches everything.
    pub sees: String,
    /// Part of the line that's expected in that place. An empty string matches everything.
    pub misses: String,
    /// The hint.
    pub hint: String,
}

/// Code that a reader's page doesn't show, because it would give an answer away or because only
/// trials need it.
///
/// The page still includes that code, from a separate file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The file's path, relative to the package: `src/epoll.rs`.
    pub file: String,
    /// The functions and methods in the file that aren't shown. If the list is empty, the whole
    /// file is hidden, and the file has to be a module of `src/lib.rs`.
    pub functions: Vec<String>,
    /// The reason, as the end of a sentence: "it's nearly the answer to 2.4".
    pub because: String,
}

/// An exercise that was removed from the workbook. Its number is never reused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    /// The number of the exercise.
    pub number: String,
    /// The name of the exercise.
    pub name: String,
    /// The numbers of the exercises that now cover this exercise's idea. The list can be empty.
    pub now: Vec<String>,
}

impl Gone {
    /// Returns a sentence that says that the exercise is gone and which exercises, if any, now
    /// cover its idea: `6.3 poll_result is gone; its idea is in 6.10 now`.
    pub fn in_words(&self) -> String {
        let Gone { number, name, now } = self;
        if now.is_empty() {
            return format!("{number} {name} is gone");
        }
        format!("{number} {name} is gone; its idea is in {} now", now.join(" and "))
    }
}

/// Reads a package's exercises, in the order in which a reader solves them.
pub fn read(package: &Path) -> anyhow::Result<Vec<Exercise>> {
    let (file, text) = read_file(package)?;
    parse(&text).context(file)
}

/// Reads the list of the code that a package's page doesn't show.
pub fn hidden(package: &Path) -> anyhow::Result<Vec<Hidden>> {
    let (file, text) = read_file(package)?;
    // Most pages show all their code, and searching for the word is faster than parsing the file.
    let is_likely = text.contains("hidden");
    if is_likely { parse_file(&text).map(|it| it.hidden).context(file) } else { Ok(Vec::new()) }
}

/// Reads the numbers of a package's optional exercises.
pub fn optional(package: &Path) -> anyhow::Result<Vec<String>> {
    let (file, text) = read_file(package)?;
    // Few packages have an optional exercise, so we rarely have to parse the file.
    if !text.contains("optional = true") {
        return Ok(Vec::new());
    }
    let exercises = parse(&text).context(file)?;
    Ok(exercises.into_iter().filter(|it| it.is_optional).map(|it| it.number).collect())
}

/// Reads the list of the exercises that were removed from a package.
pub fn gone(package: &Path) -> anyhow::Result<Vec<Gone>> {
    let (file, text) = read_file(package)?;
    let is_likely = text.contains("[[gone]]");
    if is_likely { parse_file(&text).map(|it| it.gone).context(file) } else { Ok(Vec::new()) }
}

/// Parses the exercises in a file's text.
pub fn parse(text: &str) -> anyhow::Result<Vec<Exercise>> {
    parse_file(text).map(|it| it.exercises)
}

/// Returns the file's path, for error messages, and its text.
fn read_file(package: &Path) -> anyhow::Result<(String, String)> {
    let file = package.join(FILE);
    let text = fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
    Ok((file.display().to_string(), text))
}

/// The tables of a file.
struct File {
    hidden: Vec<Hidden>,
    gone: Vec<Gone>,
    exercises: Vec<Exercise>,
}

fn parse_file(text: &str) -> anyhow::Result<File> {
    let mut file = Fields::of(text)?;
    let hidden = file.tables("hidden", hidden_in)?;
    let gone = file.tables("gone", gone_in)?;
    let exercises = file.tables("exercise", exercise)?;
    file.end()?;
    Ok(File { hidden, gone, exercises })
}

fn gone_in(fields: &mut Fields<'_>) -> anyhow::Result<Gone> {
    Ok(Gone {
        number: fields.text("number")?,
        name: fields.text("name")?,
        now: fields.names("now")?,
    })
}

fn hidden_in(fields: &mut Fields<'_>) -> anyhow::Result<Hidden> {
    Ok(Hidden {
        file: fields.text("file")?,
        functions: fields.optional("functions", Fields::names)?.unwrap_or_default(),
        because: fields.prose("because")?,
    })
}

fn exercise(fields: &mut Fields<'_>) -> anyhow::Result<Exercise> {
    Ok(Exercise {
        number: fields.text("number")?,
        name: fields.text("name")?,
        task: fields.prose("task")?,
        minutes: fields.number("minutes", u8::MAX)?,
        needs: fields.optional("needs", Fields::names)?.unwrap_or_default(),
        around: fields.optional("around", Fields::names)?.unwrap_or_default(),
        is_optional: fields.optional("optional", Fields::flag)?.unwrap_or_default(),
        only_here: fields.optional("only_here", Fields::prose)?,
        scenes: fields.names("scenes")?,
        trials: fields.optional("trials", Fields::names)?.unwrap_or_default(),
        question: fields.prose("question")?,
        method: fields.prose("method")?,
        body: fields.optional("body", Fields::text)?,
        nudges: fields.tables("nudge", nudge)?,
    })
}

fn nudge(fields: &mut Fields<'_>) -> anyhow::Result<Nudge> {
    Ok(Nudge {
        at: fields.text("at")?,
        sees: fields.optional("sees", Fields::text)?.unwrap_or_default(),
        misses: fields.optional("misses", Fields::text)?.unwrap_or_default(),
        hint: fields.prose("hint")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
[[exercise]]
number = "90.1"
name = "double"
task = "Double a number."
minutes = 3
scenes = ["small_numbers"]
question = '''
Twice is once
  and once again.'''
method = "Overflow panics."

[[exercise.nudge]]
at = "small_numbers"
hint = "Not squared."
"#;

    fn error(text: &str) -> String {
        format!("{:#}", parse(text).expect_err("a mistake"))
    }

    #[test]
    fn the_lines_of_prose_are_joined() {
        let exercises = parse(WHOLE).expect("an exercise");
        assert_eq!(exercises[0].question, "Twice is once and once again.");
        assert_eq!((exercises[0].minutes, &exercises[0].body), (3, &None));
        assert_eq!(exercises[0].nudges[0].sees, "");
    }

    #[test]
    fn an_unknown_field_is_named_with_its_exercise() {
        let text = WHOLE.replace("minutes = 3", "minutes = 3\nminuets = 4");
        assert_eq!(error(&text), "exercise 90.1: unknown field `minuets`");
        let text = WHOLE.replace("at = ", "see = \"1\"\nat = ");
        assert_eq!(error(&text), "exercise 90.1: nudge 1: unknown field `see`");
        assert_eq!(error("[[exercises]]"), "unknown field `exercises`");
    }

    #[test]
    fn what_is_hidden_has_a_file_and_a_reason_and_a_mistake_in_it_is_named() {
        let table = "[[hidden]]\nfile = 'src/a.rs'\nfunctions = ['one']\n\
                     because = '''it is\n1.1'''\n";
        let whole = table.to_owned() + WHOLE;
        let File { hidden, exercises, .. } = parse_file(&whole).expect("a file");
        let (file, because) = ("src/a.rs".to_owned(), "it is 1.1".to_owned());
        assert_eq!(hidden, [Hidden { file, functions: vec!["one".to_owned()], because }]);
        assert_eq!(exercises.len(), 1);
        assert_eq!(error("[[hidden]]\nfile = 'src/a.rs'"), "hidden 1: `because` is missing");
        let unknown = "[[hidden]]\nfile = 'src/a.rs'\nbecause = 'why'\nfunction = 'one'";
        assert_eq!(error(unknown), "hidden 1: unknown field `function`");
    }

    #[test]
    fn what_is_gone_says_what_asks_for_its_idea_now() {
        let gone = |now: &str| {
            let table = format!("[[gone]]\nnumber = '90.2'\nname = 'triple'\n{now}\n");
            parse_file(&(table + WHOLE)).map(|it| it.gone[0].in_words())
        };
        assert_eq!(gone("now = []").expect("a table"), "90.2 triple is gone");
        let moved = "90.2 triple is gone; its idea is in 90.1 and 90.3 now";
        assert_eq!(gone("now = ['90.1', '90.3']").expect("a table"), moved);
        let error = format!("{:#}", gone("").expect_err("a mistake"));
        assert_eq!(error, "gone 90.2: `now` is missing");
    }

    #[test]
    fn a_missing_or_empty_hint_is_named_with_its_exercise() {
        let text = WHOLE.replace("method = ", "body = ");
        assert_eq!(error(&text), "exercise 90.1: `method` is missing");
        let text = WHOLE.replace("Overflow panics.", " ");
        assert_eq!(error(&text), "exercise 90.1: `method` is empty");
    }

    #[test]
    fn a_value_of_another_kind_is_an_error() {
        let text = WHOLE.replace("minutes = 3", "minutes = \"3\"");
        assert_eq!(error(&text), "exercise 90.1: `minutes` isn't a whole number from 0 to 255");
        let text = WHOLE.replace("[\"small_numbers\"]", "\"small_numbers\"");
        assert_eq!(error(&text), "exercise 90.1: `scenes` isn't a list of names");
        assert_eq!(error("[[exercise]]\ntask = \"\""), "exercise 1: `number` is missing");
        let error = error("[[exercise]]\nnumber =");
        assert!(error.starts_with("line 2: "), "{error}");
    }
}
