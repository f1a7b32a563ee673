//! The owner of a registered descriptor.

use std::rc::Rc;

use step06_tasks::Handle;

use crate::event_loop::readiness::Readiness;

/// The data of a registration: what an event on the descriptor means to the loop.
#[derive(Clone)]
pub(crate) enum Source {
    /// The ready queue: another thread has sent something, or a signal has woken the loop.
    Wakeup,
    /// The ready queue's eventfd: another thread has sent something.
    Counter,
    /// The callbacks of `add_reader` and `add_writer`.
    Callbacks(Callbacks),
    /// A stream, which is edge-triggered and remembers its readiness.
    Stream(Rc<Readiness>),
}

/// The callbacks of one descriptor, at least one of the two.
#[derive(Clone, Default)]
pub(crate) struct Callbacks {
    pub(crate) reader: Option<Handle>,
    pub(crate) writer: Option<Handle>,
}
