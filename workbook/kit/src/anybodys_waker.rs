//! A waker that can run arbitrary code: it calls a function when it's cloned, woken or dropped.
//!
//! With `std::task::Wake`, a waker runs code only when it's woken and when its last clone is
//! dropped. But an executor can supply all four functions of a waker itself, and these functions
//! can run any code.

use std::mem::transmute;
use std::task::{RawWaker, RawWakerVTable, Waker};

/// What is done with a waker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakerCall {
    /// It's cloned.
    Clone,
    /// It's woken, by value or by reference.
    Wake,
    /// It's dropped, and not woken by value before.
    Drop,
}

/// Returns a waker that calls `does` whenever the waker or one of its clones is cloned, woken or
/// dropped.
pub fn anybodys_waker(does: fn(WakerCall)) -> Waker {
    let waker = RawWaker::new(does as *const (), &CALLS);
    // SAFETY: the waker has nothing to count or to free, and any thread can call the function.
    unsafe { Waker::from_raw(waker) }
}

const CALLS: RawWakerVTable = RawWakerVTable::new(
    |does| {
        tell(does, WakerCall::Clone);
        RawWaker::new(does, &CALLS)
    },
    |does| tell(does, WakerCall::Wake),
    |does| tell(does, WakerCall::Wake),
    |does| tell(does, WakerCall::Drop),
);

fn tell(does: *const (), call: WakerCall) {
    // SAFETY: `anybodys_waker` created this pointer from a `fn(WakerCall)`.
    let does = unsafe { transmute::<*const (), fn(WakerCall)>(does) };
    does(call);
}
