//! `cargo run` in the workbook's root: the map of the seven steps, and the checks for maintainers.

#![forbid(unsafe_code)]
// Reports are put together piece by piece; `write!` would hide that behind results to ignore.
#![allow(clippy::format_push_string)]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::Context;
use runner::ledger::{Noted, noted};
use runner::notebook::Notebook;
use runner::root::{find_root, steps};
use runner::terminal::Terminal;

const HELP: &str = "\
cargo run                     this map
cargo run -p step01_fd        begin, or go on with step 01
cargo run -p book -- serve    read the book

For maintainers:
cargo run -- check            prove every exercise of every step
cargo run -- soak [COUNT]     play every scene COUNT times, under load
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        [] => map(),
        ["check"] => each_step(&["check"]),
        ["check-reuse"] => root().and_then(|root| runner::author::check_reuse(&root)),
        ["soak"] => each_step(&["soak", "300"]),
        ["soak", count] => each_step(&["soak", count]),
        ["help" | "--help" | "-h"] => {
            Terminal::of_stdout().print(HELP);
            Ok(ExitCode::SUCCESS)
        }
        ["--version" | "-V"] => {
            Terminal::of_stdout().print(concat!("workbook ", env!("CARGO_PKG_VERSION"), "\n"));
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            let known = "Known: check, soak [COUNT], help; without any of them, the map.";
            return runner::misused(&format!("`{}` is no command. {known}", words.join(" ")));
        }
    };
    result.unwrap_or_else(|error| runner::complain(&error))
}

/// The seven steps: what is green, what is next.
fn map() -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let notebook = Notebook::of(&root()?);
    let mut text = format!("{}\n\n", terminal.bold("The event loop workbook"));
    let mut next = None;
    for step in steps(&notebook.root)? {
        let noted = noted(&notebook, &step);
        let is_done = noted.as_ref().is_some_and(|noted| noted.is_green && noted.is_current);
        let state = state(noted.as_ref());
        let line = format!("{} {step:<18} {state}", if is_done { "✓" } else { "·" });
        let line = if is_done { terminal.green(&line) } else { line };
        text += &format!("{line}\n{}", terminal.wrap("    ", &title(&notebook, &step)?));
        if !is_done && next.is_none() {
            next = Some(step);
        }
    }
    text.push('\n');
    text += &match next {
        Some(step) => format!("Next:  {}\n", terminal.bold(&format!("cargo run -p {step}"))),
        None => "All seven are green: the loop is yours.\n".to_owned(),
    };
    text += "Book:  cargo run -p book -- serve\nMore:  cargo run -- help\n";
    terminal.print(&text);
    Ok(ExitCode::SUCCESS)
}

fn state(noted: Option<&Noted>) -> String {
    match noted {
        None => "not begun".to_owned(),
        Some(noted) if !noted.is_current => {
            format!("{} of {} green, changed since", noted.green, noted.all)
        }
        Some(noted) => format!("{} of {} green", noted.green, noted.all),
    }
}

fn title(notebook: &Notebook, step: &str) -> anyhow::Result<String> {
    let file = notebook.step(step).join("Cargo.toml");
    let manifest =
        std::fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
    let description = runner::manifest::description(&manifest).unwrap_or_default();
    // `Step 02: epoll. …`; the number stands on the line above.
    Ok(description.split_once(": ").map_or(description, |(_, title)| title).to_owned())
}

/// Has every step's own program do its part, in order.
fn each_step(words: &[&str]) -> anyhow::Result<ExitCode> {
    let root = root()?;
    let mut failed = Vec::new();
    for step in steps(&root)? {
        Terminal::of_stdout().print(&format!("{step}\n"));
        if !run(&root, &step, words)? {
            failed.push(step);
        }
    }
    let verdict = match failed.as_slice() {
        [] => "every step passed\n".to_owned(),
        failed => format!("{} failed: {}\n", failed.len(), failed.join(", ")),
    };
    Terminal::of_stdout().print(&verdict);
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run(root: &Path, step: &str, words: &[&str]) -> anyhow::Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args(["run", "--quiet", "-p", step, "--"])
        .args(words)
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("run {step}"))?;
    Ok(status.success())
}

fn root() -> anyhow::Result<PathBuf> {
    // `cargo run` says where the workbook lies now; the program knows where it lay when built.
    let dir = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let dir = dir.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    find_root(&dir)
}
