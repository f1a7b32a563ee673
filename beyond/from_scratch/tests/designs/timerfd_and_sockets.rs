//! Everything is a descriptor: deadlines use a timerfd, wakes arrive through a pair of sockets, and
//! epoll waits for all of them. Tasks are `Rc`s that other code knows only by address, and the
//! loop's list keeps each task alive until it's done.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

const WAKES: u64 = 0;
const CLOCK: u64 = 1;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Driver>>> = const { RefCell::new(None) };
}

type Body = Pin<Box<dyn Future<Output = ()>>>;

struct Driver {
    epoll: OwnedFd,
    clock: OwnedFd,
    /// The time for which the clock is set.
    alarm: Cell<Option<Instant>>,
    wakes: UnixStream,
    mail: Arc<Mail>,
    tasks: RefCell<HashMap<u64, Rc<RefCell<Option<Body>>>>>,
    sleeps: RefCell<BTreeMap<(Instant, u64), Waker>>,
    waits: RefCell<HashMap<u64, Wait>>,
    last: Cell<u64>,
}

struct Wait {
    copy: OwnedFd,
    is_over: bool,
    waker: Option<Waker>,
}

struct Mail {
    woken: Mutex<Vec<Arc<Address>>>,
    socket: UnixStream,
}

struct Address {
    task: u64,
    is_in_mail: AtomicBool,
    mail: Arc<Mail>,
}

impl Wake for Address {
    fn wake(self: Arc<Self>) {
        if self.is_in_mail.swap(true, Ordering::AcqRel) {
            return;
        }
        let mail = Arc::clone(&self.mail);
        mail.woken.lock().unwrap_or_else(PoisonError::into_inner).push(self);
        // If there's no room, enough bytes are already waiting to be read.
        let _ = (&mail.socket).write(b"w");
    }
}

impl Mail {
    fn take(&self) -> Vec<Arc<Address>> {
        std::mem::take(&mut *self.woken.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

pub fn block_on<F: Future>(main: F) -> F::Output {
    let driver = Rc::new(Driver::new().expect("block_on needs four descriptors"));
    let _finish = Finish(Rc::clone(&driver), CURRENT.replace(Some(Rc::clone(&driver))));
    let mut main = pin!(main);
    let address = driver.address(0);
    let waker = Waker::from(Arc::clone(&address));
    waker.wake_by_ref();
    loop {
        for woken in driver.mail.take() {
            woken.is_in_mail.store(false, Ordering::Release);
            if woken.task != 0 {
                driver.poll(&woken);
            } else if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&waker))
            {
                return output;
            }
        }
        driver.wait();
    }
}

struct Finish(Rc<Driver>, Option<Rc<Driver>>);

/// Calls a function when it's dropped, even if a destructor has panicked before that.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        self.0();
    }
}

impl Drop for Finish {
    fn drop(&mut self) {
        let _finally = Finally(|| {
            CURRENT.replace(self.1.take());
        });
        while !self.0.tasks.borrow().is_empty() {
            for (_, task) in self.0.tasks.take() {
                let body = task.take();
                drop(body);
            }
        }
        // Mail that nobody reads would keep itself alive.
        drop(self.0.mail.take());
    }
}

impl Driver {
    fn new() -> io::Result<Driver> {
        let epoll = owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        let flags = libc::TFD_CLOEXEC | libc::TFD_NONBLOCK;
        let clock = owned(unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) })?;
        let (wakes, socket) = UnixStream::pair()?;
        wakes.set_nonblocking(true)?;
        socket.set_nonblocking(true)?;
        watch(&epoll, wakes.as_raw_fd(), libc::EPOLLIN as u32, WAKES)?;
        watch(&epoll, clock.as_raw_fd(), libc::EPOLLIN as u32, CLOCK)?;
        Ok(Driver {
            epoll,
            clock,
            alarm: Cell::new(None),
            wakes,
            mail: Arc::new(Mail { woken: Mutex::default(), socket }),
            tasks: RefCell::default(),
            sleeps: RefCell::default(),
            waits: RefCell::default(),
            last: Cell::new(CLOCK),
        })
    }

    fn current(what: &str) -> Rc<Driver> {
        CURRENT.with_borrow(Clone::clone).unwrap_or_else(|| panic!("{what} needs a block_on"))
    }

    fn number(&self) -> u64 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }

    fn address(&self, task: u64) -> Arc<Address> {
        Arc::new(Address { task, is_in_mail: AtomicBool::new(false), mail: Arc::clone(&self.mail) })
    }

    fn poll(&self, address: &Arc<Address>) {
        let Some(task) = self.tasks.borrow().get(&address.task).map(Rc::clone) else { return };
        let Some(mut body) = task.take() else { return };
        let waker = Waker::from(Arc::clone(address));
        if body.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
            task.replace(Some(body));
        } else {
            let task = self.tasks.borrow_mut().remove(&address.task);
            drop(task);
        }
    }

    /// Waits for all descriptors. A wake in the meantime has written a byte to one of them.
    fn wait(&self) {
        self.set_the_clock();
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 100];
        let (epoll, room) = (self.epoll.as_raw_fd(), events.len() as i32);
        let count = unsafe { libc::epoll_wait(epoll, events.as_mut_ptr(), room, -1) };
        for event in &events[..usize::try_from(count).unwrap_or(0)] {
            match event.u64 {
                WAKES => drop((&self.wakes).read(&mut [0; 256])),
                CLOCK => {
                    self.alarm.set(None);
                    unsafe { libc::read(self.clock.as_raw_fd(), [0_u8; 8].as_mut_ptr().cast(), 8) };
                    self.ring();
                }
                wait => self.over(wait),
            }
        }
    }

    fn set_the_clock(&self) {
        let first = self.sleeps.borrow().keys().next().map(|(deadline, _)| *deadline);
        if first == self.alarm.replace(first) {
            return;
        }
        let left = first.map_or(Duration::ZERO, |first| {
            // Setting the clock to zero would stop it.
            first.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1))
        });
        let it_value = libc::timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        let it_interval = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let time = libc::itimerspec { it_interval, it_value };
        let clock = self.clock.as_raw_fd();
        unsafe { libc::timerfd_settime(clock, 0, &raw const time, ptr::null_mut()) };
    }

    fn ring(&self) {
        let now = Instant::now();
        loop {
            let due = {
                let mut sleeps = self.sleeps.borrow_mut();
                sleeps
                    .first_entry()
                    .filter(|first| first.key().0 <= now)
                    .map(|first| first.remove())
            };
            let Some(waker) = due else { break };
            waker.wake();
        }
    }

    fn over(&self, id: u64) {
        let waker = {
            let mut waits = self.waits.borrow_mut();
            let Some(wait) = waits.get_mut(&id) else { return };
            wait.is_over = true;
            self.forget(&wait.copy);
            wait.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }

    fn forget(&self, copy: &OwnedFd) {
        let (epoll, call) = (self.epoll.as_raw_fd(), libc::EPOLL_CTL_DEL);
        unsafe { libc::epoll_ctl(epoll, call, copy.as_raw_fd(), ptr::null_mut()) };
    }
}

fn owned(fd: RawFd) -> io::Result<OwnedFd> {
    if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(unsafe { OwnedFd::from_raw_fd(fd) }) }
}

fn watch(epoll: &OwnedFd, fd: RawFd, events: u32, token: u64) -> io::Result<()> {
    let mut event = libc::epoll_event { events, u64: token };
    let call = libc::EPOLL_CTL_ADD;
    match unsafe { libc::epoll_ctl(epoll.as_raw_fd(), call, fd, &raw mut event) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

enum State<T> {
    Running,
    Awaited(Waker),
    Done(thread::Result<T>),
}

pub struct JoinHandle<T>(Rc<RefCell<State<T>>>);

pub fn spawn<T: 'static>(task: impl Future<Output = T> + 'static) -> JoinHandle<T> {
    let driver = Driver::current("spawn");
    let state = Rc::new(RefCell::new(State::Running));
    let ours = Rc::clone(&state);
    let body: Body = Box::pin(async move {
        let mut task = Some(Box::pin(task));
        let result = poll_fn(|context| {
            let Some(running) = &mut task else { return Poll::Pending };
            match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(context))) {
                Ok(polled) => polled.map(Ok),
                Err(panic) => Poll::Ready(Err(panic)),
            }
        })
        .await;
        let dropped = catch_unwind(AssertUnwindSafe(|| task = None));
        if let State::Awaited(waker) = ours.replace(State::Done(dropped.and(result))) {
            waker.wake();
        }
    });
    let number = driver.number();
    driver.tasks.borrow_mut().insert(number, Rc::new(RefCell::new(Some(body))));
    driver.address(number).wake();
    JoinHandle(state)
}

impl<T> Future for JoinHandle<T> {
    type Output = thread::Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let waker = context.waker().clone();
        match self.0.replace(State::Running) {
            State::Done(result) => Poll::Ready(result),
            before => {
                // None of our data is borrowed while the earlier waker is dropped.
                self.0.replace(State::Awaited(waker));
                drop(before);
                Poll::Pending
            }
        }
    }
}

pub fn sleep(duration: Duration) -> impl Future<Output = ()> {
    let driver = Driver::current("sleep");
    let key = Instant::now().checked_add(duration).map(|deadline| (deadline, driver.number()));
    Sleep { driver, key }
}

struct Sleep {
    driver: Rc<Driver>,
    key: Option<(Instant, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(key) = self.key else { return Poll::Pending };
        if Instant::now() >= key.0 {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        let before = self.driver.sleeps.borrow_mut().insert(key, waker);
        drop(before);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let waker = self.key.and_then(|key| self.driver.sleeps.borrow_mut().remove(&key));
        drop(waker);
    }
}

pub fn readable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    Driver::current("readable").wait_for(fd, libc::EPOLLIN as u32)
}

pub fn writable(fd: impl AsFd) -> impl Future<Output = io::Result<()>> {
    Driver::current("writable").wait_for(fd, libc::EPOLLOUT as u32)
}

struct Registered(Rc<Driver>, u64);

impl Drop for Registered {
    fn drop(&mut self) {
        let wait = self.0.waits.borrow_mut().remove(&self.1);
        if let Some(wait) = wait.filter(|wait| !wait.is_over) {
            self.0.forget(&wait.copy);
        }
    }
}

impl Driver {
    async fn wait_for(self: Rc<Self>, fd: impl AsFd, events: u32) -> io::Result<()> {
        let copy = fd.as_fd().try_clone_to_owned()?;
        let registered = Registered(Rc::clone(&self), self.number());
        watch(&self.epoll, copy.as_raw_fd(), events, registered.1)?;
        self.waits.borrow_mut().insert(registered.1, Wait { copy, is_over: false, waker: None });
        poll_fn(|context| {
            let waker = context.waker().clone();
            let mut waits = self.waits.borrow_mut();
            let Some(wait) = waits.get_mut(&registered.1).filter(|wait| !wait.is_over) else {
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
