//! The server: the effect of each address, and who may use it.
//!
//! | request | from | effect |
//! | --- | --- | --- |
//! | GET or HEAD of anything else | anyone | sends a file of the pages, from memory |
//! | GET `/class/events?ticket=…` | the owner of the ticket | opens a stream |
//! | POST `/class/join` | anyone with the code or a pass | creates a student, or finds an existing student |
//! | POST `/class/hello`, `ticket`, `pass`, `answer`, `help`, `report`, `leave` | a student | |
//! | POST `/class/teach/…` | the teacher | |
//!
//! Every POST needs one of our own origins and, except for `join`, the field `Class-Token`. No
//! request names a file or a program. Only the teacher's `play` starts a program: the scene of the
//! poll that's shown.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::Future;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use asyncio::{LoopError, TcpListener, create_task, current_task, run};
use cockpit::web::{
    Given, Ignored, Origins, Refusal, Reply, Tickets, body_of, complete, json, patient, stream,
    whole,
};
use ecosystem::{LoopTimer, Serve};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderName;
use hyper::service::Service;
use hyper::{Method, Request, StatusCode};
use serde::Deserialize;
use serde_json::json;
use step01_fd::raise_descriptor_limit;

use crate::event::{Event, Report, now};
use crate::files::{self, File};
use crate::kept::Kept;
use crate::limits::{BRAKE, PATIENCE, Strangers};
use crate::names::{new_code, spelled};
use crate::room::{Room, Who};
use crate::square::Square;
use crate::state::State;
use crate::{ClassOptions, views};

/// The header field with a student's or the teacher's token.
const TOKEN: HeaderName = HeaderName::from_static("class-token");

/// The maximum size of a request's body, in bytes. It leaves room for 25 escaped answers of 200
/// bytes.
const LARGEST: usize = 32 * 1024;

/// The time that pending requests still get when the server shuts down.
const GRACE: Duration = Duration::from_millis(500);

/// The time without events, in seconds, after which we consider a class forgotten.
const FORGOTTEN: u64 = 24 * 60 * 60;

const BACKLOG: i32 = 1024;

/// A class that has bound its address.
#[derive(Debug)]
pub struct Bound {
    listener: StdListener,
    address: SocketAddr,
    options: ClassOptions,
    kept: Kept,
    state: State,
    is_new: bool,
    set_aside: Option<PathBuf>,
}

impl Bound {
    /// Binds the address and opens the class that's in the file, or begins a new class.
    pub fn bind(options: ClassOptions) -> anyhow::Result<Self> {
        let asked = options.address;
        let listener = StdListener::bind(asked).with_context(|| {
            format!(
                "can't listen on {asked}: is it an address of this machine, and is the port free?"
            )
        })?;
        let address = listener.local_addr()?;
        let (mut kept, mut state) = Kept::open(&options.state)?;
        let is_forgotten = state.begun != 0 && now().saturating_sub(state.last) > FORGOTTEN;
        let set_aside = is_forgotten.then(|| kept.set_aside(state.begun)).transpose()?;
        let is_new = state.begun == 0 || is_forgotten;
        if is_new {
            let (code, teacher) = (new_code(2)?, cockpit::new_token()?);
            let begun = Event::Begun { at: now(), code, teacher };
            kept.begin(&begun)?;
            state = State::default();
            let _ = state.apply(begun);
        }
        Ok(Bound { listener, address, options, kept, state, is_new, set_aside })
    }

    /// Returns the address that the server listens on.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Returns false if this is the continuation of an interrupted class.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns the new path of the file from an earlier class that was never ended, if this class
    /// replaced such a file.
    pub fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    /// Returns the number of students in the class.
    pub fn students(&self) -> usize {
        self.state.students.len()
    }

    /// Returns the address for students, with the code behind the `#`.
    pub fn students_url(&self) -> String {
        format!("{}/#code={}", origin(&self.options, self.address), self.state.code)
    }

    /// Returns the teacher's address, with the token behind the `#`.
    pub fn teacher_url(&self) -> String {
        format!("{}/teacher#class={}", origin(&self.options, self.address), self.state.teacher)
    }

    /// Returns the code that lets students in, and its spelling.
    pub fn code(&self) -> (String, String) {
        (self.state.code.clone(), spelled(&self.state.code))
    }

    /// Serves until the teacher ends the class, or until SIGINT (Ctrl-C), SIGTERM or SIGHUP. After
    /// a signal, the class isn't over, and the next start continues it. Returns true if the class
    /// is over.
    pub fn run(self) -> anyhow::Result<bool> {
        let is_over = Rc::new(Cell::new(false));
        let ignored = Ignored::so_far();
        let served = run(self.serve(Rc::clone(&is_over), ignored));
        match served {
            Ok(()) | Err(LoopError::Interrupted) => Ok(is_over.get()),
            Err(LoopError::Task(error)) if error.is_cancelled() => Ok(is_over.get()),
            Err(error) => Err(error.into()),
        }
    }

    async fn serve(self, is_over: Rc<Cell<bool>>, ignored: Ignored) -> asyncio::Result<()> {
        raise_descriptor_limit()?;
        let main = current_task();
        let origins =
            Origins::new(hosts(&self.options, self.address), self.options.public_origin.as_deref());
        let urls =
            Urls { students: self.students_url(), address: origin(&self.options, self.address) };
        let listener = TcpListener::from_std(self.listener)?;
        listener.set_backlog(BACKLOG)?;
        let files = self.options.files;
        let ClassOptions { root, material, keep, .. } =
            ClassOptions { files: Vec::new(), ..self.options };
        let room = Room::open(&root, material, keep, self.state);
        room.start(self.kept)?;
        ignored.others_end_this_task(&room.programs)?;
        let ended = Rc::clone(&room);
        create_task(async move {
            ended.is_over.wait().await?;
            // Wait a moment, so that the page that ended the class gets its answer.
            LoopTimer.sleep(GRACE).await;
            main.map(|main| main.cancel());
            Ok(())
        })?;
        let class = Class {
            room: Rc::clone(&room),
            shared: Rc::new(Shared {
                origins,
                tickets: Tickets::default(),
                strangers: Strangers::new(),
                files,
                urls,
            }),
        };
        let serve = Serve::default()
            .with_http(|http| {
                http.header_read_timeout(PATIENCE).max_buf_size(LARGEST);
            })
            .with_patience(GRACE);
        let served = serve.run_over(listener, class, async |io| patient(io)).await;
        room.end_streams();
        room.programs.end_all().await?;
        is_over.set(room.is_over.is_set());
        served
    }
}

/// Returns the address at which browsers find the server.
fn origin(options: &ClassOptions, address: SocketAddr) -> String {
    let origin = options.public_origin.clone().unwrap_or_else(|| format!("http://{address}"));
    origin.trim_end_matches('/').to_owned()
}

/// Returns the server's names, with their port.
fn hosts(options: &ClassOptions, address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let mut hosts = vec![address.to_string()];
    hosts.extend(options.hosts.iter().map(|host| format!("{host}:{port}")));
    if address.ip().is_loopback() || address.ip().is_unspecified() {
        hosts.extend([format!("127.0.0.1:{port}"), format!("localhost:{port}")]);
    }
    if port == 80 {
        // A browser omits port 80.
        let without: Vec<&str> = hosts.iter().filter_map(|host| host.strip_suffix(":80")).collect();
        let without: Vec<String> = without.into_iter().map(str::to_owned).collect();
        hosts.extend(without);
    }
    hosts
}

/// The part of the server that answers requests. Each connection gets a clone.
#[derive(Debug, Clone)]
struct Class {
    room: Rc<Room>,
    shared: Rc<Shared>,
}

#[derive(Debug)]
struct Shared {
    origins: Origins,
    tickets: Tickets<Who>,
    strangers: Strangers,
    files: Vec<File>,
    urls: Urls,
}

#[derive(Debug)]
struct Urls {
    students: String,
    address: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Joining {
    code: String,
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answering {
    poll: String,
    typed: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanting {
    wanted: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chosen {
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Door {
    open: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: Option<String>,
    #[serde(default)]
    names: Vec<String>,
}

const NO_SUCH_THING: Refusal = Refusal(StatusCode::NOT_FOUND, "the server can't do that");

impl Class {
    async fn answer(self, request: Request<Incoming>) -> Reply {
        let answered = match (self.shared.origins.check(&request), request.method()) {
            (Err(refusal), _) => Err(refusal),
            (Ok(()), &Method::GET) if request.uri().path() == "/class/events" => {
                self.events(&request)
            }
            (Ok(()), &Method::GET | &Method::HEAD) => {
                self.shared.strangers.turn().await;
                files::get(&self.shared.files, &request)
            }
            (Ok(()), &Method::POST) => self.act(request).await,
            (Ok(()), _) => Err(Refusal(StatusCode::METHOD_NOT_ALLOWED, "GET, HEAD or POST")),
        };
        let reply = match answered {
            Ok(reply) => reply,
            Err(refusal) => {
                if refusal.0 != StatusCode::CONFLICT {
                    LoopTimer.sleep(BRAKE).await;
                }
                Reply::from(refusal)
            }
        };
        complete(reply, &files::POLICY)
    }

    /// Opens a stream.
    fn events(&self, request: &Request<Incoming>) -> Result<Reply, Refusal> {
        let ticket = request.uri().query().and_then(|query| query.strip_prefix("ticket="));
        let who = self.shared.tickets.redeem(ticket.unwrap_or_default())?;
        Ok(stream("text/event-stream", self.room.listen(who)?))
    }

    /// Carries out the request of a page or a runner.
    async fn act(&self, request: Request<Incoming>) -> Result<Reply, Refusal> {
        let path = request.uri().path().to_owned();
        let path = path.strip_prefix("/class/").ok_or(NO_SUCH_THING)?;
        self.shared.origins.check_page(&request)?;
        // Without a token, a client can only join. We don't read the bodies of other requests.
        let who = match Given::of(request.headers(), &TOKEN) {
            Given::Once(token) => Some(self.room.who(token)?),
            Given::Not if path == "join" => {
                self.shared.strangers.turn().await;
                None
            }
            Given::Not | Given::Unclear => {
                return Err(Refusal(
                    StatusCode::UNAUTHORIZED,
                    "the header Class-Token is missing or occurs twice",
                ));
            }
        };
        let body = body_of(request, LARGEST, PATIENCE).await?;
        match (who, path) {
            (_, "join") => {
                let Joining { code, name } = parsed(&body)?;
                let (token, name) = self.room.join(&code, &name).await?;
                Ok(json(&json!({ "token": token, "name": name })))
            }
            (Some(Who::Student(student)), path) => self.student(student, path, &body).await,
            (Some(Who::Teacher), path) => {
                let path = path.strip_prefix("teach/").ok_or(NO_SUCH_THING)?;
                self.teacher(path, &body).await
            }
            (None, _) => Err(NO_SUCH_THING),
        }
    }

    async fn student(&self, student: u32, path: &str, body: &Bytes) -> Result<Reply, Refusal> {
        let room = &self.room;
        match path {
            "hello" => {
                let state = room.state.borrow();
                let name = state.students.get(&student).map(|student| &student.name);
                Ok(json(&json!({ "name": name, "joined": true })))
            }
            "ticket" => {
                let ticket = self.shared.tickets.ticket(Who::Student(student))?;
                Ok(json(&json!({ "ticket": ticket })))
            }
            "pass" => Ok(json(&json!({ "pass": room.entrance.pass(student)? }))),
            "answer" => {
                let Answering { poll, typed } = parsed(body)?;
                room.answer(student, &poll, typed).await?;
                Ok(json(&json!({})))
            }
            "help" => {
                let Wanting { wanted } = parsed(body)?;
                room.commit(Event::Wants { at: now(), student, wanted }).await?;
                Ok(json(&json!({})))
            }
            "report" => {
                let report: Report = parsed(body)?;
                if let Some(gone) = room.material.gone_in(&report) {
                    LoopTimer.sleep(BRAKE).await;
                    let why = format!("your workbook isn't of the class's version: {gone}\n");
                    return Ok(whole(StatusCode::BAD_REQUEST, "text/plain; charset=utf-8", why));
                }
                Ok(json(&json!({ "help": room.report(student, report).await? })))
            }
            "leave" => {
                room.commit(Event::Left { at: now(), student }).await?;
                Ok(json(&json!({})))
            }
            _ => Err(NO_SUCH_THING),
        }
    }

    async fn teacher(&self, path: &str, body: &Bytes) -> Result<Reply, Refusal> {
        let room = &self.room;
        match path {
            "hello" => {
                let (sessions, polls) = views::offered(&room.material, &room.state.borrow());
                let code = room.state.borrow().code.clone();
                let Urls { students, address } = &self.shared.urls;
                return Ok(json(&json!({
                    "sessions": sessions,
                    "polls": polls,
                    "address": address,
                    "square": Square::of(students),
                    "code_in_words": spelled(&code),
                    "code": code,
                    "can_play": true,
                })));
            }
            "ticket" => {
                let ticket = self.shared.tickets.ticket(Who::Teacher)?;
                return Ok(json(&json!({ "ticket": ticket })));
            }
            "report" => return Ok(json(&views::afterwards(&room.material, &room.state.borrow()))),
            "open" => {
                let Chosen { id } = parsed(body)?;
                room.open_poll(&id).await?;
            }
            "remove" => {
                let Named { name, mut names } = parsed(body)?;
                names.extend(name);
                room.remove(&names).await?;
            }
            "door" => {
                let Door { open } = parsed(body)?;
                room.commit(Event::Door { at: now(), open }).await?;
            }
            "close" => room.commit(Event::Closed { at: now() }).await?,
            "play" => room.play()?,
            "reveal" => room.reveal().await?,
            "done" => room.done().await?,
            "end" => room.end().await?,
            _ => return Err(NO_SUCH_THING),
        }
        Ok(json(&json!({})))
    }
}

fn parsed<'a, T: Deserialize<'a>>(body: &'a Bytes) -> Result<T, Refusal> {
    let failed = Refusal(StatusCode::BAD_REQUEST, "the server can't read this request");
    serde_json::from_slice(body).map_err(|_| failed)
}

impl Service<Request<Incoming>> for Class {
    type Response = Reply;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Reply, Infallible>>>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let class = self.clone();
        Box::pin(async move { Ok(class.answer(request).await) })
    }
}
