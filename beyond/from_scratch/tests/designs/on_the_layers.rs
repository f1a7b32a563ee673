//! Built on steps 03, 04 and 05: a selector, a heap of timers, and an inbox that any thread can
//! fill. Each wait for a descriptor registers its own copy of that descriptor.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
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
use std::time::Duration;

use step03_selector::{EpollSelector, Interest, ReadyEvent, Selector};
use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, TimerId};
use step05_selfpipe::{Inbox, Sender};

thread_local! {
    static LOOPS: RefCell<Vec<Rc<Loop>>> = const { RefCell::new(Vec::new()) };
}

const MAIN: usize = 0;
const INBOX: u64 = 0;

type Body = Pin<Box<dyn Future<Output = ()>>>;

struct Loop {
    clock: MonotonicClock,
    inbox: Inbox<usize>,
    tasks: RefCell<HashMap<usize, Rc<Task>>>,
    timers: RefCell<TimerHeap<Waker>>,
    selector: RefCell<EpollSelector<u64>>,
    waits: RefCell<HashMap<u64, Wait>>,
    next_task: Cell<usize>,
    next_wait: Cell<u64>,
}

struct Task {
    body: Cell<Option<Body>>,
    wakes: Arc<Wakes>,
}

struct Wait {
    copy: OwnedFd,
    is_over: bool,
    waker: Option<Waker>,
}

struct Wakes {
    task: usize,
    is_sent: AtomicBool,
    sender: Sender<usize>,
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_sent.compare_exchange(false, true, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            let _ = self.sender.send(self.task);
        }
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let event_loop = Rc::new(Loop::new().expect("make a loop"));
    LOOPS.with_borrow_mut(|loops| loops.push(Rc::clone(&event_loop)));
    let _end = End(Rc::clone(&event_loop));
    let mut main = pin!(main);
    let wakes = event_loop.wakes(MAIN);
    let waker = Waker::from(Arc::clone(&wakes));
    waker.wake_by_ref();
    let mut woken = Vec::new();
    loop {
        event_loop.select().expect("wait for something to do");
        event_loop.inbox.take(&mut woken).expect("read the pipe");
        for task in woken.drain(..) {
            if task != MAIN {
                event_loop.poll(task);
                continue;
            }
            wakes.is_sent.store(false, Ordering::Release);
            if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
        }
    }
}

struct End(Rc<Loop>);

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
            let ended = LOOPS.with_borrow_mut(Vec::pop);
            drop(ended);
        });
        while !self.0.tasks.borrow().is_empty() {
            let tasks = self.0.tasks.take();
            tasks.values().for_each(|task| drop(task.body.take()));
        }
    }
}

impl Loop {
    fn new() -> io::Result<Loop> {
        let (inbox, mut selector) = (Inbox::new()?, EpollSelector::new()?);
        selector.register(&inbox, Interest::READABLE, INBOX)?;
        Ok(Loop {
            clock: MonotonicClock::new(),
            inbox,
            tasks: RefCell::default(),
            timers: RefCell::default(),
            selector: RefCell::new(selector),
            waits: RefCell::default(),
            next_task: Cell::new(MAIN + 1),
            next_wait: Cell::new(INBOX + 1),
        })
    }

    fn innermost() -> Rc<Loop> {
        LOOPS.with_borrow(|loops| loops.last().cloned()).expect("no loop is running")
    }

    fn wakes(&self, task: usize) -> Arc<Wakes> {
        Arc::new(Wakes { task, is_sent: AtomicBool::new(false), sender: self.inbox.sender() })
    }

    fn poll(&self, id: usize) {
        let Some(task) = self.tasks.borrow().get(&id).map(Rc::clone) else { return };
        let Some(mut body) = task.body.take() else { return };
        task.wakes.is_sent.store(false, Ordering::Release);
        let waker = Waker::from(Arc::clone(&task.wakes));
        match body.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Pending => task.body.set(Some(body)),
            Poll::Ready(()) => drop(self.tasks.borrow_mut().remove(&id)),
        }
    }

    /// Waits, then wakes the tasks whose descriptors are ready or whose sleeps are over.
    fn select(&self) -> io::Result<()> {
        let mut timeout = self.timers.borrow_mut().next_timeout(self.clock.now());
        if !self.inbox.is_empty() {
            timeout = Some(Duration::ZERO);
        }
        let mut ready: Vec<ReadyEvent<u64>> = Vec::new();
        self.selector.borrow_mut().select(timeout, &mut ready)?;
        for ReadyEvent { data: wait, .. } in ready {
            let waker = self.over(wait);
            waker.into_iter().for_each(Waker::wake);
        }
        let now = self.clock.now();
        loop {
            let due = self.timers.borrow_mut().pop_due(now);
            let Some(waker) = due else { break };
            waker.wake();
        }
        Ok(())
    }
}

impl Loop {
    /// Records that a wait is over and that the selector no longer needs to report it.
    fn over(&self, wait: u64) -> Option<Waker> {
        let mut waits = self.waits.borrow_mut();
        let wait = waits.get_mut(&wait)?;
        wait.is_over = true;
        let _ = self.selector.borrow_mut().unregister(&wait.copy);
        wait.waker.take()
    }
}

struct Shared<T> {
    result: Option<thread::Result<T>>,
    waker: Option<Waker>,
}

pub struct JoinHandle<T> {
    shared: Rc<RefCell<Shared<T>>>,
}

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let event_loop = Loop::innermost();
    let shared = Rc::new(RefCell::new(Shared { result: None, waker: None }));
    let ours = Rc::clone(&shared);
    let body: Body = Box::pin(async move {
        let result = outcome(task).await;
        let waker = {
            let mut shared = ours.borrow_mut();
            shared.result = Some(result);
            shared.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    });
    let id = event_loop.next_task.replace(event_loop.next_task.get() + 1);
    let wakes = event_loop.wakes(id);
    let task = Rc::new(Task { body: Cell::new(Some(body)), wakes: Arc::clone(&wakes) });
    event_loop.tasks.borrow_mut().insert(id, task);
    wakes.wake();
    JoinHandle { shared }
}

async fn outcome<T>(task: impl Future<Output = T>) -> thread::Result<T> {
    let mut task = Box::pin(task);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(context)));
        polled.map_or_else(|panic| Poll::Ready(Err(panic)), |polled| polled.map(Ok))
    })
    .await
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(result) = self.shared.borrow_mut().result.take() {
            return Poll::Ready(result);
        }
        let waker = context.waker().clone();
        let before = self.shared.borrow_mut().waker.replace(waker);
        drop(before);
        Poll::Pending
    }
}

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let event_loop = Loop::innermost();
    let deadline = event_loop.clock.now() + duration;
    Nap { event_loop, deadline, timer: None }
}

struct Nap {
    event_loop: Rc<Loop>,
    deadline: Time,
    timer: Option<TimerId>,
}

impl Nap {
    fn cancel(&mut self) {
        let timer = self.timer.take();
        let waker = timer.and_then(|timer| self.event_loop.timers.borrow_mut().cancel(timer));
        drop(waker);
    }
}

impl Future for Nap {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.deadline <= self.event_loop.clock.now() {
            return Poll::Ready(());
        }
        self.cancel();
        let waker = context.waker().clone();
        let timer = self.event_loop.timers.borrow_mut().push(self.deadline, waker);
        self.timer = Some(timer);
        Poll::Pending
    }
}

impl Drop for Nap {
    fn drop(&mut self) {
        self.cancel();
    }
}

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let event_loop = Loop::innermost();
    async move { Registered::new(event_loop, fd, Interest::READABLE)?.ready().await }
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let event_loop = Loop::innermost();
    async move { Registered::new(event_loop, fd, Interest::WRITABLE)?.ready().await }
}

struct Registered {
    event_loop: Rc<Loop>,
    wait: u64,
}

impl Registered {
    fn new(event_loop: Rc<Loop>, fd: impl AsFd, interest: Interest) -> io::Result<Registered> {
        let copy = fd.as_fd().try_clone_to_owned()?;
        let wait = event_loop.next_wait.replace(event_loop.next_wait.get() + 1);
        event_loop.selector.borrow_mut().register(&copy, interest, wait)?;
        let state = Wait { copy, is_over: false, waker: None };
        event_loop.waits.borrow_mut().insert(wait, state);
        Ok(Registered { event_loop, wait })
    }

    async fn ready(self) -> io::Result<()> {
        poll_fn(|context| {
            let waker = context.waker().clone();
            let mut waits = self.event_loop.waits.borrow_mut();
            let Some(wait) = waits.get_mut(&self.wait).filter(|wait| !wait.is_over) else {
                return Poll::Ready(Ok(()));
            };
            let before = wait.waker.replace(waker);
            drop(waits);
            drop(before);
            Poll::Pending
        })
        .await
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let wait = self.event_loop.waits.borrow_mut().remove(&self.wait);
        if let Some(wait) = wait.filter(|wait| !wait.is_over) {
            let _ = self.event_loop.selector.borrow_mut().unregister(&wait.copy);
        }
    }
}
