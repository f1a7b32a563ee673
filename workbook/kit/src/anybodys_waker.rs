//! A waker that can run arbitrary code: it calls a function when it's cloned, woken or dropped.
//!
//! With `std::task::Wake`, a waker runs code only when it's woken and when its last clone is
//! dropped. But an executor can supply all four functions of a waker itself, and these functions
//! can run any code.

use std::mem::transmute;
use std::task::{RawWaker, RawWakerVTable, Waker};

/// Returns a waker that calls `does` whenever the waker or one of its clones is cloned, woken or
/// dropped.
pub fn anybodys_waker(does: fn()) -> Waker {
    let waker = RawWaker::new(does as *const (), &CALLS);
    // SAFETY: the waker has nothing to count or to free, and any thread can call the function.
    unsafe { Waker::from_raw(waker) }
}

const CALLS: RawWakerVTable = RawWakerVTable::new(clone, call, call, call);

fn clone(does: *const ()) -> RawWaker {
    call(does);
    RawWaker::new(does, &CALLS)
}

fn call(does: *const ()) {
    // SAFETY: `anybodys_waker` created this pointer from a `fn()`.
    let does = unsafe { transmute::<*const (), fn()>(does) };
    does();
}
