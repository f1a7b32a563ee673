//! `cargo run -p book`: builds the book, checks its links and prints where it is.
//!
//! - `directives.rs`: replaces `{{#scene …}}` and the other directives;
//! - `diffs.rs`: what each step changes in the echo server;
//! - `steps.rs`: the scenes and listings, read from the steps' own source;
//! - `exercises.rs`: the exercises, and their functions with and without the bodies;
//! - `your_turn.rs`: how a chapter shows its exercises;
//! - `folds.rs`: folds the exercises' bodies, and keeps them out of print and search;
//! - `spoilers.rs`: checks that no page shows such a body;
//! - `ledger.rs`: what the articles claim, and the scenes that show whether it's true;
//! - `ledger_page.rs`: how the pages show that;
//! - `ticks.rs`: the picture of a traced run, from its transcript;
//! - `lines.rs`: how many lines of code a layer has;
//! - `markdown.rs`: Markdown that several pages write;
//! - `broken.rs`: the broken servers, and what mends them;
//! - `predictions.rs`: the predictions that the chapters ask for;
//! - `sheets.rs`: how they're printed;
//! - `forms.rs`: what the pages' scripts ask with;
//! - `plan.rs`: the plans for a class, minute by minute;
//! - `plan_page.rs`: how the pages show them;
//! - `links.rs`: checks that no link of any page is broken;
//! - `server.rs`: `-- serve` shows the book on 127.0.0.1;
//! - `mine.rs`: `-- serve --mine` does so on the reader's own loop.

#![forbid(unsafe_code)]

mod broken;
mod diffs;
mod directives;
mod exercises;
mod folds;
mod forms;
mod hunt;
mod ledger;
mod ledger_page;
mod lines;
mod links;
mod markdown;
mod mine;
mod plan;
mod plan_page;
mod predictions;
mod server;
mod sheets;
mod spoilers;
mod steps;
#[cfg(test)]
mod tests;
mod ticks;
mod your_turn;

use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use directives::Directives;
use lexopt::{Arg, ValueExt};
use mdbook_driver::MDBook;

const HELP: &str = "\
Builds the book, checks its links and prints where it is.

    cargo run -p book
    cargo run -p book -- serve [--port N]    also shows it on 127.0.0.1
    cargo run -p book -- serve --mine        the same, served by your own loop
    cargo run -p book -- diffs               records what the steps change in the server
    cargo run -p book -- names               writes the names of things for the pages' scripts
";

enum Command {
    Build,
    Serve { port: u16, is_mine: bool },
    RecordDiffs,
    WriteNames,
    Help,
}

fn main() -> ExitCode {
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
    let mut port = None;
    let mut is_mine = false;
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("port") if serves => port = Some(arguments.value()?.parse()?),
            Arg::Long("mine") if serves => is_mine = true,
            Arg::Value(word) if word == "serve" && !serves => serves = true,
            Arg::Value(word) if word == "diffs" && !serves => return Ok(Command::RecordDiffs),
            Arg::Value(word) if word == "names" && !serves => return Ok(Command::WriteNames),
            other => return Err(other.unexpected()),
        }
    }
    let port = port.unwrap_or(0);
    Ok(if serves { Command::Serve { port, is_mine } } else { Command::Build })
}

fn carry_out(command: &Command) -> Result<()> {
    if let Command::Help = command {
        return Ok(write!(stdout(), "{HELP}")?);
    }
    let book = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = book.parent().context("the book is in the workspace")?;
    if let Command::RecordDiffs = command {
        return diffs::record(root);
    }
    if let Command::WriteNames = command {
        let file = book.join("theme/names.js");
        return fs::write(&file, forms::names_script()).context(file.display().to_string());
    }
    let pages = build(MDBook::load(book).map_err(whole_chain)?, root)?;
    let index = pages.join("index.html").canonicalize()?;
    writeln!(stdout(), "The book is built: open {}", index.display())?;
    match command {
        Command::Serve { port, is_mine: true } => mine::serve(root, &pages, *port),
        Command::Serve { port, is_mine: false } => server::serve(&pages, *port),
        Command::Build | Command::RecordDiffs | Command::WriteNames | Command::Help => Ok(()),
    }
}

/// Builds the book, checks it, and returns the directory with its pages.
fn build(mut mdbook: MDBook, root: &Path) -> Result<PathBuf> {
    mdbook.with_preprocessor(Directives::new(root));
    mdbook.build().map_err(whole_chain)?;
    let pages = mdbook.build_dir_for("html");
    folds::fill(&pages, root, diffs::lines_of)?;
    links::check(&pages)?;
    spoilers::check(&pages, root)?;
    Ok(pages)
}

/// Puts mdBook's own error into one sentence.
fn whole_chain(error: anyhow::Error) -> anyhow::Error {
    anyhow!("the book doesn't build: {error:#}")
}
