//! The server, and what a request to each address does.
//!
//! | request | effect |
//! | --- | --- |
//! | GET `/cockpit/events?ticket=…` | opens the stream that the ticket is for |
//! | POST `/cockpit/hello` | returns the server's name, the workbook's root, how the editor is opened, and a notice |
//! | POST `/cockpit/ticket` | makes a ticket for a stream: `{"stream": "watch", "package": "step01_fd"}` or `{"stream": "loop"}` |
//! | POST `/cockpit/ask` | runs one of the workbook's commands (`asks.rs`) and sends its lines |
//! | POST `/cockpit/open` | runs the command that opens the editor at an exercise, if there's such a command |
//! | POST `/cockpit/source` | sends the lines around a place in the workbook: `{"place": "beyond/ecosystem/src/serve.rs:107"}` |
//! | POST `/cockpit/block` | blocks the loop for 200 ms |
//! | POST `/cockpit/idle` | makes a process open connections that do nothing |
//! | GET or HEAD of anything else | sends one of the book's or the cockpit's files; starts nothing |

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::os::fd::RawFd;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use asyncio::{LoopError, TcpListener, current_task, get_running_loop, run};
use ecosystem::Serve;
use futures_util::FutureExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, StatusCode};
use serde::Deserialize;
use serde_json::json;
use step01_fd::raise_descriptor_limit;

use crate::asks::{Ask, Commands};
use crate::clients::Clients;
use crate::guard::{Guard, Stream};
use crate::pages::Pages;
use crate::patient::patient;
use crate::program::Programs;
use crate::replies::{Refusal, Reply, body_of, complete, json, parsed, stream};
use crate::signals::Ignored;
use crate::source::Place;
use crate::ticks::Ticks;
use crate::watching::Watches;
use crate::{CockpitOptions, editor, idle};

/// The name of the loop that runs the server. Every answer contains this name.
pub const SERVER: &str = match env!("CARGO_PKG_VERSION_PRE").as_bytes() {
    // The notebook builds this version, on the reader's layers.
    b"on-yours" => "step07_full_loop (yours)",
    _ => "step07_full_loop",
};

/// The time limit for pending requests when the server shuts down. A stream from
/// `/cockpit/events` can go on forever, so there has to be a limit.
const PATIENCE: Duration = Duration::from_millis(300);

/// The maximum size of a request's body, in bytes.
const LARGEST: usize = 16 * 1024;

/// The maximum time for receiving a request's body.
const BODY: Duration = Duration::from_secs(10);

/// The time for which the page's button blocks the loop.
const BLOCKED: Duration = Duration::from_millis(200);

/// The maximum number of connections that the kernel queues until we accept them.
const BACKLOG: i32 = 1024;

/// A cockpit that has bound its address.
#[derive(Debug)]
pub struct Bound {
    listener: StdListener,
    address: SocketAddr,
    options: CockpitOptions,
}

impl Bound {
    /// Binds the port on 127.0.0.1 only.
    pub fn bind(options: CockpitOptions) -> anyhow::Result<Self> {
        let asked = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let bound = StdListener::bind(asked);
        let listener = bound.with_context(|| {
            format!(
                "can't listen on {asked}: is another cockpit already serving the book? --port N sets another port"
            )
        })?;
        let address = listener.local_addr()?;
        Ok(Bound { listener, address, options })
    }

    /// Returns the address that the cockpit listens on.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address to open, with the token after the `#`.
    pub fn url(&self) -> String {
        url(self.address, &self.options)
    }

    /// Serves until SIGINT (Ctrl-C), SIGTERM or SIGHUP arrives. A signal that was ignored when we
    /// began is still ignored. At the end, stops all programs that the server has started.
    pub fn run(self) -> anyhow::Result<()> {
        let ignored = Ignored::so_far();
        match run(self.serve(ignored)) {
            Ok(()) | Err(LoopError::Interrupted) => Ok(()),
            Err(LoopError::Task(error)) if error.is_cancelled() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn serve(self, ignored: Ignored) -> asyncio::Result<()> {
        let limit = raise_descriptor_limit()?;
        let listener = TcpListener::from_std(self.listener)?;
        listener.set_backlog(BACKLOG)?;
        let cockpit = Cockpit::new(self.options, self.address, limit);
        let (programs, watches) =
            (Rc::clone(&cockpit.shared.programs), cockpit.shared.watches.clone());
        ignored.others_end_this_task(&programs)?;
        let clients = Rc::clone(&cockpit.shared.clients);
        if let Some(task) = current_task() {
            task.set_name("accepts connections");
        }
        let noted = async move |io| {
            clients.connected(&io);
            patient(io)
        };
        let service =
            service_fn(move |request| cockpit.clone().answer(request).map(Ok::<_, Infallible>));
        let served =
            Serve::default().with_patience(PATIENCE).run_over(listener, service, noted).await;
        watches.end();
        programs.end_all().await?;
        served
    }
}

/// Returns the address that a reader opens.
pub fn url(address: SocketAddr, options: &CockpitOptions) -> String {
    let origin = options.public_origin.clone().unwrap_or_else(|| format!("http://{address}"));
    format!("{}/#cockpit={}", origin.trim_end_matches('/'), options.token)
}

/// The part of the server that answers requests. Each connection gets a clone.
#[derive(Debug, Clone)]
struct Cockpit {
    shared: Rc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: CockpitOptions,
    address: SocketAddr,
    /// The maximum number of descriptors that this process can have.
    limit: u64,
    guard: Guard,
    pages: Pages,
    programs: Rc<Programs>,
    watches: Rc<Watches>,
    commands: Commands,
    clients: Rc<Clients>,
    ticks: Rc<Ticks>,
}

#[derive(Deserialize)]
#[serde(tag = "stream", rename_all = "snake_case", deny_unknown_fields)]
enum Wanted {
    Watch { package: String },
    Loop {},
}

impl Cockpit {
    fn new(options: CockpitOptions, address: SocketAddr, limit: u64) -> Self {
        let programs = Programs::new(&options.root);
        let shared = Shared {
            guard: Guard::new(address.port(), &options.token, options.public_origin.as_deref()),
            pages: Pages::new(&options.pages),
            watches: Watches::new(&options.root, &programs),
            commands: Commands::new(&programs, options.time_limit),
            clients: Rc::default(),
            ticks: Rc::default(),
            programs,
            options,
            address,
            limit,
        };
        Cockpit { shared: Rc::new(shared) }
    }

    async fn answer(self, request: Request<Incoming>) -> Reply {
        let path = request.uri().path().to_owned();
        if let Some(task) = current_task() {
            // This lets /loop show the request that the connection's task is handling.
            let asked = format!("{} {path}", request.method());
            task.set_name(&asked);
            self.shared.clients.asks_for(&asked);
        }
        let answered = match (self.shared.guard.origins.check(&request), request.method()) {
            (Err(refusal), _) => Err(refusal),
            (Ok(()), &Method::GET) if path == "/cockpit/events" => self.events(&request),
            (Ok(()), &Method::GET | &Method::HEAD) => Ok(self.shared.pages.get(&request)),
            (Ok(()), &Method::POST) => self.act(&path, request).await,
            (Ok(()), _) => Err(Refusal(
                StatusCode::METHOD_NOT_ALLOWED,
                "the method has to be GET, HEAD or POST",
            )),
        };
        complete(answered.unwrap_or_else(Reply::from), &self.shared.pages.policy())
    }

    /// Opens a stream.
    fn events(&self, request: &Request<Incoming>) -> Result<Reply, Refusal> {
        const KIND: &str = "text/event-stream";
        let ticket = request.uri().query().and_then(|query| query.strip_prefix("ticket="));
        match self.shared.guard.tickets.redeem(ticket.unwrap_or_default())? {
            Stream::Watch(package) => {
                let watched = self.shared.watches.listen(&package)?;
                self.shared.clients.asks_for(&format!("receives the verdicts on {package}"));
                Ok(stream(KIND, watched))
            }
            Stream::Loop => {
                self.shared.clients.asks_for("sees the loop's ticks");
                let shared = Rc::clone(&self.shared);
                let serving = move |descriptors: usize, found: &BTreeSet<RawFd>| {
                    let (connections, clients) = shared.clients.told();
                    json!({
                        "connections": connections,
                        "clients": clients,
                        "registered": shared.clients.registered(descriptors),
                        "found": shared.clients.named_all(found),
                        "watched": shared.watches.counts(),
                        "loop_pages": shared.ticks.count(),
                        "programs": shared.programs.count(),
                    })
                };
                let listened = self.shared.ticks.listen(serving);
                let failed = Refusal(StatusCode::SERVICE_UNAVAILABLE, "the loop can't be traced");
                listened.map(|ticks| stream(KIND, ticks)).map_err(|_| failed)
            }
        }
    }

    /// Carries out a page's request.
    async fn act(&self, path: &str, request: Request<Incoming>) -> Result<Reply, Refusal> {
        let Shared { options, guard, watches, commands, .. } = &*self.shared;
        guard.check_acts(&request)?;
        let body = body_of(request, LARGEST, BODY).await?;
        match path {
            "/cockpit/hello" => Ok(json(&json!({
                "server": SERVER,
                "root": options.root,
                "editor": editor::link(options),
                "opens": editor::command(options).is_some(),
                "notice": options.notice,
            }))),
            "/cockpit/ticket" => {
                let stream = match parsed(&body)? {
                    Wanted::Watch { package } if watches.knows(&package) => Stream::Watch(package),
                    Wanted::Watch { .. } => {
                        return Err(Refusal(StatusCode::BAD_REQUEST, "there's no such step"));
                    }
                    Wanted::Loop {} => Stream::Loop,
                };
                Ok(json(&json!({ "ticket": guard.tickets.ticket(stream)? })))
            }
            "/cockpit/ask" => {
                let ask: Ask = parsed(&body)?;
                Ok(stream("application/x-ndjson", commands.start(&options.root, &ask)?))
            }
            "/cockpit/open" => {
                let exercise: editor::ExerciseToOpen = parsed(&body)?;
                editor::open(&self.shared.programs, options, &exercise).await?;
                Ok(json(&json!({})))
            }
            "/cockpit/source" => {
                Ticks::leave_out_this_step();
                let wanted: Place = parsed(&body)?;
                Ok(json(&wanted.lines_below(&options.root)?))
            }
            "/cockpit/block" => {
                // This blocks the whole loop. No task should do that, but here the reader has asked
                // the server to block the loop.
                thread::sleep(BLOCKED);
                Ok(json(&json!({})))
            }
            "/cockpit/idle" => self.hold_idle_connections().await,
            _ => Err(Refusal(StatusCode::NOT_FOUND, "the cockpit doesn't know this request")),
        }
    }

    async fn hold_idle_connections(&self) -> Result<Reply, Refusal> {
        let Shared { programs, address, limit, .. } = &*self.shared;
        let held = get_running_loop().map_or(0, |event_loop| event_loop.held().descriptors);
        let count = idle::allowed(*limit, held);
        let why = "the process that opens the idle connections didn't start or gave no answer";
        let failed = Refusal(StatusCode::SERVICE_UNAVAILABLE, why);
        let open = idle::open(programs, *address, count).await.map_err(|_| failed)?;
        Ok(json(&json!({ "open": open, "asked": count, "limit": limit })))
    }
}
