//! A hand-made waker owns its task, so the queue of woken tasks is a queue of the tasks themselves.
//! Only the loop's thread touches the bodies. The loop waits in epoll, in which each descriptor is
//! armed for a single event, and searches all deadlines for the nearest one.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};
use std::thread;
use std::time::{Duration, Instant};

const EVENT: u64 = u64::MAX;

thread_local! {
    static HERE: RefCell<Option<Rc<Loop>>> = const { RefCell::new(None) };
}

struct Task {
    is_queued: AtomicBool,
    shared: Arc<Shared>,
    body: UnsafeCell<Option<Pin<Box<dyn Future<Output = ()>>>>>,
}

unsafe impl Send for Task {}
unsafe impl Sync for Task {}

struct Shared {
    /// The queue, or `None` once the loop has ended.
    queue: Mutex<Option<VecDeque<Arc<Task>>>>,
    event: OwnedFd,
}

struct Loop {
    shared: Arc<Shared>,
    epoll: OwnedFd,
    tasks: RefCell<HashMap<*const Task, Arc<Task>>>,
    sleeps: RefCell<HashMap<u64, (Instant, Waker)>>,
    waits: RefCell<HashMap<RawFd, Vec<Wait>>>,
    last: Cell<u64>,
}

struct Wait {
    id: u64,
    events: u32,
    waker: Option<Waker>,
}

const VTABLE: RawWakerVTable = RawWakerVTable::new(
    |task| {
        unsafe { Arc::increment_strong_count(task.cast::<Task>()) };
        RawWaker::new(task, &VTABLE)
    },
    |task| unsafe { Arc::from_raw(task.cast::<Task>()) }.wake(),
    |task| ManuallyDrop::new(unsafe { Arc::from_raw(task.cast::<Task>()) }).wake(),
    |task| drop(unsafe { Arc::from_raw(task.cast::<Task>()) }),
);

impl Task {
    fn wake(self: &Arc<Self>) {
        if self.is_queued.swap(true, Ordering::SeqCst) {
            return;
        }
        let mut queue = self.shared.queue();
        let Some(tasks) = &mut *queue else { return };
        tasks.push_back(Arc::clone(self));
        drop(queue);
        let one = 1_u64;
        unsafe { libc::write(self.shared.event.as_raw_fd(), (&raw const one).cast(), 8) };
    }

    fn waker(self: &Arc<Self>) -> Waker {
        let task = Arc::into_raw(Arc::clone(self)).cast();
        unsafe { Waker::from_raw(RawWaker::new(task, &VTABLE)) }
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Option<VecDeque<Arc<Task>>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<Arc<Task>> {
        self.queue().as_mut()?.pop_front()
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let here = Rc::new(Loop::new());
    let _guard = Guard(Rc::clone(&here), HERE.replace(Some(Rc::clone(&here))));
    let mut main = pin!(main);
    let main_task = here.task(None);
    let waker = main_task.waker();
    waker.wake_by_ref();
    loop {
        while let Some(task) = here.shared.next() {
            task.is_queued.store(false, Ordering::SeqCst);
            if !Arc::ptr_eq(&task, &main_task) {
                here.run(&task);
            } else if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker))
            {
                return output;
            }
            here.wait(Some(Duration::ZERO));
        }
        let first = here.sleeps.borrow().values().map(|sleep| sleep.0).min();
        here.wait(first.map(|first| first.saturating_duration_since(Instant::now())));
    }
}

struct Guard(Rc<Loop>, Option<Rc<Loop>>);

/// Calls a function when it's dropped, even if a destructor has panicked before that.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        self.0();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _finally = Finally(|| {
            HERE.replace(self.1.take());
        });
        while let Some(task) = { self.0.tasks.borrow().values().next().cloned() } {
            self.0.tasks.borrow_mut().remove(&Arc::as_ptr(&task));
            // No other code is using the body: it's polled and dropped only on this thread.
            let body = unsafe { (*task.body.get()).take() };
            drop(body);
        }
        let left = self.0.shared.queue().take();
        drop(left);
    }
}

impl Loop {
    fn new() -> Loop {
        let epoll = unsafe { OwnedFd::from_raw_fd(libc::epoll_create1(libc::EPOLL_CLOEXEC)) };
        let flags = libc::EFD_CLOEXEC | libc::EFD_NONBLOCK;
        let event = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, flags)) };
        let shared = Arc::new(Shared { queue: Mutex::new(Some(VecDeque::new())), event });
        let here = Loop {
            shared,
            epoll,
            tasks: RefCell::default(),
            sleeps: RefCell::default(),
            waits: RefCell::default(),
            last: Cell::new(0),
        };
        let event = here.shared.event.as_raw_fd();
        here.ctl(libc::EPOLL_CTL_ADD, event, libc::EPOLLIN as u32, EVENT)
            .expect("watch the eventfd");
        here
    }

    fn here() -> Rc<Loop> {
        HERE.with_borrow(Clone::clone).expect("outside of block_on")
    }

    fn number(&self) -> u64 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }

    fn task(&self, body: Option<Pin<Box<dyn Future<Output = ()>>>>) -> Arc<Task> {
        let (is_queued, shared) = (AtomicBool::new(false), Arc::clone(&self.shared));
        Arc::new(Task { is_queued, shared, body: UnsafeCell::new(body) })
    }

    fn run(&self, task: &Arc<Task>) {
        let waker = task.waker();
        let Some(mut body) = (unsafe { (*task.body.get()).take() }) else { return };
        if body.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            unsafe { *task.body.get() = Some(body) };
        } else {
            self.tasks.borrow_mut().remove(&Arc::as_ptr(task));
        }
    }

    fn wait(&self, timeout: Option<Duration>) {
        let time = timeout.map(|timeout| libc::timespec {
            tv_sec: timeout.as_secs() as i64,
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let time: *const libc::timespec = time.as_ref().map_or(ptr::null(), ptr::from_ref);
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 32];
        let (epoll, room) = (self.epoll.as_raw_fd(), events.len() as i32);
        let count =
            unsafe { libc::epoll_pwait2(epoll, events.as_mut_ptr(), room, time, ptr::null()) };
        for event in &events[..usize::try_from(count).unwrap_or(0)] {
            if event.u64 == EVENT {
                let event = self.shared.event.as_raw_fd();
                unsafe { libc::read(event, [0_u8; 8].as_mut_ptr().cast(), 8) };
            } else {
                self.over(event.u64 as RawFd, event.events);
            }
        }
        let now = Instant::now();
        let mut due = Vec::new();
        let mut sleeps = self.sleeps.borrow_mut();
        due.extend(sleeps.extract_if(|_, sleep| sleep.0 <= now).map(|(_, (_, waker))| waker));
        drop(sleeps);
        due.into_iter().for_each(Waker::wake);
    }

    fn over(&self, fd: RawFd, events: u32) {
        let always = (libc::EPOLLERR | libc::EPOLLHUP) as u32;
        let mut due = Vec::new();
        if let Some(waits) = self.waits.borrow_mut().get_mut(&fd) {
            for wait in waits {
                if events & (wait.events | always) != 0 {
                    due.extend(wait.waker.take());
                    wait.events = 0;
                }
            }
        }
        let _ = self.arm(fd, libc::EPOLL_CTL_MOD);
        due.into_iter().for_each(Waker::wake);
    }

    fn arm(&self, fd: RawFd, call: i32) -> io::Result<()> {
        let waits = self.waits.borrow();
        let wanted = waits.get(&fd).into_iter().flatten().fold(0, |all, wait| all | wait.events);
        self.ctl(
            call,
            fd,
            wanted | if wanted == 0 { 0 } else { libc::EPOLLONESHOT as u32 },
            fd as u64,
        )
    }

    fn ctl(&self, call: i32, fd: RawFd, events: u32, token: u64) -> io::Result<()> {
        // Without a direction, the kernel would still report a hang-up again and again.
        let call = if events == 0 { libc::EPOLL_CTL_DEL } else { call };
        let mut event = libc::epoll_event { events, u64: token };
        let epoll = self.epoll.as_raw_fd();
        if unsafe { libc::epoll_ctl(epoll, call, fd, &raw mut event) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::ENOENT) if call == libc::EPOLL_CTL_MOD => {
                self.ctl(libc::EPOLL_CTL_ADD, fd, events, token)
            }
            _ => Err(error),
        }
    }
}

struct End<T> {
    result: Cell<Option<thread::Result<T>>>,
    waker: Cell<Option<Waker>>,
}

pub struct JoinHandle<T>(Rc<End<T>>);

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let here = Loop::here();
    let end = Rc::new(End { result: Cell::new(None), waker: Cell::new(None) });
    let ends = Rc::clone(&end);
    let body = Box::pin(async move {
        let mut task = Box::pin(task);
        let poll = |context: &mut Context<'_>| match catch_unwind(AssertUnwindSafe(|| {
            task.as_mut().poll(context)
        })) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        };
        let result = std::future::poll_fn(poll).await;
        drop(task);
        ends.result.set(Some(result));
        ends.waker.take().into_iter().for_each(Waker::wake);
    });
    let task = here.task(Some(body));
    here.tasks.borrow_mut().insert(Arc::as_ptr(&task), Arc::clone(&task));
    task.wake();
    JoinHandle(end)
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        match self.0.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                self.0.waker.set(Some(waker));
                Poll::Pending
            }
        }
    }
}

struct Sleep(Rc<Loop>, u64, Option<Instant>);

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let here = Loop::here();
    let id = here.number();
    Sleep(here, id, Instant::now().checked_add(duration))
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.2 else { return Poll::Pending };
        if deadline <= Instant::now() {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let old = self.0.sleeps.borrow_mut().insert(self.1, (deadline, waker));
        drop(old);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let sleep = self.0.sleeps.borrow_mut().remove(&self.1);
        drop(sleep);
    }
}

struct Ready<F: AsFd>(Rc<Loop>, u64, F, u32);

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let here = Loop::here();
    let id = here.number();
    Ready(here, id, fd, libc::EPOLLIN as u32)
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let here = Loop::here();
    let id = here.number();
    Ready(here, id, fd, libc::EPOLLOUT as u32)
}

impl<F: AsFd> Future for Ready<F> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Ready(here, id, fd, events) = &*self;
        let (id, events, fd) = (*id, *events, fd.as_fd().as_raw_fd());
        let waker = context.waker().clone();
        let mut waits = here.waits.borrow_mut();
        let of_fd = waits.entry(fd).or_default();
        let Some(wait) = of_fd.iter_mut().find(|wait| wait.id == id) else {
            of_fd.push(Wait { id, events, waker: Some(waker) });
            drop(waits);
            return match here.arm(fd, libc::EPOLL_CTL_MOD) {
                Ok(()) => Poll::Pending,
                Err(error) => Poll::Ready(Err(error)),
            };
        };
        if wait.events == 0 {
            return Poll::Ready(Ok(()));
        }
        let old = wait.waker.replace(waker);
        drop(waits);
        drop(old);
        Poll::Pending
    }
}

impl<F: AsFd> Drop for Ready<F> {
    fn drop(&mut self) {
        let fd = self.2.as_fd().as_raw_fd();
        let mut waits = self.0.waits.borrow_mut();
        let Some(of_fd) = waits.get_mut(&fd) else { return };
        let Some(place) = of_fd.iter().position(|wait| wait.id == self.1) else { return };
        let wait = of_fd.swap_remove(place);
        if of_fd.is_empty() {
            waits.remove(&fd);
        }
        drop(waits);
        let _ = self.0.arm(fd, libc::EPOLL_CTL_MOD);
        drop(wait);
    }
}
