//! The events of a scene's process: a record arrives, the process prints something, or the process
//! ends.

use std::io::{PipeReader, Read};
use std::process::Child;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use scene::record::Record;

/// An event that the process reports.
#[derive(Debug)]
pub(crate) enum Event {
    /// The process sent a record.
    Record(Record),
    /// No more records will arrive, because the process has closed its end of the pipe or has sent
    /// something that isn't a record.
    RecordsEnded,
    /// The process printed something, on standard output or standard error.
    Printed(Vec<u8>),
    /// The process has ended. Unless we killed it, it hasn't been reaped yet.
    Ended,
}

/// The maximum number of unhandled events. The limit is low, so that a scene that prints too much
/// blocks in its write instead of filling our memory.
const WAITING_EVENTS: usize = 16;

/// Starts threads that report a process's events, and returns the receiver of these events. Each
/// thread ends after its last event, or at its first event after the receiver is dropped.
pub(crate) fn events_of(child: &mut Child, pid: Pid, records: PipeReader) -> Receiver<Event> {
    let (sender, receiver) = sync_channel(WAITING_EVENTS);
    let start = |listen: Box<dyn FnOnce(SyncSender<Event>) + Send>| {
        let sender = sender.clone();
        thread::spawn(move || listen(sender));
    };
    if let Some(out) = child.stdout.take() {
        start(Box::new(move |sender| forward_output(out, &sender)));
    }
    if let Some(err) = child.stderr.take() {
        start(Box::new(move |sender| forward_output(err, &sender)));
    }
    start(Box::new(move |sender| forward_records(records, &sender)));
    start(Box::new(move |sender| {
        await_end(pid);
        let _ = sender.send(Event::Ended);
    }));
    receiver
}

fn forward_output(mut from: impl Read, sender: &SyncSender<Event>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                if sender.send(Event::Printed(buffer[..count].to_vec())).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => (),
            Err(_) => return,
        }
    }
}

/// Forwards the records and then reports that they've ended. If a record can't be read, for
/// instance because a crash cut it short, discards that record and everything after it.
fn forward_records(mut from: PipeReader, sender: &SyncSender<Event>) {
    while let Ok(Some(record)) = Record::read(&mut from) {
        if sender.send(Event::Record(record)).is_err() {
            return;
        }
    }
    let _ = sender.send(Event::RecordsEnded);
}

/// Waits until the process has ended. Doesn't reap the process, so that its ID can't be reused
/// before its group has been killed.
pub(super) fn await_end(pid: Pid) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
}
