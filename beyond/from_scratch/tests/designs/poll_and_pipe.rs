//! The oldest tools: poll(2) on a list that's rebuilt for each wait, a pipe that ends the wait,
//! tasks in a map, and a sorted list of deadlines. A wait calls poll(2) itself to see if it's over.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

const MAIN: u64 = 0;

thread_local! {
    static LOOP: RefCell<Option<Rc<Loop>>> = const { RefCell::new(None) };
}

type Body = Pin<Box<dyn Future<Output = ()>>>;

struct Loop {
    woken: Arc<Woken>,
    reader: PipeReader,
    tasks: RefCell<HashMap<u64, (Body, Arc<Task>)>>,
    /// The sleeps, sorted so that the nearest deadline comes last.
    sleeps: RefCell<Vec<(Instant, u64, Waker)>>,
    waits: RefCell<Vec<(u64, RawFd, i16, Waker)>>,
    next: Cell<u64>,
}

struct Woken {
    state: Mutex<State>,
    writer: PipeWriter,
}

#[derive(Default)]
struct State {
    queue: VecDeque<u64>,
    /// True if a byte is in the pipe.
    is_signalled: bool,
}

struct Task {
    id: u64,
    woken: Arc<Woken>,
    is_woken: Mutex<bool>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let mut is_woken = lock(&self.is_woken);
        if *is_woken {
            return;
        }
        *is_woken = true;
        let mut state = lock(&self.woken.state);
        state.queue.push_back(self.id);
        if !state.is_signalled {
            state.is_signalled = true;
            let _ = (&self.woken.writer).write(b"!");
        }
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let (reader, writer) = io::pipe().expect("a pipe for the loop");
    let woken = Arc::new(Woken { state: Mutex::default(), writer });
    let here = Rc::new(Loop {
        woken,
        reader,
        tasks: RefCell::default(),
        sleeps: RefCell::default(),
        waits: RefCell::default(),
        next: Cell::new(MAIN + 1),
    });
    let _entered = Entered(LOOP.replace(Some(Rc::clone(&here))), Rc::clone(&here));
    let mut main = pin!(main);
    let task = here.task(MAIN);
    Arc::clone(&task).wake();
    loop {
        while let Some(id) = here.next_woken() {
            if id == MAIN {
                *lock(&task.is_woken) = false;
                let waker = Waker::from(Arc::clone(&task));
                if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return output;
                }
            } else {
                here.run(id);
            }
            here.look(Some(Duration::ZERO));
        }
        here.look(here.until_the_next_deadline());
    }
}

struct Entered(Option<Rc<Loop>>, Rc<Loop>);

/// Calls a function when it's dropped, even if a destructor has panicked before that.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        self.0();
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let _finally = Finally(|| {
            LOOP.replace(self.0.take());
        });
        while let Some(id) = { self.1.tasks.borrow().keys().next().copied() } {
            let task = self.1.tasks.borrow_mut().remove(&id);
            drop(task);
        }
    }
}

impl Loop {
    fn here() -> Rc<Loop> {
        LOOP.with_borrow(Clone::clone).expect("this needs a block_on around it")
    }

    fn number(&self) -> u64 {
        self.next.replace(self.next.get() + 1)
    }

    fn task(&self, id: u64) -> Arc<Task> {
        Arc::new(Task { id, woken: Arc::clone(&self.woken), is_woken: Mutex::new(false) })
    }

    fn next_woken(&self) -> Option<u64> {
        lock(&self.woken.state).queue.pop_front()
    }

    fn run(&self, id: u64) {
        let Some((mut body, task)) = self.tasks.borrow_mut().remove(&id) else { return };
        *lock(&task.is_woken) = false;
        let waker = Waker::from(Arc::clone(&task));
        if body.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            self.tasks.borrow_mut().insert(id, (body, task));
        }
    }

    fn until_the_next_deadline(&self) -> Option<Duration> {
        let sleeps = self.sleeps.borrow();
        let (deadline, ..) = sleeps.last()?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Waits up to `timeout` for the kernel's events. Then wakes the tasks that waited for them.
    fn look(&self, timeout: Option<Duration>) {
        let mut list = vec![entry(self.reader.as_raw_fd(), libc::POLLIN)];
        list.extend(self.waits.borrow().iter().map(|(_, fd, events, _)| entry(*fd, *events)));
        let timeout = timeout.map_or(-1, |timeout| {
            i32::try_from(timeout.as_nanos().div_ceil(1_000_000)).unwrap_or(i32::MAX)
        });
        // A signal may end it early, and then the next one waits.
        unsafe { libc::poll(list.as_mut_ptr(), list.len() as libc::nfds_t, timeout) };
        if list[0].revents != 0 {
            let mut state = lock(&self.woken.state);
            state.is_signalled = false;
            let _ = (&self.reader).read(&mut [0]);
        }
        for entry in list.iter().skip(1).filter(|entry| entry.revents != 0) {
            loop {
                let mut waits = self.waits.borrow_mut();
                let is_it =
                    |it: &(u64, RawFd, i16, Waker)| it.1 == entry.fd && it.2 == entry.events;
                let Some(place) = waits.iter().position(is_it) else { break };
                let (.., waker) = waits.swap_remove(place);
                drop(waits);
                waker.wake();
            }
        }
        let now = Instant::now();
        loop {
            let mut sleeps = self.sleeps.borrow_mut();
            let Some((.., waker)) = sleeps.pop_if(|sleep| sleep.0 <= now) else { break };
            drop(sleeps);
            waker.wake();
        }
    }
}

fn entry(fd: RawFd, events: i16) -> libc::pollfd {
    libc::pollfd { fd, events, revents: 0 }
}

struct End<T>(Option<thread::Result<T>>, Option<Waker>);

pub struct JoinHandle<T>(Rc<RefCell<End<T>>>);

struct Running<F: Future>(Option<Pin<Box<F>>>, Rc<RefCell<End<F::Output>>>);

impl<F: Future> Unpin for Running<F> {}

impl<F: Future> Future for Running<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(future) = &mut self.0 else { return Poll::Ready(()) };
        let result = match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(value)) => Ok(value),
            Err(panic) => Err(panic),
        };
        self.0 = None;
        let mut end = self.1.borrow_mut();
        end.0 = Some(result);
        let waker = end.1.take();
        drop(end);
        waker.into_iter().for_each(Waker::wake);
        Poll::Ready(())
    }
}

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let here = Loop::here();
    let end = Rc::new(RefCell::new(End(None, None)));
    let (id, body) = (here.number(), Box::pin(Running(Some(Box::pin(task)), Rc::clone(&end))));
    let task = here.task(id);
    here.tasks.borrow_mut().insert(id, (body, Arc::clone(&task)));
    task.wake();
    JoinHandle(end)
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let mut end = self.0.borrow_mut();
        match end.0.take() {
            Some(result) => Poll::Ready(result),
            None => {
                let before = end.1.replace(waker);
                drop(end);
                drop(before);
                Poll::Pending
            }
        }
    }
}

struct Sleep(Rc<Loop>, Option<Instant>, u64);

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let here = Loop::here();
    let number = here.number();
    Sleep(here, Instant::now().checked_add(duration), number)
}

impl Sleep {
    fn forget(&self) {
        let mut sleeps = self.0.sleeps.borrow_mut();
        let place = sleeps.iter().position(|sleep| sleep.1 == self.2);
        let sleep = place.map(|place| sleeps.remove(place));
        drop(sleeps);
        drop(sleep);
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.1 else { return Poll::Pending };
        if deadline <= Instant::now() {
            return Poll::Ready(());
        }
        self.forget();
        let waker = context.waker().clone();
        let mut sleeps = self.0.sleeps.borrow_mut();
        let place = sleeps.partition_point(|sleep| sleep.0 > deadline);
        sleeps.insert(place, (deadline, self.2, waker));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.forget();
    }
}

struct Wait<F: AsFd>(Rc<Loop>, F, i16, u64);

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let here = Loop::here();
    let number = here.number();
    Wait(here, fd, libc::POLLIN, number)
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    let here = Loop::here();
    let number = here.number();
    Wait(here, fd, libc::POLLOUT, number)
}

impl<F: AsFd> Wait<F> {
    fn forget(&self) {
        let mut waits = self.0.waits.borrow_mut();
        let place = waits.iter().position(|wait| wait.0 == self.3);
        let wait = place.map(|place| waits.swap_remove(place));
        drop(waits);
        drop(wait);
    }
}

impl<F: AsFd> Future for Wait<F> {
    type Output = io::Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.forget();
        let fd = self.1.as_fd().as_raw_fd();
        let mut now = entry(fd, self.2);
        if unsafe { libc::poll(&raw mut now, 1, 0) } != 0 {
            return Poll::Ready(Ok(()));
        }
        let waker = context.waker().clone();
        self.0.waits.borrow_mut().push((self.3, fd, self.2, waker));
        Poll::Pending
    }
}

impl<F: AsFd> Drop for Wait<F> {
    fn drop(&mut self) {
        self.forget();
    }
}
