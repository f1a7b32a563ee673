//! Runs a scene in this process and sends records to the runner.

use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use rustix::process::{Signal, set_parent_process_death_signal};

use crate::calls::calls_so_far;
use crate::channel;
use crate::descriptors::Descriptors;
use crate::record::{Panic, Record};
use crate::{Scene, Transcript, moments, values};

/// Runs a scene to its end. Reports its transcript, its error, and the descriptors that it leaked
/// or wrongly closed.
pub fn run_scene(scene: &Scene) -> ExitCode {
    if let Err(error) = reach_the_runner() {
        eprintln!("error: can't reach the runner: {error}");
        return ExitCode::FAILURE;
    }
    if channel::has_a_runner() {
        values::mark();
    }
    if let Err(error) = moments::begin_if_asked() {
        eprintln!("error: can't record the run: {error}");
        return ExitCode::FAILURE;
    }
    if let Some(look_on) = scene.look_on
        && moments::are_noted()
    {
        look_on();
    }
    let before = Descriptors::open_now();
    let result = (scene.play)(Transcript::new());
    let after = Descriptors::open_now();

    let mut faults = Vec::new();
    if let Err(error) = result {
        faults.push(Record::Error(format!("{error:#}")));
    }
    let name = |(number, kind)| Record::Closed(format!("{number} ({kind})"));
    faults.extend(before.closed(&after).into_iter().map(name));
    faults.extend(before.leaked(&after).into_iter().map(Record::Leaked));
    report(&faults)
}

/// Prepares this process for running and reporting: discards inherited state and, if there's a
/// runner, opens the channel and turns panics into records.
pub(crate) fn reach_the_runner() -> std::io::Result<()> {
    kit::start_afresh()?;
    // If the runner is killed, its scenes shouldn't outlive it.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    channel::open_to_the_runner()?;
    if channel::has_a_runner() {
        report_panics();
    }
    Ok(())
}

/// Sends the faults. With a runner, the records report the outcome, and the exit code says only
/// whether we could send them. Without a runner, the exit code reports the outcome.
pub(crate) fn report(faults: &[Record]) -> ExitCode {
    let hook = hook_was_replaced().then_some(&Record::HookReplaced);
    let mut records = faults.iter().chain(hook).chain([&Record::End]);
    if let Some(error) = records.find_map(|record| channel::send(record).err()) {
        eprintln!(
            "error: can't send the report, perhaps because its descriptor was closed: {error}"
        );
        return ExitCode::FAILURE;
    }
    if channel::has_a_runner() || faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Replaces std's panic message with a record, for panics on any thread. If `RUST_BACKTRACE` is
/// `full`, std also prints its message, with the whole backtrace, unless the panic comes from a
/// `todo!`.
fn report_panics() {
    let std_hook = panic::take_hook();
    let in_full = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value == "full");
    let in_place = InPlace;
    let hook: Hook = Box::new(move |info| {
        let _held = &in_place;
        if moments::is_noting() {
            // This panic comes from a sampler whose queue or loop was changing its state; see
            // `moments`.
            return;
        }
        let panic = describe(info);
        let in_full = in_full && !panic.is_todo();
        let _ = channel::send(&Record::Panic(panic));
        if in_full {
            std_hook(info);
        }
    });
    OURS.store(address(&hook), Ordering::Relaxed);
    panic::set_hook(hook);
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send>;

/// The address of our hook, or 0 if we haven't installed it.
static OURS: AtomicUsize = AtomicUsize::new(0);
/// Set when our hook is dropped. A later hook can have the same address, so comparing addresses
/// isn't enough.
static DROPPED: AtomicBool = AtomicBool::new(false);

/// A part of our hook. The value is dropped along with the hook.
struct InPlace;

impl Drop for InPlace {
    fn drop(&mut self) {
        DROPPED.store(true, Ordering::Relaxed);
    }
}

fn address(hook: &Hook) -> usize {
    std::ptr::from_ref(&**hook).cast::<()>().addr()
}

/// Returns true if a different panic hook has replaced ours. A scene may replace our hook for a
/// while as long as it restores ours before it ends.
fn hook_was_replaced() -> bool {
    let ours = OURS.load(Ordering::Relaxed);
    if ours == 0 {
        return false;
    }
    let hook = panic::take_hook();
    let replaced = address(&hook) != ours || DROPPED.load(Ordering::Relaxed);
    panic::set_hook(hook);
    replaced
}

fn describe(info: &PanicHookInfo<'_>) -> Panic {
    let (file, line) = match info.location() {
        Some(location) => (location.file().to_owned(), location.line().to_string()),
        None => Default::default(),
    };
    let thread = thread::current().name().unwrap_or("unnamed").to_owned();
    let mut panic =
        Panic { thread, file, line, calls: Vec::new(), message: message(info).to_owned() };
    // A `todo!`'s message and location are enough. Finding the calls takes a long time, and all of
    // a trial's programs can panic, so we look for the calls only for the first panics.
    if !panic.is_todo() && WITH_CALLS.fetch_add(1, Ordering::Relaxed) < MOST_WITH_CALLS {
        panic.calls = calls_so_far();
    }
    panic
}

/// The number of panics so far, not counting any `todo!`. Only for the first `MOST_WITH_CALLS` of
/// these panics do we look for the calls that led to them.
static WITH_CALLS: AtomicUsize = AtomicUsize::new(0);
const MOST_WITH_CALLS: usize = 4;

/// Returns a panic's message. The payload is nearly always a string, either a literal or a
/// formatted string.
fn message<'a>(info: &'a PanicHookInfo<'_>) -> &'a str {
    let payload = info.payload();
    let formatted = || payload.downcast_ref::<String>().map(String::as_str);
    let literal = payload.downcast_ref::<&'static str>().copied();
    literal.or_else(formatted).unwrap_or("(no message)")
}
