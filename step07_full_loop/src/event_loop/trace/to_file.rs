//! A trace as lines of JSON, to a file or anything else that can be written to.

use std::env;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::event_loop::EventLoop;
use crate::event_loop::running::get_running_loop;

/// Names the file to which every loop of a program writes its trace.
const VARIABLE: &str = "WORKBOOK_TRACE";

impl EventLoop {
    /// Writes each tick as a line of JSON, from the next tick on. `src/event_loop/trace/json.rs` describes the
    /// fields.
    ///
    /// If a line can't be written, the trace ends, and the error goes to the exception handler.
    pub fn trace_to(&self, mut writer: impl Write + 'static) {
        let number = next_number();
        self.set_trace(move |tick| {
            // In one piece, so that the lines of several loops don't mix.
            let written = writer.write_all(tick.to_json(number).as_bytes());
            if let (Err(error), Ok(event_loop)) = (written, get_running_loop()) {
                event_loop.clear_trace();
                event_loop.core.queue.report(&format!("The trace has ended: {error}"));
            }
        });
    }

    /// Begins a trace if the environment asks for one.
    pub(crate) fn trace_if_asked(&self) -> io::Result<()> {
        match env::var_os(VARIABLE) {
            Some(path) if !path.is_empty() => self.trace_to(open(&path)?),
            _ => {}
        }
        Ok(())
    }
}

/// Opens the file for appending: the program can have several loops.
fn open(path: &OsStr) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path).map_err(|error| {
        io::Error::new(error.kind(), format!("{VARIABLE}: open {}: {error}", path.display()))
    })
}

fn next_number() -> u32 {
    static TRACES: AtomicU32 = AtomicU32::new(1);
    // Relaxed: each addition finds another value, and nothing else is read because of it.
    TRACES.fetch_add(1, Ordering::Relaxed)
}
