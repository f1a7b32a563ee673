//! Two queues: tasks woken on the loop's own thread go into a queue of `Rc`s, without a lock; tasks
//! woken by other threads go into a second queue, behind a mutex and a pipe. Epoll is
//! edge-triggered, so each wait first asks poll(2) whether it has to wait at all.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

type Body = Pin<Box<dyn Future<Output = ()>>>;

thread_local! {
    static LOOP: RefCell<Option<Rc<Loop>>> = const { RefCell::new(None) };
}

struct Loop {
    number: u64,
    /// The tasks that can be polled now.
    queue: RefCell<VecDeque<Rc<Task>>>,
    tasks: RefCell<HashMap<u64, Rc<Task>>>,
    elsewhere: Arc<Elsewhere>,
    reader: PipeReader,
    epoll: OwnedFd,
    timers: RefCell<BTreeMap<Instant, Vec<(u64, Waker)>>>,
    waits: RefCell<HashMap<RawFd, Vec<(u64, Waker)>>>,
    ids: Cell<u64>,
}

/// The place where other threads leave the tasks that they wake.
struct Elsewhere {
    ids: Mutex<Vec<u64>>,
    writer: PipeWriter,
}

struct Task {
    body: RefCell<Option<Body>>,
    waker: Arc<TaskWaker>,
}

struct TaskWaker {
    of_loop: u64,
    id: u64,
    is_queued: AtomicBool,
    elsewhere: Arc<Elsewhere>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_queued.swap(true, Ordering::SeqCst) {
            return;
        }
        // A thread that's exiting no longer has a loop.
        let here = LOOP.try_with(|here| here.borrow().clone()).ok().flatten();
        if let Some(here) = here.filter(|here| here.number == self.of_loop) {
            let task = here.tasks.borrow().get(&self.id).cloned();
            here.queue.borrow_mut().extend(task);
            return;
        }
        let mut ids = self.elsewhere.ids.lock().unwrap_or_else(PoisonError::into_inner);
        ids.push(self.id);
        if ids.len() == 1 {
            let _ = (&self.elsewhere.writer).write(b"w");
        }
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    static LOOPS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let (reader, writer) = io::pipe().expect("open a pipe");
    let epoll = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
    assert!(epoll >= 0, "open an epoll descriptor");
    let this = Rc::new(Loop {
        number: LOOPS.fetch_add(1, Ordering::Relaxed),
        queue: RefCell::default(),
        tasks: RefCell::default(),
        elsewhere: Arc::new(Elsewhere { ids: Mutex::default(), writer }),
        reader,
        epoll: unsafe { OwnedFd::from_raw_fd(epoll) },
        timers: RefCell::default(),
        waits: RefCell::default(),
        ids: Cell::new(0),
    });
    this.ctl(libc::EPOLL_CTL_ADD, this.reader.as_raw_fd(), libc::EPOLLIN).expect("watch the pipe");
    let outer = LOOP.replace(Some(Rc::clone(&this)));
    let _leaves = Leaves(Rc::clone(&this), outer);
    let mut main = pin!(main);
    // The main task has no body here: its body is on the stack.
    let main_task = this.add(None);
    let waker = Waker::from(Arc::clone(&main_task.waker));
    loop {
        // One turn: those that are woken now. Who is woken meanwhile has the next turn.
        let woken_now = this.queue.borrow().len();
        for _ in 0..woken_now {
            let Some(task) = this.queue.borrow_mut().pop_front() else { break };
            task.waker.is_queued.store(false, Ordering::SeqCst);
            if !Rc::ptr_eq(&task, &main_task) {
                this.run(&task);
            } else if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker))
            {
                return output;
            }
        }
        this.wait();
    }
}

struct Leaves(Rc<Loop>, Option<Rc<Loop>>);

/// Calls a function when it's dropped, even if a destructor has panicked before that.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        self.0();
    }
}

impl Drop for Leaves {
    fn drop(&mut self) {
        let _finally = Finally(|| {
            LOOP.replace(self.1.take());
        });
        loop {
            let Some(id) = self.0.tasks.borrow().keys().next().copied() else { break };
            let task = self.0.tasks.borrow_mut().remove(&id);
            let body = task.and_then(|task| task.body.take());
            drop(body);
        }
        self.0.queue.take();
    }
}

impl Loop {
    fn this() -> Rc<Loop> {
        LOOP.with(|here| here.borrow().clone()).expect("there's no loop on this thread")
    }

    fn id(&self) -> u64 {
        self.ids.replace(self.ids.get() + 1)
    }

    fn add(&self, body: Option<Body>) -> Rc<Task> {
        let (id, of_loop) = (self.id(), self.number);
        let (is_queued, elsewhere) = (AtomicBool::new(true), Arc::clone(&self.elsewhere));
        let waker = Arc::new(TaskWaker { of_loop, id, is_queued, elsewhere });
        let task = Rc::new(Task { body: RefCell::new(body), waker });
        self.tasks.borrow_mut().insert(id, Rc::clone(&task));
        self.queue.borrow_mut().push_back(Rc::clone(&task));
        task
    }

    fn run(&self, task: &Rc<Task>) {
        let Some(mut body) = task.body.take() else { return };
        let waker = Waker::from(Arc::clone(&task.waker));
        if body.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            task.body.replace(Some(body));
        } else {
            self.tasks.borrow_mut().remove(&task.waker.id);
        }
    }

    fn wait(&self) {
        let left = |(deadline, _): (&Instant, _)| {
            let left = deadline.saturating_duration_since(Instant::now());
            i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX)
        };
        let is_idle = self.queue.borrow().is_empty();
        let first = self.timers.borrow().first_key_value().map(left);
        let timeout = if is_idle { first.unwrap_or(-1) } else { 0 };
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 128];
        let (epoll, room) = (self.epoll.as_raw_fd(), events.len() as i32);
        let count = unsafe { libc::epoll_wait(epoll, events.as_mut_ptr(), room, timeout) };
        for event in events.iter().take(usize::try_from(count).unwrap_or(0)) {
            let fd = event.u64 as RawFd;
            if fd == self.reader.as_raw_fd() {
                self.take_from_elsewhere();
                continue;
            }
            // Waits whose direction isn't ready start to wait again.
            let waits = self.waits.borrow_mut().get_mut(&fd).map(std::mem::take);
            waits.into_iter().flatten().for_each(|(_, waker)| waker.wake());
        }
        let now = Instant::now();
        loop {
            let mut timers = self.timers.borrow_mut();
            let Some(first) = timers.first_entry().filter(|first| *first.key() <= now) else {
                break;
            };
            let due = first.remove();
            drop(timers);
            due.into_iter().for_each(|(_, waker)| waker.wake());
        }
    }

    fn take_from_elsewhere(&self) {
        let mut ids = self.elsewhere.ids.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = (&self.reader).read(&mut [0]);
        let woken = std::mem::take(&mut *ids);
        drop(ids);
        let tasks = self.tasks.borrow();
        self.queue.borrow_mut().extend(woken.iter().filter_map(|id| tasks.get(id).cloned()));
    }

    fn ctl(&self, call: i32, fd: RawFd, events: i32) -> io::Result<()> {
        let mut event = libc::epoll_event { events: events as u32, u64: fd as u64 };
        match unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), call, fd, &raw mut event) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

struct Join<T> {
    value: Option<thread::Result<T>>,
    waker: Option<Waker>,
}

pub struct JoinHandle<T>(Rc<RefCell<Join<T>>>);

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let join = Rc::new(RefCell::new(Join { value: None, waker: None }));
    let ours = Rc::clone(&join);
    let body = async move {
        let mut task = Box::pin(task);
        let value = std::future::poll_fn(move |context| {
            match catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(context))) {
                Ok(Poll::Pending) => Poll::Pending,
                Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
                Err(panic) => Poll::Ready(Err(panic)),
            }
        })
        .await;
        ours.borrow_mut().value = Some(value);
        let waker = ours.borrow_mut().waker.take();
        waker.into_iter().for_each(Waker::wake);
    };
    Loop::this().add(Some(Box::pin(body)));
    JoinHandle(join)
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let value = self.0.borrow_mut().value.take();
        if let Some(value) = value {
            return Poll::Ready(value);
        }
        let waker = context.waker().clone();
        let old = self.0.borrow_mut().waker.replace(waker);
        drop(old);
        Poll::Pending
    }
}

struct Timer {
    this: Rc<Loop>,
    deadline: Option<Instant>,
    id: u64,
}

impl Timer {
    fn take(&self) -> Option<Waker> {
        let deadline = self.deadline?;
        let mut timers = self.this.timers.borrow_mut();
        let at_deadline = timers.get_mut(&deadline)?;
        let place = at_deadline.iter().position(|timer| timer.0 == self.id)?;
        let (_, waker) = at_deadline.swap_remove(place);
        if at_deadline.is_empty() {
            timers.remove(&deadline);
        }
        Some(waker)
    }
}

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let this = Loop::this();
    let id = this.id();
    Timer { this, deadline: Instant::now().checked_add(duration), id }
}

impl Future for Timer {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else { return Poll::Pending };
        if Instant::now() >= deadline {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let old = self.take();
        self.this.timers.borrow_mut().entry(deadline).or_default().push((self.id, waker));
        drop(old);
        Poll::Pending
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let waker = self.take();
        drop(waker);
    }
}

struct Io<F: AsFd>(Rc<Loop>, F, i16, u64);

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let this = Loop::this();
    let id = this.id();
    Io(this, fd, libc::POLLIN, id)
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let this = Loop::this();
    let id = this.id();
    Io(this, fd, libc::POLLOUT, id)
}

impl<F: AsFd> Io<F> {
    fn take_waker(&self) -> Option<Waker> {
        let mut waits = self.0.waits.borrow_mut();
        let of_fd = waits.get_mut(&self.1.as_fd().as_raw_fd())?;
        let place = of_fd.iter().position(|wait| wait.0 == self.3)?;
        Some(of_fd.swap_remove(place).1)
    }

    /// Takes the wait's waker, and the registration too if no other task waits for the descriptor.
    fn leave(&self) {
        let waker = self.take_waker();
        let fd = self.1.as_fd().as_raw_fd();
        let mut waits = self.0.waits.borrow_mut();
        if waits.get(&fd).is_some_and(Vec::is_empty) {
            waits.remove(&fd);
            let _ = self.0.ctl(libc::EPOLL_CTL_DEL, fd, 0);
        }
        drop(waits);
        drop(waker);
    }
}

impl<F: AsFd> Future for Io<F> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let (fd, waker) = (self.1.as_fd().as_raw_fd(), context.waker().clone());
        let old = self.take_waker();
        drop(old);
        let mut waits = self.0.waits.borrow_mut();
        let is_new = !waits.contains_key(&fd);
        waits.entry(fd).or_default().push((self.3, waker));
        drop(waits);
        let events = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET;
        // First the descriptor is watched, and then it's checked, so no edge is lost in between.
        let watched = if is_new { self.0.ctl(libc::EPOLL_CTL_ADD, fd, events) } else { Ok(()) };
        let mut now = libc::pollfd { fd, events: self.2, revents: 0 };
        if watched.is_ok() && unsafe { libc::poll(&raw mut now, 1, 0) } == 0 {
            return Poll::Pending;
        }
        self.leave();
        Poll::Ready(watched)
    }
}

impl<F: AsFd> Drop for Io<F> {
    fn drop(&mut self) {
        self.leave();
    }
}
