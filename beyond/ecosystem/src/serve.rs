//! An HTTP/1 server: each of hyper's connections runs in a task on the loop, and the shutdown is
//! graceful.
//!
//! `axum::serve` does the same but runs only on tokio, because it uses tokio's listener, tasks and
//! timers.

use std::cell::Cell;
use std::error::Error as StdError;
use std::net::TcpStream;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Event, Result, TcpListener, TimeoutError, create_task, wait_for};
use futures_io::{AsyncRead, AsyncWrite};
use futures_util::future::{Either, select};
use futures_util::{StreamExt, pin_mut};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper::{Request, Response};

use crate::{HyperIo, Io, LoopTimer, cancellable, connections};

/// An HTTP/1 server that shuts down gracefully. When its task is cancelled, for example by Ctrl-C,
/// it stops accepting connections, lets each connection finish its current request, and waits for
/// the connections to end, though only up to a time limit.
///
/// ```no_run
/// use asyncio::{TcpListener, run};
/// use axum::{Router, routing::get};
/// use ecosystem::{Serve, Tower};
///
/// run(async {
///     let pages = Router::new().route("/", get(async || "hello"));
///     let listener = TcpListener::bind(("127.0.0.1", 8000))?;
///     Serve::default().run(listener, Tower(pages)).await
/// })?;
/// # Ok::<(), asyncio::LoopError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Serve {
    http: http1::Builder,
    patience: Duration,
}

impl Default for Serve {
    /// Allows a client 30 seconds to send a request's head. Once the server is shutting down,
    /// allows requests 10 seconds to finish.
    fn default() -> Self {
        let mut http = http1::Builder::new();
        http.timer(LoopTimer).header_read_timeout(Duration::from_secs(30));
        Serve { http, patience: Duration::from_secs(10) }
    }
}

impl Serve {
    /// Changes hyper's settings for each connection.
    #[must_use]
    pub fn with_http(mut self, change: impl FnOnce(&mut http1::Builder)) -> Self {
        change(&mut self.http);
        self
    }

    /// Sets the time that requests may take once the server is shutting down. The server doesn't
    /// wait for a request that takes longer: [`run`](asyncio::run) cancels such a request along
    /// with the loop's other tasks.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Serve { patience, ..self }
    }

    /// Serves until the task is cancelled or the listener fails. When all requests have been
    /// answered or their time is up, fails with the cancellation or the listener's error.
    pub async fn run<S, B>(self, listener: TcpListener, service: S) -> Result<()>
    where
        S: Service<Request<Incoming>, Response = Response<B>, Error: Into<Cause>> + Clone + 'static,
        B: Body<Error: Into<Cause>> + 'static,
    {
        self.run_over(listener, service, async |io| Ok(io)).await
    }

    /// Does what `run` does, but serves on the stream that `set_up` makes from each connection,
    /// such as a TLS stream. If the set-up fails, the connection is dropped.
    pub async fn run_over<S, B, T>(
        self,
        listener: TcpListener,
        service: S,
        set_up: impl AsyncFn(Io<TcpStream>) -> std::io::Result<T> + Clone + 'static,
    ) -> Result<()>
    where
        S: Service<Request<Incoming>, Response = Response<B>, Error: Into<Cause>> + Clone + 'static,
        B: Body<Error: Into<Cause>> + 'static,
        T: AsyncRead + AsyncWrite + Unpin + 'static,
    {
        let open = Rc::new(Open::default());
        let ended = {
            let connections = connections(listener);
            pin_mut!(connections);
            loop {
                let stream = match connections.next().await {
                    Some(Ok(stream)) => stream,
                    Some(Err(error)) => break Err(error),
                    None => break Ok(()),
                };
                // Without this option, the kernel might hold back a response's last piece.
                let _ = stream.set_nodelay(true);
                let (http, service, set_up) = (self.http.clone(), service.clone(), set_up.clone());
                let one = One::of(&open);
                create_task(cancellable(async move {
                    // An error on one connection concerns only that connection's client.
                    if let Ok(io) = set_up(Io::from(stream)).await
                        && let Ok(io) = HyperIo::new(io)
                    {
                        let _ = one.serve(&http, io, service).await;
                    }
                }))?;
            }
            // Here the listener is dropped, which closes the port.
        };
        open.is_ending.set();
        match wait_for(async move { open.all_gone().await }, self.patience).await {
            Err(error) if !TimeoutError::is(&error) => Err(error),
            _ => ended,
        }
    }
}

/// An error from a service or from a body, in the form that hyper expects.
type Cause = Box<dyn StdError + Send + Sync>;

/// The number of open connections, and the events for which the server and the connections wait.
#[derive(Default)]
struct Open {
    count: Cell<usize>,
    is_ending: Event,
    is_empty: Event,
}

impl Open {
    async fn all_gone(&self) -> Result<()> {
        while self.count.get() > 0 {
            self.is_empty.clear();
            self.is_empty.wait().await?;
        }
        Ok(())
    }
}

/// A guard that stands for one of the open connections.
struct One {
    of: Rc<Open>,
}

impl One {
    fn of(open: &Rc<Open>) -> Self {
        open.count.set(open.count.get() + 1);
        One { of: Rc::clone(open) }
    }

    /// Serves a connection to its end. When the server shuts down, the connection ends after its
    /// current request.
    async fn serve<T, S, B>(&self, http: &http1::Builder, io: T, service: S) -> hyper::Result<()>
    where
        T: hyper::rt::Read + hyper::rt::Write + Unpin,
        S: Service<Request<Incoming>, Response = Response<B>, Error: Into<Cause>>,
        B: Body<Error: Into<Cause>> + 'static,
    {
        let mut connection = pin!(http.serve_connection(io, service));
        match select(connection.as_mut(), pin!(self.of.is_ending.wait())).await {
            Either::Left((ended, _)) => ended,
            Either::Right(_) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    }
}

impl Drop for One {
    fn drop(&mut self) {
        self.of.count.set(self.of.count.get() - 1);
        if self.of.count.get() == 0 {
            self.of.is_empty.set();
        }
    }
}

/// Lets hyper serve a tower service that's always ready, such as an axum `Router`.
#[derive(Debug, Clone)]
pub struct Tower<S>(pub S);

impl<S, R> Service<R> for Tower<S>
where
    S: tower_service::Service<R> + Clone,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn call(&self, request: R) -> S::Future {
        self.0.clone().call(request)
    }
}
