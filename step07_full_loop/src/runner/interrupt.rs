//! SIGINT while a runner runs its main: the first one asks the main to end.

use std::cell::Cell;
use std::io;
use std::rc::{Rc, Weak};

use step05_selfpipe::SIGINT;
use step06_tasks::{AnyTask, Handle};

use crate::event_loop::EventLoop;

/// A guard: while it lives, SIGINT cancels a task. Then the signal has its previous action again.
pub(crate) struct Interrupt {
    event_loop: EventLoop,
    has_arrived: Rc<Cell<bool>>,
    /// Gone if other code handles the signal.
    handle: Weak<Handle>,
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
            return Ok(interrupt(Weak::new()));
        }
        let (inner, arrived) = (event_loop.clone(), Rc::clone(&has_arrived));
        let handle = Rc::new_cyclic(|handle| {
            let handle = Weak::clone(handle);
            Handle::repeating(move || {
                arrived.set(true);
                task.cancel();
                // From here on the signal has its previous action again: a second SIGINT ends the
                // process.
                remove(&inner, &handle);
            })
        });
        let weak = Rc::downgrade(&handle);
        match event_loop.set_signal_handler(SIGINT, handle) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(interrupt(weak)),
        }
    }

    /// Returns true if SIGINT has arrived, and this has cancelled the task.
    pub(crate) fn has_arrived(&self) -> bool {
        self.has_arrived.get()
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        remove(&self.event_loop, &self.handle);
    }
}

/// Restores the signal's previous action, unless this was removed before, or replaced by the task.
fn remove(event_loop: &EventLoop, handle: &Weak<Handle>) {
    if handle.strong_count() > 0 {
        // It was set, so its action can be restored; and neither caller can return an error.
        let _ = event_loop.remove_signal_handler(SIGINT);
    }
}
