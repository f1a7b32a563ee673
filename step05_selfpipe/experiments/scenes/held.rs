//! A thread that is stopped in the middle of a system call.

use std::os::fd::AsFd;

use kit::Sleeper;
use kit::interruption::{Gate, interrupt_me_at};

/// A thread that's held at a gate, in the middle of the system call that makes a descriptor ready.
/// See [`kit::interruption`].
pub(super) struct Held {
    gate: Gate,
    thread: Sleeper,
}

impl Held {
    /// Starts a thread that makes `call`, and holds the thread where `call` makes `fd` ready.
    pub(super) fn start(
        fd: impl AsFd + Send + 'static,
        call: impl FnOnce() -> String + Send + 'static,
    ) -> anyhow::Result<Self> {
        let gate = Gate::for_the_next()?;
        let thread = Sleeper::start(move || match interrupt_me_at(&fd) {
            Ok(()) => call(),
            Err(error) => error.to_string(),
        })?;
        thread.wait_until_asleep()?;
        Ok(Held { gate, thread })
    }

    /// Says whether the thread is held at its gate.
    pub(super) fn state(&self) -> &'static str {
        if self.gate.holds_a_thread() { "held" } else { "not held" }
    }

    /// Lets the thread go on and returns the result of its call.
    pub(super) fn release(self) -> anyhow::Result<String> {
        self.gate.open()?;
        self.thread.join()
    }
}
