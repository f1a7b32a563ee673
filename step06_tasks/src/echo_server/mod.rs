//! The echo server, and the loop that drives it: the handlers have become async.
//!
//! New since step 05: each client is a task. The task keeps the client's state in its variables
//! while it waits, so the server needs no map from descriptors to clients. The loop around the
//! tasks still has the same parts: a selector, timers for idle clients, and an inbox (now the
//! queue's) for Ctrl-C and other threads. The tasks are in `connection.rs`.

use std::cell::RefCell;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::rc::Rc;
use std::time::Duration;

use step01_fd::{raise_descriptor_limit, set_nonblocking};
use step04_timers::{Clock, MonotonicClock, TimerHeap};
use step05_selfpipe::{SIGINT, SIGTERM, Signals};

use crate::{Drain, Future, ReadyQueue, Result};
use connection::accept_clients;
use idle::{Client, IDLE_LIMIT};

mod connection;
mod idle;
mod reactor;
mod shutdown;

pub use reactor::Reactor;
pub use shutdown::Stopper;

/// The size of the buffer for reads, which all clients share: large enough that a busy client needs
/// few calls.
const SCRATCH_SIZE: usize = 64 * 1024;

/// Serves on 127.0.0.1 until SIGINT (Ctrl-C) or SIGTERM. Port 0 lets the kernel choose a free port.
///
/// # Errors
///
/// Fails as [`raise_descriptor_limit`], [`EchoServer::bind`] and [`EchoServer::run`] do, and with
/// `AlreadyExists` if another loop in the process handles signals.
pub fn serve(port: u16) -> io::Result<()> {
    raise_descriptor_limit()?;
    let server = EchoServer::bind(port)?;
    let mut signals = Signals::new(server.shared.queue.waker())?;
    signals.add(SIGINT)?;
    signals.add(SIGTERM)?;
    println!("listening on {}", server.local_addr()?);
    io::stdout().flush()?;
    server.run_until(|| signals.take().next().is_some())
}

/// A server that sends back the bytes it receives.
pub struct EchoServer {
    listener: TcpListener,
    stopper: Stopper,
    shared: Rc<Shared>,
}

/// The state that the loop and its tasks share.
pub(crate) struct Shared {
    pub(crate) queue: ReadyQueue,
    pub(crate) reactor: Reactor,
    pub(crate) clock: MonotonicClock,
    pub(crate) timers: RefCell<TimerHeap<Timer>>,
    pub(crate) idle_limit: Duration,
    /// The buffer that all clients' reads share.
    pub(crate) scratch: RefCell<Vec<u8>>,
}

/// The action that a timer triggers.
pub(crate) enum Timer {
    Idle(Client),
    Wake(Future<()>),
}

impl EchoServer {
    /// Listens on a TCP port of 127.0.0.1. Port 0 lets the kernel choose a free port.
    ///
    /// # Errors
    ///
    /// Fails with `AddrInUse` if the port is taken, with `PermissionDenied` if it needs a
    /// privilege, and with the kernel's error if no descriptor is left.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        set_nonblocking(&listener, true)?;
        let shared = Shared {
            queue: ReadyQueue::new()?,
            reactor: Reactor::new()?,
            clock: MonotonicClock::new(),
            timers: RefCell::default(),
            idle_limit: IDLE_LIMIT,
            scratch: RefCell::new(vec![0; SCRATCH_SIZE]),
        };
        let stopper = Stopper::new(shared.queue.waker());
        Ok(EchoServer { listener, stopper, shared: Rc::new(shared) })
    }

    /// Returns the address on which the server listens.
    ///
    /// # Errors
    ///
    /// Fails as `getsockname(2)` does, for example if the kernel has no memory left (`ENOBUFS`).
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Returns a handle for stopping the server.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Runs until the server is stopped.
    ///
    /// # Errors
    ///
    /// Fails only if the loop's wait fails. If accepting a client fails, the server tries again,
    /// and a client's error ends only that client's task.
    pub fn run(self) -> io::Result<()> {
        self.run_until(|| false)
    }

    /// Runs the loop. After a request to stop, the loop cancels the tasks and runs until all have
    /// ended.
    fn run_until(self, is_signalled: impl Fn() -> bool) -> io::Result<()> {
        let EchoServer { listener, stopper, shared } = self;
        // From here on this thread's wake-ups go straight into the queue, where tick() sees them.
        let _entered = shared.queue.enter();
        shared.queue.create_task(handle_wakeups(Rc::clone(&shared)));
        shared.queue.create_task(accept_clients(Rc::clone(&shared), listener));
        let mut is_stopping = false;
        while shared.queue.task_count() > 0 {
            if !is_stopping && (stopper.is_asked() || is_signalled()) {
                is_stopping = true;
                shared.queue.cancel_all_tasks();
            }
            shared.tick()?;
        }
        Ok(())
    }
}

/// Takes messages from other threads whenever the queue is readable. A byte in the queue's pipe can
/// also stand for a stop or a signal; the loop checks for stops and signals in each tick.
async fn handle_wakeups(shared: Rc<Shared>) -> Result<()> {
    loop {
        shared.readable(&shared.queue).await?;
        shared.queue.take_remote(Drain::Pipe)?;
    }
}

impl Shared {
    /// Sleeps until a descriptor is ready or a timer is due, unless a task is already ready. Then
    /// handles the ready descriptors and the due timers and runs the tasks that are ready.
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
        self.queue.run_ready();
        Ok(())
    }

    pub(crate) async fn sleep(&self, delay: Duration) -> Result<()> {
        let future = self.queue.create_future();
        self.timers.borrow_mut().push(self.clock.now() + delay, Timer::Wake(future.clone()));
        future.await
    }
}
