//! A loop in one file, written as a reader of *From scratch* might write it. It offers `spawn`,
//! `sleep` and waits for descriptors. Any thread can wake its tasks, and they run in a fair order.
//! It's built on steps 02 and 05 and uses the simplest design that keeps the contract's promises.
//!
//! When a wait or a sleep is over, the loop calls a waker. The waker sends its task's number to the
//! loop's inbox, unless it has already done so since the task's last poll. The loop takes the
//! numbers, polls those tasks, and sleeps in epoll when no numbers are left.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use step02_epoll::{Epoll, Events, Interest, Trigger};
use step05_selfpipe::{Inbox, Sender};

/// The number of `block_on`'s own future. It's also the inbox's token in epoll.
const MAIN: u64 = 0;
const ROOM_FOR_EVENTS: usize = 256;

thread_local! {
    /// The loop that's running on this thread.
    static RUNNING: RefCell<Option<Rc<Loop>>> = const { RefCell::new(None) };
}

struct Loop {
    /// The numbers of the tasks that have been woken.
    woken: Inbox<u64>,
    tasks: RefCell<HashMap<u64, Task>>,
    /// The wakers of sleeping tasks, by deadline. Since two sleeps can have the same deadline, each
    /// key also contains the sleep's number.
    sleeps: RefCell<BTreeMap<(Instant, u64), Waker>>,
    epoll: Epoll,
    waits: RefCell<HashMap<u64, Wait>>,
    /// The last number that was given to a task, a sleep or a wait. No number is given out twice,
    /// so a late wake finds no task.
    last: Cell<u64>,
}

struct Task {
    body: Pin<Box<dyn Future<Output = ()>>>,
    waker: Arc<TaskWaker>,
}

/// A wait for a descriptor.
#[derive(Default)]
struct Wait {
    is_over: bool,
    waker: Option<Waker>,
}

/// Runs a future to its end, along with the tasks that it spawns. When the future ends, the
/// unfinished tasks are dropped, up to the first whose destructor panics.
///
/// # Panics
/// Panics if the future or the destructor of an unfinished task panics, or if one of the loop's own
/// system calls fails.
pub fn block_on<F: Future>(main: F) -> F::Output {
    let event_loop = Rc::new(Loop::new().unwrap_or_else(|error| panic!("block_on: {error}")));
    let _running = Running::begin(&event_loop);
    let mut main = pin!(main);
    let waker = event_loop.waker(MAIN);
    waker.wake_by_ref();
    let mut woken = Vec::new();
    loop {
        event_loop.wait(&mut woken).unwrap_or_else(|error| panic!("block_on: {error}"));
        for id in woken.drain(..) {
            if id != MAIN {
                event_loop.step(id);
            } else if let Poll::Ready(output) = waker.poll(main.as_mut()) {
                return output;
            }
        }
    }
}

/// A guard that makes a loop the thread's current loop until the guard is dropped. The guard's
/// destructor first drops the tasks, while their destructors can still use the loop.
struct Running {
    event_loop: Rc<Loop>,
    /// This field is dropped even if its struct's `drop` panics, as it does if a task's destructor
    /// panics.
    _outer: Outer,
}

/// The thread's previous loop, which becomes the current loop again when this value is dropped.
struct Outer(Option<Rc<Loop>>);

impl Drop for Outer {
    fn drop(&mut self) {
        RUNNING.set(self.0.take());
    }
}

impl Running {
    fn begin(event_loop: &Rc<Loop>) -> Running {
        let outer = Outer(RUNNING.replace(Some(Rc::clone(event_loop))));
        Running { event_loop: Rc::clone(event_loop), _outer: outer }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Loop, since a destructor can spawn another task.
        loop {
            let tasks = self.event_loop.tasks.take();
            if tasks.is_empty() {
                break;
            }
            drop(tasks);
        }
    }
}

impl Loop {
    fn new() -> io::Result<Loop> {
        let (woken, epoll) = (Inbox::new()?, Epoll::new()?);
        epoll.add(&woken, MAIN, Interest::READABLE, Trigger::Level)?;
        let (tasks, sleeps, waits) = <_>::default();
        Ok(Loop { woken, tasks, sleeps, epoll, waits, last: Cell::new(MAIN) })
    }

    /// Returns the loop that's running on this thread.
    fn running(call: &str) -> Rc<Loop> {
        RUNNING.with_borrow(Clone::clone).unwrap_or_else(|| panic!("{call} outside of block_on"))
    }

    fn number(&self) -> u64 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }

    fn waker(&self, id: u64) -> Arc<TaskWaker> {
        Arc::new(TaskWaker { id, is_woken: AtomicBool::new(false), sender: self.woken.sender() })
    }

    /// Sleeps until there's something to do, ends the waits and sleeps that are over, and takes the
    /// numbers of the tasks that have been woken.
    fn wait(&self, woken: &mut Vec<u64>) -> io::Result<()> {
        let mut events = Events::with_capacity(ROOM_FOR_EVENTS);
        self.epoll.wait(&mut events, self.timeout())?;
        for event in events.iter().filter(|event| event.token() != MAIN) {
            // Each wait is reported only once, after which epoll ignores its descriptor.
            let wait = self.waits.borrow_mut().get_mut(&event.token()).and_then(Wait::end);
            wait.into_iter().for_each(Waker::wake);
        }
        let now = Instant::now();
        while let Some(waker) = self.next_due(now) {
            waker.wake();
        }
        self.woken.take(woken)
    }

    fn timeout(&self) -> Option<Duration> {
        if !self.woken.is_empty() {
            return Some(Duration::ZERO);
        }
        let sleeps = self.sleeps.borrow();
        let (deadline, _) = sleeps.keys().next()?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    fn next_due(&self, now: Instant) -> Option<Waker> {
        let mut sleeps = self.sleeps.borrow_mut();
        let next = sleeps.first_entry().filter(|next| next.key().0 <= now)?;
        Some(next.remove())
    }

    fn step(&self, id: u64) {
        // The body may spawn tasks, so the list of tasks mustn't be borrowed during the poll.
        let Some(mut task) = self.tasks.borrow_mut().remove(&id) else { return };
        if task.waker.poll(task.body.as_mut()).is_pending() {
            self.tasks.borrow_mut().insert(id, task);
        }
    }
}

impl Wait {
    fn end(&mut self) -> Option<Waker> {
        self.is_over = true;
        self.waker.take()
    }
}

struct TaskWaker {
    id: u64,
    /// True if the task is already among the woken tasks, so that further wakes have nothing to
    /// add.
    is_woken: AtomicBool,
    sender: Sender<u64>,
}

impl TaskWaker {
    /// Polls the future to which this waker belongs. Any wake from now on is for the next poll.
    fn poll<F: Future + ?Sized>(self: &Arc<Self>, body: Pin<&mut F>) -> Poll<F::Output> {
        // If a wake sees that the flag is set, it relies on an earlier wake. So this poll has to
        // see the writes that came before either wake, and only an acquiring swap ensures that.
        self.is_woken.swap(false, Ordering::AcqRel);
        body.poll(&mut Context::from_waker(&Waker::from(Arc::clone(self))))
    }
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_woken.swap(true, Ordering::AcqRel) {
            // An error means that the loop is gone.
            let _ = self.sender.send(self.id);
        }
    }
}

/// A handle to a task: awaiting it returns the task's value or, if the task panicked, the panic's
/// payload. Dropping a handle doesn't affect its task.
pub struct JoinHandle<T>(Rc<RefCell<End<T>>>);

struct End<T> {
    result: Option<thread::Result<T>>,
    waker: Option<Waker>,
}

/// Starts a task on the loop that's running on this thread.
///
/// # Panics
/// Panics outside of `block_on`.
pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let event_loop = Loop::running("spawn");
    let end = Rc::new(RefCell::new(End { result: None, waker: None }));
    let body = run(Box::pin(task), Rc::clone(&end));
    let (id, body) = (event_loop.number(), Box::pin(body));
    let waker = event_loop.waker(id);
    event_loop.tasks.borrow_mut().insert(id, Task { body, waker: Arc::clone(&waker) });
    waker.wake();
    JoinHandle(end)
}

/// Runs a task's future to its end, drops the future, and then hands over the result.
async fn run<T>(task: Pin<Box<dyn Future<Output = T>>>, end: Rc<RefCell<End<T>>>) {
    let mut task = Some(task);
    let poll = |context: &mut Context<'_>| {
        let Some(running) = &mut task else { return Poll::Ready(None) };
        match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Some(Ok(value))),
            Err(panic) => Poll::Ready(Some(Err(panic))),
        }
    };
    let result = poll_fn(poll).await;
    // The future's destructor can panic too.
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(task)));
    // The value is dropped before the borrow, if it has to be: its destructor may poll the handle.
    let result = dropped.map_or_else(|panic| Some(Err(panic)), |()| result);
    end.borrow_mut().result = result;
    let waker = end.borrow_mut().waker.take();
    waker.into_iter().for_each(Waker::wake);
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let mut end = self.0.borrow_mut();
        if let Some(result) = end.result.take() {
            return Poll::Ready(result);
        }
        let before = end.waker.replace(waker);
        // Dropping a waker can run any code, so nothing is borrowed at that point.
        drop(end);
        drop(before);
        Poll::Pending
    }
}

/// Returns a future that ends after `duration`, never earlier.
///
/// # Panics
/// Panics outside of `block_on`.
pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let event_loop = Loop::running("sleep");
    let number = event_loop.number();
    // If there's no key, the deadline is later than this clock can express.
    let key = Instant::now().checked_add(duration).map(|deadline| (deadline, number));
    Sleep { event_loop, key }
}

struct Sleep {
    event_loop: Rc<Loop>,
    key: Option<(Instant, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(key) = self.key else { return Poll::Pending };
        if key.0 <= Instant::now() {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let before = self.event_loop.sleeps.borrow_mut().insert(key, waker);
        drop(before);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let waker = self.key.and_then(|key| self.event_loop.sleeps.borrow_mut().remove(&key));
        drop(waker);
    }
}

/// Returns a future that ends once a read from the descriptor wouldn't block.
///
/// # Errors
/// The future fails if no descriptor is left for a copy, or if epoll can't wait for the descriptor,
/// for example because it's a regular file.
///
/// # Panics
/// Panics outside of `block_on`.
pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let registration = Registration::new("readable", fd, Interest::READABLE);
    async { registration?.over().await }
}

/// Returns a future that ends once a write to the descriptor wouldn't block.
///
/// # Errors
/// The future fails if no descriptor is left for a copy, or if epoll can't wait for the descriptor,
/// for example because it's a regular file.
///
/// # Panics
/// Panics outside of `block_on`.
pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let registration = Registration::new("writable", fd, Interest::WRITABLE);
    async { registration?.over().await }
}

/// A wait with its own copy of the descriptor: epoll accepts each descriptor only once, but several
/// tasks can wait for the same descriptor. A table of waits by descriptor would save the copy, but
/// it would have to merge the waits' events and notice when a descriptor is closed and its number
/// is reused.
struct Registration {
    event_loop: Rc<Loop>,
    fd: OwnedFd,
    id: u64,
}

impl Registration {
    fn new(call: &str, fd: impl AsFd, interest: Interest) -> io::Result<Registration> {
        let event_loop = Loop::running(call);
        let (fd, id) = (fd.as_fd().try_clone_to_owned()?, event_loop.number());
        event_loop.epoll.add(&fd, id, interest, Trigger::OneShot)?;
        event_loop.waits.borrow_mut().insert(id, Wait::default());
        Ok(Registration { event_loop, fd, id })
    }

    async fn over(self) -> io::Result<()> {
        poll_fn(|context| self.poll(context)).await;
        Ok(())
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        let waker = context.waker().clone();
        let mut waits = self.event_loop.waits.borrow_mut();
        let Some(wait) = waits.get_mut(&self.id).filter(|wait| !wait.is_over) else {
            return Poll::Ready(());
        };
        let before = wait.waker.replace(waker);
        drop(waits);
        drop(before);
        Poll::Pending
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        // Closing the copy isn't enough: the original keeps the kernel's registration alive.
        let _ = self.event_loop.epoll.delete(&self.fd);
        let wait = self.event_loop.waits.borrow_mut().remove(&self.id);
        drop(wait);
    }
}
