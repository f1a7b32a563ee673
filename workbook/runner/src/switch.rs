//! `cargo run -- use-mine` and `use-reference` switch the layers under the later steps to the
//! reader's own layers or back to the reference's.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::bail;

use crate::arguments::Usage;
use judging::cargo::{Built, Messages, Profile, build_page};
use judging::notebook::Notebook;
use judging::terminal::{Terminal, shown};
use judging::workbook::{Workbook, numbers};

/// Puts the reader's complete layers under the later steps. If `words` names layers, switches only
/// these layers.
pub fn use_mine(workbook: Workbook, words: &[&str]) -> anyhow::Result<ExitCode> {
    let notebook = open(workbook)?;
    let layers = named(&notebook, words)?;
    let terminal = Terminal::of_stdout();
    let mut left = 0;
    for layer in &layers {
        let line = match why_not(&notebook, layer)? {
            None if notebook.own_layers()?.contains(layer) => format!("✓ {layer}: already yours"),
            None => {
                notebook.switch_layer(layer, true)?;
                format!("✓ {layer}: yours from now on")
            }
            Some(why) => {
                left += 1;
                let whose = if notebook.own_layers()?.contains(layer) {
                    "already yours, although it"
                } else {
                    "the reference's, because your page"
                };
                format!("· {layer}: {whose} {why}")
            }
        };
        terminal.print(&terminal.wrap_hanging("", "  ", &line));
    }
    terminal.print(&format!("\n{}", terminal.wrap("", &summary(&notebook)?)));
    terminal.print(&terminal.wrap_hanging("", "  ", PROGRAMS));
    // A reader who names a layer expects us to switch it, so the command fails if we don't.
    let failed = left > 0 && !words.is_empty();
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The programs that can run on the reader's layers.
const PROGRAMS: &str = "Programs for your layers, with `cargo run -- run-mine`: serve_files -- DIR, broken_servers, \
                        asyncio --example chat, ecosystem --example news, python -- PROGRAM.py.";

/// Puts the reference's layers back under the later steps. If `words` names layers, switches only
/// these layers.
pub fn use_reference(workbook: Workbook, words: &[&str]) -> anyhow::Result<ExitCode> {
    let notebook = open(workbook)?;
    let own = notebook.own_layers()?;
    let mut text = String::new();
    for layer in named(&notebook, words)? {
        let when = if own.contains(&layer) {
            notebook.switch_layer(&layer, false)?;
            "from now on"
        } else {
            "already"
        };
        let _ = writeln!(text, "✓ {layer}: the reference's {when}");
    }
    let terminal = Terminal::of_stdout();
    terminal.print(&format!("{text}\n{}", terminal.wrap("", &summary(&notebook)?)));
    Ok(ExitCode::SUCCESS)
}

/// Opens the reader's notebook and creates any of its own files that are missing. Fails if the
/// notebook doesn't exist or has no pages.
pub(crate) fn open(workbook: Workbook) -> anyhow::Result<Notebook> {
    let notebook = Notebook::of(workbook);
    if !notebook.dir.is_dir() || notebook.pages()?.is_empty() {
        bail!("you have no notebook yet. Begin with: cargo run -p step01_fd");
    }
    notebook.check_edition()?;
    notebook.repair()?;
    Ok(notebook)
}

/// Finds the layers that the reader names as `step03_selector`, `step03` or `03`. Without names,
/// returns all layers.
fn named(notebook: &Notebook, words: &[&str]) -> anyhow::Result<Vec<String>> {
    let layers = notebook.layers()?;
    if words.is_empty() {
        return Ok(layers);
    }
    let mut found = Vec::new();
    for word in words {
        let is_it = |layer: &&String| {
            let short = layer.split_once('_').map_or(layer.as_str(), |(short, _)| short);
            [layer.as_str(), short, short.trim_start_matches("step")].contains(word)
        };
        let known: Vec<&str> = layers.iter().map(String::as_str).collect();
        let layer = layers.iter().find(is_it);
        let layer = layer.ok_or_else(|| Usage::unknown("layer for later steps", word, &known))?;
        found.push(layer.clone());
    }
    Ok(found)
}

/// Returns the reason why the reader's layer can't be used, if its page isn't complete, or if the
/// page or a layer below it doesn't compile.
fn why_not(notebook: &Notebook, layer: &str) -> anyhow::Result<Option<String>> {
    if let Some(why) = notebook.standing(layer)?.why_not_complete() {
        return Ok(Some(why));
    }
    let failure = match build_page(notebook, layer, Messages::Kept, Profile::Dev)? {
        Built::Program(..) => return Ok(None),
        Built::DoesNotCompile(failure) => failure,
    };
    let see = notebook.typed(Some(layer), "");
    let below = failure.package.filter(|package| *package != notebook.page(layer));
    Ok(Some(match below {
        Some(below) => format!("can't be built until {} compiles", shown(&below)),
        None => format!("doesn't compile; to see why: {see}"),
    }))
}

/// Returns text that says which layers the pages build on now.
fn summary(notebook: &Notebook) -> anyhow::Result<String> {
    let own = notebook.own_layers()?;
    let layers = notebook.layers()?;
    let (yours, references): (Vec<&str>, Vec<&str>) =
        layers.iter().map(String::as_str).partition(|layer| own.iter().any(|own| own == layer));
    let file = shown(&notebook.dir.join("Cargo.toml"));
    Ok(match (yours.as_slice(), references.as_slice()) {
        (_, []) => format!("{file}: all your pages build on your own layers now."),
        ([], _) => format!("{file}: all your pages build on the reference's layers now."),
        (yours, references) => format!(
            "{file}: your pages build on your {} and on the reference's {}.",
            numbers(yours),
            numbers(references)
        ),
    })
}
