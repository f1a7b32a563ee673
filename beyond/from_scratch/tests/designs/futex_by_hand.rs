//! The loop sleeps in futex(2): each wake increases a counter, and the kernel refuses to wait if
//! the counter has changed in the meantime. A thread of the process waits for descriptors, with one
//! epoll entry per wait. Sleeps aren't sorted at all.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Body = Pin<Box<dyn Future<Output = ()>>>;

thread_local! {
    static LOOP: RefCell<Option<Rc<Loop>>> = const { RefCell::new(None) };
}

struct Loop {
    wakes: Arc<Wakes>,
    /// An entry is `None` while its task is being polled.
    tasks: RefCell<HashMap<u64, Option<Body>>>,
    sleeps: RefCell<Vec<(u64, Instant, Waker)>>,
    ids: Cell<u64>,
}

#[derive(Default)]
struct Wakes {
    count: AtomicU32,
    queue: Mutex<VecDeque<Arc<TaskWaker>>>,
}

struct TaskWaker {
    id: u64,
    is_queued: AtomicBool,
    wakes: Arc<Wakes>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        if self.is_queued.swap(true, SeqCst) {
            return;
        }
        let wakes = Arc::clone(&self.wakes);
        lock(&wakes.queue).push_back(self);
        wakes.count.fetch_add(1, SeqCst);
        let (word, operation) = (wakes.count.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG);
        unsafe { libc::syscall(libc::SYS_futex, word, operation, 1) };
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let this = Rc::new(Loop {
        wakes: Arc::default(),
        tasks: RefCell::default(),
        sleeps: RefCell::default(),
        ids: Cell::new(0),
    });
    let _end = End(Rc::clone(&this), LOOP.replace(Some(Rc::clone(&this))));
    let mut main = pin!(main);
    let of_main = this.waker(0);
    let waker = Waker::from(Arc::clone(&of_main));
    waker.wake_by_ref();
    loop {
        let count = this.wakes.count.load(SeqCst);
        this.wake_sleepers();
        let woken = std::mem::take(&mut *lock(&this.wakes.queue));
        if woken.is_empty() {
            this.sleep_while(count);
        }
        for task in woken {
            task.is_queued.store(false, SeqCst);
            if task.id != 0 {
                this.poll(&task);
            } else if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker))
            {
                return output;
            }
        }
    }
}

struct End(Rc<Loop>, Option<Rc<Loop>>);

/// Calls a function when it's dropped, even if a destructor has panicked before that.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        self.0();
    }
}

impl Drop for End {
    fn drop(&mut self) {
        let _finally = Finally(|| {
            LOOP.replace(self.1.take());
        });
        while !self.0.tasks.borrow().is_empty() {
            let tasks = self.0.tasks.take();
            drop(tasks);
        }
        // A waker in the queue keeps that queue alive.
        let queue = std::mem::take(&mut *lock(&self.0.wakes.queue));
        drop(queue);
    }
}

impl Loop {
    fn this() -> Rc<Loop> {
        LOOP.with_borrow(Clone::clone).expect("no loop on this thread")
    }

    fn id(&self) -> u64 {
        self.ids.set(self.ids.get() + 1);
        self.ids.get()
    }

    fn waker(&self, id: u64) -> Arc<TaskWaker> {
        Arc::new(TaskWaker {
            id,
            is_queued: AtomicBool::new(false),
            wakes: Arc::clone(&self.wakes),
        })
    }

    fn poll(&self, task: &Arc<TaskWaker>) {
        let body = self.tasks.borrow_mut().get_mut(&task.id).and_then(Option::take);
        let Some(mut body) = body else { return };
        let waker = Waker::from(Arc::clone(task));
        if body.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            self.tasks.borrow_mut().insert(task.id, Some(body));
        } else {
            self.tasks.borrow_mut().remove(&task.id);
        }
    }

    fn wake_sleepers(&self) {
        let now = Instant::now();
        let is_due = |sleep: &mut (u64, Instant, Waker)| sleep.1 <= now;
        let due: Vec<_> = self.sleeps.borrow_mut().extract_if(.., is_due).collect();
        due.into_iter().for_each(|(.., waker)| waker.wake());
    }

    /// Sleeps until the first deadline, unless the counter has changed.
    fn sleep_while(&self, count: u32) {
        let first = self.sleeps.borrow().iter().map(|sleep| sleep.1).min();
        let left = first.map(|first| first.saturating_duration_since(Instant::now()));
        let time = left.map(|left| libc::timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        });
        let time = time.as_ref().map_or(ptr::null(), ptr::from_ref);
        let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        unsafe {
            libc::syscall(libc::SYS_futex, self.wakes.count.as_ptr(), operation, count, time)
        };
    }
}

pub struct JoinHandle<T>(Arc<Mutex<(Option<thread::Result<T>>, Option<Waker>)>>);

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let this = Loop::this();
    let handle = JoinHandle(Arc::new(Mutex::new((None, None::<Waker>))));
    let ours = Arc::clone(&handle.0);
    let mut task = Some(Box::pin(task));
    let body = poll_fn(move |context| {
        let Some(running) = &mut task else { return Poll::Ready(()) };
        let result = match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(value)) => Ok(value),
            Err(panic) => Err(panic),
        };
        task = None;
        let mut both = lock(&ours);
        both.0 = Some(result);
        let waker = both.1.take();
        drop(both);
        waker.into_iter().for_each(Waker::wake);
        Poll::Ready(())
    });
    let id = this.id();
    this.tasks.borrow_mut().insert(id, Some(Box::pin(body)));
    this.waker(id).wake();
    handle
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let mut both = lock(&self.0);
        if let Some(result) = both.0.take() {
            return Poll::Ready(result);
        }
        let before = both.1.replace(waker);
        drop(both);
        drop(before);
        Poll::Pending
    }
}

struct Sleep(Rc<Loop>, u64, Option<Instant>);

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let this = Loop::this();
    let id = this.id();
    Sleep(this, id, Instant::now().checked_add(duration))
}

impl Sleep {
    fn forget(&self) {
        let mut sleeps = self.0.sleeps.borrow_mut();
        let place = sleeps.iter().position(|sleep| sleep.0 == self.1);
        let sleep = place.map(|place| sleeps.swap_remove(place));
        drop(sleeps);
        drop(sleep);
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.forget();
        match self.2 {
            None => Poll::Pending,
            Some(deadline) if deadline <= Instant::now() => Poll::Ready(()),
            Some(deadline) => {
                let waker = context.waker().clone();
                self.0.sleeps.borrow_mut().push((self.1, deadline, waker));
                Poll::Pending
            }
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Epoll, and the thread that waits in it for all loops.
struct Reactor {
    epoll: OwnedFd,
    waits: Mutex<HashMap<u64, Option<Waker>>>,
    ids: AtomicU64,
}

static REACTOR: LazyLock<Reactor> = LazyLock::new(|| {
    let epoll = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
    assert!(epoll >= 0, "epoll for the process");
    thread::spawn(|| REACTOR.run());
    let epoll = unsafe { OwnedFd::from_raw_fd(epoll) };
    Reactor { epoll, waits: Mutex::default(), ids: AtomicU64::new(0) }
});

impl Reactor {
    fn run(&self) {
        let mut event = libc::epoll_event { events: 0, u64: 0 };
        loop {
            if unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), &raw mut event, 1, -1) } == 1 {
                let waker = lock(&self.waits).remove(&{ event.u64 });
                waker.flatten().into_iter().for_each(Waker::wake);
            }
        }
    }
}

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    Loop::this();
    wait(fd, libc::EPOLLIN)
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    Loop::this();
    wait(fd, libc::EPOLLOUT)
}

struct Registration(u64, OwnedFd);

impl Drop for Registration {
    fn drop(&mut self) {
        let (epoll, fd) = (REACTOR.epoll.as_raw_fd(), self.1.as_raw_fd());
        unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_DEL, fd, ptr::null_mut()) };
        let waker = lock(&REACTOR.waits).remove(&self.0);
        drop(waker);
    }
}

async fn wait(fd: impl AsFd, direction: i32) -> io::Result<()> {
    let id = REACTOR.ids.fetch_add(1, SeqCst);
    let copy = Registration(id, fd.as_fd().try_clone_to_owned()?);
    lock(&REACTOR.waits).insert(id, None);
    let events = (direction | libc::EPOLLONESHOT) as u32;
    let mut event = libc::epoll_event { events, u64: id };
    let (epoll, fd, call) = (REACTOR.epoll.as_raw_fd(), copy.1.as_raw_fd(), libc::EPOLL_CTL_ADD);
    if unsafe { libc::epoll_ctl(epoll, call, fd, &raw mut event) } != 0 {
        return Err(io::Error::last_os_error());
    }
    poll_fn(|context| {
        let waker = context.waker().clone();
        let mut waits = lock(&REACTOR.waits);
        let Some(wait) = waits.get_mut(&id) else { return Poll::Ready(Ok(())) };
        let before = wait.replace(waker);
        drop(waits);
        drop(before);
        Poll::Pending
    })
    .await
}
