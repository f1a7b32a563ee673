//! Process-wide: a single thread waits for the descriptors and the deadlines of all runs, and wakes
//! the tasks that wait for them. A run itself sleeps on a condition variable, with its queue under
//! the same mutex. Handles and wakers consist of nothing but `Arc`s.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

const MAIN: u64 = 0;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state that a run shares with the wakers of its tasks.
#[derive(Default)]
struct Queue {
    ids: Mutex<VecDeque<u64>>,
    is_filled: Condvar,
}

struct OfTask {
    id: u64,
    is_in_queue: AtomicBool,
    queue: Arc<Queue>,
}

impl Wake for OfTask {
    fn wake(self: Arc<Self>) {
        if !self.is_in_queue.swap(true, Ordering::SeqCst) {
            lock(&self.queue.ids).push_back(self.id);
            self.queue.is_filled.notify_one();
        }
    }
}

type Body = Pin<Box<dyn Future<Output = ()>>>;

thread_local! {
    /// This thread's runs. Runs can be nested, and the last run is the current one.
    static RUNS: RefCell<Vec<Run>> = const { RefCell::new(Vec::new()) };
}

struct Run {
    queue: Arc<Queue>,
    tasks: HashMap<u64, (Body, Arc<OfTask>)>,
    last: u64,
}

impl Run {
    /// Calls `f` with the current run. No foreign code may run inside `f`.
    fn with<T>(f: impl FnOnce(&mut Run) -> T) -> T {
        RUNS.with_borrow_mut(|runs| f(runs.last_mut().expect("no block_on on this thread")))
    }

    fn of_task(&self, id: u64) -> Arc<OfTask> {
        Arc::new(OfTask { id, is_in_queue: AtomicBool::new(false), queue: Arc::clone(&self.queue) })
    }
}

struct Pop;

/// Calls a function when it's dropped, even if a destructor has panicked before that.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        self.0();
    }
}

impl Drop for Pop {
    fn drop(&mut self) {
        let _finally = Finally(|| {
            let run = RUNS.with_borrow_mut(Vec::pop);
            drop(run);
        });
        loop {
            let tasks = Run::with(|run| std::mem::take(&mut run.tasks));
            if tasks.is_empty() {
                break;
            }
            drop(tasks);
        }
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let queue = Arc::new(Queue::default());
    let run = Run { queue: Arc::clone(&queue), tasks: HashMap::new(), last: MAIN };
    let of_main = run.of_task(MAIN);
    RUNS.with_borrow_mut(|runs| runs.push(run));
    let _pop = Pop;
    let mut main = pin!(main);
    Arc::clone(&of_main).wake();
    loop {
        let mut ids = lock(&queue.ids);
        while ids.is_empty() {
            ids = queue.is_filled.wait(ids).unwrap_or_else(PoisonError::into_inner);
        }
        let batch = std::mem::take(&mut *ids);
        drop(ids);
        for id in batch {
            if id == MAIN {
                of_main.is_in_queue.store(false, Ordering::SeqCst);
                let waker = Waker::from(Arc::clone(&of_main));
                if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return output;
                }
                continue;
            }
            let Some((mut body, of_task)) = Run::with(|run| run.tasks.remove(&id)) else {
                continue;
            };
            of_task.is_in_queue.store(false, Ordering::SeqCst);
            let waker = Waker::from(Arc::clone(&of_task));
            if body.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
                Run::with(|run| run.tasks.insert(id, (body, of_task)));
            }
        }
    }
}

struct End<T> {
    result: Option<thread::Result<T>>,
    waker: Option<Waker>,
}

pub struct JoinHandle<T>(Arc<Mutex<End<T>>>);

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let end = Arc::new(Mutex::new(End { result: None, waker: None }));
    let for_task = Arc::clone(&end);
    let mut task = Some(Box::pin(task));
    let body = Box::pin(poll_fn(move |context| {
        let Some(running) = &mut task else { return Poll::Ready(()) };
        let result = match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(value)) => Ok(value),
            Err(panic) => Err(panic),
        };
        let dropped = catch_unwind(AssertUnwindSafe(|| task = None));
        let mut end = lock(&for_task);
        end.result = Some(dropped.and(result));
        let waker = end.waker.take();
        drop(end);
        waker.into_iter().for_each(Waker::wake);
        Poll::Ready(())
    }));
    let of_task = Run::with(|run| {
        run.last += 1;
        let of_task = run.of_task(run.last);
        run.tasks.insert(run.last, (body, Arc::clone(&of_task)));
        of_task
    });
    of_task.wake();
    JoinHandle(end)
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let mut end = lock(&self.0);
        if let Some(result) = end.result.take() {
            return Poll::Ready(result);
        }
        let before = end.waker.replace(waker);
        drop(end);
        drop(before);
        Poll::Pending
    }
}

/// The process's thread that waits.
struct Reactor {
    epoll: OwnedFd,
    event: OwnedFd,
    sleeps: Mutex<BTreeMap<(Instant, u64), Waker>>,
    waits: Mutex<HashMap<u64, Option<Waker>>>,
    last: AtomicU64,
}

const EVENT: u64 = 0;

impl Reactor {
    fn get() -> &'static Reactor {
        static REACTOR: OnceLock<&Reactor> = OnceLock::new();
        REACTOR.get_or_init(|| {
            let epoll = unsafe { OwnedFd::from_raw_fd(libc::epoll_create1(libc::EPOLL_CLOEXEC)) };
            let flags = libc::EFD_CLOEXEC | libc::EFD_NONBLOCK;
            let event = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, flags)) };
            let (sleeps, waits) = <_>::default();
            let last = AtomicU64::new(EVENT);
            let reactor = &*Box::leak(Box::new(Reactor { epoll, event, sleeps, waits, last }));
            reactor.add(&reactor.event, libc::EPOLLIN as u32, EVENT).expect("watch the eventfd");
            thread::spawn(|| reactor.run());
            reactor
        })
    }

    fn number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn add(&self, fd: &OwnedFd, events: u32, token: u64) -> io::Result<()> {
        let (call, fd) = (libc::EPOLL_CTL_ADD, fd.as_raw_fd());
        let mut event = libc::epoll_event { events, u64: token };
        match unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), call, fd, &raw mut event) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn run(&self) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 64];
        loop {
            let timeout = match lock(&self.sleeps).keys().next() {
                None => -1,
                Some((first, _)) => {
                    let left = first.saturating_duration_since(Instant::now());
                    i32::try_from(left.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX)
                }
            };
            let (epoll, room) = (self.epoll.as_raw_fd(), events.len() as i32);
            let count = unsafe { libc::epoll_wait(epoll, events.as_mut_ptr(), room, timeout) };
            for event in &events[..usize::try_from(count).unwrap_or(0)] {
                if event.u64 == EVENT {
                    unsafe { libc::read(self.event.as_raw_fd(), [0_u8; 8].as_mut_ptr().cast(), 8) };
                    continue;
                }
                // A wait that's over no longer has a waker.
                let waker = lock(&self.waits).remove(&{ event.u64 }).flatten();
                waker.into_iter().for_each(Waker::wake);
            }
            let now = Instant::now();
            loop {
                let mut sleeps = lock(&self.sleeps);
                let Some(first) = sleeps.first_entry().filter(|it| it.key().0 <= now) else {
                    break;
                };
                let waker = first.remove();
                drop(sleeps);
                waker.wake();
            }
        }
    }
}

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    Run::with(|_| ());
    let deadline = Instant::now().checked_add(duration);
    Sleep(deadline.map(|deadline| (deadline, Reactor::get().number())))
}

struct Sleep(Option<(Instant, u64)>);

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(key) = self.0 else { return Poll::Pending };
        if key.0 <= Instant::now() {
            return Poll::Ready(());
        }
        let reactor = Reactor::get();
        let waker = context.waker().clone();
        let mut sleeps = lock(&reactor.sleeps);
        let before = sleeps.insert(key, waker);
        let is_first = before.is_none() && sleeps.keys().next() == Some(&key);
        drop(sleeps);
        drop(before);
        if is_first {
            // The thread waits for a later one.
            unsafe { libc::write(reactor.event.as_raw_fd(), (&raw const ONE).cast(), 8) };
        }
        Poll::Pending
    }
}

static ONE: u64 = 1;

impl Drop for Sleep {
    fn drop(&mut self) {
        let Some(key) = self.0 else { return };
        let waker = lock(&Reactor::get().sleeps).remove(&key);
        drop(waker);
    }
}

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    Run::with(|_| ());
    wait_for(fd, libc::EPOLLIN as u32)
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    Run::with(|_| ());
    wait_for(fd, libc::EPOLLOUT as u32)
}

/// A copy of a descriptor, which epoll reports once.
struct Copy(OwnedFd, u64, Cell<bool>);

impl Drop for Copy {
    fn drop(&mut self) {
        let reactor = Reactor::get();
        let (epoll, fd) = (reactor.epoll.as_raw_fd(), self.0.as_raw_fd());
        unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_DEL, fd, std::ptr::null_mut()) };
        let waker = lock(&reactor.waits).remove(&self.1);
        drop(waker);
    }
}

async fn wait_for(fd: impl AsFd, events: u32) -> io::Result<()> {
    let reactor = Reactor::get();
    let copy = Copy(fd.as_fd().try_clone_to_owned()?, reactor.number(), Cell::new(false));
    poll_fn(|context| {
        let waker = context.waker().clone();
        let mut waits = lock(&reactor.waits);
        if copy.2.get() && !waits.contains_key(&copy.1) {
            return Poll::Ready(Ok(()));
        }
        let before = waits.insert(copy.1, Some(waker));
        drop(waits);
        drop(before);
        if !copy.2.replace(true) {
            reactor.add(&copy.0, events | libc::EPOLLONESHOT as u32, copy.1)?;
        }
        Poll::Pending
    })
    .await
}
