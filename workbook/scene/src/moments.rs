//! Moments: the parts of a recording.
//!
//! A moment records something that happens while a scene plays: a line of the transcript, a system
//! call, or something that a queue or a loop does, such as a task's step. A moment also contains
//! the lines of the scene's source that led there, and the *samplers'* reports on the state of the
//! scene's queues and loops, such as their ready tasks and their timers. The layers contain no code
//! for recordings. If a step has queues, its scenes come with an onlooker (`onlooker.rs`) that
//! records what the queues report to their observers and samples the queues' state.
//!
//! The source lines come from a backtrace, so the program needs debug information with line
//! numbers. A notebook's page is built with this information.

use std::cell::{Cell, RefCell};
use std::env;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::calls::calls_so_far;
use crate::channel;
use crate::record::Record;

/// The environment variable with which a runner asks a scene's process for its moments.
pub const RECORDS_MOMENTS: &str = "WORKBOOK_RECORDS_MOMENTS";

/// A function that reports the state of something, as pairs of a name and a value.
pub type Sampler = Box<dyn Fn() -> Vec<(&'static str, String)>>;

static IS_ON: AtomicBool = AtomicBool::new(false);

thread_local! {
    static SAMPLERS: RefCell<Vec<Sampler>> = const { RefCell::new(Vec::new()) };
    static IS_NOTING: Cell<bool> = const { Cell::new(false) };
}

/// Begins to record moments if a runner has asked for them. From then on, the system calls on the
/// list of `kit::see_calls` are moments, too, if this thread or a thread that it starts makes them.
pub(crate) fn begin_if_asked() -> io::Result<()> {
    if env::var_os(RECORDS_MOMENTS).is_some() && channel::has_a_runner() {
        kit::see_calls(is_noting, |call| note("call", &call.what, &call.more))?;
        IS_ON.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// Returns true if moments are being recorded.
pub(crate) fn are_noted() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Adds a function that reports the state of something in each later moment of this thread.
pub fn add_sampler(sampler: impl Fn() -> Vec<(&'static str, String)> + 'static) {
    SAMPLERS.with_borrow_mut(|samplers| samplers.push(Box::new(sampler)));
}

/// Records a moment, given its kind, a sentence that says what happens, and further details as
/// pairs of a name and a value.
pub fn note(kind: &str, what: &str, more: &[(&str, String)]) {
    if are_noted() && !is_noting() {
        let _quiet = Quiet::begin();
        send(kind, what, more);
    }
}

/// A guard that keeps this thread's moments from being recorded, because the calls that we make to
/// record a moment aren't part of the scene.
pub(crate) struct Quiet {
    was_noting: bool,
}

impl Quiet {
    pub(crate) fn begin() -> Self {
        Quiet { was_noting: IS_NOTING.replace(true) }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        IS_NOTING.set(self.was_noting);
    }
}

/// Returns true while this thread is recording a moment or sending a record.
pub(crate) fn is_noting() -> bool {
    IS_NOTING.get()
}

fn send(kind: &str, what: &str, more: &[(&str, String)]) {
    let mut fields = vec![("kind", kind.to_owned()), ("what", what.to_owned()), ("at", places())];
    if thread::current().name() != Some("main") {
        fields.push(("thread", thread::current().name().unwrap_or("a thread").to_owned()));
    }
    fields.extend(more.iter().cloned());
    SAMPLERS.with_borrow(|samplers| {
        // A system call can occur while a queue or a loop is changing its state. In that case, the
        // queue or loop can't answer and panics. `run_scene` doesn't report this panic, and the
        // next moment shows the change.
        let ask = |sampler: &Sampler| {
            let told = catch_unwind(AssertUnwindSafe(sampler));
            told.unwrap_or_else(|_| vec![("unanswered", "yes".to_owned())])
        };
        fields.extend(samplers.iter().flat_map(ask));
    });
    let fields = fields.iter().map(|(name, value)| format!("{name}\t{}", value.replace('\n', " ")));
    let _ = channel::send(&Record::Moment(fields.collect::<Vec<_>>().join("\n")));
}

/// Returns the lines of the scene's source that the thread is executing, innermost call first.
fn places() -> String {
    let calls = calls_so_far().into_iter().filter_map(|call| {
        let (_, file) = call.file.rsplit_once("experiments/scenes/")?;
        Some(format!("{file}:{}", call.line))
    });
    calls.collect::<Vec<_>>().join(" ")
}
