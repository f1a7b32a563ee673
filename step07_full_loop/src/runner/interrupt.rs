//! SIGINT while a runner runs its main: the first one asks the main to end.

use std::cell::Cell;
use std::io;
use std::rc::Rc;

use step05_selfpipe::SIGINT;
use step06_tasks::{AnyTask, Handle};

use crate::event_loop::EventLoop;

/// A guard: while it lives, SIGINT cancels a task. Then the signal has its previous action again.
pub(crate) struct Interrupt {
    event_loop: EventLoop,
    has_arrived: Rc<Cell<bool>>,
    /// `None` if other code handles the signal.
    handle: Option<Handle>,
}

impl Interrupt {
    /// Lets SIGINT cancel the task, unless the loop has a handler for it already, or another loop of
    /// the process handles the signals.
    pub(crate) fn cancels(event_loop: &EventLoop, task: AnyTask) -> io::Result<Self> {
        let has_arrived = Rc::new(Cell::new(false));
        let interrupt = |handle| Interrupt {
            event_loop: event_loop.clone(),
            has_arrived: Rc::clone(&has_arrived),
            handle,
        };
        if event_loop.handles_signal(SIGINT) {
            return Ok(interrupt(None));
        }
        let (inner, arrived) = (event_loop.clone(), Rc::clone(&has_arrived));
        let handle = Handle::repeating(move || {
            arrived.set(true);
            task.cancel();
            // From here on the signal has its previous action again: a second SIGINT ends the
            // process.
            let _ = inner.remove_signal_handler(SIGINT);
        });
        match event_loop.set_signal_handler(SIGINT, handle.clone()) {
            Ok(()) => Ok(interrupt(Some(handle))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(interrupt(None)),
            Err(error) => Err(error),
        }
    }

    /// Returns true if SIGINT has arrived, and this has cancelled the task.
    pub(crate) fn has_arrived(&self) -> bool {
        self.has_arrived.get()
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        // A cancelled handle isn't the signal's any more: it was removed, or replaced by the task.
        if self.handle.as_ref().is_some_and(|handle| !handle.cancelled()) {
            // It was set, so its action can be restored; and a drop can't return an error.
            let _ = self.event_loop.remove_signal_handler(SIGINT);
        }
    }
}
