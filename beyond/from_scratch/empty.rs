//! Your loop. Nothing is written here yet, and nobody tells you how to write it.
//!
//! It may use std, libc and the layers of steps 01 to 05, and it can have more
//! files beside this one. How you build it is up to you. It's judged by its
//! behaviour, in five stages:
//!
//! 1. **Tasks.** `pub fn block_on<F: Future>(main: F) -> F::Output` runs a future
//!    to its end. `pub fn spawn<T: 'static>(task: impl Future<Output = T> +
//!    'static) -> JoinHandle<T>` starts a task beside it, and `pub struct
//!    JoinHandle<T>` is a future whose output is a `std::thread::Result<T>`.
//!    *Polls*: a task is polled once at first, then at most once for each wake, and
//!    at least once after each wake. The future of `block_on` counts as a task.
//!    *Turns*: a woken task is polled before any other task is polled twice. Apart
//!    from that, the order is up to you. *Handles*: dropping a handle doesn't
//!    affect its task.
//! 2. **Wakes from other threads.** No new name: a `Waker` can be sent to any
//!    thread, and a wake from there ends the loop's sleep. The rule of turns holds
//!    once the loop could have noticed the wake. A wake never waits for the loop,
//!    no matter how many wakes the loop hasn't noticed yet. While there's nothing
//!    to do, the loop has to sleep.
//! 3. **Sleeps.** `pub fn sleep(duration: Duration) -> impl Future<Output = ()>`,
//!    which never ends early.
//! 4. **Descriptors.** `pub fn readable(fd: impl AsFd) -> impl Future<Output =
//!    io::Result<()>>` and `writable`, which does the same for writing. A wait is
//!    over if a read (or a write) wouldn't block now. Many tasks can wait for the
//!    same descriptor, in either direction. A wait for a regular file ends at once
//!    or fails.
//! 5. **Ends.** When `block_on`'s future ends, the other tasks are dropped, on that
//!    thread, before `block_on` returns. `block_on` can run again, and on several
//!    threads at once; each run has its own tasks. Outside of it, `spawn`, `sleep`,
//!    `readable` and `writable` panic. A late wake, after the end of its task or of
//!    the loop, does nothing. A task's panic is the `Err` of its handle, and the
//!    other tasks run on; a panic of `block_on`'s own future leaves `block_on`.
//!    Nothing that grows is left behind, neither by a run nor by a task, a sleep or
//!    a wait that's over: no memory, no descriptors, no threads, no processes.
//!    Whatever futures, wakers and destructors do inside the loop, such as
//!    spawning, waking and dropping, the loop has to cope with it; `block_on`'s own
//!    future is dropped inside the loop, too. If a destructor panics when the loop
//!    ends, the panic leaves `block_on`, and the thread is outside of the loop all
//!    the same.
//!
//! Anything else is up to you: whether a sleep begins when it's made or when it's
//! first polled, whether a call outside of `block_on` panics at once or when it's
//! polled, what a `block_on` inside another `block_on` does, what happens to a wait
//! whose descriptor is closed, and whether a wait can also be over when a read
//! would block, for example because another task has read first. These are up to
//! you as well: how late a sleep or a wake may be, who learns of the panic if a
//! task's future is done and its destructor panics, which of the other tasks are
//! dropped if a task's destructor panics at the end, what happens to a sleep that's
//! carried into another run, and what happens if a waker that isn't yours panics.
