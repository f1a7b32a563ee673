//! The queue of woken tasks is a channel, and the loop sleeps in the channel's `recv_timeout`. A
//! single thread for the whole process waits for descriptors in poll(2) and wakes the tasks that
//! wait for them. Tasks and deadlines are in B-trees.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::mem;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

const MAIN: u64 = 0;

thread_local! {
    static RUN: RefCell<Option<Rc<Run>>> = const { RefCell::new(None) };
}

type Body = Pin<Box<dyn Future<Output = ()>>>;

struct Run {
    sender: Sender<u64>,
    tasks: RefCell<BTreeMap<u64, (Body, Arc<Woken>)>>,
    deadlines: RefCell<BTreeMap<(Instant, u64), Waker>>,
    count: Cell<u64>,
}

struct Woken {
    id: u64,
    is_queued: AtomicBool,
    sender: Sender<u64>,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_queued.swap(true, SeqCst) {
            // It fails once the loop has ended.
            let _ = self.sender.send(self.id);
        }
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let (sender, receiver) = channel();
    let run = Rc::new(Run {
        sender,
        tasks: RefCell::default(),
        deadlines: RefCell::default(),
        count: Cell::new(MAIN),
    });
    let _end = End(RUN.replace(Some(Rc::clone(&run))), Rc::clone(&run));
    let mut main = pin!(main);
    let woken = run.woken(MAIN);
    woken.wake_by_ref();
    let waker = Waker::from(Arc::clone(&woken));
    loop {
        let id = run.next(&receiver);
        run.wake_sleepers();
        match id {
            None => {}
            Some(MAIN) => {
                woken.is_queued.store(false, SeqCst);
                if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return output;
                }
            }
            Some(id) => run.step(id),
        }
    }
}

struct End(Option<Rc<Run>>, Rc<Run>);

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
            RUN.replace(self.0.take());
        });
        loop {
            let task = self.1.tasks.borrow_mut().pop_first();
            if task.is_none() {
                break;
            }
        }
    }
}

impl Run {
    fn current() -> Rc<Run> {
        RUN.with_borrow(|run| run.clone().expect("only inside of block_on"))
    }

    fn number(&self) -> u64 {
        self.count.set(self.count.get() + 1);
        self.count.get()
    }

    fn woken(&self, id: u64) -> Arc<Woken> {
        Arc::new(Woken { id, is_queued: AtomicBool::new(false), sender: self.sender.clone() })
    }

    /// Returns the next task that's woken, or `None` if a deadline passes first.
    fn next(&self, receiver: &Receiver<u64>) -> Option<u64> {
        let deadline = self.deadlines.borrow().keys().next().map(|(deadline, _)| *deadline);
        let Some(deadline) = deadline else { return receiver.recv().ok() };
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(id) => Some(id),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    fn wake_sleepers(&self) {
        if self.deadlines.borrow().is_empty() {
            return;
        }
        let now = Instant::now();
        loop {
            let mut deadlines = self.deadlines.borrow_mut();
            let Some(first) = deadlines.first_entry().filter(|it| it.key().0 <= now) else { break };
            let waker = first.remove();
            drop(deadlines);
            waker.wake();
        }
    }

    fn step(&self, id: u64) {
        let Some((mut body, woken)) = self.tasks.borrow_mut().remove(&id) else { return };
        woken.is_queued.store(false, SeqCst);
        let waker = Waker::from(Arc::clone(&woken));
        let polled = body.as_mut().poll(&mut Context::from_waker(&waker));
        if polled.is_pending() {
            self.tasks.borrow_mut().insert(id, (body, woken));
        }
    }
}

enum Joined<T> {
    Runs(Option<Waker>),
    Done(thread::Result<T>),
    Taken,
}

pub struct JoinHandle<T>(Rc<RefCell<Joined<T>>>);

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let run = Run::current();
    let joined = Rc::new(RefCell::new(Joined::Runs(None)));
    let outcome = Rc::clone(&joined);
    let mut task = Some(Box::pin(task));
    let body = Box::pin(poll_fn(move |context| {
        let Some(running) = &mut task else { return Poll::Ready(()) };
        let result = match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(value)) => Ok(value),
            Err(panic) => Err(panic),
        };
        task = None;
        let before = outcome.replace(Joined::Done(result));
        if let Joined::Runs(Some(waker)) = before {
            waker.wake();
        }
        Poll::Ready(())
    }));
    let id = run.number();
    let woken = run.woken(id);
    run.tasks.borrow_mut().insert(id, (body, Arc::clone(&woken)));
    woken.wake();
    JoinHandle(joined)
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let before = self.0.replace(Joined::Taken);
        match before {
            Joined::Done(result) => Poll::Ready(result),
            before => {
                let _ = self.0.replace(Joined::Runs(Some(waker)));
                drop(before);
                Poll::Pending
            }
        }
    }
}

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let run = Run::current();
    let id = run.number();
    Sleep { run, key: Instant::now().checked_add(duration).map(|deadline| (deadline, id)) }
}

struct Sleep {
    run: Rc<Run>,
    key: Option<(Instant, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match self.key {
            None => Poll::Pending,
            Some((deadline, _)) if deadline <= Instant::now() => Poll::Ready(()),
            Some(key) => {
                let waker = context.waker().clone();
                let before = self.run.deadlines.borrow_mut().insert(key, waker);
                drop(before);
                Poll::Pending
            }
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let waker = self.key.and_then(|key| self.run.deadlines.borrow_mut().remove(&key));
        drop(waker);
    }
}

/// The waits that the thread handles. Each wait has its own copy of the descriptor, which stays
/// open until the thread has noticed that the wait is over.
struct Reactor {
    waits: Mutex<BTreeMap<u64, Wait>>,
    count: AtomicU64,
    writer: PipeWriter,
}

struct Wait {
    fd: OwnedFd,
    events: i16,
    waker: Option<Waker>,
    is_over: bool,
}

impl Reactor {
    /// Starts the thread when the process begins its first wait.
    fn get() -> &'static Reactor {
        static REACTOR: OnceLock<&'static Reactor> = OnceLock::new();
        REACTOR.get_or_init(|| {
            let (reader, writer) = io::pipe().expect("a pipe for the reactor");
            let (waits, count) = (Mutex::default(), AtomicU64::new(0));
            let reactor: &Reactor = Box::leak(Box::new(Reactor { waits, count, writer }));
            thread::spawn(move || reactor.run(&reader));
            reactor
        })
    }

    fn waits(&self) -> MutexGuard<'_, BTreeMap<u64, Wait>> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, mut reader: &PipeReader) {
        loop {
            // The copies stay open while poll(2) checks them.
            let mut ids = Vec::new();
            let mut list =
                vec![libc::pollfd { fd: reader.as_raw_fd(), events: libc::POLLIN, revents: 0 }];
            for (id, wait) in self.waits().iter().filter(|(_, wait)| !wait.is_over) {
                ids.push(*id);
                list.push(libc::pollfd {
                    fd: wait.fd.as_raw_fd(),
                    events: wait.events,
                    revents: 0,
                });
            }
            unsafe { libc::poll(list.as_mut_ptr(), list.len() as libc::nfds_t, -1) };
            if list[0].revents != 0 {
                let _ = reader.read(&mut [0; 512]);
            }
            for (id, entry) in ids.iter().zip(&list[1..]).filter(|(_, entry)| entry.revents != 0) {
                let mut waits = self.waits();
                let Some(wait) = waits.get_mut(id).filter(|wait| wait.fd.as_raw_fd() == entry.fd)
                else {
                    continue;
                };
                wait.is_over = true;
                let waker = wait.waker.take();
                drop(waits);
                waker.into_iter().for_each(Waker::wake);
            }
        }
    }

    fn nudge(&self) {
        let _ = (&self.writer).write(b"!");
    }
}

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    Run::current();
    wait_for(fd, libc::POLLIN)
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    Run::current();
    wait_for(fd, libc::POLLOUT)
}

struct Registered(u64);

impl Drop for Registered {
    fn drop(&mut self) {
        let wait = Reactor::get().waits().remove(&self.0);
        drop(wait);
        Reactor::get().nudge();
    }
}

async fn wait_for(fd: impl AsFd, events: i16) -> io::Result<()> {
    let reactor = Reactor::get();
    let fd = fd.as_fd().try_clone_to_owned()?;
    let id = reactor.count.fetch_add(1, SeqCst);
    let registered = Registered(id);
    reactor.waits().insert(id, Wait { fd, events, waker: None, is_over: false });
    reactor.nudge();
    poll_fn(|context| {
        let waker = context.waker().clone();
        let mut waits = reactor.waits();
        let Some(wait) = waits.get_mut(&registered.0).filter(|wait| !wait.is_over) else {
            return Poll::Ready(Ok(()));
        };
        let before = mem::replace(&mut wait.waker, Some(waker));
        drop(waits);
        drop(before);
        Poll::Pending
    })
    .await
}
