//! `cargo run -- upgrade`: replaces a notebook of an earlier edition with a fresh one, and carries
//! over what the reader wrote. The old one is moved aside, never deleted.
//!
//! The new notebook is made next to the old one and takes its place only when it's complete. A note
//! in it says how far the upgrade has come, so that the next one can finish it after an interruption.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, ensure};
use scene::root::cargo;

use super::belongings::{copy_state, copy_what_the_reader_added, left_behind};
use super::edition::{CURRENT, check, edition_of};
use super::{Notebook, manifest};
use crate::terminal::{Terminal, shown};
use crate::workbook::{Workbook, write};

/// Upgrades the reader's notebook.
pub fn upgrade(workbook: Workbook) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let old = Notebook::of(workbook);
    if let Some(aside) = resume(&old, &terminal)? {
        return finish(&old, &aside, &terminal);
    }
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
    write(&note(&new), MAKING)?;
    fill(&old, &new, &aside, &terminal).with_context(|| {
        format!(
            "the upgrade isn't finished. Your notebook in {} is as it was; the unfinished new \
             one is in {}, and the next upgrade removes it",
            shown(&old.dir),
            shown(&new.dir)
        )
    })?;
    write(&note(&new), &aside.display().to_string())?;
    move_dir(&old.dir, &aside)?;
    move_dir(&new.dir, &old.dir)?;
    finish(&old, &aside, &terminal)
}

/// The note while the new notebook isn't complete. Then the note is the path that the old one moves
/// to.
const MAKING: &str = "making\n";

fn note(notebook: &Notebook) -> PathBuf {
    notebook.state().join("upgrade")
}

/// Returns the new notebook of an upgrade that was interrupted, with its note.
fn interrupted(notebook: &Notebook) -> Option<(Notebook, String)> {
    let name = notebook.dir.file_name()?.to_string_lossy();
    let dir = notebook.dir.with_file_name(format!("{name}-upgraded"));
    let new = Notebook { dir, workbook: notebook.workbook.clone() };
    let noted = fs::read_to_string(note(&new)).ok()?;
    Some((new, noted))
}

/// Fails if an upgrade was interrupted between moving the old notebook aside and moving the new one
/// in its place. A fresh notebook there would hide both.
pub(super) fn check_interrupted(notebook: &Notebook) -> anyhow::Result<()> {
    let waits = interrupted(notebook).is_some_and(|(_, noted)| noted != MAKING);
    ensure!(
        notebook.dir.exists() || !waits,
        "an upgrade of your notebook was interrupted. To finish it: cargo run -- upgrade"
    );
    Ok(())
}

/// Takes up an upgrade that was interrupted. If the new notebook has its place now, returns where
/// the old one is. If the new one isn't complete, removes it.
fn resume(notebook: &Notebook, terminal: &Terminal) -> anyhow::Result<Option<PathBuf>> {
    if let Ok(aside) = fs::read_to_string(note(notebook)) {
        return Ok(Some(PathBuf::from(aside)));
    }
    let Some((new, noted)) = interrupted(notebook) else { return Ok(None) };
    if noted != MAKING && !notebook.dir.exists() {
        move_dir(&new.dir, &notebook.dir)?;
        return Ok(Some(PathBuf::from(noted)));
    }
    fs::remove_dir_all(&new.dir).with_context(|| format!("remove {}", new.dir.display()))?;
    let about = format!(
        "An earlier upgrade was interrupted. I've removed its unfinished notebook, {}.",
        shown(&new.dir)
    );
    terminal.print(&format!("{}\n", terminal.wrap("", &about)));
    Ok(None)
}

/// Completes an upgrade, when the new notebook is in its place.
fn finish(notebook: &Notebook, aside: &Path, terminal: &Terminal) -> anyhow::Result<ExitCode> {
    if aside.join(".git").exists() {
        move_dir(&aside.join(".git"), &notebook.dir.join(".git"))?;
    }
    let has_git = notebook.dir.join(".git").exists();
    let done = format!(
        "Done: {work} is your notebook again, and the old one is in {aside}.{git}",
        work = shown(&notebook.dir),
        aside = shown(aside),
        git = if has_git { " Its git history is in the new one." } else { "" },
    );
    terminal.print(&format!("\n{}", terminal.wrap("", &done)));
    let left = left_behind(aside, notebook)?;
    if !left.is_empty() {
        let about = "These are yours too, and are only in the old one. Copy what you need:";
        terminal.print(&terminal.wrap("", about));
        for path in left {
            terminal.print(&format!("  {}\n", shown(&path)));
        }
    }
    fs::remove_file(note(notebook)).context("remove the note about the upgrade")?;
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
