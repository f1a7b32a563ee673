//! The requests: what each of them does and who may send it.
//!
//! | request | from | effect |
//! | --- | --- | --- |
//! | GET `/class/events?ticket=…` | the owner of the ticket | opens a stream |
//! | GET or HEAD of anything else | anyone | sends one of the pages' files, from memory |
//! | POST `/class/join` | anyone with the code or a pass | creates a student or finds an existing one |
//! | POST `/class/hello`, `ticket`, `pass`, `answer`, `help`, `report`, `leave` | a student | |
//! | POST `/class/teach/…` | the teacher | |
//!
//! Every POST must name one of our own origins in the header field `Origin` and, except for `join`,
//! have the header field `Class-Token`. No request names a file on the disk or a program. Only the
//! teacher's `play` starts a program, which plays the current poll's scene.

use std::rc::Rc;

use cockpit::web::{
    Given, Origins, Refusal, Reply, Tickets, body_of, complete, json, parsed, stream, whole,
};
use ecosystem::LoopTimer;
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderName;
use hyper::{Method, Request, StatusCode};
use serde::Deserialize;
use serde_json::json;

use crate::event::{Event, Report, now};
use crate::files::{self, File};
use crate::limits::{BRAKE, PATIENCE, Strangers};
use crate::names::spelled;
use crate::room::{Room, Who};
use crate::square::Square;
use crate::views;

/// The header field with a student's or the teacher's token.
const TOKEN: HeaderName = HeaderName::from_static("class-token");

/// The maximum size of a request's body, in bytes. The maximum leaves room for 25 escaped answers
/// of 200 bytes.
pub(crate) const LARGEST: usize = 32 * 1024;

/// The part of the server that answers requests. Each connection gets a clone.
#[derive(Debug, Clone)]
pub(crate) struct Class {
    pub(crate) room: Rc<Room>,
    pub(crate) shared: Rc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) origins: Origins,
    pub(crate) tickets: Tickets<Who>,
    pub(crate) strangers: Strangers,
    pub(crate) files: Vec<File>,
    pub(crate) urls: Urls,
}

#[derive(Debug)]
pub(crate) struct Urls {
    pub(crate) students: String,
    pub(crate) address: String,
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
    names: Vec<String>,
}

const NO_SUCH_THING: Refusal =
    Refusal(StatusCode::NOT_FOUND, "the server doesn't know this request");

impl Class {
    pub(crate) async fn answer(self, request: Request<Incoming>) -> Reply {
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
            (Ok(()), _) => Err(Refusal(
                StatusCode::METHOD_NOT_ALLOWED,
                "the method has to be GET, HEAD or POST",
            )),
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

    /// Carries out a request from a page or a runner.
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
                    "the header field Class-Token is missing, occurs twice or isn't text",
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
                    let why = format!("your workbook's version differs from the class's: {gone}\n");
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
                let Named { names } = parsed(body)?;
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
