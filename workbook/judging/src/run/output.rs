//! Separates the different kinds of output that a scene's process sent: the transcript, the
//! reader's own output, and the faults.

use super::events::Event;
use super::fault::Fault;
use super::scene_run::{ProgramRun, SceneRun};
use scene::record::{Panic, Record};
use scene::values::plain;

/// The maximum number of bytes that we keep of a transcript. A scene's transcript has a few lines,
/// but the transcript of a trial's program can have thousands.
const TRANSCRIPT_LIMIT: usize = 1024 * 1024;
/// The maximum number of bytes that we keep of other output.
const LIMIT: usize = 64 * 1024;
/// The maximum number of bytes that we keep of each report.
const LONGEST_REPORT: usize = 16 * 1024;
/// The total output, in mebibytes, after which we kill a scene.
const FLOOD_MEBIBYTES: u64 = 8;
/// The maximum number of different panics that we report, and also the maximum number of errors.
const MOST_PANICS: usize = 4;
/// The maximum number of reports of leaked descriptors, and also of wrongly closed ones. No scene
/// opens that many descriptors.
const MOST_REPORTS: usize = 4096;
/// The size of a record's header, in bytes.
const HEADER: u64 = 5;

/// A normal exit. After the end of the scene, this exit isn't a fault.
const CLEAN: Fault = Fault::Exited { code: 0 };
/// The exit of a process after a panic in its main thread, with std's exit code.
const AFTER_A_PANIC: Fault = Fault::Exited { code: 101 };

/// The output that has arrived so far.
#[derive(Debug, Default)]
pub(crate) struct SceneOutput {
    bytes: u64,
    transcript: String,
    programs: Vec<ProgramRun>,
    moments: Vec<String>,
    printed: Vec<u8>,
    cut: u64,
    transcript_is_cut: bool,
    reached_the_end: bool,
    pub(crate) records_ended: bool,
    panics: Vec<Panic>,
    errors: Vec<String>,
    leaked: Vec<String>,
    closed: Vec<String>,
    /// Faults that the scene's process itself reports.
    reported: Vec<Fault>,
    /// The names of processes that the scene left behind outside its group.
    pub(crate) left_behind: Vec<String>,
}

impl SceneOutput {
    /// Handles an event from the scene. The event's size is always counted, but once the total
    /// exceeds the limit for a flood, no more records are kept.
    pub(crate) fn take(&mut self, event: Event, show: &mut dyn FnMut(&str)) {
        self.bytes += match &event {
            Event::Printed(bytes) => bytes.len() as u64,
            Event::Record(record) => HEADER + record.text_length() as u64,
            Event::RecordsEnded | Event::Ended => 0,
        };
        if self.is_flooded() && matches!(event, Event::Record(_)) {
            return;
        }
        match event {
            Event::Printed(bytes) => self.take_printed(&bytes),
            Event::Record(Record::Line(line)) => self.take_line(&line, show),
            Event::Record(Record::Program(text)) => self.programs.push(ProgramRun::parse(&text)),
            Event::Record(Record::Moment(text)) => self.moments.push(text),
            Event::Record(Record::Panic(panic)) => self.take_panic(panic),
            Event::Record(Record::Error(error)) => keep(&mut self.errors, cut(error), MOST_PANICS),
            Event::Record(Record::Leaked(kind)) => keep(&mut self.leaked, cut(kind), MOST_REPORTS),
            Event::Record(Record::Closed(fd)) => keep(&mut self.closed, cut(fd), MOST_REPORTS),
            Event::Record(Record::HookReplaced) => keep(&mut self.reported, Fault::HookReplaced, 1),
            Event::Record(Record::End) => self.reached_the_end = true,
            Event::RecordsEnded => self.records_ended = true,
            Event::Ended => (),
        }
    }

    pub(crate) fn is_flooded(&self) -> bool {
        self.bytes > FLOOD_MEBIBYTES * 1024 * 1024
    }

    /// Returns the fault of a scene whose output exceeded the limit.
    pub(crate) fn flood() -> Fault {
        Fault::Flood { mebibytes: FLOOD_MEBIBYTES }
    }

    fn take_printed(&mut self, bytes: &[u8]) {
        let kept = bytes.len().min(LIMIT - self.printed.len());
        self.printed.extend_from_slice(&bytes[..kept]);
        self.cut += (bytes.len() - kept) as u64;
    }

    fn take_line(&mut self, line: &str, show: &mut dyn FnMut(&str)) {
        if self.transcript.len() + line.len() < TRANSCRIPT_LIMIT {
            show(line);
            self.transcript.push_str(&plain(line));
            self.transcript.push('\n');
        } else {
            self.transcript_is_cut = true;
            self.cut += line.len() as u64;
        }
    }

    /// Keeps a panic, unless we already have the same panic or the maximum number of panics.
    /// Without this limit, a hundred threads that panic in one place would fill the report.
    fn take_panic(&mut self, mut panic: Panic) {
        panic.message = cut(panic.message);
        if self.panics.len() < MOST_PANICS && !self.panics.iter().any(|it| it.is_like(&panic)) {
            self.panics.push(panic);
        }
    }

    /// Returns the result of the run after the process has ended. If we killed the process,
    /// `stopped` is the reason.
    pub(crate) fn into_run(mut self, stopped: Option<Fault>, ending: Fault) -> SceneRun {
        let printed = String::from_utf8_lossy(&self.printed).into_owned();
        let has_panicked = !self.panics.is_empty();
        let survived = self.reached_the_end && stopped.is_none() && ending == CLEAN;
        let was_caught = |panic: &mut Panic| survived && panic.thread == "main" && !panic.is_todo();
        let caught: Vec<Panic> = self.panics.extract_if(.., was_caught).collect();
        let mut faults: Vec<Fault> = self.panics.into_iter().map(panic_fault).collect();
        faults.extend(self.errors.into_iter().map(Fault::Error));
        if self.transcript_is_cut {
            faults.push(Fault::LongTranscript { kibibytes: TRANSCRIPT_LIMIT as u64 / 1024 });
        }
        match stopped {
            Some(stopped) => faults.push(stopped),
            // std exits with 101 after a panic, and the panic is already among the faults.
            None if has_panicked && ending == AFTER_A_PANIC => (),
            None if !self.reached_the_end => faults.push(early_end(ending, &printed)),
            None if ending == CLEAN => (),
            None => faults.push(ending),
        }
        if !self.leaked.is_empty() {
            faults.push(Fault::Leaks(self.leaked));
        }
        if !self.closed.is_empty() {
            faults.push(Fault::ClosesOthers(self.closed));
        }
        faults.extend(self.reported);
        if !self.left_behind.is_empty() {
            faults.push(Fault::LeftBehind(self.left_behind));
        }
        SceneRun {
            transcript: self.transcript,
            programs: self.programs,
            moments: self.moments,
            printed,
            cut: self.cut,
            faults,
            caught,
        }
    }
}

/// Truncates a text that's longer than [`LONGEST_REPORT`].
fn cut(mut text: String) -> String {
    if text.len() > LONGEST_REPORT {
        text.truncate(text.floor_char_boundary(LONGEST_REPORT));
        text += "…";
    }
    text
}

fn keep<T>(all: &mut Vec<T>, another: T, most: usize) {
    if all.len() < most {
        all.push(another);
    }
}

fn panic_fault(panic: Panic) -> Fault {
    if panic.is_todo() { Fault::NotWritten(panic) } else { Fault::Panicked(panic) }
}

/// Returns the fault of a process that ended before the end of its scene. Before std aborts, it
/// prints the reason on standard error.
fn early_end(ending: Fault, printed: &str) -> Fault {
    if ending == AFTER_A_PANIC {
        return Fault::SilentPanic;
    }
    if ending != (Fault::Killed { signal: libc::SIGABRT }) {
        return ending;
    }
    if printed.contains("IO Safety violation: owned file descriptor already closed") {
        Fault::ClosedTwice
    } else if printed.contains("has overflowed its stack") {
        Fault::StackOverflow
    } else if printed.contains("memory allocation of ") {
        Fault::OutOfMemory
    } else if printed.is_empty() {
        Fault::SilentAbort
    } else {
        ending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Handles copies of a record until their total size counts as a flood. Returns the number of
    /// bytes of text that were kept.
    fn kept_of(record: &Record) -> usize {
        let mut output = SceneOutput::default();
        while !output.is_flooded() {
            output.take(Event::Record(record.clone()), &mut |_| ());
        }
        let run = output.into_run(Some(SceneOutput::flood()), CLEAN);
        let programs = run.programs.iter().map(|program| program.transcript.len() + 32);
        let faults = run.faults.iter().map(|fault| format!("{fault:?}").len());
        run.transcript.len()
            + programs.sum::<usize>()
            + run.moments.iter().map(|moment| moment.len() + 24).sum::<usize>()
            + faults.sum::<usize>()
    }

    #[test]
    fn whatever_a_scene_sends_is_counted_and_little_of_it_is_kept() {
        let text = |length: usize| "x".repeat(length);
        let panic = |length| Panic { message: text(length), ..Panic::default() };
        for length in [16, 1 << 20] {
            for record in [
                Record::Line(text(length)),
                Record::Program(text(length)),
                Record::Panic(panic(length)),
                Record::Error(text(length)),
                Record::Leaked(text(length)),
                Record::Closed(text(length)),
                Record::Moment(text(length)),
                Record::HookReplaced,
                Record::End,
            ] {
                let kept = kept_of(&record);
                assert!(kept < 64 << 20, "{length} {kept}");
                let limit =
                    if matches!(record, Record::Program(_) | Record::Moment(_)) { 64 } else { 9 };
                assert!(kept < limit << 20, "{limit} {length} {kept}");
            }
        }
    }
}
