//! The directives in double braces and their replacements in a chapter.
//!
//! | in a chapter | becomes |
//! | --- | --- |
//! | `{{#listing step02_epoll epoll.rs wait}}` | the lines between the anchors `wait`, with the exercises' bodies folded |
//! | `{{#listing step01_fd examples/busy.rs serve}}` | the same, from an example |
//! | `{{#source beyond/ecosystem/src/io.rs poll_to_read}}` | the lines between the anchors of a file outside the steps |
//! | `{{#source beyond/from_scratch/empty.rs}}` | the whole file, which can be Rust, Python or plain text |
//! | `{{#example step02_epoll naive}}` | the program `examples/naive.rs`, without its header |
//! | `{{#transcript step02_epoll level_or_edge}}` | a scene's expected transcript, unfolded, and its twin in Python and its recording, if there are any |
//! | `{{#scene step02_epoll level_or_edge}}` | a prediction: a scene's question, its code, a form for the answers, its expected transcript in a fold, its twin, and its recording |
//! | `{{#scene step02_epoll level_or_edge helper}}` | the same, with a function that the scene calls |
//! | `{{#exercise 2.3}}` | the exercise: its task, its scenes and trials, the code around the hole, and our body in a fold |
//! | `{{#exercise S.1}}` | the same for a stage of the loop from scratch, without any code |
//! | `{{#exercises step02_epoll}}` | the step's exercises, as a table |
//! | `{{#changes step03_selector}}` | the step's changes to the echo server, with their lessons |
//! | `{{#claims step02_epoll}}` | the step's rows of the claims ledger, as a table |
//! | `{{#claims asyncio L7.13 L7.25}}` | these rows of the package's claims |
//! | `{{#ledger}}` | the whole ledger and the articles that it cites |
//! | `{{#measured waiting.md}}` | the measured results in `book/measured/waiting.md` |
//! | `{{#lines step02_epoll}}` | the number of lines of code in the step's layer |
//! | `{{#broken library}}` | the clients' view of a broken server |
//! | `{{#broken_source library}}` | the server's source, in a fold |
//! | `{{#broken_line library .find(}}` | the number of the source line that contains this text |
//! | `{{#broken_ticks library 3 7}}` | some ticks of the server's loop |
//! | `{{#fix library}}` | the server's fix, as a diff |
//! | `{{#hunt step02_epoll}}` | wrong bodies for the step's exercises, and the promise that each breaks |
//! | `{{#predictions}}` | a sheet for each step, with the predictions that its chapter asks for |
//! | `{{#answers}}` | the answers to all predictions |
//! | `{{#session first}}` | a plan of `teaching.toml`: its activities with their times, and the homework |
//! | `{{#title first}}` | the plan's heading |
//! | `{{#questions step06 step07}}` | typical mistakes in these steps, and the questions that help |
//! | `{{#paces first second}}` | the times at which a class reaches the stopping places in these plans, at four paces |
//! | `{{#minutes 2.1 step03}}` | the total time for these exercises, in minutes |
//! | `{{#figure orders}}` | a question and a figure that the reader steps through; `figures/mod.rs` lists the figures |
//! | `{{#picture tick.svg}}` | the picture, inline, so that it uses the theme's colours |
//!
//! Any other directive is an error.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::exercises::{ExerciseSource, stages};
use crate::folds::Folds;
use crate::forms::split_list;
use crate::ledger::Ledger;
use crate::ledger_page::scene_id;
use crate::markdown::{block, rust};
use crate::plan::Plans;
use crate::steps::{SceneSource, StepSource, Twin, between_anchors};
use crate::{broken, diffs, figures, forms, hunt, lines, recordings, sheets, your_turn};

pub(crate) struct Directives {
    root: PathBuf,
    /// What mdBook doesn't see, because it's filled into the built pages.
    pub(crate) folds: Folds,
    /// The claims ledger, read when a chapter first needs it.
    ledger: OnceCell<Ledger>,
    /// The plans for a class, read when a chapter first needs them.
    plans: OnceCell<Plans>,
}

impl Directives {
    pub(crate) fn new(root: &Path) -> Self {
        Directives {
            root: root.to_owned(),
            folds: Folds::default(),
            ledger: OnceCell::new(),
            plans: OnceCell::new(),
        }
    }

    /// Returns a chapter with every directive replaced.
    pub(crate) fn expand(&self, chapter: &str) -> Result<String> {
        let mut expanded = String::with_capacity(chapter.len());
        let mut rest = chapter;
        while let Some((before, after)) = rest.split_once("{{#") {
            let (directive, after) = after.split_once("}}").context("a `{{#` without its `}}`")?;
            let (wrong, after) = if directive.starts_with("scene ") {
                split_list(after).with_context(|| directive.to_owned())?
            } else {
                ("", after)
            };
            expanded += before;
            expanded += &self
                .carry_out(directive, chapter, wrong)
                .with_context(|| format!("{{{{#{directive}}}}}"))?;
            rest = after;
        }
        Ok(expanded + rest)
    }

    /// Returns the replacement for a chapter's directive. If the directive is a scene, `wrong`
    /// lists the wrong answers that the chapter expects from readers.
    fn carry_out(&self, directive: &str, chapter: &str, wrong: &str) -> Result<String> {
        let words: Vec<&str> = directive.split_whitespace().collect();
        let step = |package| StepSource::open(&self.root, package);
        match words.as_slice() {
            ["listing", package, file, anchor] => {
                let listing = step(package)?.listing(file, anchor)?;
                let mut blocks = vec![
                    format!("<span class=\"filename\">{}</span>", listing.path),
                    rust(&listing.code),
                ];
                blocks.extend(listing.exercises.iter().map(|it| self.folds.of_body(it)));
                Ok(blocks.join("\n\n"))
            }
            // A file outside the layers contains no exercises.
            ["source", file, anchor @ ..] => {
                let text = fs::read_to_string(self.root.join(file));
                let text = text.with_context(|| format!("read {file}"))?;
                let code = match anchor {
                    [] => text,
                    [anchor, ..] => between_anchors(&text, anchor)
                        .with_context(|| format!("no anchor `{anchor}`"))?,
                };
                let language = match file.rsplit_once('.') {
                    Some((_, "py")) => "python",
                    Some((_, "txt")) => return Ok(block("text", code.trim_end())),
                    _ => "rust",
                };
                Ok(format!("<span class=\"filename\">{file}</span>\n\n") + &block(language, &code))
            }
            ["example", package, name] => {
                let file = format!("<span class=\"filename\">{package}/examples/{name}.rs</span>");
                Ok(file + "\n\n" + &rust(&step(package)?.example(name)?))
            }
            ["transcript", package, scene] => {
                let SceneSource { transcript, twin, .. } = step(package)?.scene(scene, &[])?;
                let transcript = shown(package, scene, &transcript);
                let recording = recordings::mark(&self.root, package, scene, &self.folds)?;
                let anchor = anchor(package, scene);
                Ok(format!("{anchor}\n\n{transcript}{}{recording}", in_python(twin)))
            }
            ["scene", package, name, helpers @ ..] => {
                let scene = step(package)?.scene(name, helpers)?;
                let transcript = self.folds.of_transcript(&scene.transcript);
                let transcript = folded(package, name, &transcript, &scene.notes);
                let code = rust(&scene.code);
                let question = scene.question;
                let twin = in_python(scene.twin);
                let (anchor, asked) = (anchor(package, name), asked(package, name));
                let form = forms::of_scene(&self.root, package, name, helpers, wrong)?;
                let recording = recordings::mark(&self.root, package, name, &self.folds)?;
                Ok([
                    format!("{anchor}**{question}**\n\n{code}\n\n{form}\n\n{asked}"),
                    format!("\n\n{transcript}{twin}{recording}"),
                ]
                .concat())
            }
            ["exercise", number] => {
                let stage = stages(&self.root)?.into_iter().find(|stage| stage.number == *number);
                Ok(if let Some(stage) = stage {
                    your_turn::stage(&stage)
                } else {
                    let exercise = ExerciseSource::numbered(&self.root, number)?;
                    your_turn::exercise(&exercise, &self.folds)
                })
            }
            ["exercises", package] => your_turn::table(&step(package)?, chapter),
            ["changes", package] => diffs::shown(&self.root, package, &self.folds),
            ["claims", package, ids @ ..] => self.ledger()?.of_step(package, ids, &self.root),
            ["ledger"] => self.ledger()?.whole(&self.root),
            ["measured", file] => {
                let path = self.root.join("book/measured").join(file);
                fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))
            }
            ["lines", package] => lines::of_layer(&step(package)?),
            ["broken", name] => broken::story(&self.root, name),
            ["broken_source", name] => broken::source(&self.root, name),
            ["broken_line", name, fragment] => broken::line(&self.root, name, fragment),
            ["broken_ticks", name, first, last] => {
                broken::ticks(&self.root, name, first.parse()?, last.parse()?)
            }
            ["fix", name] => broken::fix(&self.root, name),
            ["hunt", package] => hunt::of_step(&self.root, package, &self.folds),
            ["predictions"] => self.expand(&sheets::printed(&self.root)?),
            ["answers"] => sheets::answers(&self.root),
            ["session", name] => self.plans()?.table(name),
            ["title", name] => Ok(self.plans()?.session(name)?.title.clone()),
            ["questions", steps @ ..] => self.plans()?.questions_of(steps),
            ["paces", names @ ..] => self.plans()?.paces(names),
            ["minutes", words @ ..] => Ok(self.plans()?.sum(words)?.to_string()),
            ["figure", name] => figures::shown(name),
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

    fn plans(&self) -> Result<&Plans> {
        if let Some(plans) = self.plans.get() {
            return Ok(plans);
        }
        let plans = Plans::read(&self.root)?;
        Ok(self.plans.get_or_init(|| plans))
    }

    fn picture(&self, file: &str) -> Result<String> {
        let path = self.root.join("book/pictures").join(file);
        let svg = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        // Remove blank lines, because in Markdown, a blank line would end the HTML block.
        let svg: Vec<&str> = svg.lines().filter(|line| !line.trim().is_empty()).collect();
        Ok(format!("<figure class=\"picture\">\n{}\n</figure>", svg.join("\n")))
    }
}

/// Returns an HTML element whose id is the target of the ledger's links to a scene.
fn anchor(package: &str, scene: &str) -> String {
    format!("<span id=\"{}\"></span>", scene_id(package, scene))
}

/// Returns the transcript of a scene that isn't a prediction, below the command that plays the
/// scene.
fn shown(package: &str, scene: &str, transcript: &str) -> String {
    let command = format!("cargo run -p {package} -- play {scene}");
    format!("<span class=\"filename\">{command}</span>\n\n```text\n{transcript}\n```")
}

/// Returns the command with which a reader predicts a scene in the terminal. The chapter's index
/// lists the scene, too, so the map that `cargo run` shows counts the prediction.
fn asked(package: &str, scene: &str) -> String {
    format!("<span class=\"filename in-terminal\">cargo run -p {package} -- predict {scene}</span>")
}

/// Returns a fold with a scene's transcript and notes. The reader opens the fold after making a
/// prediction.
fn folded(package: &str, scene: &str, transcript: &str, notes: &str) -> String {
    format!(
        "<details class=\"transcript\">\n\
         <summary>What it prints<span class=\"in-terminal\">: <code>cargo run -p {package} -- play \
         {scene}</code></span></summary>\n\n\
         {transcript}\n\n{notes}\n\n</details>"
    )
}

/// Returns a fold with a scene's Python twin, or an empty string if there's no twin.
fn in_python(twin: Option<Twin>) -> String {
    let Some(Twin { path, code }) = twin else { return String::new() };
    format!(
        "\n\n<details class=\"twin\">\n\
         <summary>The same on CPython: <code>python3 {path}</code></summary>\n\n\
         ```python\n{code}\n```\n\n</details>"
    )
}

impl Preprocessor for Directives {
    fn name(&self) -> &'static str {
        "directives"
    }

    fn run(&self, _context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let mut outcome = Ok(());
        let mut pages = Vec::new();
        book.for_each_mut(|item| {
            let BookItem::Chapter(chapter) = item else { return };
            let page = chapter.path.as_deref().unwrap_or(Path::new("")).display().to_string();
            let asked = forms::before_folds(&page, &chapter.content);
            match asked.and_then(|text| self.expand(&text)) {
                Ok(expanded) => {
                    pages.push((page, expanded.clone()));
                    chapter.content = expanded;
                }
                Err(error) if outcome.is_ok() => {
                    outcome = Err(error.context(format!("in the chapter `{}`", chapter.name)));
                }
                Err(_) => {}
            }
        });
        outcome?;
        let listed = forms::listed(&pages);
        book.for_each_mut(|item| {
            if let BookItem::Chapter(chapter) = item {
                chapter.content.extend(["\n\n", &listed, "\n"]);
            }
        });
        Ok(book)
    }
}
