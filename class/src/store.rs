//! The file in which the class is kept. An event is in it, and on the disk, before it happens; so what a student
//! was told is sent is there after a crash.
//!
//! A line is an event. While the disk writes some, others come, and the next write has all of those: a class
//! that answers within a second costs a few writes. The writing is done in the thread pool, as it can take
//! long, and the loop has other things to do.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Context, bail};
use async_channel::{Sender, bounded};
use asyncio::{Error, Queue, Result, get_running_loop};
use cockpit::web::Refusal;
use hyper::StatusCode;
use rustix::fs::{FlockOperation, flock};
use serde::Deserialize;

use crate::state::{Event, State};

/// Why an event hasn't happened, if the file is the reason.
const NOT_KEPT: Refusal = Refusal(
    StatusCode::SERVICE_UNAVAILABLE,
    "this couldn't be written to the teacher's disk: please send it again",
);

/// The file, open for writing behind its end.
#[derive(Debug)]
pub(crate) struct Kept {
    path: PathBuf,
    file: Arc<File>,
    length: u64,
}

/// What waits to be written, and who waits for it.
#[derive(Debug)]
pub(crate) struct Store {
    waiting: Queue<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    event: Event,
    happened: Sender<std::result::Result<(), Refusal>>,
}

impl Kept {
    /// Opens the file, and returns what happened up to its end. A last line that was being written when the
    /// machine stopped isn't an event: nobody was told that it was kept.
    pub(crate) fn open(path: &Path) -> anyhow::Result<(Kept, State)> {
        if let Some(directory) = path.parent() {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
            made.with_context(|| format!("make {}", directory.display()))?;
        }
        let named = || format!("open {}", path.display());
        let file = opened(path).with_context(named)?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            bail!(
                "{} belongs to a class that's running: --state FILE takes another",
                path.display()
            );
        }
        let mut kept = Kept { path: path.to_owned(), file: Arc::new(file), length: 0 };
        let mut state = State::default();
        let mut left = Vec::new();
        let mut lines = BufReader::new(&*kept.file);
        let mut line = String::new();
        while lines.read_line(&mut line).with_context(named)? > 0 {
            if !line.ends_with('\n') {
                break;
            }
            let place = || format!("{}: an event at byte {}", path.display(), kept.length);
            let event = serde_json::from_str(&line).with_context(place)?;
            if let Event::Left { student, .. } = event {
                left.push(student);
            }
            // What couldn't happen when it was written can't happen now, either.
            let _ = state.apply(event);
            kept.length += line.len() as u64;
            line.clear();
        }
        kept.file.set_len(kept.length).with_context(named)?;
        for student in left {
            // The crash was between the two writes of a student who left.
            (kept.file, kept.length) = without(path, student).with_context(named)?;
        }
        Ok((kept, state))
    }

    /// Begins anew, with this event.
    pub(crate) fn begin(&mut self, event: &Event) -> anyhow::Result<()> {
        let line = serde_json::to_string(event)? + "\n";
        self.file.set_len(0)?;
        (&*self.file).write_all(line.as_bytes())?;
        self.file.sync_all()?;
        self.length = line.len() as u64;
        Ok(())
    }

    /// Removes the file, or moves it into a directory.
    pub(crate) fn end(path: &Path, keep: Option<&Path>, begun: u64) -> std::io::Result<()> {
        let Some(directory) = keep else { return fs::remove_file(path) };
        fs::create_dir_all(directory)?;
        let kept = directory.join(format!("class-{begun}.jsonl"));
        // It can be in another file system.
        fs::copy(path, kept)?;
        fs::remove_file(path)
    }

    /// Writes lines behind the end, to the disk. If that fails, they're cut off again.
    async fn append(&mut self, lines: Vec<u8>) -> Result<()> {
        let (file, length) = (Arc::clone(&self.file), self.length);
        let added = lines.len() as u64;
        let written = get_running_loop()?.run_in_executor(move || {
            let mut writing = &*file;
            let written = writing.write_all(&lines).and_then(|()| writing.sync_data());
            written.or_else(|error| file.set_len(length).and(Err(error))).map_err(Error::from)
        });
        written.await?;
        self.length += added;
        Ok(())
    }

    /// Writes the file again without any line about a student.
    async fn forget(&mut self, student: u32) -> Result<()> {
        let path = self.path.clone();
        let rewritten = get_running_loop()?
            .run_in_executor(move || without(&path, student).map_err(Error::from));
        let (file, length) = rewritten.await?;
        self.file = file;
        self.length = length;
        Ok(())
    }
}

impl Store {
    pub(crate) fn new() -> Self {
        Store { waiting: Queue::new(0) }
    }

    /// Waits until an event is on the disk and has happened.
    pub(crate) async fn write(&self, event: Event) -> std::result::Result<(), Refusal> {
        let (happened, outcome) = bounded(1);
        self.waiting.put_nowait(Waiting { event, happened }).map_err(|_| NOT_KEPT)?;
        outcome.recv().await.map_err(|_| NOT_KEPT)?
    }

    /// Writes what comes, all together, and has it happen in this order.
    pub(crate) async fn run(
        self: Rc<Self>,
        mut kept: Kept,
        mut happens: impl FnMut(Event) -> std::result::Result<(), Refusal>,
    ) -> Result<()> {
        loop {
            let mut all = vec![self.waiting.get().await?];
            while let Ok(next) = self.waiting.get_nowait() {
                all.push(next);
            }
            let lines = all.iter().map(|it| serde_json::to_string(&it.event).unwrap_or_default());
            let lines: String = lines.map(|line| line + "\n").collect();
            let written = kept.append(lines.into_bytes()).await;
            if let Err(error) = &written {
                eprintln!("can't write {}: {error}", kept.path.display());
            }
            for Waiting { event, happened } in all {
                let left = match &event {
                    Event::Left { student, .. } => Some(*student),
                    _ => None,
                };
                let mut outcome = if written.is_ok() { happens(event) } else { Err(NOT_KEPT) };
                if let (Some(student), Ok(())) = (left, &outcome)
                    && let Err(error) = kept.forget(student).await
                {
                    eprintln!("can't write {} again: {error}", kept.path.display());
                    outcome = Err(NOT_KEPT);
                }
                // Who asked may be gone.
                let _ = happened.try_send(outcome);
            }
        }
    }
}

/// Opens the file of a class, which nobody else may read.
fn opened(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

/// Replaces a file by one without the lines about a student, and returns it and its length.
fn without(path: &Path, student: u32) -> std::io::Result<(Arc<File>, u64)> {
    #[derive(Deserialize)]
    struct About {
        student: Option<u32>,
    }
    let is_about = |line: &str| {
        let about = serde_json::from_str(line).unwrap_or(About { student: None });
        about.student == Some(student)
    };
    let text = fs::read_to_string(path)?;
    let rest: String = text.split_inclusive('\n').filter(|line| !is_about(line)).collect();
    let new = path.with_extension("new");
    let mut file = opened(&new)?;
    file.set_len(0)?;
    file.write_all(rest.as_bytes())?;
    file.sync_all()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    fs::rename(&new, path)?;
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()?;
    Ok((Arc::new(file), rest.len() as u64))
}
