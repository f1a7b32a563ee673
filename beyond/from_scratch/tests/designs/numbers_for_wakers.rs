//! Process-wide: a map of all runs, and wakers that are nothing but two numbers in a pointer,
//! without memory of their own. The tasks are also in that map, and only the thread of their run
//! touches their bodies. A run waits in ppoll(2), and an eventfd ends the wait.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};
use std::thread;
use std::time::{Duration, Instant};

static RUNS: Mutex<BTreeMap<usize, Run>> = Mutex::new(BTreeMap::new());
static NEXT_RUN: AtomicUsize = AtomicUsize::new(0);
/// The limit on a task's number. A run's number counts multiples of this limit.
const TASKS_OF_A_RUN: usize = 1 << 40;
const MAIN: usize = 0;

struct Run {
    queue: VecDeque<usize>,
    is_queued: BTreeSet<usize>,
    tasks: BTreeMap<usize, OnlyHere>,
    last: usize,
    event: OwnedFd,
}

/// A task's body, which only the thread of its run may touch.
struct OnlyHere(Pin<Box<dyn Future<Output = ()>>>);

unsafe impl Send for OnlyHere {}

thread_local! {
    /// The number of the run that's current on this thread.
    static CURRENT: Cell<Option<usize>> = const { Cell::new(None) };
    static SLEEPS: RefCell<BTreeMap<(Instant, usize), Waker>> = const { RefCell::new(BTreeMap::new()) };
    static WAITS: RefCell<BTreeMap<usize, (RawFd, i16, Waker)>> = const { RefCell::new(BTreeMap::new()) };
}

fn runs() -> MutexGuard<'static, BTreeMap<usize, Run>> {
    RUNS.lock().unwrap_or_else(PoisonError::into_inner)
}

const VTABLE: RawWakerVTable =
    RawWakerVTable::new(|numbers| RawWaker::new(numbers, &VTABLE), wake, wake, |_| ());

fn waker(run: usize, task: usize) -> Waker {
    let numbers = ptr::without_provenance(run * TASKS_OF_A_RUN + task);
    unsafe { Waker::new(numbers, &VTABLE) }
}

unsafe fn wake(numbers: *const ()) {
    let (run, task) = (numbers.addr() / TASKS_OF_A_RUN, numbers.addr() % TASKS_OF_A_RUN);
    let mut runs = runs();
    let Some(run) = runs.get_mut(&run) else { return };
    if run.is_queued.insert(task) {
        run.queue.push_back(task);
        unsafe { libc::write(run.event.as_raw_fd(), 1_u64.to_ne_bytes().as_ptr().cast(), 8) };
    }
}

/// Calls `f` with one of this thread's runs. The map is locked during the call.
fn with<T>(run: usize, f: impl FnOnce(&mut Run) -> T) -> T {
    f(runs().get_mut(&run).expect("a run is in the map until it ends"))
}

fn current() -> usize {
    CURRENT.get().expect("block_on has to run on this thread")
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let number = NEXT_RUN.fetch_add(1, Ordering::Relaxed);
    let event = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
    assert!(event >= 0, "an eventfd for a run");
    let event = unsafe { OwnedFd::from_raw_fd(event) };
    let fd = event.as_raw_fd();
    let (queue, is_queued, tasks) = <_>::default();
    runs().insert(number, Run { queue, is_queued, tasks, last: MAIN, event });
    let _over = Over { number, outer: CURRENT.replace(Some(number)) };
    let mut main = pin!(main);
    let of_main = waker(number, MAIN);
    of_main.wake_by_ref();
    loop {
        let turn = with(number, |run| std::mem::take(&mut run.queue));
        if turn.is_empty() {
            wait(fd, first_deadline());
            continue;
        }
        for task in turn {
            let body = with(number, |run| {
                run.is_queued.remove(&task);
                run.tasks.remove(&task)
            });
            if task == MAIN {
                if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&of_main))
                {
                    return output;
                }
            } else if let Some(OnlyHere(mut body)) = body {
                let waker = waker(number, task);
                if body.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
                    with(number, |run| run.tasks.insert(task, OnlyHere(body)));
                }
            }
        }
        wait(fd, Some(Instant::now()));
    }
}

struct Over {
    number: usize,
    outer: Option<usize>,
}

/// Calls a function when it's dropped, even if a destructor has panicked before that.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        self.0();
    }
}

impl Drop for Over {
    fn drop(&mut self) {
        let _finally = Finally(|| {
            let run = runs().remove(&self.number);
            drop(run);
            CURRENT.set(self.outer);
        });
        while let Some((_, OnlyHere(body))) = with(self.number, |run| run.tasks.pop_first()) {
            drop(body);
        }
    }
}

fn first_deadline() -> Option<Instant> {
    SLEEPS.with_borrow(|sleeps| sleeps.keys().next().map(|(deadline, _)| *deadline))
}

/// Waits for a deadline, a wake or a descriptor. Then wakes the tasks that waited for it.
fn wait(event: RawFd, until: Option<Instant>) {
    let entry = |fd, events| libc::pollfd { fd, events, revents: 0 };
    let mut keys = Vec::new();
    let mut list = vec![entry(event, libc::POLLIN)];
    WAITS.with_borrow(|waits| {
        for (key, (fd, events, _)) in waits {
            keys.push(*key);
            list.push(entry(*fd, *events));
        }
    });
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    let time = left.map(|left| libc::timespec {
        tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    });
    let time = time.as_ref().map_or(ptr::null(), ptr::from_ref);
    unsafe { libc::ppoll(list.as_mut_ptr(), list.len() as libc::nfds_t, time, ptr::null()) };
    if list[0].revents != 0 {
        unsafe { libc::read(event, [0_u8; 8].as_mut_ptr().cast(), 8) };
    }
    for (key, _) in keys.iter().zip(&list[1..]).filter(|(_, entry)| entry.revents != 0) {
        let wait = WAITS.with_borrow_mut(|waits| waits.remove(key));
        wait.into_iter().for_each(|(.., waker)| waker.wake());
    }
    while first_deadline().is_some_and(|first| first <= Instant::now()) {
        let sleep = SLEEPS.with_borrow_mut(BTreeMap::pop_first);
        sleep.into_iter().for_each(|(_, waker)| waker.wake());
    }
}

pub struct JoinHandle<T>(Rc<RefCell<Joined<T>>>);

struct Joined<T> {
    result: Option<thread::Result<T>>,
    waker: Option<Waker>,
}

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let number = current();
    let joined = Rc::new(RefCell::new(Joined { result: None, waker: None }));
    let ours = Rc::clone(&joined);
    let body = OnlyHere(Box::pin(async move {
        let mut task = Box::pin(task);
        let result = std::future::poll_fn(|context| {
            match catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(context))) {
                Ok(polled) => polled.map(Ok),
                Err(panic) => Poll::Ready(Err(panic)),
            }
        })
        .await;
        drop(task);
        let waker = {
            let mut joined = ours.borrow_mut();
            joined.result = Some(result);
            joined.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }));
    let task = with(number, |run| {
        run.last += 1;
        run.tasks.insert(run.last, body);
        run.last
    });
    waker(number, task).wake();
    JoinHandle(joined)
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        let mut joined = self.0.borrow_mut();
        if let Some(result) = joined.result.take() {
            return Poll::Ready(result);
        }
        let before = joined.waker.replace(waker);
        drop(joined);
        drop(before);
        Poll::Pending
    }
}

fn key() -> usize {
    static KEYS: AtomicUsize = AtomicUsize::new(0);
    KEYS.fetch_add(1, Ordering::Relaxed)
}

struct Sleep(Option<(Instant, usize)>);

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    current();
    Sleep(Instant::now().checked_add(duration).map(|deadline| (deadline, key())))
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(key) = self.0 else { return Poll::Pending };
        if key.0 <= Instant::now() {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let before = SLEEPS.with_borrow_mut(|sleeps| sleeps.insert(key, waker));
        drop(before);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let Some(key) = self.0 else { return };
        let waker = SLEEPS.with_borrow_mut(|sleeps| sleeps.remove(&key));
        drop(waker);
    }
}

struct Wait<F> {
    fd: F,
    events: i16,
    key: Option<usize>,
}

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    current();
    Wait { fd, events: libc::POLLIN, key: None }
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    current();
    Wait { fd, events: libc::POLLOUT, key: None }
}

impl<F> Unpin for Wait<F> {}

impl<F: AsFd> Future for Wait<F> {
    type Output = io::Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let waker = context.waker().clone();
        let is_new = self.key.is_none();
        let key = *self.key.get_or_insert_with(key);
        let wait = (self.fd.as_fd().as_raw_fd(), self.events, waker);
        if !is_new && WAITS.with_borrow(|waits| !waits.contains_key(&key)) {
            return Poll::Ready(Ok(()));
        }
        let before = WAITS.with_borrow_mut(|waits| waits.insert(key, wait));
        drop(before);
        Poll::Pending
    }
}

impl<F> Drop for Wait<F> {
    fn drop(&mut self) {
        let wait = self.key.and_then(|key| WAITS.with_borrow_mut(|waits| waits.remove(&key)));
        drop(wait);
    }
}
