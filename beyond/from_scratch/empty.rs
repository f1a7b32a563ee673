//! Your loop. Nothing is written here, so nobody tells you how.
//!
//! It may use std, libc and the layers of steps 01 to 05, and it can have more files
//! beside this one. What it's made of is up to you. It's judged by what it does, in
//! five stages:
//!
//! 1. **Tasks.** `pub fn block_on<F: Future>(main: F) -> F::Output` runs a future to
//!    its end. `pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) ->
//!    JoinHandle<T>` starts a task beside it, and `pub struct JoinHandle<T>` is a
//!    future whose output is a `std::thread::Result<T>`.
//!    *Polls*: a task is polled once at first, then at most once for each wake, and
//!    at least once after each. The future of `block_on` counts as a task.
//!    *Turns*: a task that was woken is polled before any other is polled twice.
//!    Otherwise the order is yours. *Handles*: one that's dropped leaves its task
//!    alone.
//! 2. **Wakes from other threads.** No new name: a `Waker` can be sent to any thread,
//!    and a wake from there ends the loop's sleep. Its turn counts from when the loop
//!    could hear of it. While there's nothing to do, the loop does sleep.
//! 3. **Sleeps.** `pub fn sleep(duration: Duration) -> impl Future<Output = ()>` and
//!    never early.
//! 4. **Descriptors.** `pub fn readable(fd: impl AsFd) -> impl Future<Output =
//!    io::Result<()>>` and `writable`, the same for writing. A wait is over if a read
//!    (a write) wouldn't block now. Many tasks can wait for the same descriptor, in
//!    either direction. A wait for a regular file ends at once, or is an error.
//! 5. **Ends.** When `block_on`'s future ends, the other tasks are dropped, on that
//!    thread, before `block_on` returns. It can run again, and on several threads at
//!    once, each run with tasks of its own. Outside of it, `spawn`, `sleep`,
//!    `readable` and `writable` panic. A late wake, after a task's end or the loop's,
//!    does nothing. A task's panic is the `Err` of its handle, and the others run on;
//!    a panic of `block_on`'s own future leaves `block_on`. Nothing is left behind
//!    that grows: no memory, no descriptors, no threads, no processes. And whatever
//!    futures, wakers and destructors do inside the loop, such as spawn, wake and
//!    drop, it bears. If a destructor panics when the loop ends, that leaves
//!    `block_on`, and its thread is outside all the same.
//!
//! What isn't said is free: whether a sleep begins when it's made or when it's
//! polled, whether a call outside of `block_on` panics at once or when it's polled,
//! what a `block_on` inside of a `block_on` does, what becomes of a wait whose
//! descriptor is closed, and whether a wait can also be over when a read would block:
//! when another task has read first, say. Free as well: how late a sleep or a wake
//! is, who hears of it when a task's future is done and its destructor panics, which
//! of the other tasks are dropped if one's destructor panics at the end, what becomes
//! of a sleep that's carried into another run, and what a waker does that isn't yours
//! and panics.
