//! Checks whether a program was built from the current text of the pages. Cargo compares
//! modification times, which isn't enough: some file systems store only whole seconds, so two saves
//! can have the same time. Also, a page that was moved or unpacked can have new text and an old
//! time.
//!
//! So we keep a hash of each page's text beside the program and compare the hashes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;

use crate::notebook::Notebook;
use crate::notebook::page::fingerprint_of;
use crate::notebook::source::layer_files;
use crate::workbook::write;

/// A hash of each page's text, by package. We hash all pages, because any of them can be a layer
/// below the page that's being built.
type Texts = BTreeMap<String, String>;

/// The hashes of all pages before a program is built, and the file in which we record them after
/// the build.
#[derive(Debug)]
pub(crate) struct Sources {
    texts: Texts,
    note: PathBuf,
}

impl Sources {
    /// Reads the pages. If a page's text has changed since the program was built, makes sure that
    /// cargo considers the page newer than the program.
    pub(crate) fn look(notebook: &Notebook, program: &Path) -> anyhow::Result<Sources> {
        let note = program.with_extension("sources");
        let texts = texts(notebook)?;
        let built = fs::read_to_string(&note).map(|text| parse(&text)).unwrap_or_default();
        if let Ok(built_at) = fs::metadata(program).and_then(|file| file.modified()) {
            let has_changed = |(package, text): &(&String, &String)| {
                built.get(*package).is_none_or(|before| before != *text)
            };
            for (package, _) in texts.iter().filter(has_changed) {
                make_newer(&notebook.page(package).join("src"), built_at)?;
            }
        }
        Ok(Sources { texts, note })
    }

    /// Records that the program has been built. If a page's text changed during the build, we don't
    /// know which text the compiler read. So we remove the record, and the next build compiles
    /// every page that it needs again.
    pub(crate) fn built(self, notebook: &Notebook) -> anyhow::Result<()> {
        let lines = self.texts.iter().map(|(package, text)| format!("{package} {text}\n"));
        if texts(notebook)? == self.texts {
            write(&self.note, &lines.collect::<String>())
        } else {
            let _ = fs::remove_file(&self.note);
            Ok(())
        }
    }
}

fn texts(notebook: &Notebook) -> anyhow::Result<Texts> {
    let pages = notebook.pages()?.into_iter();
    pages.map(|package| Ok((package.clone(), fingerprint_of(&notebook.page(&package))?))).collect()
}

fn parse(note: &str) -> Texts {
    let fields = note.lines().filter_map(|line| line.split_once(' '));
    fields.map(|(package, text)| (package.to_owned(), text.to_owned())).collect()
}

/// Makes a page's `lib.rs` newer than the program, unless one of the page's files is already newer.
fn make_newer(src: &Path, built_at: SystemTime) -> anyhow::Result<()> {
    for file in layer_files(src)? {
        if fs::metadata(src.join(file))
            .and_then(|file| file.modified())
            .is_ok_and(|at| at > built_at)
        {
            return Ok(());
        }
    }
    let file = src.join("lib.rs");
    // A time that's a whole second later counts as newer on any file system. The current time alone
    // isn't enough, because the clock may have been set back.
    let newer = SystemTime::now().max(built_at + Duration::from_secs(1));
    let touched = File::open(&file).and_then(|file| file.set_modified(newer));
    touched.with_context(|| format!("update the time of {}", file.display()))
}
