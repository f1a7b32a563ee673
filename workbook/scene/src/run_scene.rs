//! The scene's side: plays one scene in this process, and reports to the runner in records.

use std::io;
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;
use std::thread;

use rustix::process::{Signal, set_parent_process_death_signal};

use crate::descriptors::Descriptors;
use crate::record::{Panic, Record};
use crate::{Scene, Transcript};

/// Plays a scene to its end, with records on standard output.
pub fn run_scene(scene: &Scene) -> ExitCode {
    // A runner that is killed outright leaves no scene behind.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    report_panics();

    let before = Descriptors::open_now();
    let result = (scene.play)(Transcript::new());
    let after = Descriptors::open_now();

    let mut records = Vec::new();
    if let Err(error) = result {
        records.push(Record::Error(format!("{error:#}")));
    }
    let closed = before.closed(&after);
    let stdout_is_gone = closed.iter().any(|&(number, _)| number == 1);
    let name = |(number, kind)| Record::Closed(format!("{number} ({kind})"));
    records.extend(closed.into_iter().map(name));
    records.extend(before.leaked(&after).into_iter().map(Record::Leaked));
    records.push(Record::End);

    for record in records {
        if stdout_is_gone {
            record.send(&mut io::stderr().lock());
        } else {
            record.send_on_stdout();
        }
    }
    ExitCode::SUCCESS
}

/// Sends a record instead of std's message, from whichever thread panics.
fn report_panics() {
    let std_hook = panic::take_hook();
    let backtrace = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    panic::set_hook(Box::new(move |info| {
        let panic = describe(info);
        // A `todo!` says all there is to say; what led to it is of no interest.
        let backtrace = backtrace && !panic.is_todo();
        Record::Panic(panic).send_on_stdout();
        if backtrace {
            std_hook(info);
        }
    }));
}

fn describe(info: &PanicHookInfo<'_>) -> Panic {
    let (file, line) = match info.location() {
        Some(place) => (place.file().to_owned(), place.line().to_string()),
        None => Default::default(),
    };
    Panic {
        thread: thread::current().name().unwrap_or("unnamed").to_owned(),
        file,
        line,
        message: message(info).to_owned(),
    }
}

/// A panic carries a string nearly always: a literal, or one that was formatted.
fn message<'a>(info: &'a PanicHookInfo<'_>) -> &'a str {
    let payload = info.payload();
    let formatted = || payload.downcast_ref::<String>().map(String::as_str);
    let literal = payload.downcast_ref::<&'static str>().copied();
    literal.or_else(formatted).unwrap_or("(no message)")
}
