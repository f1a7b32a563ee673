//! A signal reaches the loop though its byte is not the only one. The only test of its file, because
//! signals belong to the whole process.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

use step05_selfpipe::raise;
use step07_full_loop::{EventLoop, SIGUSR1};

#[test]
fn a_signal_is_found_though_the_loop_has_taken_what_was_sent_before() {
    let event_loop = EventLoop::new().unwrap();
    let stopper = event_loop.clone();
    event_loop.add_signal_handler(SIGUSR1, move || stopper.stop()).unwrap();
    let (inner, handle) = (event_loop.clone(), event_loop.handle());
    event_loop.call_soon(move || {
        handle.call_soon_threadsafe(|| {}).unwrap();
        raise(SIGUSR1).unwrap();
        // Takes what was sent first. Were the pipe drained here, the loop would sleep forever.
        inner.call_soon(|| {});
    });
    event_loop.run_forever().unwrap();
    event_loop.close().unwrap();
}
