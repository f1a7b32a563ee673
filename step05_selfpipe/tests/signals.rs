//! Properties of signals that no scene shows.
//!
//! The handlers belong to the process, so these tests take turns.

use std::fs;
use std::io::ErrorKind;
use std::sync::{Mutex, MutexGuard};

use kit::Sleeper;
use kit::interruption::{Gate, interrupt_me_at};
use step05_selfpipe::{SIGHUP, SIGUSR1, SIGUSR2, SelfPipe, Signals, raise};

static TURN: Mutex<()> = Mutex::new(());

fn my_turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Returns the signals for which this process has handlers, according to the kernel.
fn caught() -> String {
    let status = fs::read_to_string("/proc/self/status").expect("read the status");
    let line = status.lines().find(|line| line.starts_with("SigCgt"));
    line.expect("a line SigCgt").to_string()
}

#[test]
fn dropping_restores_what_was_before() {
    let _turn = my_turn();
    let before = caught();
    let pipe = SelfPipe::new().unwrap();
    let mut signals = Signals::new(pipe.waker()).unwrap();
    signals.add(SIGUSR1).unwrap();
    signals.add(SIGHUP).unwrap();
    assert_ne!(caught(), before);
    drop(signals);
    assert_eq!(caught(), before);
}

#[test]
fn removing_restores_what_was_before_and_clears_the_flag() {
    let _turn = my_turn();
    let before = caught();
    let pipe = SelfPipe::new().unwrap();
    let mut signals = Signals::new(pipe.waker()).unwrap();
    signals.add(SIGUSR1).unwrap();
    raise(SIGUSR1).unwrap();
    assert!(signals.remove(SIGUSR1).unwrap());
    assert!(!signals.remove(SIGUSR1).unwrap());
    assert_eq!(caught(), before);
    assert_eq!(signals.take().count(), 0);
}

#[test]
fn signals_are_taken_in_the_order_in_which_they_arrived_first() {
    let _turn = my_turn();
    let pipe = SelfPipe::new().unwrap();
    let mut signals = Signals::new(pipe.waker()).unwrap();
    for signal in [SIGHUP, SIGUSR1, SIGUSR2] {
        signals.add(signal).unwrap();
    }
    for arrive in
        [[SIGUSR2, SIGHUP, SIGUSR1], [SIGUSR1, SIGUSR2, SIGHUP], [SIGHUP, SIGUSR2, SIGUSR1]]
    {
        for signal in arrive {
            raise(signal).unwrap();
        }
        raise(arrive[0]).unwrap();
        assert!(signals.has_arrived());
        assert_eq!(signals.take().collect::<Vec<_>>(), arrive);
        assert!(!signals.has_arrived());
    }
}

#[test]
fn adding_twice_is_not_an_error_and_restores_once() {
    let _turn = my_turn();
    let before = caught();
    let pipe = SelfPipe::new().unwrap();
    let mut signals = Signals::new(pipe.waker()).unwrap();
    signals.add(SIGUSR2).unwrap();
    signals.add(SIGUSR2).unwrap();
    drop(signals);
    assert_eq!(caught(), before);
}

#[test]
fn only_one_exists_at_a_time() {
    let _turn = my_turn();
    let pipe = SelfPipe::new().unwrap();
    let first = Signals::new(pipe.waker()).unwrap();
    let second = Signals::new(pipe.waker());
    assert_eq!(second.unwrap_err().kind(), ErrorKind::AlreadyExists);
    drop(first);
    Signals::new(pipe.waker()).unwrap();
}

#[test]
fn signals_that_cannot_be_handled_are_refused() {
    let _turn = my_turn();
    let pipe = SelfPipe::new().unwrap();
    let mut signals = Signals::new(pipe.waker()).unwrap();
    for signal in [libc::SIGKILL, libc::SIGSTOP, libc::SIGSEGV, 0, -1, 1000] {
        let refused = signals.add(signal).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{refused}");
    }
}

#[test]
fn signals_show_what_was_handled_before() {
    let _turn = my_turn();
    let pipe = SelfPipe::new().unwrap();
    let mut signals = Signals::new(pipe.waker()).unwrap();
    signals.add(SIGUSR1).unwrap();
    let shown = format!("({SIGUSR1}, Disposition(0x0))");
    assert!(format!("{signals:?}").contains(&shown), "{signals:?}");
}

/// If the new `Signals` didn't wait, the end of the old `Signals` would clear the new flags.
#[test]
fn another_one_waits_for_the_last_handler_of_the_one_before() {
    let _turn = my_turn();
    let pipe = SelfPipe::new().unwrap();
    let [first, second, third] = [(); 3].map(|()| pipe.waker());
    let mut signals = Signals::new(first).unwrap();
    signals.add(SIGUSR1).unwrap();
    let gate = Gate::for_the_next().unwrap();
    let handler = Sleeper::start(move || {
        interrupt_me_at(&pipe).unwrap();
        raise(SIGUSR1).unwrap();
        String::from("the handler has written its byte")
    });
    let handler = handler.unwrap();
    handler.wait_until_asleep().unwrap();
    assert!(gate.holds_a_thread());
    let dropper = Sleeper::start(move || {
        drop(signals);
        String::from("nothing uses the descriptor")
    });
    let dropper = dropper.unwrap();
    dropper.wait_until_asleep().unwrap();
    let refused = Signals::new(second);
    gate.open().unwrap();
    handler.join().unwrap();
    dropper.join().unwrap();
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::AlreadyExists);
    Signals::new(third).unwrap();
}
