//! Detects saves with inotify(7). We watch directories rather than files, because an editor that
//! saves by renaming would replace a watched file with a different file.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::thread;

use inotify::{Event, EventMask, Inotify, WatchMask, Watches};

use super::News;
use super::sources::{can_hold_sources, is_a_source};

/// The directories that inotify watches. If inotify isn't available, no directories are watched,
/// and `watch` finds changes only by checking the files at intervals.
#[derive(Debug)]
pub(super) struct Saves {
    watches: Option<Watches>,
}

impl Saves {
    /// Starts the thread that reports saves.
    pub(super) fn begin(tell: Sender<News>) -> Saves {
        let inotify = Inotify::init().ok();
        let watches = inotify.as_ref().map(Inotify::watches);
        if let Some(inotify) = inotify {
            thread::spawn(move || tell_of_saves(inotify, &tell));
        }
        Saves { watches }
    }

    /// Watches directories. Watching a directory a second time has no further effect.
    pub(super) fn watch(&mut self, dirs: Vec<PathBuf>) {
        let written = WatchMask::CLOSE_WRITE | WatchMask::MOVED_TO | WatchMask::CREATE;
        let gone = WatchMask::DELETE | WatchMask::MOVED_FROM;
        let itself = WatchMask::DELETE_SELF | WatchMask::MOVE_SELF;
        let mask = written | gone | itself | WatchMask::ONLYDIR;
        let Some(watches) = &mut self.watches else { return };
        for dir in dirs {
            // The directory may already be gone, or the system may be out of watches. In that case,
            // we detect changes in the directory only when we check the files ourselves.
            let _ = watches.add(dir, mask);
        }
    }
}

/// Reports a save whenever inotify's events could include one, until the receiver is dropped.
fn tell_of_saves(mut inotify: Inotify, tell: &Sender<News>) {
    let mut buffer = [0; 4096];
    loop {
        let mut events = match inotify.read_events_blocking(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return,
            Ok(events) => events,
        };
        if events.any(|event| is_save(&event)) && tell.send(News::Saved).is_err() {
            return;
        }
    }
}

fn is_save(event: &Event<&OsStr>) -> bool {
    match event.name.map(OsStr::to_string_lossy) {
        Some(name) if event.mask.contains(EventMask::ISDIR) => can_hold_sources(&name),
        Some(name) => is_a_source(&name),
        // The event is about the watched directory itself, or it says that events were lost.
        None => !event.mask.contains(EventMask::IGNORED),
    }
}
