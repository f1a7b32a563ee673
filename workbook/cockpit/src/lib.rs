//! The cockpit: serves the book on the reader's machine and does there what its pages ask for.
//!
//! A page of the book asks it to watch an exercise's file, to play a scene, for a hint. It starts
//! the workbook's own commands for that, with `--json` (see `workbook/EVENTS.md`) and passes their
//! lines on. It judges nothing itself. The server is hyper's, on the loop of step 07.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `guard.rs` | which requests are answered |
//! | `origins.rs`, `tickets.rs` | the host and the origin of a request; tickets for streams |
//! | `server.rs` | what each address does |
//! | `replies.rs` | answers, with the headers that all of them have |
//! | `patient.rs` | connections whose other side takes what's sent |
//! | `pages.rs` | the book's files, and the cockpit's own |
//! | `signals.rs` | the signals that end the server |
//! | `program.rs` | one of the workbook's commands, from its start to its last child's end |
//! | `asks.rs` | what a page can ask for, as such commands |
//! | `watching.rs` | a step's `watch`, for all pages that show it |
//! | `listeners.rs` | streams of events, to any number of pages |
//! | `clients.rs` | who's connected, and what the loop has registered for them |
//! | `source.rs` | the lines of code that made what the loop runs |
//! | `ticks.rs` | what the loop that serves all this is doing |
//! | `editor.rs` | the reader's editor, at an exercise |
//! | `idle.rs` | connections that do nothing, from a process of their own |

#![forbid(unsafe_code)]

mod asks;
mod clients;
mod editor;
mod guard;
mod idle;
mod listeners;
mod origins;
mod pages;
mod patient;
mod program;
mod replies;
mod server;
mod signals;
mod source;
mod tickets;
mod ticks;
mod watching;

use std::path::PathBuf;
use std::time::Duration;

pub use idle::{IDLE, hold_idle_connections};
pub use server::{Bound, SERVER, url};
pub use tickets::new_token;

/// What the class's server shares with this one.
pub mod web {
    pub use crate::listeners::{Listeners, event};
    pub use crate::origins::{Given, Origins, has_already};
    pub use crate::patient::{Patient, patient};
    pub use crate::program::{Ended, Program, Programs};
    pub use crate::replies::{Body, Refusal, Reply, body_of, complete, json, stream, whole};
    pub use crate::signals::Ignored;
    pub use crate::tickets::Tickets;
}

/// The port, unless another one is asked for. A browser keeps what a page notes by its address, so
/// it's the same each time.
pub const PORT: u16 = 7007;

/// The usual [`CockpitOptions::time_limit`].
pub const TIME_LIMIT: Duration = Duration::from_mins(3);

/// The variable of the environment with the token, for a cockpit that a supervisor starts.
pub const TOKEN: &str = "WORKBOOK_COCKPIT_TOKEN";

/// What the cockpit serves and to whom.
#[derive(Debug, Clone)]
pub struct CockpitOptions {
    /// The workbook's root, where its commands are run.
    pub root: PathBuf,
    /// The directory of the built book.
    pub pages: PathBuf,
    /// The port on 127.0.0.1. 0 lets the kernel choose a free one.
    pub port: u16,
    /// What a page has to send with each request that does something.
    pub token: String,
    /// The address at which a browser finds a forwarded port, such as
    /// `https://abc-7007.example.dev`.
    pub public_origin: Option<String>,
    /// A link that opens the editor, such as `vscode://file{path}:{line}`, or a command such as
    /// `code -g {path}:{line}`.
    pub editor: Option<String>,
    /// How long a scene that a page plays may take, with what has to be compiled for it.
    pub time_limit: Duration,
    /// What a page should be told at once, such as why the reference serves it.
    pub notice: Option<String>,
}
