//! `cargo run -- upgrade`: replaces a notebook of an earlier edition with a fresh one, and carries
//! over what the reader wrote. The old one is moved aside, never deleted.
//!
//! The new notebook is made next to the old one and takes its place only when it's complete. Until
//! then an interruption leaves everything as it was.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, ensure};
use scene::root::cargo;

use super::edition::{CURRENT, check, edition_of};
use super::renames::EDITIONS;
use super::{Notebook, manifest};
use crate::progress::hint_file;
use crate::terminal::{Terminal, shown};
use crate::workbook::{Workbook, file_names, write};

/// Upgrades the reader's notebook.
pub fn upgrade(workbook: Workbook) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let old = Notebook::of(workbook);
    if !old.dir.exists() {
        terminal.print("You have no notebook yet. Begin with: cargo run -p step01_fd\n");
        return Ok(ExitCode::SUCCESS);
    }
    if edition_of(&old)? >= CURRENT {
        // A notebook from a later edition is an error.
        check(&old)?;
        terminal.print("Your notebook is up to date.\n");
        return Ok(ExitCode::SUCCESS);
    }
    let aside = free_name(&old.dir, "before-upgrade")?;
    let new = Notebook { dir: free_name(&old.dir, "upgraded")?, workbook: old.workbook.clone() };
    fill(&old, &new, &aside, &terminal).with_context(|| {
        format!(
            "the upgrade isn't finished. Your notebook in {} is as it was; the unfinished new \
             one is in {}",
            shown(&old.dir),
            shown(&new.dir)
        )
    })?;
    move_dir(&old.dir, &aside)?;
    move_dir(&new.dir, &old.dir)?;
    if aside.join(".git").exists() {
        move_dir(&aside.join(".git"), &old.dir.join(".git"))?;
    }
    let done = format!(
        "Done: {work} is your notebook again, and the old one is in {aside}.{git}",
        work = shown(&old.dir),
        aside = shown(&aside),
        git =
            if old.dir.join(".git").exists() { " Its git history is in the new one." } else { "" },
    );
    terminal.print(&format!("\n{}", terminal.wrap("", &done)));
    let left = left_behind(&aside, &old)?;
    if !left.is_empty() {
        let about = "These are yours too, and are only in the old one. Copy what you need:";
        terminal.print(&terminal.wrap("", about));
        for path in left {
            terminal.print(&format!("  {}\n", shown(&path)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes the new notebook, with everything that can be carried over.
fn fill(old: &Notebook, new: &Notebook, aside: &Path, terminal: &Terminal) -> anyhow::Result<()> {
    let old_manifest = old.dir.join("Cargo.toml");
    let own = if old_manifest.exists() { manifest::own_layers(&old_manifest)? } else { Vec::new() };
    write(&new.dir.join("Cargo.toml"), &new.workspace_manifest(&own)?)?;
    if !own.is_empty() {
        let layers = format!("Your own layers, as before: {}.", own.join(", "));
        terminal.print(&terminal.wrap("", &layers));
    }
    copy_what_the_reader_added(&old.dir, &new.dir)?;
    copy_state(old, new)?;
    for package in old.pages()? {
        terminal.print(&format!("{}\n", terminal.bold(&package)));
        let status = cargo()
            .current_dir(&old.workbook.root)
            .args(["run", "--quiet", "-p", &package, "--", "carry-over"])
            .args([&old.dir, &new.dir, aside])
            .stdin(Stdio::null())
            .status()
            .context("start cargo")?;
        ensure!(status.success(), "{package} couldn't be carried over");
    }
    Ok(())
}

/// Copies files next to the pages, such as notes and a `.gitignore`.
fn copy_what_the_reader_added(old: &Path, new: &Path) -> anyhow::Result<()> {
    for name in file_names(old)? {
        let (from, to) = (old.join(&name), new.join(&name));
        if from.is_file() && !to.exists() && name != "Cargo.lock" && name != ".git" {
            copy(&from, &to)?;
        }
    }
    Ok(())
}

/// Lists what the reader added to the old notebook and the new one lacks: folders next to the pages,
/// and files in the pages.
fn left_behind(old: &Path, new: &Notebook) -> anyhow::Result<Vec<PathBuf>> {
    let packages = new.pages()?;
    let edition = EDITIONS.iter().flat_map(|edition| edition.steps);
    let renamed: Vec<PathBuf> = edition
        .flat_map(|step| {
            step.files.iter().map(|(old, _)| Path::new(step.package).join("src").join(old))
        })
        .collect();
    let mut left = Vec::new();
    for name in file_names(old)? {
        let is_ours =
            packages.contains(&name) || [".state", ".cargo", ".git", "target"].contains(&&*name);
        if !is_ours && !new.dir.join(&name).exists() {
            left.push(old.join(&name));
        }
    }
    for package in packages {
        for dir in [Path::new(&package).to_owned(), Path::new(&package).join("src")] {
            let Ok(names) = file_names(&old.join(&dir)) else { continue };
            let added = names
                .into_iter()
                .map(|name| dir.join(name))
                .filter(|file| !new.dir.join(file).exists() && !renamed.contains(file));
            left.extend(added.map(|file| old.join(file)));
        }
    }
    Ok(left)
}

/// Copies the verdicts, the numbers of hints shown, and the bodies that `reset` replaced.
fn copy_state(old: &Notebook, new: &Notebook) -> anyhow::Result<()> {
    for part in ["verdicts", "hints", "replaced"] {
        let dir = old.state().join(part);
        for name in file_names(&dir).unwrap_or_default() {
            copy(&dir.join(&name), &new.state().join(part).join(&name))?;
        }
    }
    let edition = edition_of(old)?;
    let later = EDITIONS.iter().filter(|later| later.number > edition);
    for (old_name, new_name) in later.flat_map(|it| it.steps).flat_map(|step| step.exercises) {
        let shown_before = hint_file(new, old_name);
        if shown_before.exists() && !hint_file(new, new_name).exists() {
            copy(&shown_before, &hint_file(new, new_name))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if let Some(dir) = to.parent() {
        fs::create_dir_all(dir).with_context(|| format!("make the directory {}", dir.display()))?;
    }
    fs::copy(from, to).with_context(|| format!("copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn move_dir(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::rename(from, to).with_context(|| format!("move {} to {}", from.display(), to.display()))
}

/// Returns a free name such as `work-before-upgrade`, or if that exists already,
/// `work-before-upgrade-2` and so on.
fn free_name(dir: &Path, what: &str) -> anyhow::Result<PathBuf> {
    let name = dir.file_name().context("a notebook without a name")?.to_string_lossy();
    let mut names = (1..).map(|count| match count {
        1 => dir.with_file_name(format!("{name}-{what}")),
        count => dir.with_file_name(format!("{name}-{what}-{count}")),
    });
    names.find(|path| !path.exists()).context("no name is free")
}
