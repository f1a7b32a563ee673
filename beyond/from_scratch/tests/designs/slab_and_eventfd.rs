//! A loop for one thread: tasks in a slab with generations, an eventfd that ends epoll's wait, a
//! heap of deadlines with lazy deletion, and a single registration for each descriptor.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::future::poll_fn;
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

thread_local! {
    static CURRENT: RefCell<Option<Rc<Loop>>> = const { RefCell::new(None) };
}

/// A slot in the slab, and the number of times that the slot was given away before.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    slot: usize,
    generation: u64,
}

const MAIN: Key = Key { slot: usize::MAX, generation: 0 };
const EVENT: u64 = u64::MAX;

struct Loop {
    shared: Arc<Shared>,
    epoll: OwnedFd,
    slots: RefCell<Vec<Slot>>,
    free: RefCell<Vec<usize>>,
    timers: RefCell<Timers>,
    fds: RefCell<HashMap<RawFd, Waits>>,
    last: Cell<u64>,
}

struct Slot {
    generation: u64,
    task: Option<Task>,
}

struct Task {
    body: Pin<Box<dyn Future<Output = ()>>>,
    waker: Arc<TaskWaker>,
}

#[derive(Default)]
struct Timers {
    heap: BinaryHeap<Reverse<(Instant, u64)>>,
    wakers: HashMap<u64, Waker>,
}

#[derive(Default)]
struct Waits {
    readers: Vec<(u64, Waker)>,
    writers: Vec<(u64, Waker)>,
    registered: u32,
}

/// The state that wakers can reach from any thread.
struct Shared {
    queue: Mutex<Vec<Key>>,
    event: OwnedFd,
}

struct TaskWaker {
    key: Key,
    is_queued: AtomicBool,
    shared: Arc<Shared>,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Vec<Key>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_queued.swap(true, Ordering::AcqRel) {
            return;
        }
        self.shared.queue().push(self.key);
        let one = 1_u64;
        unsafe { libc::write(self.shared.event.as_raw_fd(), (&raw const one).cast(), 8) };
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let this = Rc::new(Loop::new());
    let _running =
        Running { this: Rc::clone(&this), outer: CURRENT.replace(Some(Rc::clone(&this))) };
    let mut main = pin!(main);
    let main_waker = this.waker(MAIN);
    let waker = Waker::from(Arc::clone(&main_waker));
    waker.wake_by_ref();
    loop {
        let batch = mem::take(&mut *this.shared.queue());
        for key in batch {
            if key != MAIN {
                this.run(key);
                continue;
            }
            main_waker.is_queued.store(false, Ordering::Release);
            if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
        }
        this.wait();
    }
}

struct Running {
    this: Rc<Loop>,
    outer: Option<Rc<Loop>>,
}

/// Calls a function when it's dropped, even if a destructor has panicked before that.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        self.0();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _finally = Finally(|| {
            CURRENT.replace(self.outer.take());
        });
        loop {
            let slots = mem::take(&mut *self.this.slots.borrow_mut());
            if slots.is_empty() {
                break;
            }
            self.this.free.borrow_mut().clear();
            drop(slots);
        }
    }
}

impl Loop {
    fn new() -> Loop {
        let epoll = owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) });
        let event = owned(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) });
        ctl(&epoll, libc::EPOLL_CTL_ADD, event.as_raw_fd(), libc::EPOLLIN as u32, EVENT).unwrap();
        Loop {
            shared: Arc::new(Shared { queue: Mutex::default(), event }),
            epoll,
            slots: RefCell::default(),
            free: RefCell::default(),
            timers: RefCell::default(),
            fds: RefCell::default(),
            last: Cell::new(0),
        }
    }

    fn current(call: &str) -> Rc<Loop> {
        CURRENT.with_borrow(Clone::clone).unwrap_or_else(|| panic!("{call}: no loop runs here"))
    }

    fn number(&self) -> u64 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }

    fn waker(&self, key: Key) -> Arc<TaskWaker> {
        let shared = Arc::clone(&self.shared);
        Arc::new(TaskWaker { key, is_queued: AtomicBool::new(false), shared })
    }

    fn add(&self, body: Pin<Box<dyn Future<Output = ()>>>) {
        let mut slots = self.slots.borrow_mut();
        let slot = self.free.borrow_mut().pop().unwrap_or(slots.len());
        if slot == slots.len() {
            // The generations continue, so that no late waker finds a new task.
            slots.push(Slot { generation: 0, task: None });
        }
        let generation = self.number();
        let waker = self.waker(Key { slot, generation });
        slots[slot] = Slot { generation, task: Some(Task { body, waker: Arc::clone(&waker) }) };
        drop(slots);
        waker.wake();
    }

    fn run(&self, key: Key) {
        let taken = match self.slots.borrow_mut().get_mut(key.slot) {
            Some(slot) if slot.generation == key.generation => slot.task.take(),
            _ => None,
        };
        let Some(mut task) = taken else { return };
        task.waker.is_queued.store(false, Ordering::Release);
        let waker = Waker::from(Arc::clone(&task.waker));
        let polled = task.body.as_mut().poll(&mut Context::from_waker(&waker));
        if polled.is_pending() {
            self.slots.borrow_mut()[key.slot].task = Some(task);
        } else {
            drop(task);
            self.free.borrow_mut().push(key.slot);
        }
    }

    /// Waits in epoll until there's something to do, then wakes the tasks that waited for it.
    fn wait(&self) {
        let timeout = if self.shared.queue().is_empty() { self.timeout() } else { 0 };
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 64];
        let room = events.len() as i32;
        let epoll = self.epoll.as_raw_fd();
        let count = unsafe { libc::epoll_wait(epoll, events.as_mut_ptr(), room, timeout) };
        for event in &events[..usize::try_from(count).unwrap_or(0)] {
            let (bits, token) = (event.events as i32, event.u64);
            if token == EVENT {
                let mut count = 0_u64;
                let event = self.shared.event.as_raw_fd();
                unsafe { libc::read(event, (&raw mut count).cast(), 8) };
            } else {
                self.ready(token as RawFd, bits);
            }
        }
        let now = Instant::now();
        loop {
            let due = self.timers.borrow_mut().next_due(now);
            let Some(waker) = due else { break };
            waker.wake();
        }
    }

    fn timeout(&self) -> i32 {
        let mut timers = self.timers.borrow_mut();
        let Some(deadline) = timers.first() else { return -1 };
        let left = deadline.saturating_duration_since(Instant::now());
        i32::try_from(left.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX)
    }

    fn ready(&self, fd: RawFd, bits: i32) {
        let mut over = Vec::new();
        if let Some(waits) = self.fds.borrow_mut().get_mut(&fd) {
            if bits & (libc::EPOLLIN | libc::EPOLLHUP | libc::EPOLLERR) != 0 {
                over.append(&mut waits.readers);
            }
            if bits & (libc::EPOLLOUT | libc::EPOLLHUP | libc::EPOLLERR) != 0 {
                over.append(&mut waits.writers);
            }
        }
        let _ = self.register(fd);
        over.into_iter().for_each(|(_, waker)| waker.wake());
    }

    /// Gives epoll the combined events of all waits for a descriptor.
    fn register(&self, fd: RawFd) -> io::Result<()> {
        let mut fds = self.fds.borrow_mut();
        let Some(waits) = fds.get_mut(&fd) else { return Ok(()) };
        let mut wanted = 0;
        if !waits.readers.is_empty() {
            wanted |= libc::EPOLLIN as u32;
        }
        if !waits.writers.is_empty() {
            wanted |= libc::EPOLLOUT as u32;
        }
        let call = match (waits.registered, wanted) {
            (before, now) if before == now => return Ok(()),
            (0, _) => libc::EPOLL_CTL_ADD,
            (_, 0) => libc::EPOLL_CTL_DEL,
            _ => libc::EPOLL_CTL_MOD,
        };
        waits.registered = wanted;
        if wanted == 0 {
            fds.remove(&fd);
        }
        ctl(&self.epoll, call, fd, wanted, fd as u64)
    }
}

fn ctl(epoll: &OwnedFd, call: i32, fd: RawFd, events: u32, token: u64) -> io::Result<()> {
    let mut event = libc::epoll_event { events, u64: token };
    match unsafe { libc::epoll_ctl(epoll.as_raw_fd(), call, fd, &raw mut event) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn owned(fd: RawFd) -> OwnedFd {
    assert!(fd >= 0, "no descriptor for a loop: {}", io::Error::last_os_error());
    unsafe { OwnedFd::from_raw_fd(fd) }
}

impl Timers {
    /// Returns the first deadline for which a task is still waiting.
    fn first(&mut self) -> Option<Instant> {
        while let Some(Reverse((deadline, id))) = self.heap.peek() {
            if self.wakers.contains_key(id) {
                return Some(*deadline);
            }
            self.heap.pop();
        }
        None
    }

    fn next_due(&mut self, now: Instant) -> Option<Waker> {
        if self.first()? > now {
            return None;
        }
        let Reverse((_, id)) = self.heap.pop()?;
        self.wakers.remove(&id)
    }

    fn remove(&mut self, id: u64) -> Option<Waker> {
        let waker = self.wakers.remove(&id);
        if self.heap.len() > 2 * self.wakers.len() + 64 {
            self.heap.retain(|Reverse((_, id))| self.wakers.contains_key(id));
        }
        waker
    }
}

struct End<T> {
    result: Option<thread::Result<T>>,
    waker: Option<Waker>,
}

pub struct JoinHandle<T>(Rc<RefCell<End<T>>>);

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let this = Loop::current("spawn");
    let end = Rc::new(RefCell::new(End { result: None, waker: None }));
    let ends = Rc::clone(&end);
    this.add(Box::pin(async move {
        let result = caught(task).await;
        let mut end = ends.borrow_mut();
        end.result = Some(result);
        let waker = end.waker.take();
        drop(end);
        waker.into_iter().for_each(Waker::wake);
    }));
    JoinHandle(end)
}

/// Turns a task's panic into an error.
async fn caught<T>(task: impl Future<Output = T>) -> thread::Result<T> {
    let mut task = Box::pin(task);
    poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(context))) {
        Ok(polled) => polled.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let mut end = self.0.borrow_mut();
        if let Some(result) = end.result.take() {
            return Poll::Ready(result);
        }
        let old = end.waker.replace(waker);
        drop(end);
        drop(old);
        Poll::Pending
    }
}

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let this = Loop::current("sleep");
    let id = this.number();
    Sleep { this, id, deadline: Instant::now().checked_add(duration), is_in_heap: false }
}

struct Sleep {
    this: Rc<Loop>,
    id: u64,
    deadline: Option<Instant>,
    is_in_heap: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else { return Poll::Pending };
        if Instant::now() >= deadline {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let mut timers = self.this.timers.borrow_mut();
        let old = timers.wakers.insert(self.id, waker);
        if !self.is_in_heap {
            timers.heap.push(Reverse((deadline, self.id)));
        }
        drop(timers);
        self.is_in_heap = true;
        drop(old);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let waker = self.this.timers.borrow_mut().remove(self.id);
        drop(waker);
    }
}

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    Wait { this: Loop::current("readable"), fd, id: None, writes: false }
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    Wait { this: Loop::current("writable"), fd, id: None, writes: true }
}

struct Wait<F: AsFd> {
    this: Rc<Loop>,
    fd: F,
    id: Option<u64>,
    writes: bool,
}

impl<F: AsFd> Unpin for Wait<F> {}

impl<F: AsFd> Wait<F> {
    /// Calls `f` with the list of waits in this wait's direction.
    fn with_waits<T>(&self, f: impl FnOnce(&mut Vec<(u64, Waker)>) -> T) -> T {
        let mut fds = self.this.fds.borrow_mut();
        let waits = fds.entry(self.fd.as_fd().as_raw_fd()).or_default();
        f(if self.writes { &mut waits.writers } else { &mut waits.readers })
    }
}

impl<F: AsFd> Future for Wait<F> {
    type Output = io::Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let waker = context.waker().clone();
        let Some(id) = self.id else {
            let id = self.this.number();
            self.id = Some(id);
            self.with_waits(|waits| waits.push((id, waker)));
            return match self.this.register(self.fd.as_fd().as_raw_fd()) {
                Ok(()) => Poll::Pending,
                Err(error) => Poll::Ready(Err(error)),
            };
        };
        let old = self.with_waits(|waits| {
            let wait = waits.iter_mut().find(|wait| wait.0 == id)?;
            Some(mem::replace(&mut wait.1, waker))
        });
        // If the wait is no longer in the list, it's over.
        if old.is_some() { Poll::Pending } else { Poll::Ready(Ok(())) }
    }
}

impl<F: AsFd> Drop for Wait<F> {
    fn drop(&mut self) {
        let Some(id) = self.id else { return };
        let waker = self.with_waits(|waits| {
            let place = waits.iter().position(|wait| wait.0 == id)?;
            Some(waits.swap_remove(place))
        });
        let _ = self.this.register(self.fd.as_fd().as_raw_fd());
        drop(waker);
    }
}
