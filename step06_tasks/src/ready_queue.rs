//! The ready queue: what runs next, in the order it became ready.
//!
//! Everything ends here: callbacks, and tasks that can go on. Nothing here waits and nothing here
//! knows a descriptor or a clock; step 07 puts the selector and the timers around it.
//!
//! What is always true between two calls:
//! 1. A task stands in the queue at most once.
//! 2. While foreign code runs (a callback, a coroutine, a drop), no cell here is borrowed.
//! 3. Only the queue's own thread touches it; all others go through the inbox.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use crate::inbox::{Inbox, Message, QueueHandle};
use crate::local::Entered;
use crate::task_table::{TaskId, TaskTable};
use crate::{Error, Future, Handle, Result, Task};

/// The queue of what is ready to run. Cloning gives another name for the same queue.
#[derive(Clone)]
pub struct ReadyQueue {
    shared: Rc<Shared>,
}

struct Shared {
    ready: RefCell<VecDeque<Runnable>>,
    tasks: RefCell<TaskTable>,
    inbox: Arc<Inbox>,
    exception_handler: RefCell<ExceptionHandler>,
}

type ExceptionHandler = Rc<dyn Fn(&str)>;

enum Runnable {
    Callback(Handle),
    Step(TaskId),
}

impl ReadyQueue {
    /// An empty queue.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let report: ExceptionHandler = Rc::new(|message| eprintln!("{message}"));
        let shared = Shared {
            ready: RefCell::default(),
            tasks: RefCell::default(),
            inbox: Arc::default(),
            exception_handler: RefCell::new(report),
        };
        ReadyQueue { shared: Rc::new(shared) }
    }

    /// Schedules a callback behind all that is ready now; asyncio's `call_soon`.
    ///
    /// ```
    /// let queue = step06_tasks::ReadyQueue::new();
    /// queue.call_soon(|| println!("second"));
    /// println!("first");
    /// queue.run_once();
    /// ```
    pub fn call_soon(&self, callback: impl FnOnce() + 'static) -> Handle {
        let handle = Handle::once(callback);
        self.push(handle.clone());
        handle
    }

    /// Puts a handle that exists already behind all that is ready now.
    pub fn push(&self, handle: Handle) {
        self.shared.ready.borrow_mut().push_back(Runnable::Callback(handle));
    }

    pub(crate) fn push_step(&self, id: TaskId) {
        self.shared.ready.borrow_mut().push_back(Runnable::Step(id));
    }

    /// A future that nobody has finished yet; asyncio's `loop.create_future`.
    pub fn create_future<T: 'static>(&self) -> Future<T> {
        Future::new(self.clone())
    }

    /// Wraps a coroutine in a task and schedules its first step; asyncio's `create_task`.
    /// Nothing of the coroutine runs yet.
    pub fn create_task<T: 'static>(
        &self,
        coroutine: impl std::future::Future<Output = Result<T>> + 'static,
    ) -> Task<T> {
        let id = self.shared.tasks.borrow_mut().reserve();
        let (task, step) = Task::new(self.clone(), id, coroutine);
        self.shared.tasks.borrow_mut().put(id, step);
        self.push_step(id);
        task
    }

    // ANCHOR: run_once
    /// Runs what is ready now, and returns how many that were. What they schedule waits for the
    /// next call, so that a loop can look for input in between.
    pub fn run_once(&self) -> usize {
        let _entered = self.enter();
        self.fetch_remote();
        let todo = self.shared.ready.borrow().len();
        for _ in 0..todo {
            let next = self.shared.ready.borrow_mut().pop_front();
            if let Some(ready) = next {
                self.run(ready);
            }
        }
        todo
    }
    // ANCHOR_END: run_once

    /// Runs until nothing is ready and nothing has come from other threads.
    pub fn run_until_idle(&self) {
        while self.run_once() > 0 {}
    }

    /// A panic ends the callback, not the loop.
    fn run(&self, ready: Runnable) {
        let run = || match ready {
            Runnable::Callback(handle) => handle.run(),
            Runnable::Step(id) => {
                let task = self.shared.tasks.borrow().get(id);
                if let Some(task) = task {
                    task.step();
                }
            }
        };
        let outcome = catch_unwind(AssertUnwindSafe(run));
        if let Err(payload) = outcome {
            let error = Error::panicked(&*payload);
            self.report(&format!("Exception in callback: {error}"));
        }
    }

    /// Whether nothing is ready.
    pub fn is_empty(&self) -> bool {
        self.shared.ready.borrow().is_empty()
    }

    /// How many tasks are not finished.
    pub fn task_count(&self) -> usize {
        self.shared.tasks.borrow().len()
    }

    /// The face of this queue that other threads may use.
    pub fn handle(&self) -> QueueHandle {
        QueueHandle::new(Arc::clone(&self.shared.inbox))
    }

    /// Says how another thread can wake the loop that runs this queue: `notify` is called for the
    /// first message of each batch. Returns false, and changes nothing, if that was said before.
    pub fn on_remote_message(&self, notify: impl Fn() + Send + Sync + 'static) -> bool {
        self.shared.inbox.set_notify(Box::new(notify))
    }

    /// Takes what other threads have left into the queue. [`run_once`](ReadyQueue::run_once) does
    /// it too; a loop that was just woken does it before it looks at anything else.
    pub fn fetch_remote(&self) {
        for message in self.shared.inbox.take() {
            match message {
                Message::Wake(id) => self.push_step(id),
                Message::Call(callback) => self.push(Handle::once(callback)),
            }
        }
    }

    /// Cancels every task that is not finished, and returns how many that were.
    pub fn cancel_all_tasks(&self) -> usize {
        let tasks = self.shared.tasks.borrow().all();
        tasks.iter().filter(|task| task.cancel()).count()
    }

    /// Drops all callbacks and all coroutines without running them. A loop does this when it
    /// closes, because a coroutine may hold the queue that holds it.
    pub fn clear(&self) {
        let ready = self.shared.ready.take();
        drop(ready);
        let messages = self.shared.inbox.take();
        drop(messages);
        let tasks = self.shared.tasks.borrow().all();
        for task in tasks {
            task.abandon();
        }
    }

    /// Replaces what happens with the message of an error that no one else can be told; the
    /// default prints it on standard error.
    pub fn set_exception_handler(&self, handler: impl Fn(&str) + 'static) {
        *self.shared.exception_handler.borrow_mut() = Rc::new(handler);
    }

    /// Calls the exception handler.
    pub fn report(&self, message: &str) {
        let handler = Rc::clone(&self.shared.exception_handler.borrow());
        handler(message);
    }

    /// Says that this thread runs this queue now: until the guard is dropped, a wake-up on this
    /// thread goes straight into the queue, without a lock. A loop enters once for all its ticks.
    pub fn enter(&self) -> Entered {
        Entered::new(self.clone())
    }

    pub(crate) fn inbox(&self) -> &Arc<Inbox> {
        &self.shared.inbox
    }

    pub(crate) fn forget_task(&self, id: TaskId) {
        let task = self.shared.tasks.borrow_mut().remove(id);
        drop(task);
    }
}

impl fmt::Debug for ReadyQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ready = self.shared.ready.borrow().len();
        f.debug_struct("ReadyQueue").field("ready", &ready).finish_non_exhaustive()
    }
}
