//! What a scene's process wrote, sorted: the transcript, the reader's own output, the reports.

use crate::fault::Fault;
use crate::performance::Performance;
use crate::splitter::{Piece, Splitter};
use crate::streams::Stream;
use scene::record::Panic;
use scene::record::Record;

/// This much of the transcript, and of the rest, is kept.
const KEPT: usize = 64 * 1024;
/// This much in all, and the scene is stopped.
const FLOOD_MEBIBYTES: u64 = 8;

/// Of panics, this many are told.
const MOST_PANICS: usize = 4;

/// Everything heard so far.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    out: Splitter,
    err: Splitter,
    bytes: u64,
    performance: Performance,
    transcript_cut: bool,
    reached_the_end: bool,
    panics: Vec<Panic>,
    errors: Vec<String>,
    leaked: Vec<String>,
    closed: Vec<String>,
}

impl Gathered {
    pub(crate) fn take(&mut self, stream: Stream, bytes: &[u8], show: &mut dyn FnMut(&str)) {
        self.bytes += bytes.len() as u64;
        let pieces = self.splitter(stream).feed(bytes);
        self.sort(pieces, show);
    }

    pub(crate) fn close(&mut self, stream: Stream, show: &mut dyn FnMut(&str)) {
        let pieces = self.splitter(stream).finish();
        self.sort(pieces, show);
    }

    pub(crate) fn is_flooded(&self) -> bool {
        self.bytes > FLOOD_MEBIBYTES * 1024 * 1024
    }

    /// What is said of a scene that was stopped for it.
    pub(crate) fn flood() -> Fault {
        Fault::Flood { mebibytes: FLOOD_MEBIBYTES }
    }

    fn splitter(&mut self, stream: Stream) -> &mut Splitter {
        match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        }
    }

    fn sort(&mut self, pieces: Vec<Piece>, show: &mut dyn FnMut(&str)) {
        for piece in pieces {
            match piece {
                Piece::Printed(text) => self.printed(&text),
                Piece::Record(Record::Line(line)) => self.line(&line, show),
                Piece::Record(Record::Panic(panic)) => self.panic(panic),
                Piece::Record(Record::Error(error)) => self.errors.push(error),
                Piece::Record(Record::Leaked(kind)) => self.leaked.push(kind),
                Piece::Record(Record::Closed(which)) => self.closed.push(which),
                Piece::Record(Record::End) => self.reached_the_end = true,
            }
        }
    }

    /// The same panic in a hundred threads is one to tell.
    fn panic(&mut self, panic: Panic) {
        if self.panics.len() < MOST_PANICS && !self.panics.contains(&panic) {
            self.panics.push(panic);
        }
    }

    fn printed(&mut self, text: &str) {
        if self.performance.printed.len() + text.len() <= KEPT {
            self.performance.printed.push_str(text);
        } else {
            self.performance.cut += text.len() as u64;
        }
    }

    fn line(&mut self, line: &str, show: &mut dyn FnMut(&str)) {
        if self.performance.transcript.len() + line.len() < KEPT {
            show(line);
            self.performance.transcript.push_str(line);
            self.performance.transcript.push('\n');
        } else {
            self.transcript_cut = true;
            self.performance.cut += line.len() as u64;
        }
    }

    /// Nothing more will come: what is wrong, the most telling first?
    pub(crate) fn into_performance(self, stopped: Option<Fault>, ending: Fault) -> Performance {
        let mut performance = self.performance;
        let faults = &mut performance.faults;
        let panicked = !self.panics.is_empty();
        faults.extend(self.panics.into_iter().map(panic_fault));
        faults.extend(self.errors.into_iter().map(Fault::Error));
        if self.transcript_cut {
            faults.push(Fault::LongTranscript { kibibytes: KEPT as u64 / 1024 });
        }
        match stopped {
            Some(stopped) => faults.push(stopped),
            None if !self.reached_the_end => {
                let told = panicked && matches!(ending, Fault::Exited { code: 101 });
                faults.extend((!told).then(|| unexpected(ending, &performance.printed)));
            }
            None => faults.extend(Some(ending).filter(|end| *end != Fault::Exited { code: 0 })),
        }
        if !self.leaked.is_empty() {
            faults.push(Fault::Leaks(self.leaked));
        }
        if !self.closed.is_empty() {
            faults.push(Fault::ClosesOthers(self.closed));
        }
        performance
    }
}

fn panic_fault(panic: Panic) -> Fault {
    if panic.is_todo() { Fault::NotWritten(panic) } else { Fault::Panicked(panic) }
}

/// The process ended too early. Before it aborts, std says why on standard error.
fn unexpected(ending: Fault, printed: &str) -> Fault {
    if ending != (Fault::Killed { signal: libc::SIGABRT }) {
        return ending;
    }
    if printed.contains("IO Safety violation: owned file descriptor already closed") {
        Fault::ClosedTwice
    } else if printed.contains("has overflowed its stack") {
        Fault::StackOverflow
    } else {
        ending
    }
}
