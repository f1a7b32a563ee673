//! The file that stores the class, with a line for each event. It contains names, answers and the
//! teacher's token, so only the teacher may read it. We never change a file with any other content.
//!
//! Whenever a student leaves, we replace the file with a new file that contains no lines about that
//! student. The new file survives a crash only once its directory has been written to the disk as
//! well. Until then, we acknowledge no events, not even that the student has left.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use asyncio::{Error, Result, get_running_loop};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::process::geteuid;

use crate::event::Event;
use crate::state::State;

/// The beginning of the first line of a class's file.
const BEGINS: &str = "{\"event\":\"begun\",";

/// The maximum length of the first line of a class's file, in bytes.
const LONGEST_BEGIN: u64 = 4096;

/// The file, open for appending.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    path: PathBuf,
    file: Arc<File>,
    length: u64,
    /// True if we know that the directory on the disk contains this file under its name.
    is_linked: bool,
}

impl Kept {
    /// Opens the file and returns the state after its last event. If the last line was being
    /// written when the machine stopped, that line doesn't count as an event, because the event was
    /// never acknowledged.
    pub(crate) fn open(path: &Path) -> anyhow::Result<(Kept, State)> {
        let directory = directory_of(path);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.with_context(|| format!("make {}", directory.display()))?;
        let named = || format!("open {}", path.display());
        let file = opened(path)?;
        let is_class = is_empty_or_begins(&file);
        ensure!(
            is_class,
            "{} isn't a class's file: choose another file with --state",
            path.display()
        );
        let text = read(&file).with_context(named)?;
        let ends = text.rfind('\n').map_or(0, |last| last + 1);
        file.set_permissions(Permissions::from_mode(0o600)).with_context(named)?;
        let mut state = State::default();
        for (line, number) in text[..ends].lines().zip(1..) {
            let place = || format!("{}: line {number}", path.display());
            let event: Event = serde_json::from_str(line).with_context(place)?;
            // An event that couldn't happen when it was written can't happen now, either, so we
            // ignore the error.
            let _ = state.apply(event);
        }
        let (file, length) = (Arc::new(file), ends as u64);
        file.set_len(length).with_context(named)?;
        Ok((Kept { path: path.to_owned(), file, length, is_linked: false }, state))
    }

    /// Begins a class in an empty file, with this event.
    pub(crate) fn begin(&mut self, event: &Event) -> anyhow::Result<()> {
        let line = serde_json::to_string(event)? + "\n";
        self.add(line.as_bytes()).with_context(|| format!("write {}", self.path.display()))?;
        self.length = line.len() as u64;
        self.is_linked = true;
        Ok(())
    }

    /// Renames the file and creates an empty file in its place. Returns the new name of the old
    /// file.
    pub(crate) fn set_aside(&mut self, begun: u64) -> anyhow::Result<PathBuf> {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (directory, old) =
            (directory_of(&self.path), || format!("rename {}", self.path.display()));
        let name = free_name(directory, &format!("{stem}-{begun}"));
        fs::rename(&self.path, &name).with_context(old)?;
        self.file = Arc::new(opened(&self.path)?);
        (self.length, self.is_linked) = (0, false);
        Ok(name)
    }

    /// Appends lines and writes them to the disk. If that fails, truncates the file to remove the
    /// lines again.
    pub(crate) async fn append(&mut self, lines: Vec<u8>) -> Result<()> {
        let added = lines.len() as u64;
        let writer = self.clone();
        let written =
            get_running_loop()?.run_in_executor(move || writer.add(&lines).map_err(Error::from));
        written.await?;
        self.length += added;
        self.is_linked = true;
        Ok(())
    }

    /// Rewrites the file without any line about these students.
    pub(crate) async fn forget(&mut self, gone: BTreeSet<u32>) -> Result<()> {
        let mut writer = self.clone();
        let rewritten = get_running_loop()?.run_in_executor(move || {
            let text = read(&writer.file)?;
            let text = text.get(..usize::try_from(writer.length).unwrap_or(usize::MAX));
            let text = text.ok_or_else(|| io::Error::other("the file is shorter than it was"))?;
            writer.replace(&without(text, &gone))?;
            Ok(writer)
        });
        *self = rewritten.await?;
        Ok(())
    }

    /// Writes the directory to the disk, unless we know that the directory on the disk contains the
    /// file.
    pub(crate) async fn link(&mut self) -> Result<()> {
        let writer = self.clone();
        let linked =
            get_running_loop()?.run_in_executor(move || writer.linked().map_err(Error::from));
        linked.await?;
        self.is_linked = true;
        Ok(())
    }

    /// Removes the file or moves it into a directory.
    pub(crate) async fn end(&self, keep: Option<PathBuf>, begun: u64) -> Result<()> {
        let path = self.path.clone();
        let ended = get_running_loop()?.run_in_executor(move || {
            if let Some(directory) = keep {
                copy(&path, &directory, &format!("class-{begun}"))?;
            }
            match fs::remove_file(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                removed => Ok(removed?),
            }
        });
        ended.await
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn add(&self, lines: &[u8]) -> io::Result<()> {
        // Remove the beginning of an earlier write that failed halfway.
        if self.file.metadata()?.len() != self.length {
            self.file.set_len(self.length)?;
        }
        let mut writing = &*self.file;
        let written = writing.write_all(lines).and_then(|()| self.file.sync_data());
        let written = written.and_then(|()| self.linked());
        written.or_else(|error| self.file.set_len(self.length).and(Err(error)))
    }

    /// Replaces the current file with a file that contains this text. After that, events go to the
    /// new file, even if the directory isn't on the disk yet.
    fn replace(&mut self, text: &str) -> io::Result<()> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let new = self.path.with_file_name(format!(".{name}.new"));
        // A server that was killed while it was writing may have left this file behind. We hold the
        // lock, so no other server is using the file.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = class_file().create_new(true).open(&new)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        let written =
            written.and_then(|()| Ok(flock(&file, FlockOperation::NonBlockingLockExclusive)?));
        if let Err(error) = written.and_then(|()| fs::rename(&new, &self.path)) {
            // We return the first error even if this removal fails, too.
            let _ = fs::remove_file(&new);
            return Err(error);
        }
        (self.file, self.length, self.is_linked) = (Arc::new(file), text.len() as u64, false);
        Ok(())
    }

    fn linked(&self) -> io::Result<()> {
        if self.is_linked {
            return Ok(());
        }
        match File::open(directory_of(&self.path))?.sync_all() {
            // Ignore this error, because some file systems can't sync a directory.
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
            synced => synced,
        }
    }
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the options for opening a class's file: no other user may read a file that's created,
/// and links aren't followed.
fn class_file() -> OpenOptions {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).append(true).mode(0o600).custom_flags(flags.bits().cast_signed());
    options
}

/// Opens and locks a file that can store a class, or creates an empty file.
fn opened(path: &Path) -> anyhow::Result<File> {
    let shown = path.display();
    let found = fs::symlink_metadata(path);
    let is_link = found.as_ref().is_ok_and(fs::Metadata::is_symlink);
    ensure!(!is_link, "{shown} is a link: choose a file with --state");
    let is_file = found.map_or(true, |found| found.is_file());
    ensure!(is_file, "{shown} isn't a regular file: choose another file with --state");
    let file = class_file().create(true).open(path).with_context(|| format!("open {shown}"))?;
    let status = file.metadata().with_context(|| format!("open {shown}"))?;
    ensure!(status.is_file(), "{shown} isn't a regular file: choose another file with --state");
    let is_ours = status.uid() == geteuid().as_raw();
    ensure!(is_ours, "{shown} belongs to another user: choose another file with --state");
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() || !is_at(&file, path) {
        bail!("{shown} belongs to a running class: choose another file with --state");
    }
    // If the file had a second name, the old version would survive under that name, with the lines
    // of students who left.
    ensure!(
        status.nlink() == 1,
        "{shown} has a second name (a hard link): choose another file with --state"
    );
    Ok(file)
}

/// Returns true unless this file was removed from its path or a different file has replaced it, as
/// happens when a student leaves.
fn is_at(file: &File, path: &Path) -> bool {
    let of = |status: fs::Metadata| (status.dev(), status.ino());
    let there = fs::symlink_metadata(path).map(of).ok();
    there.is_some() && file.metadata().map(of).ok() == there
}

/// Returns true if this file stores a class or can be used for a new class.
fn is_empty_or_begins(file: &File) -> bool {
    let mut first = String::new();
    // Limit the length, because a file of another kind can have a first line of any length.
    if BufReader::new(file.take(LONGEST_BEGIN)).read_line(&mut first).is_err() {
        return false;
    }
    let begins = || matches!(serde_json::from_str(&first), Ok(Event::Begun { .. }));
    // If a crash cut the first line short, no student had joined yet, so the file can be reused.
    let is_cut_short = !first.ends_with('\n') && first.starts_with(BEGINS);
    first.is_empty() || is_cut_short || first.ends_with('\n') && begins()
}

/// Reads a whole file that's already open.
fn read(file: &File) -> io::Result<String> {
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, 0)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

/// Returns the lines that aren't about any of these students.
fn without(text: &str, gone: &BTreeSet<u32>) -> String {
    let is_about = |line: &str| {
        let student = serde_json::from_str(line).ok().and_then(|event: Event| event.student());
        student.is_some_and(|student| gone.contains(&student))
    };
    text.split_inclusive('\n').filter(|line| !is_about(line)).collect()
}

/// Returns an unused name in a directory.
fn free_name(directory: &Path, stem: &str) -> PathBuf {
    let names = (1..).map(|number| match number {
        1 => directory.join(format!("{stem}.jsonl")),
        _ => directory.join(format!("{stem}-{number}.jsonl")),
    });
    let is_free = |name: &PathBuf| fs::symlink_metadata(name).is_err();
    names.take(1000).find(is_free).unwrap_or_else(|| directory.join(stem))
}

/// Copies a file to an unused name in a directory, which can be on a different file system.
fn copy(path: &Path, directory: &Path, stem: &str) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let name = free_name(directory, stem);
    let mut kept = OpenOptions::new().write(true).create_new(true).mode(0o600).open(name)?;
    io::copy(&mut File::open(path)?, &mut kept)?;
    kept.sync_all()
}

#[cfg(test)]
mod tests {
    use asyncio::run;
    use kit::Refusal;

    use super::*;

    fn joined(student: u32, name: &str) -> Event {
        let (name, token) = (name.to_owned(), format!("token {student}"));
        Event::Joined { at: 2, student, name, token }
    }

    fn line(event: &Event) -> Vec<u8> {
        (serde_json::to_string(event).expect("JSON") + "\n").into_bytes()
    }

    /// Begins a class with Ann and Bob.
    fn class(path: &Path) -> Kept {
        let (mut kept, _) = Kept::open(path).expect("a file");
        let begun = Event::Begun { at: 1, code: "code".to_owned(), teacher: "teacher".to_owned() };
        kept.begin(&begun).expect("begun");
        kept.add(&[line(&joined(1, "Ann")), line(&joined(2, "Bob"))].concat()).expect("written");
        drop(kept);
        Kept::open(path).expect("opened again").0
    }

    #[test]
    fn what_is_written_after_the_directory_failed_is_in_the_file_that_has_the_name() {
        let directory = tempfile::TempDir::new().expect("a directory");
        let path = directory.path().join("class.jsonl");
        let mut kept = class(&path);
        // The file's own data are synced by fdatasync(2), and the directory by fsync(2).
        let refusal = Refusal { call: libc::SYS_fsync, argument: None, errno: libc::EIO };
        let refused = refusal.during(|| {
            let done = run(async move {
                kept.forget([1].into()).await?;
                let (linked, added) =
                    (kept.link().await, kept.append(line(&joined(3, "Carol"))).await);
                Ok((kept, linked.is_err(), added.is_err()))
            });
            let (kept, linked, added) = done.expect("a loop");
            assert!(
                linked && added,
                "nothing is acknowledged while the directory can't be written"
            );
            kept
        });
        let mut kept = refused.expect("a filter");
        let text = || fs::read_to_string(&path).expect("the file");
        assert!(!text().contains("Ann") && !text().contains("Carol"), "{}", text());
        run(async move { kept.append(line(&joined(4, "Dan"))).await }).expect("written");
        assert!(text().contains("Bob") && text().contains("Dan"), "{}", text());
        assert_eq!(Kept::open(&path).expect("opened again").1.students.len(), 2);
    }

    #[test]
    fn what_could_not_be_cut_off_is_no_event_later() {
        let directory = tempfile::TempDir::new().expect("a directory");
        let path = directory.path().join("class.jsonl");
        let kept = class(&path);
        OpenOptions::new()
            .append(true)
            .open(&path)
            .expect("the file")
            .write_all(b"half a l")
            .expect("written");
        kept.add(&line(&joined(3, "Carol"))).expect("written");
        drop(kept);
        assert_eq!(Kept::open(&path).expect("opened again").1.students.len(), 3);
    }

    #[test]
    fn a_file_that_was_taken_away_is_there_again_when_someone_leaves() {
        let directory = tempfile::TempDir::new().expect("a directory");
        let path = directory.path().join("class.jsonl");
        let mut kept = class(&path);
        fs::remove_file(&path).expect("removed");
        run(async move { kept.forget([1].into()).await }).expect("written");
        assert_eq!(Kept::open(&path).expect("opened again").1.students.len(), 1);
    }
}
