//! The ready queue: what runs next, in the order it became ready.
//!
//! Everything that can run ends up here: callbacks, and tasks that can continue. The queue never
//! waits and knows no clock; step 07 puts the selector and the timers around it. What other threads
//! send arrives in an inbox (step 05) and is taken by `remote.rs`.
//!
//! What is always true between two calls:
//! 1. A task is in the queue at most once.
//! 2. While the user's code runs (a callback, a coroutine, a drop), no cell here is borrowed. (The one
//!    exception is the running task's waker, and nothing changes that during the step.)
//! 3. Only the queue's own thread touches it; all others go through the inbox.
//! 4. There is one order: what was sent to the inbox before something was scheduled here runs before
//!    it. (asyncio: `call_soon` and `call_soon_threadsafe` append to the same `_ready`)

use std::cell::{Cell, RefCell, RefMut};
use std::collections::VecDeque;
use std::panic::Location;
use std::rc::Rc;
use std::{fmt, io};

use step05_selfpipe::{EventFd, Inbox};

use crate::current_queue::{self, Entered};
use crate::current_task;
use crate::observer::Observation;
use crate::queue_handle::{Message, QueueHandle, QueueId};
use crate::reporting::ExceptionHandler;
use crate::task::{Step, TaskBody};
use crate::task_waker::OwnWaker;
use crate::tasks::{TaskId, Tasks};
use crate::{AnyTask, Future, Handle, LocalWaker, Result, Task};

/// The room for callbacks and tasks that the queue keeps at least, once it has had it.
const KEPT_ROOM: usize = 1024;

/// The callbacks and tasks that are ready to run. A clone is another handle to the same queue.
#[derive(Clone)]
pub struct ReadyQueue {
    pub(crate) shared: Rc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) id: QueueId,
    pub(crate) ready: RefCell<VecDeque<Runnable>>,
    pub(crate) tasks: RefCell<Tasks>,
    /// The number of tasks ever made, for their names.
    tasks_made: Cell<u32>,
    pub(crate) inbox: Inbox<Message>,
    /// What other threads wake the loop with, if it isn't the inbox's pipe.
    pub(crate) counter: Option<EventFd>,
    pub(crate) handle: QueueHandle,
    /// The list that the inbox fills; kept, with its memory, from one take to the next.
    pub(crate) messages: RefCell<Vec<Message>>,
    /// Messages were taken ahead, and the loop hasn't yet seen the wake-up that came with them.
    pub(crate) has_unseen_wakeup: Cell<bool>,
    pub(crate) closed: Cell<bool>,
    /// `None` for the default.
    pub(crate) exception_handler: RefCell<Option<ExceptionHandler>>,
    pub(crate) observation: Observation,
}

pub(crate) enum Runnable {
    Callback(Handle),
    Step(Rc<dyn Step>),
    /// A wake-up that waits for its turn: the task takes its step a round later.
    Wake(LocalWaker),
}

impl ReadyQueue {
    /// Makes an empty queue. Fails if the process has no descriptors left for its inbox.
    pub fn new() -> io::Result<Self> {
        Ok(ReadyQueue::of(Inbox::new()?, None))
    }

    /// Makes an empty queue that other threads wake through an eventfd, which is cheaper than the
    /// inbox's pipe. The loop registers [`counter`](ReadyQueue::counter) too, edge-triggered, and
    /// calls [`take_woken`](ReadyQueue::take_woken) for it. Fails as [`new`](ReadyQueue::new) does.
    pub fn with_eventfd() -> io::Result<Self> {
        Ok(ReadyQueue::of(Inbox::new()?, Some(EventFd::new()?)))
    }

    fn of(inbox: Inbox<Message>, counter: Option<EventFd>) -> Self {
        let sender = match &counter {
            Some(counter) => inbox.sender().through(counter.clone()),
            None => inbox.sender(),
        };
        let id = QueueId::new();
        let shared = Shared {
            id,
            ready: RefCell::default(),
            tasks: RefCell::default(),
            tasks_made: Cell::default(),
            handle: QueueHandle::new(id, sender),
            inbox,
            counter,
            messages: RefCell::default(),
            has_unseen_wakeup: Cell::default(),
            closed: Cell::default(),
            exception_handler: RefCell::default(),
            observation: Observation::default(),
        };
        ReadyQueue { shared: Rc::new(shared) }
    }

    /// Schedules a callback behind all that is ready now; asyncio's `call_soon`.
    ///
    /// ```
    /// let queue = step06_tasks::ReadyQueue::new()?;
    /// queue.call_soon(|| println!("second"));
    /// println!("first");
    /// queue.run_ready();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn call_soon(&self, callback: impl FnOnce() + 'static) -> Handle {
        let handle = Handle::once(callback);
        self.push(handle.clone());
        handle
    }

    /// Puts a handle that exists already behind all that is ready now.
    pub fn push(&self, handle: Handle) {
        self.push_in_order(Runnable::Callback(handle));
    }

    /// Puts a wake-up behind all that is ready now. When its turn comes, it wakes the task, whose
    /// step then waits for the next round: as in asyncio, where a timer's callback sets a future's
    /// result, and that schedules the task.
    pub fn push_wake(&self, waker: LocalWaker) {
        self.push_in_order(Runnable::Wake(waker));
    }

    /// Queues a step of the task, unless it's queued already or has ended.
    #[inline]
    pub(crate) fn wake_task(&self, id: TaskId) {
        self.take_what_was_sent_before();
        self.push_step(id);
    }

    /// The same, for who has the task at hand: looking its id up would take longer.
    #[inline]
    pub(crate) fn wake_step_of(&self, task: &Rc<dyn Step>) {
        self.take_what_was_sent_before();
        self.push_step_of(task);
    }

    /// Keeps the one order: what other threads sent earlier comes first. They have hardly ever sent
    /// anything, and then this only reads one atomic.
    #[inline]
    fn push_in_order(&self, runnable: Runnable) {
        self.take_what_was_sent_before();
        self.push_last(runnable);
    }

    #[inline]
    fn take_what_was_sent_before(&self) {
        if !self.shared.inbox.is_empty() {
            self.take_ahead();
        }
    }

    #[inline]
    pub(crate) fn push_last(&self, runnable: Runnable) {
        self.ready_for_more().push_back(runnable);
    }

    /// Borrows what's ready, without the room of a burst that's over.
    #[inline]
    fn ready_for_more(&self) -> RefMut<'_, VecDeque<Runnable>> {
        let mut ready = self.shared.ready.borrow_mut();
        if ready.is_empty() && ready.capacity() > KEPT_ROOM {
            ready.shrink_to(KEPT_ROOM);
        }
        ready
    }

    #[inline]
    pub(crate) fn push_step(&self, id: TaskId) {
        if let Some(task) = self.shared.tasks.borrow().get(id) {
            self.push_step_of(task);
        }
    }

    #[inline]
    fn push_step_of(&self, task: &Rc<dyn Step>) {
        if task.control().note_wake() {
            // Not push_last: the compiler then makes it in its place instead of moving it there,
            // which every wake-up would pay for.
            self.ready_for_more().push_back(Runnable::Step(Rc::clone(task)));
        }
    }

    /// Makes a future that is pending; asyncio's `loop.create_future`.
    pub fn create_future<T: 'static>(&self) -> Future<T> {
        Future::new(self.clone())
    }

    /// Wraps a coroutine in a task and schedules its first step; asyncio's `create_task`.
    /// Nothing of the coroutine runs yet.
    #[track_caller]
    pub fn create_task<T: 'static>(
        &self,
        coroutine: impl std::future::Future<Output = Result<T>> + 'static,
    ) -> Task<T> {
        let id = self.shared.tasks.borrow().next_id();
        let number = self.shared.tasks_made.get().wrapping_add(1);
        self.shared.tasks_made.set(number);
        let body = TaskBody::new(self.clone(), id, number, Location::caller(), coroutine);
        self.shared.tasks.borrow_mut().insert(Rc::clone(&body) as Rc<dyn Step>);
        self.push_in_order(Runnable::Step(Rc::clone(&body) as Rc<dyn Step>));
        Task::new(body)
    }

    // ANCHOR: run_ready
    /// Runs all callbacks and tasks that are ready now, in their order, and returns their number. A
    /// cancelled callback is skipped, but counts.
    ///
    /// What they schedule waits for the next call, so that a loop can check for input in between.
    /// What has been sent waits too, until it's taken. A callback can do anything with the queue: if
    /// it calls [`clear`](ReadyQueue::clear), the rest of the round doesn't run. What's scheduled
    /// after a clear may run in this round or wait for the next, and the number may or may not count
    /// what was dropped; but it isn't 0, because something has run. (A task that calls this function
    /// panics when it enters the queue, and a callback shouldn't: asyncio's loop doesn't nest either.)
    pub fn run_ready(&self) -> usize {
        let _entered = self.enter();
        let todo = self.shared.ready.borrow().len();
        for _ in 0..todo {
            let next = self.shared.ready.borrow_mut().pop_front();
            if let Some(ready) = next {
                self.run(ready);
            }
        }
        todo
    }
    // ANCHOR_END: run_ready

    /// Runs until nothing is ready and nothing has been sent, for a program without a loop. Fails
    /// as [`take_remote`](ReadyQueue::take_remote) does.
    pub fn run_until_idle(&self) -> io::Result<()> {
        let _entered = self.enter();
        loop {
            // Taking is a system call, and hardly ever has anything arrived.
            if !self.shared.inbox.is_empty() || self.is_empty() {
                self.take_remote()?;
            }
            if self.run_ready() == 0 {
                return Ok(());
            }
        }
    }

    /// Runs a callback or a task's step. A panic ends only that, not the loop.
    #[inline]
    pub(crate) fn run(&self, ready: Runnable) {
        if self.shared.observation.is_wanted() {
            return self.run_observed(ready);
        }
        let run = || match ready {
            Runnable::Callback(handle) => self.run_callback(handle),
            Runnable::Step(task) => task.step(),
            Runnable::Wake(waker) => waker.wake(),
        };
        self.report_panic("Exception in callback", run);
    }

    /// Returns true if nothing is ready, and nothing has been sent either.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.shared.ready.borrow().is_empty() && self.shared.inbox.is_empty()
    }

    /// Returns how many tasks haven't ended.
    pub fn task_count(&self) -> usize {
        self.shared.tasks.borrow().len()
    }

    /// Returns all tasks that haven't ended, in no promised order; asyncio's `all_tasks`.
    pub fn all_tasks(&self) -> Vec<AnyTask> {
        self.shared.tasks.borrow().all().into_iter().map(AnyTask::new).collect()
    }

    /// Cancels every task that hasn't ended, and returns their number.
    pub fn cancel_all_tasks(&self) -> usize {
        self.all_tasks().iter().filter(|task| task.cancel()).count()
    }

    /// Enters the queue on this thread: until the guard is dropped, a wake-up on this thread goes
    /// straight into the queue, without a lock.
    ///
    /// [`run_ready`](ReadyQueue::run_ready) enters by itself. A loop enters too, once for all its
    /// ticks, because it wakes tasks between two calls of `run_ready`. A task of the queue panics if it
    /// enters it: while its step runs, it couldn't take the next one.
    #[inline]
    pub fn enter(&self) -> Entered {
        assert!(
            !current_task::is_of(self),
            "this queue is already running: a task can't run it again, but hands it work with \
             call_soon or create_task"
        );
        Entered::new(self)
    }

    /// Returns true if this thread has entered the queue, and no other one since.
    pub fn is_entered(&self) -> bool {
        current_queue::is_entered(self.id())
    }

    #[inline]
    pub(crate) fn lend_waker(&self, id: TaskId) -> OwnWaker {
        self.shared.tasks.borrow_mut().lend_waker(id, &self.shared.handle)
    }

    #[inline]
    pub(crate) fn keep_waker(&self, waker: OwnWaker) {
        let shared = self.shared.tasks.borrow_mut().keep_waker(waker);
        // When the table isn't borrowed any more.
        drop(shared);
    }

    #[inline]
    pub(crate) fn forget_task(&self, id: TaskId) {
        let task = self.shared.tasks.borrow_mut().remove(id);
        // In a statement of its own, when the table isn't borrowed any more: it can own anything.
        drop(task);
    }
}

impl fmt::Debug for ReadyQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ready, sent) = (self.shared.ready.borrow().len(), self.shared.inbox.len());
        f.debug_struct("ReadyQueue").field("ready", &ready).field("sent", &sent).finish()
    }
}
