//! The loop so far: the handlers have become async.
//!
//! What is new since step 05: a client is a task. It reads, writes and waits in the order in which
//! one would tell it, and the map of who waits for what is gone. The loop around it has kept its
//! whales: a selector, timers for the idle, a self-pipe for Ctrl-C and other threads. The tasks
//! stand in `client.rs`.

use std::cell::RefCell;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use step01_fd::raise_descriptor_limit;
use step04_timers::{Clock, MonotonicClock, TimerHeap};
use step05_selfpipe::{LoopWaker, SIGINT, SIGTERM, SelfPipe, Signals};

use crate::{Future, ReadyQueue, Result};
use client::{Client, accept_clients, handle_wakeups};

mod client;
mod reactor;

pub use reactor::Reactor;

/// How long a client may be silent.
const IDLE_LIMIT: Duration = Duration::from_mins(1);

/// Serves on 127.0.0.1 until SIGINT (Ctrl-C) or SIGTERM. Port 0 lets the kernel choose a free one.
pub fn serve(port: u16) -> io::Result<()> {
    raise_descriptor_limit()?;
    let server = EchoServer::bind(port)?;
    let mut signals = Signals::new(server.shared.pipe.waker())?;
    signals.add(SIGINT)?;
    signals.add(SIGTERM)?;
    println!("listening on {}", server.local_addr()?);
    io::stdout().flush()?;
    server.run_until(|| signals.take().next().is_some())
}

/// A server that sends back what it is sent.
pub struct EchoServer {
    listener: TcpListener,
    stop: Arc<AtomicBool>,
    shared: Rc<Shared>,
}

/// What the loop and its tasks share.
pub(crate) struct Shared {
    pub(crate) queue: ReadyQueue,
    pub(crate) reactor: Reactor,
    pub(crate) clock: MonotonicClock,
    pub(crate) timers: RefCell<TimerHeap<Timer>>,
    pub(crate) pipe: SelfPipe,
    pub(crate) idle_limit: Duration,
    /// Where every read of every client goes.
    pub(crate) scratch: RefCell<Vec<u8>>,
}

/// What a timer is for.
pub(crate) enum Timer {
    Idle(Client),
    Wake(Future<()>),
}

/// Stops an [`EchoServer`], from any thread.
#[derive(Debug, Clone)]
pub struct Stopper {
    stop: Arc<AtomicBool>,
    waker: LoopWaker,
}

impl Stopper {
    /// Asks the server to stop. First the news, then the byte: a loop that wakes finds the news.
    pub fn stop(&self) {
        self.stop.store(true, SeqCst);
        self.waker.wake();
    }
}

impl EchoServer {
    /// Listens on a TCP port of 127.0.0.1; 0 is any free one.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let shared = Shared {
            queue: ReadyQueue::new(),
            reactor: Reactor::new()?,
            clock: MonotonicClock::new(),
            timers: RefCell::default(),
            pipe: SelfPipe::new()?,
            idle_limit: IDLE_LIMIT,
            scratch: RefCell::new(vec![0; 64 * 1024]),
        };
        Ok(EchoServer { listener, stop: Arc::default(), shared: Rc::new(shared) })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// A handle to stop it with.
    pub fn stopper(&self) -> Stopper {
        Stopper { stop: Arc::clone(&self.stop), waker: self.shared.pipe.waker() }
    }

    /// Serves until it is stopped. An error here is one of the loop; a client's error ends that
    /// client alone.
    pub fn run(self) -> io::Result<()> {
        self.run_until(|| false)
    }

    /// The loop. When it is told to stop it cancels the tasks, and goes on until all have ended.
    fn run_until(self, is_signalled: impl Fn() -> bool) -> io::Result<()> {
        let EchoServer { listener, stop, shared } = self;
        // From here on this thread's wake-ups go straight into the queue, where tick() sees them.
        let _entered = shared.queue.enter();
        shared.queue.create_task(handle_wakeups(Rc::clone(&shared)));
        shared.queue.create_task(accept_clients(Rc::clone(&shared), listener));
        let mut is_stopping = false;
        while shared.queue.task_count() > 0 {
            if !is_stopping && (stop.load(SeqCst) || is_signalled()) {
                is_stopping = true;
                shared.queue.cancel_all_tasks();
            }
            shared.tick()?;
        }
        Ok(())
    }
}

impl Shared {
    /// Sleep, wake those whose descriptor or time has come, run what is ready.
    fn tick(&self) -> io::Result<()> {
        let timeout = if self.queue.is_empty() {
            self.timers.borrow_mut().next_timeout(self.clock.now())
        } else {
            Some(Duration::ZERO)
        };
        self.reactor.select(timeout)?;
        let now = self.clock.now();
        loop {
            let due = self.timers.borrow_mut().pop_due(now);
            match due {
                Some(Timer::Idle(client)) => client.check_idle(self, now),
                Some(Timer::Wake(future)) => drop(future.set_result(())),
                None => break,
            }
        }
        self.queue.run_once();
        Ok(())
    }

    pub(crate) async fn sleep(&self, delay: Duration) -> Result<()> {
        let future = self.queue.create_future();
        self.timers.borrow_mut().push(self.clock.now() + delay, Timer::Wake(future.clone()));
        future.await
    }
}
