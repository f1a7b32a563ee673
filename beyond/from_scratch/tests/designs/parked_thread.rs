//! The loop's thread parks, and a waker unparks it: the token that `unpark` leaves remembers a wake
//! that comes too early. Tasks are `Rc`s in a queue on the thread. Each run that waits for
//! descriptors has a thread that waits for them in epoll and ends together with the run.

use std::cell::{Cell, OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle as ThreadHandle, Thread};
use std::time::{Duration, Instant};

type Body = Pin<Box<dyn Future<Output = ()>>>;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Scheduler>>> = const { RefCell::new(None) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Scheduler {
    tasks: RefCell<HashMap<u64, Rc<Task>>>,
    woken: Arc<Woken>,
    timers: RefCell<BinaryHeap<Reverse<Timer>>>,
    reactor: OnceCell<Reactor>,
    next: Cell<u64>,
}

struct Task {
    body: RefCell<Option<Body>>,
    flag: Arc<Flag>,
}

struct Woken {
    thread: Thread,
    ids: Mutex<VecDeque<u64>>,
}

struct Flag {
    id: u64,
    is_set: AtomicBool,
    woken: Arc<Woken>,
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        if !self.is_set.swap(true, SeqCst) {
            lock(&self.woken.ids).push_back(self.id);
            self.woken.thread.unpark();
        }
    }
}

/// A timer. Its waker is taken out when the timer is due or the sleep is dropped.
#[derive(Clone)]
struct Timer {
    deadline: Instant,
    waker: Rc<RefCell<Option<Waker>>>,
}

impl PartialEq for Timer {
    fn eq(&self, other: &Self) -> bool {
        self.deadline == other.deadline
    }
}

impl Eq for Timer {}

impl PartialOrd for Timer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.deadline.cmp(&other.deadline)
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let woken = Arc::new(Woken { thread: thread::current(), ids: Mutex::default() });
    let scheduler = Rc::new(Scheduler {
        tasks: RefCell::default(),
        woken,
        timers: RefCell::default(),
        reactor: OnceCell::new(),
        next: Cell::new(1),
    });
    let outer = CURRENT.replace(Some(Rc::clone(&scheduler)));
    let _leave = Leave(Rc::clone(&scheduler), outer);
    let mut main = pin!(main);
    let flag = scheduler.flag(0);
    Arc::clone(&flag).wake();
    loop {
        scheduler.wake_due();
        let next = lock(&scheduler.woken.ids).pop_front();
        let Some(id) = next else {
            scheduler.park();
            continue;
        };
        if id != 0 {
            scheduler.run(id);
            continue;
        }
        flag.is_set.store(false, SeqCst);
        let waker = Waker::from(Arc::clone(&flag));
        if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
    }
}

struct Leave(Rc<Scheduler>, Option<Rc<Scheduler>>);

/// Calls a function when it's dropped, even if a destructor has panicked before that.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        self.0();
    }
}

impl Drop for Leave {
    fn drop(&mut self) {
        let _finally = Finally(|| {
            if let Some(reactor) = self.0.reactor.get() {
                reactor.end();
            }
            CURRENT.replace(self.1.take());
        });
        loop {
            let tasks: Vec<Rc<Task>> = self.0.tasks.borrow_mut().drain().map(|it| it.1).collect();
            if tasks.is_empty() {
                break;
            }
            for task in tasks {
                let body = task.body.take();
                drop(body);
            }
        }
    }
}

impl Scheduler {
    fn current() -> Rc<Scheduler> {
        CURRENT.with_borrow(Clone::clone).expect("there's no block_on on this thread")
    }

    fn flag(&self, id: u64) -> Arc<Flag> {
        Arc::new(Flag { id, is_set: AtomicBool::new(false), woken: Arc::clone(&self.woken) })
    }

    fn run(&self, id: u64) {
        let Some(task) = self.tasks.borrow().get(&id).cloned() else { return };
        let Some(mut body) = task.body.take() else { return };
        task.flag.is_set.store(false, SeqCst);
        let waker = Waker::from(Arc::clone(&task.flag));
        if body.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            task.body.replace(Some(body));
        } else {
            self.tasks.borrow_mut().remove(&id);
        }
    }

    fn park(&self) {
        let first = self.timers.borrow().peek().map(|Reverse(timer)| timer.deadline);
        match first {
            None => thread::park(),
            Some(first) => thread::park_timeout(first.saturating_duration_since(Instant::now())),
        }
    }

    fn wake_due(&self) {
        loop {
            let mut timers = self.timers.borrow_mut();
            let is_over =
                |timer: &Timer| timer.waker.borrow().is_none() || timer.deadline <= Instant::now();
            let Some(first) = timers.peek_mut().filter(|first| is_over(&first.0)) else { break };
            let Reverse(timer) = PeekMut::pop(first);
            drop(timers);
            let waker = timer.waker.take();
            waker.into_iter().for_each(Waker::wake);
        }
    }
}

enum Outcome<T> {
    Pending(Option<Waker>),
    Ended(Option<thread::Result<T>>),
}

pub struct JoinHandle<T>(Arc<Mutex<Outcome<T>>>);

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let scheduler = Scheduler::current();
    let outcome = Arc::new(Mutex::new(Outcome::Pending(None)));
    let for_task = Arc::clone(&outcome);
    let body = async move {
        let mut task = Box::pin(task);
        let result = std::future::poll_fn(|context| {
            let polled = catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(context)));
            polled.map_or_else(|panic| Poll::Ready(Err(panic)), |polled| polled.map(Ok))
        });
        let result = result.await;
        drop(task);
        let before = std::mem::replace(&mut *lock(&for_task), Outcome::Ended(Some(result)));
        if let Outcome::Pending(Some(waker)) = before {
            waker.wake();
        }
    };
    let id = scheduler.next.replace(scheduler.next.get() + 1);
    let flag = scheduler.flag(id);
    let task = Task { body: RefCell::new(Some(Box::pin(body))), flag: Arc::clone(&flag) };
    scheduler.tasks.borrow_mut().insert(id, Rc::new(task));
    flag.wake();
    JoinHandle(outcome)
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let mut outcome = lock(&self.0);
        let before = match &mut *outcome {
            Outcome::Ended(result) => {
                return Poll::Ready(result.take().expect("a handle was polled after its end"));
            }
            Outcome::Pending(before) => before.replace(waker),
        };
        drop(outcome);
        drop(before);
        Poll::Pending
    }
}

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let deadline = Instant::now().checked_add(duration);
    Sleep { scheduler: Scheduler::current(), deadline, waker: Rc::default(), is_pushed: false }
}

struct Sleep {
    scheduler: Rc<Scheduler>,
    deadline: Option<Instant>,
    waker: Rc<RefCell<Option<Waker>>>,
    is_pushed: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else { return Poll::Pending };
        if Instant::now() >= deadline {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let before = self.waker.replace(Some(waker));
        drop(before);
        if !self.is_pushed {
            self.is_pushed = true;
            let timer = Timer { deadline, waker: Rc::clone(&self.waker) };
            self.scheduler.timers.borrow_mut().push(Reverse(timer));
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let waker = self.waker.take();
        drop(waker);
        // The heap mustn't fill up with timers that no task waits for.
        let mut timers = self.scheduler.timers.borrow_mut();
        if timers.len() > 32 && timers.len() > 2 * self.scheduler.tasks.borrow().len() {
            timers.retain(|Reverse(timer)| timer.waker.borrow().is_some());
        }
    }
}

/// A thread that waits in epoll for copies of descriptors, each of which is reported once.
struct Reactor {
    epoll: Arc<OwnedFd>,
    waits: Arc<Mutex<HashMap<u64, Waiting>>>,
    thread: Cell<Option<ThreadHandle<()>>>,
    ends: OwnedFd,
}

#[derive(Default)]
struct Waiting {
    is_over: bool,
    waker: Option<Waker>,
}

impl Reactor {
    fn start() -> Reactor {
        let epoll = unsafe { OwnedFd::from_raw_fd(libc::epoll_create1(libc::EPOLL_CLOEXEC)) };
        let ends = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, libc::EFD_CLOEXEC)) };
        add(&epoll, ends.as_raw_fd(), libc::EPOLLIN as u32, 0).expect("watch the eventfd");
        let (epoll, waits) = (Arc::new(epoll), Arc::new(Mutex::new(HashMap::new())));
        let thread = thread::spawn({
            let (epoll, waits) = (Arc::clone(&epoll), Arc::clone(&waits));
            move || watch(&epoll, &waits)
        });
        Reactor { epoll, waits, thread: Cell::new(Some(thread)), ends }
    }

    fn end(&self) {
        let one = 1_u64;
        unsafe { libc::write(self.ends.as_raw_fd(), (&raw const one).cast(), 8) };
        let _ = self.thread.take().map(ThreadHandle::join);
    }
}

fn watch(epoll: &OwnedFd, waits: &Mutex<HashMap<u64, Waiting>>) {
    let mut events = [libc::epoll_event { events: 0, u64: 0 }; 16];
    loop {
        let room = events.len() as i32;
        let count = unsafe { libc::epoll_wait(epoll.as_raw_fd(), events.as_mut_ptr(), room, -1) };
        for event in &events[..usize::try_from(count).unwrap_or(0)] {
            if event.u64 == 0 {
                return;
            }
            let mut waits = lock(waits);
            let Some(waiting) = waits.get_mut(&{ event.u64 }) else { continue };
            waiting.is_over = true;
            let waker = waiting.waker.take();
            drop(waits);
            waker.into_iter().for_each(Waker::wake);
        }
    }
}

fn add(epoll: &OwnedFd, fd: RawFd, events: u32, token: u64) -> io::Result<()> {
    let mut event = libc::epoll_event { events, u64: token };
    let call = libc::EPOLL_CTL_ADD;
    match unsafe { libc::epoll_ctl(epoll.as_raw_fd(), call, fd, &raw mut event) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let watched = Watched::new(&fd, libc::EPOLLIN as u32);
    async move { watched?.over().await }
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let watched = Watched::new(&fd, libc::EPOLLOUT as u32);
    async move { watched?.over().await }
}

struct Watched {
    scheduler: Rc<Scheduler>,
    copy: OwnedFd,
    id: u64,
}

impl Watched {
    fn new(fd: &impl AsFd, events: u32) -> io::Result<Watched> {
        let scheduler = Scheduler::current();
        let copy = fd.as_fd().try_clone_to_owned()?;
        let id = scheduler.next.replace(scheduler.next.get() + 1);
        let reactor = scheduler.reactor.get_or_init(Reactor::start);
        lock(&reactor.waits).insert(id, Waiting::default());
        let added = add(&reactor.epoll, copy.as_raw_fd(), events | libc::EPOLLONESHOT as u32, id);
        let watched = Watched { scheduler, copy, id };
        added.map(|()| watched)
    }

    fn waits(&self) -> MutexGuard<'_, HashMap<u64, Waiting>> {
        lock(&self.scheduler.reactor.get_or_init(Reactor::start).waits)
    }

    async fn over(self) -> io::Result<()> {
        std::future::poll_fn(|context| {
            let waker = context.waker().clone();
            let mut waits = self.waits();
            let waiting = waits.entry(self.id).or_default();
            if waiting.is_over {
                return Poll::Ready(Ok(()));
            }
            let before = waiting.waker.replace(waker);
            drop(waits);
            drop(before);
            Poll::Pending
        })
        .await
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let reactor = self.scheduler.reactor.get_or_init(Reactor::start);
        let (epoll, copy) = (reactor.epoll.as_raw_fd(), self.copy.as_raw_fd());
        unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_DEL, copy, std::ptr::null_mut()) };
        let waiting = self.waits().remove(&self.id);
        drop(waiting);
    }
}
