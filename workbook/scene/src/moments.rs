//! Moments: the parts of a recording.
//!
//! A moment is something that happens while a scene plays: a line of the transcript, a system call,
//! a task's step. It says which lines of the scene led there, and what the *samplers* report about
//! the state of its queues and loops, such as what's ready and which timers there are. The layers
//! know nothing of all this. If a step has queues, its scenes come with an onlooker (`onlooker.rs`)
//! that notes what the queues' observers hear and samples their answers.
//!
//! The lines come from a backtrace, so the program needs line numbers: a page of the notebook has
//! them.

use std::cell::{Cell, RefCell};
use std::env;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::calls::calls_so_far;
use crate::channel;
use crate::record::Record;

/// The environment variable that makes a scene's process send its moments.
pub const RECORDS_MOMENTS: &str = "WORKBOOK_RECORDS_MOMENTS";

/// Reports the state of something: pairs of a name and a value.
pub type Sampler = Box<dyn Fn() -> Vec<(&'static str, String)>>;

static IS_ON: AtomicBool = AtomicBool::new(false);

thread_local! {
    static SAMPLERS: RefCell<Vec<Sampler>> = const { RefCell::new(Vec::new()) };
    static IS_NOTING: Cell<bool> = const { Cell::new(false) };
}

/// Begins to note moments if a runner has asked for them. From then on, this process's system
/// calls are moments, too.
pub(crate) fn begin_if_asked() -> io::Result<()> {
    if env::var_os(RECORDS_MOMENTS).is_some() && channel::has_a_runner() {
        kit::see_calls(is_noting, |call| note("call", &call.what, &call.more))?;
        IS_ON.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// Returns true if moments are noted.
pub(crate) fn are_noted() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Adds a function that reports the state of something in each later moment of this thread.
pub fn add_sampler(sampler: impl Fn() -> Vec<(&'static str, String)> + 'static) {
    SAMPLERS.with_borrow_mut(|samplers| samplers.push(Box::new(sampler)));
}

/// Notes a moment: its kind, a sentence that says what happens, and more about it, as pairs of a
/// name and a value.
pub fn note(kind: &str, what: &str, more: &[(&str, String)]) {
    if are_noted() && !is_noting() {
        let _quiet = Quiet::begin();
        send(kind, what, more);
    }
}

/// Keeps this thread's moments from being noted as long as it lives: the calls that we make for a
/// moment are no moments of the scene.
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

/// Returns true while this thread notes a moment or sends a record.
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
        // A system call can come while a queue or a loop changes something. Then it can't answer
        // and panics, which `run_scene` keeps to itself. The next moment shows the change.
        let ask = |sampler: &Sampler| {
            let told = catch_unwind(AssertUnwindSafe(sampler));
            told.unwrap_or_else(|_| vec![("unanswered", "yes".to_owned())])
        };
        fields.extend(samplers.iter().flat_map(ask));
    });
    let fields = fields.iter().map(|(name, value)| format!("{name}\t{}", value.replace('\n', " ")));
    let _ = channel::send(&Record::Moment(fields.collect::<Vec<_>>().join("\n")));
}

/// Returns the lines of the scenes that the thread is in, innermost first.
fn places() -> String {
    let calls = calls_so_far().into_iter().filter_map(|call| {
        let (_, file) = call.file.rsplit_once("experiments/scenes/")?;
        Some(format!("{file}:{}", call.line))
    });
    calls.collect::<Vec<_>>().join(" ")
}
