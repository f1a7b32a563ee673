//! Counts allocations, to show that a signal handler makes none, and lets other threads run at
//! large allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
/// The allocation size from which a thread lets other threads run.
pub(crate) const LARGE: usize = 4096;

/// The system's allocator, with a count of its allocations.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is passed on to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // A trial stops a thread here: in the middle of a push, with the queue locked.
        if layout.size() >= LARGE {
            std::thread::yield_now();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory came from `alloc`, and so from the system's allocator.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Counts the allocations that this process makes during `call`.
pub(crate) fn allocations_in<T>(call: impl FnOnce() -> T) -> (usize, T) {
    let before = ALLOCATIONS.load(Relaxed);
    let result = call();
    (ALLOCATIONS.load(Relaxed) - before, result)
}
