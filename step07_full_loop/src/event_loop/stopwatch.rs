//! A stopwatch for what the queue runs, on the loop's clock: for debug mode and for a trace.

use std::cell::Cell;
use std::rc::{Rc, Weak};

use step04_timers::Time;
use step06_tasks::{Observer, Ran};

use crate::event_loop::{Core, EventLoop};

struct Stopwatch {
    /// Weak, because the loop's queue holds this.
    core: Weak<Core>,
    began: Cell<Time>,
}

impl EventLoop {
    /// Lets the queue tell the loop what it runs, if that's of use.
    pub(crate) fn update_observer(&self) {
        let stopwatch = || -> Rc<dyn Observer> {
            let core = Rc::downgrade(&self.core);
            Rc::new(Stopwatch { core, began: Cell::new(self.time()) })
        };
        let is_needed = self.get_debug() || self.core.trace.is_on();
        self.core.queue.set_observer(is_needed.then(stopwatch));
    }
}

impl Stopwatch {
    fn event_loop(&self) -> Option<EventLoop> {
        self.core.upgrade().map(|core| EventLoop { core })
    }
}

impl Observer for Stopwatch {
    fn begins(&self) {
        if let Some(event_loop) = self.event_loop() {
            event_loop.trace_awake();
            self.began.set(event_loop.time());
        }
    }

    fn has_run(&self, ran: &Ran) {
        if let Some(event_loop) = self.event_loop() {
            let took = event_loop.time() - self.began.get();
            event_loop.core.trace.ran(ran, took);
            event_loop.report_if_slow(ran, took);
        }
    }
}
