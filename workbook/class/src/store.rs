//! The writer of the class's events. An event is written to the file on the disk before the event
//! happens. So every acknowledged answer survives a crash.
//!
//! While some events are being written to the disk, other events arrive, and the next write
//! includes all of the new events. So if a whole class answers within a second, the answers need
//! only a few writes. The writing happens in the thread pool, because it can take a long time and
//! the loop has other work to do.
//!
//! An event that can't happen isn't written. All earlier events must have happened before we know
//! whether an event can happen, so only events that don't depend on each other are written
//! together.

use std::cell::Ref;
use std::path::PathBuf;
use std::rc::Rc;

use async_channel::{Sender, bounded};
use asyncio::{Queue, Result};
use cockpit::web::Refusal;
use hyper::StatusCode;

use crate::event::Event;
use crate::kept::Kept;
use crate::state::State;

/// The refusal of an event that couldn't be written to the file.
const NOT_KEPT: Refusal = Refusal(
    StatusCode::SERVICE_UNAVAILABLE,
    "the request couldn't be written to the teacher's disk: please send it again",
);

/// The refusal of every event after the end of the class.
pub(crate) const OVER: Refusal = Refusal(StatusCode::CONFLICT, "the class is over");

const NOT_REMOVED: Refusal = Refusal(
    StatusCode::INTERNAL_SERVER_ERROR,
    "the class is over, but its file couldn't be moved or removed: the terminal says where it is",
);

type Outcome = std::result::Result<(), Refusal>;

/// The class in which events happen.
pub(crate) trait Happening {
    /// Returns the state after all events so far.
    fn state(&self) -> Ref<'_, State>;

    /// Makes an event happen after it has been written to the file.
    fn happens(&self, event: Event) -> Outcome;
}

/// The events that are waiting to be written, with the requests that are waiting for them.
#[derive(Debug)]
pub(crate) struct Store {
    waiting: Queue<Waiting>,
}

#[derive(Debug)]
enum Waiting {
    Event { event: Event, happened: Sender<Outcome> },
    End { keep: Option<PathBuf>, ended: Sender<Outcome> },
}

impl Store {
    pub(crate) fn new() -> Self {
        Store { waiting: Queue::new(0) }
    }

    /// Queues an event and waits for the outcome: either the event is on the disk and has happened,
    /// or it was refused or couldn't be written.
    pub(crate) async fn write(&self, event: Event) -> Outcome {
        let (happened, outcome) = bounded(1);
        self.waiting.put_nowait(Waiting::Event { event, happened }).map_err(|_| OVER)?;
        outcome.recv().await.map_err(|_| NOT_KEPT)?
    }

    /// Waits until all earlier events are written and the file is removed or moved to the directory
    /// `keep`. No event is written after that.
    pub(crate) async fn end(&self, keep: Option<PathBuf>) -> Outcome {
        let (ended, outcome) = bounded(1);
        self.waiting.put_nowait(Waiting::End { keep, ended }).map_err(|_| OVER)?;
        outcome.recv().await.map_err(|_| NOT_REMOVED)?
    }

    /// Writes events as they arrive, as many together as possible, and makes them happen in the
    /// order of their arrival, until the class ends.
    pub(crate) async fn run(
        self: Rc<Self>,
        mut kept: Kept,
        class: Rc<impl Happening>,
    ) -> Result<()> {
        let mut next = None;
        loop {
            let first = match next.take() {
                Some(next) => next,
                None => self.waiting.get().await?,
            };
            let (event, happened) = match first {
                Waiting::Event { event, happened } => (event, happened),
                Waiting::End { keep, ended } => {
                    self.waiting.shutdown(true);
                    let begun = class.state().begun;
                    let outcome = kept.end(keep, begun).await.inspect_err(|error| {
                        eprintln!("can't move or remove {}: {error}", kept.path().display());
                    });
                    let _ = ended.try_send(outcome.map_err(|_| NOT_REMOVED));
                    return Ok(());
                }
            };
            let can_happen = class.state().check(&event);
            if let Err(refusal) = can_happen {
                let _ = happened.try_send(Err(refusal));
                continue;
            }
            let (mut together, mut those_who_wait) = (vec![event], vec![happened]);
            while let Ok(another) = self.waiting.get_nowait() {
                match another {
                    Waiting::Event { event, happened } if event.is_apart(&together) => {
                        let can_happen = class.state().check(&event);
                        match can_happen {
                            Ok(()) => {
                                together.push(event);
                                those_who_wait.push(happened);
                            }
                            Err(refusal) => drop(happened.try_send(Err(refusal))),
                        }
                    }
                    _ => {
                        next = Some(another);
                        break;
                    }
                }
            }
            let written = write(&mut kept, &together).await;
            for (event, happened) in together.into_iter().zip(those_who_wait) {
                let outcome = match written {
                    Written::Not => Err(NOT_KEPT),
                    Written::OnTheDisk => class.happens(event),
                    Written::NotOnTheDisk => class.happens(event).and(Err(NOT_KEPT)),
                };
                // The request that was waiting for this outcome may be gone.
                let _ = happened.try_send(outcome);
            }
        }
    }
}

/// The outcome of an attempt to write events.
#[derive(Clone, Copy)]
enum Written {
    OnTheDisk,
    /// The events are in the file, but the directory on the disk may still contain the earlier
    /// file.
    NotOnTheDisk,
    Not,
}

async fn write(kept: &mut Kept, events: &[Event]) -> Written {
    let left = events.iter().filter(|event| matches!(event, Event::Left { .. }));
    let left: Vec<u32> = left.filter_map(Event::student).collect();
    let written = if left.is_empty() {
        let lines = events.iter().map(|event| serde_json::to_string(event).unwrap_or_default());
        let lines: String = lines.map(|line| line + "\n").collect();
        kept.append(lines.into_bytes()).await
    } else {
        // The new file doesn't contain the event of leaving, either, since it contains nothing
        // about these students.
        kept.forget(left.iter().copied().collect()).await
    };
    if let Err(error) = written {
        eprintln!("can't write {}: {error}", kept.path().display());
        return Written::Not;
    }
    match kept.link().await {
        Ok(()) => Written::OnTheDisk,
        Err(error) => {
            eprintln!("can't write {}: {error}", kept.path().display());
            Written::NotOnTheDisk
        }
    }
}
