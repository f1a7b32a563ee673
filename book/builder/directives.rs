//! The directives in double braces, and what replaces them in a chapter.
//!
//! | in a chapter | becomes |
//! | --- | --- |
//! | `{{#listing step02_epoll epoll.rs wait}}` | the lines between the anchors `wait` |
//! | `{{#transcript step02_epoll level_or_edge}}` | its expected transcript, folded |
//! | `{{#scene step02_epoll level_or_edge}}` | its question, its code and its expected transcript |
//! | `{{#scene step02_epoll level_or_edge helper}}` | the same, with a function that it calls |
//! | `{{#exercises step02_epoll}}` | the exercises, as a table |
//! | `{{#changes step03_selector}}` | what the step changes in the echo server, with its lessons |
//! | `{{#claims step02_epoll}}` | the step's rows of the claims ledger, as a table |
//! | `{{#ledger}}` | the whole ledger, and the articles it cites |
//! | `{{#measured waiting.md}}` | figures that `race/` has measured |
//! | `{{#picture tick.svg}}` | the picture, inline, so that it takes the theme's colours |
//!
//! Anything else in such braces is an error.

use std::cell::OnceCell;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::diffs;
use crate::ledger::{Ledger, scene_id};
use crate::steps::StepSource;

pub(crate) struct Directives {
    root: PathBuf,
    /// The claims ledger, read when a chapter first needs it.
    ledger: OnceCell<Ledger>,
}

impl Directives {
    pub(crate) fn new(root: &Path) -> Self {
        Directives { root: root.to_owned(), ledger: OnceCell::new() }
    }

    /// Replaces every directive of a chapter.
    fn expand(&self, chapter: &str) -> Result<String> {
        let mut expanded = String::with_capacity(chapter.len());
        let mut rest = chapter;
        while let Some((before, after)) = rest.split_once("{{#") {
            let (directive, after) = after.split_once("}}").context("a `{{#` without its `}}`")?;
            expanded += before;
            expanded +=
                &self.carry_out(directive).with_context(|| format!("{{{{#{directive}}}}}"))?;
            rest = after;
        }
        Ok(expanded + rest)
    }

    fn carry_out(&self, directive: &str) -> Result<String> {
        let words: Vec<&str> = directive.split_whitespace().collect();
        let step = |package| StepSource::open(&self.root, package);
        match words.as_slice() {
            ["listing", package, file, anchor] => {
                let code = step(package)?.listing(file, anchor)?;
                Ok(format!(
                    "<span class=\"filename\">{package}/src/{file}</span>\n\n{}",
                    rust(&code)
                ))
            }
            ["transcript", package, scene] => {
                let transcript = step(package)?.scene(scene, &[])?.transcript;
                Ok(anchor(package, scene) + "\n\n" + &folded(package, scene, &transcript))
            }
            ["scene", package, name, helpers @ ..] => {
                let scene = step(package)?.scene(name, helpers)?;
                let (code, transcript) =
                    (rust(&scene.code), folded(package, name, &scene.transcript));
                let question = scene.question;
                Ok(format!("{}**{question}**\n\n{code}\n\n{transcript}", anchor(package, name)))
            }
            ["exercises", package] => exercises(&step(package)?),
            ["changes", package] => diffs::shown(&self.root, package),
            ["claims", package] => self.ledger()?.of_step(package, &self.root),
            ["ledger"] => self.ledger()?.whole(&self.root),
            ["measured", file] => {
                let path = self.root.join("book/measured").join(file);
                fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))
            }
            ["picture", file] => self.picture(file),
            _ => bail!("unknown directive; builder/directives.rs lists them"),
        }
    }

    fn ledger(&self) -> Result<&Ledger> {
        if let Some(ledger) = self.ledger.get() {
            return Ok(ledger);
        }
        let ledger = Ledger::read(&self.root)?;
        Ok(self.ledger.get_or_init(|| ledger))
    }

    fn picture(&self, file: &str) -> Result<String> {
        let path = self.root.join("book/pictures").join(file);
        let svg = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        // A blank line would end the block of HTML in Markdown.
        let svg: Vec<&str> = svg.lines().filter(|line| !line.trim().is_empty()).collect();
        Ok(format!("<figure class=\"picture\">\n{}\n</figure>", svg.join("\n")))
    }
}

/// The target of the ledger's links to a scene.
fn anchor(package: &str, scene: &str) -> String {
    format!("<span id=\"{}\"></span>", scene_id(package, scene))
}

fn rust(code: &str) -> String {
    format!("```rust\n{code}\n```")
}

/// Folds a transcript, for the reader to open after a prediction.
fn folded(package: &str, scene: &str, transcript: &str) -> String {
    format!(
        "<details class=\"transcript\">\n\
         <summary>What it prints: <code>cargo run -p {package} -- play {scene}</code></summary>\n\n\
         ```text\n{transcript}\n```\n\n</details>"
    )
}

fn exercises(step: &StepSource) -> Result<String> {
    let mut table = String::from(
        "<div class=\"exercises\">\n\n\
         | | exercise | judged by | minutes |\n| --- | --- | --- | --- |\n",
    );
    let exercises = step.exercises()?;
    let is_last_step = exercises.iter().all(|exercise| exercise.only_here.is_some());
    for exercise in exercises {
        let scenes: Vec<String> =
            exercise.scenes.iter().map(|scene| format!("`{scene}`")).collect();
        let (number, name, minutes) = (&exercise.number, &exercise.name, &exercise.minutes);
        let (task, scenes) = (&exercise.task, scenes.join(" "));
        let only_here = match exercise.only_here {
            Some(reason) if !is_last_step => format!("<br>*No later step runs it. {reason}*"),
            _ => String::new(),
        };
        writeln!(table, "| {number} | **`{name}`** {task}{only_here} | {scenes} | {minutes} |")?;
    }
    if !is_last_step {
        table += "\n\nLater steps and their servers run what you write here, unless the table says otherwise.\n";
    }
    Ok(table + "\n</div>\n")
}

impl Preprocessor for Directives {
    fn name(&self) -> &'static str {
        "directives"
    }

    fn run(&self, _context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let mut outcome = Ok(());
        book.for_each_mut(|item| {
            let BookItem::Chapter(chapter) = item else { return };
            match self.expand(&chapter.content) {
                Ok(expanded) => chapter.content = expanded,
                Err(error) if outcome.is_ok() => {
                    outcome = Err(error.context(format!("in the chapter `{}`", chapter.name)));
                }
                Err(_) => {}
            }
        });
        outcome.map(|()| book)
    }
}
