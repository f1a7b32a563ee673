//! There's no queue: each task has a flag, and in each turn the loop walks along all tasks and
//! polls those whose flag is up. The loop waits in pselect(2), which a pipe interrupts, and the
//! deadlines are in a sorted list.

use std::cell::{Cell, RefCell};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::mem::{MaybeUninit, zeroed};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

thread_local! {
    static LOOP: RefCell<Option<Rc<Loop>>> = const { RefCell::new(None) };
}

type Body = Pin<Box<dyn Future<Output = ()>>>;

struct Loop {
    flags: Arc<Flags>,
    pipe: PipeReader,
    tasks: RefCell<Vec<(Option<Body>, Arc<Flag>)>>,
    /// The sleeps, sorted by deadline.
    sleeps: RefCell<Vec<(Instant, u64, Waker)>>,
    waits: RefCell<Vec<Wait>>,
    last: Cell<u64>,
}

/// A flag that's set if any task's flag is up, and the pipe that ends a wait.
struct Flags {
    is_any_up: AtomicBool,
    pipe: PipeWriter,
}

struct Flag {
    is_up: AtomicBool,
    all: Arc<Flags>,
}

#[derive(Clone)]
struct Wait {
    id: u64,
    fd: RawFd,
    writes: bool,
    waker: Waker,
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_up.swap(true, SeqCst) && !self.all.is_any_up.swap(true, SeqCst) {
            let _ = (&self.all.pipe).write(b".");
        }
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let (reader, writer) = io::pipe().expect("a pipe");
    let flags = Arc::new(Flags { is_any_up: AtomicBool::new(false), pipe: writer });
    let this = Rc::new(Loop {
        flags,
        pipe: reader,
        tasks: RefCell::default(),
        sleeps: RefCell::default(),
        waits: RefCell::default(),
        last: Cell::new(0),
    });
    let _reset = Reset(LOOP.replace(Some(Rc::clone(&this))));
    let mut main = pin!(main);
    let flag = this.flag();
    let waker = Waker::from(Arc::clone(&flag));
    waker.wake_by_ref();
    loop {
        if flag.is_up.swap(false, SeqCst)
            && let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker))
        {
            return output;
        }
        // Tasks that are spawned in the meantime come after the others.
        let mut place = 0;
        while let Some(flag) = { this.tasks.borrow().get(place).map(|task| Arc::clone(&task.1)) } {
            if flag.is_up.swap(false, SeqCst) {
                this.step(place, &flag);
            }
            place += 1;
        }
        this.tasks.borrow_mut().retain(|task| task.0.is_some());
        this.wait();
    }
}

struct Reset(Option<Rc<Loop>>);

/// Calls a function when it's dropped, even if a destructor has panicked before that.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        self.0();
    }
}

impl Drop for Reset {
    fn drop(&mut self) {
        let _finally = Finally(|| {
            LOOP.replace(self.0.take());
        });
        while let Some(task) = { Loop::get().tasks.borrow_mut().pop() } {
            drop(task);
        }
    }
}

impl Loop {
    fn get() -> Rc<Loop> {
        LOOP.with_borrow(Clone::clone).expect("the thread isn't in a block_on")
    }

    fn number(&self) -> u64 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }

    fn flag(&self) -> Arc<Flag> {
        Arc::new(Flag { is_up: AtomicBool::new(false), all: Arc::clone(&self.flags) })
    }

    fn step(&self, place: usize, flag: &Arc<Flag>) {
        let Some(mut body) = self.tasks.borrow_mut()[place].0.take() else { return };
        let waker = Waker::from(Arc::clone(flag));
        if body.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            self.tasks.borrow_mut()[place].0 = Some(body);
        }
    }

    fn wait(&self) {
        let (mut reads, mut writes): (libc::fd_set, libc::fd_set) = unsafe { zeroed() };
        let mut last = self.pipe.as_raw_fd();
        unsafe { libc::FD_SET(last, &raw mut reads) };
        for wait in &*self.waits.borrow() {
            let set = if wait.writes { &raw mut writes } else { &raw mut reads };
            unsafe { libc::FD_SET(wait.fd, set) };
            last = last.max(wait.fd);
        }
        let mut time = MaybeUninit::<libc::timespec>::uninit();
        let mut timeout = ptr::null();
        if let Some((deadline, ..)) = self.sleeps.borrow().first() {
            let left = deadline.saturating_duration_since(Instant::now());
            let (tv_sec, tv_nsec) = (left.as_secs() as i64, left.subsec_nanos().into());
            timeout = time.write(libc::timespec { tv_sec, tv_nsec });
        }
        let (reads, writes) = (&raw mut reads, &raw mut writes);
        let (none, mask) = (ptr::null_mut(), ptr::null());
        let count = unsafe { libc::pselect(last + 1, reads, writes, none, timeout, mask) };
        if count > 0 {
            if unsafe { libc::FD_ISSET(self.pipe.as_raw_fd(), reads) } {
                let _ = (&self.pipe).read(&mut [0; 16]);
                // From here on, a wake writes to the pipe again. The walk follows later.
                self.flags.is_any_up.store(false, SeqCst);
            }
            let is_over = |wait: &mut Wait| {
                let set = if wait.writes { writes } else { reads };
                unsafe { libc::FD_ISSET(wait.fd, set) }
            };
            let over: Vec<Wait> = self.waits.borrow_mut().extract_if(.., is_over).collect();
            over.into_iter().for_each(|wait| wait.waker.wake());
        }
        let now = Instant::now();
        let due = self.sleeps.borrow().partition_point(|sleep| sleep.0 <= now);
        let due: Vec<_> = self.sleeps.borrow_mut().drain(..due).collect();
        due.into_iter().for_each(|(.., waker)| waker.wake());
    }
}

pub struct JoinHandle<T>(Rc<(Cell<Option<thread::Result<T>>>, Cell<Option<Waker>>)>);

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let this = Loop::get();
    let outcome = Rc::new((Cell::new(None), Cell::new(None::<Waker>)));
    let ours = Rc::clone(&outcome);
    let body = Box::pin(async move {
        let mut task = Some(Box::pin(task));
        let result = std::future::poll_fn(|context| {
            let Some(running) = &mut task else { unreachable!() };
            match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context))) {
                Ok(polled) => polled.map(Ok),
                Err(panic) => Poll::Ready(Err(panic)),
            }
        });
        let result = result.await;
        drop(task);
        ours.0.set(Some(result));
        ours.1.take().into_iter().for_each(Waker::wake);
    });
    let flag = this.flag();
    this.tasks.borrow_mut().push((Some(body), Arc::clone(&flag)));
    flag.wake();
    JoinHandle(outcome)
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(result) = self.0.0.take() {
            return Poll::Ready(result);
        }
        let waker = context.waker().clone();
        drop(self.0.1.replace(Some(waker)));
        Poll::Pending
    }
}

struct Sleep(Rc<Loop>, u64, Option<Instant>);

impl Sleep {
    fn remove(&self) {
        let mut sleeps = self.0.sleeps.borrow_mut();
        let place = sleeps.iter().position(|sleep| sleep.1 == self.1);
        let sleep = place.map(|place| sleeps.remove(place));
        drop(sleeps);
        drop(sleep);
    }
}

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let this = Loop::get();
    let number = this.number();
    Sleep(this, number, Instant::now().checked_add(duration))
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.2 else { return Poll::Pending };
        if Instant::now() >= deadline {
            return Poll::Ready(());
        }
        self.remove();
        let waker = context.waker().clone();
        let mut sleeps = self.0.sleeps.borrow_mut();
        let place = sleeps.partition_point(|sleep| sleep.0 <= deadline);
        sleeps.insert(place, (deadline, self.1, waker));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.remove();
    }
}

struct Ready<F>(Rc<Loop>, u64, F, bool, bool);

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let this = Loop::get();
    let number = this.number();
    Ready(this, number, fd, false, false)
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let this = Loop::get();
    let number = this.number();
    Ready(this, number, fd, true, false)
}

impl<F> Unpin for Ready<F> {}

impl<F: AsFd> Future for Ready<F> {
    type Output = io::Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let (id, fd, writes) = (self.1, self.2.as_fd().as_raw_fd(), self.3);
        if fd as usize >= libc::FD_SETSIZE {
            return Poll::Ready(Err(io::Error::other("select has no room for this descriptor")));
        }
        let waker = context.waker().clone();
        let is_new = !std::mem::replace(&mut self.4, true);
        let mut waits = self.0.waits.borrow_mut();
        let wait = waits.iter_mut().find(|wait| wait.id == id);
        let is_over = wait.is_none() && !is_new;
        let before = match wait {
            Some(wait) => Some(std::mem::replace(&mut wait.waker, waker)),
            None if is_new => {
                waits.push(Wait { id, fd, writes, waker });
                None
            }
            None => Some(waker),
        };
        drop(waits);
        drop(before);
        if is_over { Poll::Ready(Ok(())) } else { Poll::Pending }
    }
}

impl<F> Drop for Ready<F> {
    fn drop(&mut self) {
        let mut waits = self.0.waits.borrow_mut();
        let place = waits.iter().position(|wait| wait.id == self.1);
        let wait = place.map(|place| waits.swap_remove(place));
        drop(waits);
        drop(wait);
    }
}
