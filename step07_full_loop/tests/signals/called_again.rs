//! Callbacks that run many times go on doing so after a panic. The only test of its file, because
//! signals belong to the whole process.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::rc::Rc;

use step01_fd::{socketpair, write};
use step05_selfpipe::raise;
use step07_full_loop::{EventLoop, SIGUSR1};

/// Panics in its first call and counts all calls.
fn panics_once(calls: &Rc<Cell<u32>>) -> impl FnMut() + use<> {
    let calls = Rc::clone(calls);
    move || {
        calls.set(calls.get() + 1);
        if calls.get() == 1 {
            resume_unwind(Box::new("the first call"));
        }
    }
}

#[test]
fn a_reader_a_writer_and_a_signal_handler_are_called_again_after_a_panic() {
    let _alone = crate::alone();
    let event_loop = EventLoop::new().unwrap();
    let reports = Rc::new(Cell::new(0));
    let counted = Rc::clone(&reports);
    event_loop.set_exception_handler(move |_| counted.set(counted.get() + 1));
    let calls = [(); 3].map(|()| Rc::new(Cell::new(0)));
    let (one, other) = socketpair().unwrap();
    write(&other, b"!").unwrap();
    event_loop.add_reader(&one, panics_once(&calls[0])).unwrap();
    event_loop.add_writer(&one, panics_once(&calls[1])).unwrap();
    event_loop.add_signal_handler(SIGUSR1, panics_once(&calls[2])).unwrap();
    for _ in 0..3 {
        raise(SIGUSR1).unwrap();
        // The signal's handler runs in the second tick.
        for _ in 0..2 {
            event_loop.stop();
            event_loop.run_forever().unwrap();
        }
    }
    event_loop.close().unwrap();
    assert_eq!(calls.map(|calls| calls.get()), [6, 6, 3]);
    assert_eq!(reports.get(), 3);
}
