//! Waking a task on its queue's own thread, without a message: the queue that this thread is
//! running, and a waker for code that stays on this thread.

use std::cell::RefCell;
use std::fmt;
use std::hash::Hash;
use std::ptr;
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Waker};

use super::ReadyQueue;
use crate::any_task::AnyTaskBody;
use crate::step::ask_current;
use crate::{AnyTask, Runnable};

/// Identifies a queue among the queues of all threads.
pub(crate) type QueueId = u64;

/// Returns an id that no queue has had before.
pub(super) fn next_id() -> QueueId {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // Relaxed: each addition finds a different value, and no other data depends on the id.
    NEXT.fetch_add(1, Ordering::Relaxed)
}

// ANCHOR: current_queue
thread_local! {
    /// The queue that this thread is running, if it's running one.
    pub(super) static CURRENT_QUEUE: RefCell<Option<ReadyQueue>> = const { RefCell::new(None) };
}
// ANCHOR_END: current_queue

/// A guard: while it lives, a wake-up on this thread for a task of the entered queue goes straight
/// into that queue, unless the thread has entered another queue since.
#[must_use = "the queue is left when this is dropped"]
#[derive(Debug)]
pub struct Entered {
    /// False if this queue was already the current queue. Dropping the guard then has nothing to
    /// restore.
    is_first: bool,
    before: Option<ReadyQueue>,
}

impl ReadyQueue {
    /// Enters the queue on this thread: until the guard is dropped, this thread wakes the queue's
    /// tasks directly, without a message.
    ///
    /// [`run_ready`](ReadyQueue::run_ready) enters the queue itself. A loop enters its queue once,
    /// for all its ticks together, because the loop also wakes tasks between calls to `run_ready`.
    ///
    /// # Panics
    ///
    /// Panics if a task enters its own queue: inside its step, the task couldn't take another step.
    #[inline]
    pub fn enter(&self) -> Entered {
        assert!(
            !self.shared.is_in_a_step.get(),
            "this queue is already running: a task can't run it again, but hands it work with \
             call_soon or create_task"
        );
        if self.is_entered() {
            return Entered { is_first: false, before: None };
        }
        Entered { is_first: true, before: CURRENT_QUEUE.replace(Some(self.clone())) }
    }

    /// Returns true if this thread has entered the queue and isn't inside another queue that it
    /// entered later.
    #[inline]
    pub fn is_entered(&self) -> bool {
        CURRENT_QUEUE.with_borrow(|current| {
            current.as_ref().is_some_and(|current| current.shared.id == self.shared.id)
        })
    }
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        if self.is_first {
            // Not `set`, which would drop the old handle inside the cell. That handle can be the
            // last, and the queue can own anything.
            drop(CURRENT_QUEUE.replace(self.before.take()));
        }
    }
}

/// Wakes the code that was polled with a context, but only from that code's thread. Rust's std has
/// such a type, too, but `std::task::LocalWaker` isn't stable yet.
#[derive(Clone)]
pub struct LocalWaker {
    wakes: Wakes,
}

#[derive(Clone)]
enum Wakes {
    /// Weak, because the task can own whatever keeps this waker, such as the timer of its sleep.
    Task(Weak<dyn AnyTaskBody>),
    /// A waker other than the current task's own. A `select`, for example, can hand a waker of its
    /// own to the futures that it polls.
    Other(Waker),
}

impl LocalWaker {
    /// Returns a waker for the code that is polled with this context: for the current task, or for
    /// a future like `select` that polls the code with another waker.
    #[inline]
    pub fn of(context: &Context<'_>) -> Self {
        let own = ask_current(|task| {
            let is_its_own = task.body.control().is_woken_by(context.waker());
            is_its_own.then(|| Rc::downgrade(&task.body))
        });
        let wakes = match own {
            Some(task) => Wakes::Task(task),
            None => Wakes::Other(context.waker().clone()),
        };
        LocalWaker { wakes }
    }

    /// Queues a step of the task, unless the task is already queued or has ended. If the context
    /// had a waker other than the current task's own, calls that waker.
    #[inline]
    pub fn wake(self) {
        match self.wakes {
            Wakes::Task(task) => {
                if let Some(body) = task.upgrade() {
                    let task = AnyTask { body: Rc::clone(&body) };
                    body.control().queue.push(Runnable::Step(task));
                }
            }
            Wakes::Other(waker) => waker.wake(),
        }
    }

    /// Returns true if both wakers wake the same task. For wakers of other code, `false` doesn't
    /// prove that they wake different code; see [`Waker::will_wake`].
    pub fn will_wake(&self, other: &LocalWaker) -> bool {
        match (&self.wakes, &other.wakes) {
            (Wakes::Task(task), Wakes::Task(other)) => task.ptr_eq(other),
            (Wakes::Other(waker), Wakes::Other(other)) => waker.will_wake(other),
            _ => false,
        }
    }

    /// Returns the task that this waker wakes, if it wakes a task of this thread that still exists.
    pub fn task(&self) -> Option<AnyTask> {
        match &self.wakes {
            Wakes::Task(task) => task.upgrade().map(|body| AnyTask { body }),
            Wakes::Other(_) => None,
        }
    }

    /// Returns true if the waker's task is known to have ended, so that the waker wakes nothing.
    pub fn wakes_nothing(&self) -> bool {
        match &self.wakes {
            Wakes::Task(task) => task.upgrade().is_none_or(|task| task.done()),
            Wakes::Other(_) => false,
        }
    }

    /// Returns an id that no waker with another target has while this waker exists.
    pub fn id(&self) -> impl Eq + Hash + use<> {
        match &self.wakes {
            Wakes::Task(task) => (task.as_ptr().cast::<()>(), None),
            Wakes::Other(waker) => (waker.data(), Some(ptr::from_ref(waker.vtable()))),
        }
    }
}

impl fmt::Debug for LocalWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalWaker").finish_non_exhaustive()
    }
}
