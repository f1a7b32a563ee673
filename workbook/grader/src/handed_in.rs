//! Copies the pages' source files from a notebook that was handed in. Other files aren't copied,
//! because cargo, git or the workbook could act on them. Inside the directory that the teacher
//! named, we don't follow links, and we copy only regular files.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};

use judging::notebook::carried;
use judging::workbook::write;

/// The maximum number of files in a page. The largest page has about fifty.
const MOST_FILES: usize = 300;
/// The maximum size of a file, in bytes.
const LONGEST_FILE: u64 = 1024 * 1024;
/// The maximum depth of nested directories.
const DEEPEST: usize = 6;

/// Finds the notebook in a directory that was handed in: the directory itself, or the `work/` in a
/// copy of the whole workbook.
///
/// Fails if the directory is neither.
pub(super) fn open_notebook(dir: &Path, steps: &[String]) -> anyhow::Result<OwnedFd> {
    // The teacher named this directory, so it may be a link.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let given = rustix::fs::openat(CWD, dir, flags, Mode::empty());
    let given = given.with_context(|| format!("open {}", dir.display()))?;
    let notebook = match open(&given, Path::new("work"), OFlags::DIRECTORY) {
        Ok(work) => work,
        Err(_) => given,
    };
    let has_page = |step: &String| open(&notebook, Path::new(step), OFlags::DIRECTORY).is_ok();
    ensure!(
        steps.iter().any(has_page),
        "not a notebook: there's no directory such as {}",
        steps[0]
    );
    Ok(notebook)
}

/// Copies a page's sources into one of our own notebooks. Returns false if the handed-in notebook
/// doesn't have the page.
///
/// Fails if the page is too large or too deeply nested, or if one of its sources can't be read or
/// isn't a regular file.
pub(super) fn copy_page(notebook: &OwnedFd, package: &str, to: &Path) -> anyhow::Result<bool> {
    let src = Path::new(package).join("src");
    let Ok(dir) = open(notebook, &src, OFlags::DIRECTORY) else { return Ok(false) };
    let mut copy = Copy { to: to.to_owned(), files: 0 };
    copy.all_of(&dir, Path::new(""), 0)?;
    Ok(copy.files > 0)
}

/// Returns true if the notebook was begun with an earlier edition of the workbook.
pub(super) fn is_of_an_earlier_edition(notebook: &OwnedFd) -> bool {
    // Without `NONBLOCK`, opening a named pipe would block until it has a writer.
    let Ok(file) = open(notebook, Path::new("Cargo.toml"), OFlags::NONBLOCK) else { return false };
    let mut text = String::new();
    let is_read = File::from(file).take(LONGEST_FILE).read_to_string(&mut text).is_ok();
    is_read && carried::is_of_an_earlier_edition(&text)
}

struct Copy {
    to: PathBuf,
    files: usize,
}

impl Copy {
    fn all_of(&mut self, dir: &OwnedFd, under: &Path, depth: usize) -> anyhow::Result<()> {
        ensure!(depth < DEEPEST, "src/{} is nested too deeply", under.display());
        let entries =
            Dir::read_from(dir).with_context(|| format!("list src/{}", under.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("list src/{}", under.display()))?;
            let name = Path::new(OsStr::from_bytes(entry.file_name().to_bytes()));
            if name == Path::new(".") || name == Path::new("..") {
                continue;
            }
            let path = under.join(name);
            // Additional programs next to the page's own program would be useless.
            if entry.file_type() == FileType::Directory && name != Path::new("bin") {
                let inner = open(dir, name, OFlags::DIRECTORY);
                let inner = inner.with_context(|| format!("open src/{}", path.display()))?;
                self.all_of(&inner, &path, depth + 1)?;
            } else if name.extension().is_some_and(|extension| extension == "rs") {
                self.file(dir, name, &path)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, dir: &OwnedFd, name: &Path, path: &Path) -> anyhow::Result<()> {
        self.files += 1;
        ensure!(self.files <= MOST_FILES, "a page has more than {MOST_FILES} source files");
        let shown = path.display();
        // Without `NONBLOCK`, opening a named pipe would block until it has a writer.
        let file = open(dir, name, OFlags::NONBLOCK);
        let file = file.with_context(|| format!("src/{shown} can't be read or is a link"))?;
        let stat = fstat(&file).with_context(|| format!("fstat src/{shown}"))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            bail!("src/{shown} isn't an ordinary file");
        }
        let mut text = String::new();
        let read = File::from(file).take(LONGEST_FILE + 1).read_to_string(&mut text);
        read.with_context(|| format!("read src/{shown}"))?;
        ensure!(text.len() as u64 <= LONGEST_FILE, "src/{shown} is longer than a mebibyte");
        write(&self.to.join(path), &text)
    }
}

/// Opens a path inside a directory for reading. Fails with `LOOP` if any part of the path is a
/// link.
fn open(dir: impl AsFd, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let flags = flags | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
    let below = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(dir, path, flags, Mode::empty(), below)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A notebook with one page, in a directory for this test.
    struct HandedIn(PathBuf);

    impl HandedIn {
        fn new(test: &str) -> Self {
            let name = format!("workbook-handed-in-{test}-{}", std::process::id());
            let dir = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&dir);
            write(&dir.join("in/step01/src/lib.rs"), "mod a;").expect("write");
            HandedIn(dir)
        }

        fn src(&self, name: &str) -> PathBuf {
            self.0.join("in/step01/src").join(name)
        }

        fn copied(&self) -> anyhow::Result<Vec<String>> {
            let notebook = open_notebook(&self.0.join("in"), &["step01".to_owned()])?;
            let to = self.0.join("out");
            copy_page(&notebook, "step01", &to)?;
            judging::workbook::file_names(&to)
        }
    }

    impl Drop for HandedIn {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn only_sources_are_copied() {
        let given = HandedIn::new("sources");
        for other in ["a.rs", "deep/er.rs", "notes.txt", "bin/main.rs", "../build.rs"] {
            write(&given.src(other), "").expect("write");
        }
        assert_eq!(given.copied().expect("copy"), ["a.rs", "deep", "lib.rs"]);
    }

    #[test]
    fn an_older_notebook_is_known_by_its_manifest() {
        let given = HandedIn::new("edition");
        let is_earlier = |manifest: &str| {
            write(&given.0.join("in/Cargo.toml"), manifest).expect("write");
            let steps = ["step01".to_owned()];
            is_of_an_earlier_edition(&open_notebook(&given.0.join("in"), &steps).expect("open"))
        };
        assert!(is_earlier("[workspace.metadata.workbook]\nedition = 1\n"));
        assert!(!is_earlier("[workspace.metadata.workbook]\nedition = 3\n"));
        assert!(!is_earlier("edition = 1\n"));
        assert!(!is_earlier("no TOML"));
    }

    #[test]
    fn no_link_is_followed() {
        let given = HandedIn::new("links");
        symlink("/etc/passwd", given.src("a.rs")).expect("link");
        assert!(given.copied().expect_err("a link").to_string().contains("src/a.rs"));
        fs::remove_file(given.src("a.rs")).expect("remove");
        symlink("/etc", given.src("deep")).expect("link");
        assert_eq!(given.copied().expect("copy"), ["lib.rs"]);
        fs::rename(given.src(""), given.0.join("elsewhere")).expect("move");
        symlink(given.0.join("elsewhere"), given.0.join("in/step01/src")).expect("link");
        fs::remove_dir_all(given.0.join("out")).expect("remove");
        assert!(given.copied().is_err());
    }

    #[test]
    fn a_pipe_or_a_very_long_file_is_refused() {
        let given = HandedIn::new("pipe");
        let made = std::process::Command::new("mkfifo").arg(given.src("a.rs")).status();
        assert!(made.expect("mkfifo").success());
        assert!(given.copied().expect_err("a pipe").to_string().contains("ordinary"));
        fs::remove_file(given.src("a.rs")).expect("remove");
        let long = File::create(given.src("a.rs")).expect("create");
        long.set_len(LONGEST_FILE + 1).expect("lengthen");
        assert!(given.copied().expect_err("too long").to_string().contains("longer"));
    }

    #[test]
    fn the_notebook_can_be_in_a_copy_of_the_workbook() {
        let given = HandedIn::new("whole");
        write(&given.0.join("in").join("work/step01/src/mine.rs"), "").expect("write");
        assert_eq!(given.copied().expect("copy"), ["mine.rs"]);
        let empty = given.0.join("in/step01");
        assert!(open_notebook(&empty, &["step01".to_owned()]).is_err());
    }
}
