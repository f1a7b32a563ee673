//! The signals that stop a server. A signal doesn't stop the server if the server's parent has made
//! the server ignore that signal. For example, `nohup` ignores SIGHUP so that a program outlives
//! its terminal, and a shell ignores SIGINT for a script's background programs.

use std::cell::Cell;
use std::fs;
use std::rc::Rc;

use asyncio::{Result, SIGHUP, SIGINT, SIGTERM, current_task, get_running_loop};

use crate::program::Programs;

/// The signals that were ignored when this process started.
#[derive(Debug, Clone, Copy)]
pub struct Ignored {
    /// The set of signals, in which bit 0 represents signal 1.
    signals: u64,
}

impl Ignored {
    /// Returns the signals that are ignored now. Call this function before installing any handlers,
    /// because a signal with a handler no longer counts as ignored. If the kernel's report can't be
    /// read, returns the empty set.
    pub fn so_far() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let signals = bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
        Ignored { signals: signals.unwrap_or_default() }
    }

    /// Returns true if a signal is ignored.
    pub fn has(self, signal: i32) -> bool {
        self.signals & 1 << (signal - 1) != 0
    }

    /// Makes SIGINT, SIGTERM and SIGHUP, except those that are ignored, cancel the current task, so
    /// that the server shuts down. A user who sends the same signal again doesn't want to wait for
    /// slow programs, so we kill the programs, and the next signal kills the process. Two different
    /// signals aren't a sign of impatience, since a terminal and a supervisor can each send a
    /// signal.
    pub fn others_end_this_task(self, programs: &Rc<Programs>) -> Result<()> {
        let event_loop = get_running_loop()?;
        let Some(main) = current_task() else { return Ok(()) };
        let arrived = Rc::new(Cell::new(0_u64));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if self.has(signal) {
                // Remove any handler that the signal already has, since `run` handles SIGINT.
                event_loop.remove_signal_handler(signal)?;
                continue;
            }
            let (main, arrived, programs) =
                (main.clone(), Rc::clone(&arrived), Rc::clone(programs));
            let inner = event_loop.clone();
            event_loop.add_signal_handler(signal, move || {
                let before = arrived.replace(arrived.get() | 1 << signal);
                if before == 0 {
                    main.cancel();
                }
                if before & 1 << signal == 0 {
                    return;
                }
                programs.kill_all();
                for signal in [SIGINT, SIGTERM, SIGHUP] {
                    // From then on, the signal has the same effect as before the server began.
                    let _ = inner.remove_signal_handler(signal);
                }
            })?;
        }
        Ok(())
    }
}
