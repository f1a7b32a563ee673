//! A pool: a few threads, and a queue of work that they share. A piece of work can be cancelled
//! until a thread begins it.
//!
//! Three invariants, of which the first two hold whenever the lock is free and the third always
//! holds:
//! 1. There are never more threads than `max_threads`.
//! 2. If work is queued, there's a thread that will look at the queue again: a new thread has been
//!    started, a waiting thread has been notified, or all threads are busy and check the queue when
//!    they're done.
//! 3. No user code runs under the lock.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::{fmt, io, mem};

use step01_fd::CallError;
use step06_tasks::{Error, Result};

/// A bounded pool of threads for work that blocks; Python's `ThreadPoolExecutor`.
///
/// The pool starts a thread when more work is queued than threads are waiting and keeps the thread
/// for later work. When the pool is dropped, its threads finish the queued work and then end; the
/// drop doesn't wait for them. CPython waits for such threads when the program ends, whereas Rust
/// ends them with the program.
pub struct ThreadPool {
    workers: Arc<Workers>,
}

struct Workers {
    state: Mutex<WorkQueue>,
    has_changed: Condvar,
    max_threads: usize,
    /// The threads that were started and haven't been joined.
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct WorkQueue {
    queue: VecDeque<Work>,
    /// The number of threads that wait for work, including notified threads that haven't woken.
    idle: usize,
    started: usize,
    is_shut_down: bool,
}

impl ThreadPool {
    /// Makes a pool that has no threads yet and starts `max_threads` at most.
    pub fn new(max_threads: NonZero<usize>) -> Self {
        let workers = Workers {
            state: Mutex::default(),
            has_changed: Condvar::new(),
            max_threads: max_threads.get(),
            threads: Mutex::default(),
        };
        ThreadPool { workers: Arc::new(workers) }
    }

    /// Queues work. Starts a thread if more work is queued than threads are waiting and the limit
    /// allows it.
    ///
    /// Fails after a shutdown. Also fails if the first thread can't be started; then the work isn't
    /// queued. If a later thread can't be started, the existing threads do the work.
    pub(crate) fn submit(&self, work: Work) -> Result<()> {
        let mut state = self.workers.lock();
        if state.is_shut_down {
            return Err(Error::other("cannot schedule new futures after shutdown"));
        }
        state.queue.push_back(work);
        if state.queue.len() <= state.idle || state.started == self.workers.max_threads {
            self.workers.has_changed.notify_one();
            return Ok(());
        }
        match self.workers.start_thread(state.started) {
            Ok(()) => state.started += 1,
            Err(error) if state.started == 0 => {
                let refused = state.queue.pop_back();
                drop(state);
                drop(refused);
                return Err(Error::from(error));
            }
            // The existing threads will get to the work.
            Err(_) => {}
        }
        Ok(())
    }

    /// Refuses more work from now on. The threads finish the queued work and end.
    fn shut_down(&self) {
        self.workers.lock().is_shut_down = true;
        self.workers.has_changed.notify_all();
    }

    /// Returns a function that shuts the pool down and waits until its threads have ended. Any
    /// thread can call the function, except the pool's own threads.
    pub(crate) fn joiner(&self) -> impl FnOnce() + Send + use<> {
        let pool = ThreadPool { workers: Arc::clone(&self.workers) };
        move || {
            pool.shut_down();
            // Locked until the last thread has ended, so that two joiners both wait for all
            // threads. No thread needs this lock, and no new thread is started.
            for thread in lock(&pool.workers.threads).drain(..) {
                // The thread catches the work's panics, so an error here isn't the work's.
                let _ = thread.join();
            }
        }
    }
}

impl Workers {
    fn lock(&self) -> MutexGuard<'_, WorkQueue> {
        lock(&self.state)
    }

    /// Starts the thread with this number. The state is locked meanwhile, so no other thread gets
    /// the same number.
    fn start_thread(self: &Arc<Self>, number: usize) -> io::Result<()> {
        let workers = Arc::clone(self);
        let name = format!("loop-worker {number}");
        let named = |error| CallError::wrap(format!("start thread {name}"), error);
        let builder = thread::Builder::new().name(name.clone());
        let thread = builder.spawn(move || workers.run_work()).map_err(named)?;
        lock(&self.threads).push(thread);
        Ok(())
    }

    /// Runs work until the pool is shut down and its queue is empty. Each thread runs this
    /// function.
    fn run_work(&self) {
        while let Some(work) = self.next_work() {
            // The work catches its own panics. The values that it leaves behind can panic when
            // they're dropped, and the thread has to survive that: the pool never replaces it.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| work.run())) {
                // Dropping the payload can panic, too. The payload of that second panic is never
                // dropped, since it could panic once more.
                mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
            }
        }
    }

    fn next_work(&self) -> Option<Work> {
        let mut state = self.lock();
        state.idle += 1;
        let waits = |state: &mut WorkQueue| state.queue.is_empty() && !state.is_shut_down;
        let waited = self.has_changed.wait_while(state, waits);
        state = waited.unwrap_or_else(PoisonError::into_inner);
        state.idle -= 1;
        state.queue.pop_front()
    }
}

/// Locks a mutex. No user code runs under the lock, so the value is consistent even if the mutex is
/// poisoned.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rule is the same as in CPython: four more threads than processors, but 32 at most, so that
/// the pool doesn't take too much of a machine with many processors.
impl Default for ThreadPool {
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = NonZero::new(processors + 4).unwrap_or(NonZero::<usize>::MIN);
        ThreadPool::new(threads.min(NonZero::new(32).unwrap_or(NonZero::<usize>::MIN)))
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.shut_down();
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("max_threads", &self.workers.max_threads)
            .finish_non_exhaustive()
    }
}

type Function = Box<dyn FnOnce() + Send>;

// ANCHOR: work
/// A function that runs at most once, on whichever thread takes it first. A clone is another handle
/// to the same work.
#[derive(Clone)]
pub(crate) struct Work {
    /// `None` once the work has begun or has been cancelled, so only one of the two can happen; the
    /// `set_running_or_notify_cancel` of Python's `concurrent.futures`.
    function: Arc<Mutex<Option<Function>>>,
}
// ANCHOR_END: work

impl Work {
    // ANCHOR: work_calls
    pub(crate) fn new(function: impl FnOnce() + Send + 'static) -> Self {
        Work { function: Arc::new(Mutex::new(Some(Box::new(function)))) }
    }

    /// Runs the work on this thread, unless it has been cancelled.
    pub(crate) fn run(self) {
        if let Some(function) = self.take() {
            function();
        }
    }

    /// Keeps the work from running and drops its function, whose destructor can panic. Work that
    /// has begun runs on.
    pub(crate) fn cancel(&self) {
        drop(self.take());
    }

    // ANCHOR_END: work_calls

    /// Takes the function out. The function can be any code, so it runs or is dropped only once the
    /// lock is released.
    fn take(&self) -> Option<Function> {
        self.function.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
