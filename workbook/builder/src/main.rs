//! `cargo run -p book`: builds the book, checks its links and prints the path of its first page.
//!
//! - `directives.rs`: replaces `{{#scene …}}` and the other directives;
//! - `diffs.rs`: each step's changes to the echo server;
//! - `steps.rs`: the scenes and listings, read from the steps' own source;
//! - `around.rs`: the part of a layer's code that a brief shows;
//! - `exercises.rs`: the exercises, and their functions with and without the bodies;
//! - `your_turn.rs`: shows a chapter's exercises;
//! - `folds.rs`: folds the exercises' bodies and keeps them out of print and search;
//! - `print.rs`: the printable page of the whole book, with all answers at the end;
//! - `spoilers.rs`: checks that no page shows the body of an exercise outside a fold;
//! - `ledger.rs`: the articles' claims, and the scenes that test them;
//! - `ledger_page.rs`: the claims on the book's pages;
//! - `figures/`: the figures that readers step through;
//! - `lines.rs`: the number of lines of code in a layer;
//! - `markdown.rs`: functions with which several modules write Markdown;
//! - `hunt.rs`: the wrong bodies in which readers hunt for the bug;
//! - `broken.rs`: the broken servers and their fixes;
//! - `predictions.rs`: the predictions that the chapters ask for;
//! - `sheets.rs`: the predictions on their printed sheets;
//! - `recordings.rs`: recorded runs that readers step through;
//! - `forms.rs`: the forms in which the pages' scripts ask questions;
//! - `plan.rs`: the plans for a class, minute by minute;
//! - `plan_page.rs`: the plans on the book's pages;
//! - `front.rs`: the preview for a link to a page, and the site map;
//! - `index.rs`: what the commands need to know about the chapters;
//! - `links.rs`: checks that no page has a broken link;
//! - `paths.rs`: the data for the bar that shows a reader's path;
//! - `inline_scripts.rs`: lists mdBook's own scripts, for the server's security policy;
//! - `polls.rs`: the book's material for a class;
//! - `class.rs`: `-- class` serves a class on an address that the teacher chooses;
//! - `server.rs`: `-- serve` shows the book on 127.0.0.1, with the cockpit;
//! - `mine.rs`: `-- serve --mine` does the same on the reader's own loop.

#![forbid(unsafe_code)]

mod around;
mod broken;
mod class;
mod diffs;
mod directives;
mod exercises;
mod figures;
mod folds;
mod forms;
mod front;
mod hunt;
mod index;
mod inline_scripts;
mod ledger;
mod ledger_page;
mod lines;
mod links;
mod markdown;
mod mine;
mod paths;
mod plan;
mod plan_page;
mod polls;
mod predictions;
mod print;
mod recordings;
mod server;
mod sheets;
mod spoilers;
mod steps;
#[cfg(test)]
mod tests;
mod your_turn;

use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use cockpit::CockpitOptions;
use directives::Directives;
use lexopt::{Arg, ValueExt};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;

const HELP: &str = "\
Builds the book, checks its links and prints where it is.

    cargo run -p book
    cargo run -p book -- serve               also shows it on 127.0.0.1, with the cockpit
    cargo run -p book -- serve --mine        the same, served by your own loop
    cargo run -p book -- class               serves a class: polls, and a board of progress
    cargo run -p book -- index               writes what the commands know of the chapters, as each build does

serve takes:
    --port N                   instead of 7007; 0 takes a free one
    --editor LINK-OR-COMMAND   opens your editor, as 'vscode://file{path}:{line}' or 'code -g {path}:{line}'
    --public-origin ORIGIN     where your browser finds a forwarded port, as https://name-7007.example.dev

class takes:
    --address IP[:PORT]        where to listen; without it, it lists this machine's addresses, and asks
    --public-origin ORIGIN     where browsers find a forwarded port
    --keep DIR                 leaves the class's file there at its end, instead of removing it
    --state FILE               the file while the class goes on, instead of target/class/class.jsonl
";

enum Command {
    Build,
    Serve(Serving),
    Class(class::Asked),
    WriteIndex,
    Help,
}

/// The arguments of `serve`.
#[derive(Default)]
struct Serving {
    port: Option<u16>,
    is_mine: bool,
    public_origin: Option<String>,
    editor: Option<String>,
}

fn main() -> ExitCode {
    kit::start_as_a_parent();
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, rest @ ..] = words.as_slice()
        && first == cockpit::IDLE
    {
        // The cockpit runs this command in a separate process.
        return match cockpit::hold_idle_connections(rest) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let command = match parse(lexopt::Parser::from_env()) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("error: {error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match carry_out(&command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut arguments: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut serves = false;
    let mut class: Option<class::Asked> = None;
    let mut serving = Serving::default();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Value(word) if word == "class" && !serves && class.is_none() => {
                class = Some(class::Asked::default());
            }
            Arg::Long(option) if class.is_some() => {
                let option = option.to_owned();
                let value = arguments.value()?;
                if let Some(class) = &mut class {
                    class.take(&option, value)?;
                }
            }
            Arg::Long("port") if serves => serving.port = Some(arguments.value()?.parse()?),
            Arg::Long("mine") if serves => serving.is_mine = true,
            Arg::Long("public-origin") if serves => {
                serving.public_origin = Some(arguments.value()?.parse()?);
            }
            Arg::Long("editor") if serves => serving.editor = Some(arguments.value()?.parse()?),
            Arg::Value(word) if word == "serve" && !serves => serves = true,
            Arg::Value(word) if word == "index" && !serves => return Ok(Command::WriteIndex),
            other => return Err(other.unexpected()),
        }
    }
    Ok(match class {
        Some(class) => Command::Class(class),
        None if serves => Command::Serve(serving),
        None => Command::Build,
    })
}

fn carry_out(command: &Command) -> Result<()> {
    if let Command::Help = command {
        return Ok(write!(stdout(), "{HELP}")?);
    }
    let builder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = builder.ancestors().nth(2).context("the book is in the workspace")?;
    if let Command::WriteIndex = command {
        return index::write(root);
    }
    let mdbook = load(root).map_err(whole_chain)?;
    if let Command::Class(asked) = command {
        asked.check()?;
        let pages = mdbook.build_dir_for("html");
        // If the book has already been built, we don't build it again: a class uses only a small
        // part of the book, and an interrupted class should be able to continue immediately.
        let is_built = pages.join("index.html").exists();
        let pages = if is_built { pages } else { renew(mdbook, root)? };
        return class::serve(asked, &root.canonicalize()?, &pages);
    }
    let pages = renew(mdbook, root)?;
    let index = pages.join("index.html").canonicalize()?;
    writeln!(stdout(), "The book is built: open {}", index.display())?;
    let Command::Serve(Serving { port, is_mine, public_origin, editor }) = command else {
        return Ok(());
    };
    let options = CockpitOptions {
        root: root.canonicalize()?,
        pages,
        port: port.unwrap_or(cockpit::PORT),
        token: cockpit::new_token()?,
        public_origin: public_origin.clone(),
        editor: editor.clone(),
        time_limit: cockpit::TIME_LIMIT,
        notice: None,
    };
    if *is_mine { mine::serve(options) } else { server::serve(options) }
}

/// Loads the book. The book's root is `workbook/`, because mdBook looks for the theme there.
fn load(root: &Path) -> Result<MDBook> {
    let mut config = Config::from_disk(root.join("book/book.toml"))?;
    config.update_from_env()?;
    MDBook::load_with_config(root.join("workbook"), config)
}

/// Writes the chapters' index for the commands and builds the book.
fn renew(mdbook: MDBook, root: &Path) -> Result<PathBuf> {
    index::write(root)?;
    build(mdbook, root)
}

/// Builds the book, checks it, and returns the directory with its pages.
fn build(mut mdbook: MDBook, root: &Path) -> Result<PathBuf> {
    let directives = Directives::new(root);
    let folds = directives.folds.clone();
    mdbook.with_preprocessor(directives);
    mdbook.build().map_err(whole_chain)?;
    let pages = mdbook.build_dir_for("html");
    fs::write(pages.join(paths::SCRIPT), paths::script(root)?)?;
    folds.fill(&pages)?;
    print::unfold(&pages)?;
    front::complete(&pages, &mdbook.config)?;
    inline_scripts::list(&pages)?;
    links::check(&pages)?;
    spoilers::check(&pages, root)?;
    Ok(pages)
}

/// Returns an error whose message includes the whole chain of mdBook's errors.
fn whole_chain(error: anyhow::Error) -> anyhow::Error {
    anyhow!("the book doesn't build: {error:#}")
}
