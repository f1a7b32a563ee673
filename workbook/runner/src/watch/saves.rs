//! Hears of saves from inotify(7). It watches directories, not files: an editor that saves by renaming
//! puts another file into the place of the one that we'd watch.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use rustix::fs::inotify::{CreateFlags, Event, ReadFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;

use super::News;
use super::sources::{can_hold_sources, is_a_source};

/// The watches. Without inotify there are none, and `watch` finds the changes when it looks for them.
#[derive(Debug)]
pub(super) struct Saves {
    inotify: Option<Arc<OwnedFd>>,
}

impl Saves {
    /// Starts the thread that tells of saves.
    pub(super) fn begin(tell: Sender<News>) -> Saves {
        let inotify = init(CreateFlags::CLOEXEC).ok().map(Arc::new);
        if let Some(inotify) = inotify.clone() {
            thread::spawn(move || tell_of_saves(&inotify, &tell));
        }
        Saves { inotify }
    }

    /// Watches directories. One that's watched already stays so.
    pub(super) fn watch(&self, dirs: Vec<PathBuf>) {
        let written = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::CREATE;
        let gone = WatchFlags::DELETE | WatchFlags::MOVED_FROM;
        let itself = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        let flags = written | gone | itself | WatchFlags::ONLYDIR;
        for (inotify, dir) in
            self.inotify.iter().flat_map(|it| dirs.iter().map(move |dir| (it, dir)))
        {
            // A directory can be gone again, and the system's watches can be used up. Then we find
            // the changes in it when we look for them.
            let _ = add_watch(inotify, dir, flags);
        }
    }
}

/// Tells of each event that can be a save, until that's of no use any more.
fn tell_of_saves(inotify: &OwnedFd, tell: &Sender<News>) {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut events = Reader::new(inotify, &mut buffer);
    loop {
        let is_save = match events.next() {
            Err(Errno::INTR) => continue,
            Err(_) => return,
            Ok(event) => is_save(&event),
        };
        if is_save && tell.send(News::Saved).is_err() {
            return;
        }
    }
}

fn is_save(event: &Event<'_>) -> bool {
    let kind = event.events();
    match event.file_name().map(|name| name.to_string_lossy()) {
        Some(name) if kind.contains(ReadFlags::ISDIR) => can_hold_sources(&name),
        Some(name) => is_a_source(&name),
        // It's about the watched directory, or about events that were lost.
        None => !kind.contains(ReadFlags::IGNORED),
    }
}
