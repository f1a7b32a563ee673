//! The memory that a piece of code allocates, counted by an allocator for trials and tests.
//!
//! The kernel's figures for a process's memory are too coarse to show a single client's buffer. So
//! a program makes [`Counting`] its global allocator and asks how much its thread has allocated.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

/// The memory that a thread has allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// The number of allocations. A reallocation counts as another allocation.
    pub allocations: usize,
    /// The number of bytes in use. The number is negative if this thread has freed more of other
    /// threads' memory than it uses.
    pub in_use: isize,
}

/// The total number of bytes that all threads have in use.
static IN_USE: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    static MEMORY: Cell<Memory> = const { Cell::new(Memory { allocations: 0, in_use: 0 }) };
}

impl Memory {
    /// Returns the memory that the calling thread has allocated so far, or zeros if [`Counting`]
    /// isn't the program's allocator.
    pub fn until_now() -> Memory {
        MEMORY.get()
    }

    /// Returns the total number of bytes that all threads have in use, or 0 if [`Counting`] isn't
    /// the program's allocator.
    pub fn in_use_by_all_threads() -> isize {
        IN_USE.load(Ordering::Relaxed)
    }

    /// Returns the result of `f` and the memory that the calling thread allocates in `f`. `in_use`
    /// is the change in the number of bytes in use.
    pub fn of<T>(f: impl FnOnce() -> T) -> (T, Memory) {
        let before = Memory::until_now();
        let done = f();
        let after = Memory::until_now();
        let allocations = after.allocations - before.allocations;
        (done, Memory { allocations, in_use: after.in_use - before.in_use })
    }
}

/// Makes all threads in this process share one arena from now on; see `mallopt(3)`, `M_ARENA_MAX`.
///
/// Otherwise, glibc gives each new thread an arena of its own, up to eight arenas per processor. On
/// ARM64, glibc 2.43 gives each arena a page of 2 MiB, which would hide the size of a thread's
/// stack. With another C library, the function does nothing.
pub fn share_one_arena() {
    // SAFETY: the call takes two numbers. An allocator that doesn't know the first number ignores
    // the call.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1)
    };
}

/// The system's allocator, with counts for each thread.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: kit::memory::Counting = kit::memory::Counting;
///
/// let (list, memory) = kit::memory::Memory::of(|| vec![1_u8; 100]);
/// assert_eq!((list.len(), memory.allocations, memory.in_use), (100, 1, 100));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Counting;

impl Counting {
    fn allocated(size: usize) {
        IN_USE.fetch_add(size.cast_signed(), Ordering::Relaxed);
        let Memory { allocations, in_use } = MEMORY.get();
        let allocations = allocations.wrapping_add(1);
        MEMORY.set(Memory { allocations, in_use: in_use.wrapping_add_unsigned(size) });
    }

    fn freed(size: usize) {
        IN_USE.fetch_sub(size.cast_signed(), Ordering::Relaxed);
        let memory = MEMORY.get();
        MEMORY.set(Memory { in_use: memory.in_use.wrapping_sub_unsigned(size), ..memory });
    }
}

// SAFETY: all calls are passed on to the system's allocator, which upholds the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::allocated(layout.size());
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::allocated(layout.size());
        // SAFETY: the caller upholds the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        Self::freed(layout.size());
        // SAFETY: the memory came from this allocator, which gets all memory from the system's
        // allocator.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::freed(layout.size());
        Self::allocated(size);
        // SAFETY: the memory came from this allocator, which gets all memory from the system's
        // allocator. The caller upholds the rest of the contract of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }
}
