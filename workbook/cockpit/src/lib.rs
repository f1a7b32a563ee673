//! The cockpit: a server that shows the book on the reader's machine and carries out the pages'
//! requests there.
//!
//! A page of the book can ask the cockpit to watch an exercise's file, to play a scene, or to show
//! a hint. For each such request, the cockpit starts one of the workbook's own commands with
//! `--json` (see `workbook/EVENTS.md`), unless the same `watch` is already running, and passes on
//! the command's lines. The cockpit doesn't judge anything itself. The server uses hyper and runs
//! on step 07's loop.
//!
//! | file | contents |
//! | --- | --- |
//! | `guard.rs` | the check of each request |
//! | `origins.rs`, `tickets.rs` | the host and the origin of a request; tickets for streams |
//! | `server.rs` | what a request to each address does |
//! | `replies.rs` | answers, with the headers that all of them have |
//! | `patient.rs` | connections that fail when the client stops reading |
//! | `pages.rs` | the book's files and the cockpit's own |
//! | `signals.rs` | the signals that end the server |
//! | `program.rs` | a program that the server starts, until the program's last child has ended |
//! | `asks.rs` | a page's requests, turned into such commands |
//! | `watching.rs` | a step's `watch`, for all pages that show it |
//! | `listeners.rs` | streams that send the same events to any number of pages |
//! | `clients.rs` | the connected clients and the descriptors on the loop's interest list |
//! | `source.rs` | the lines of code that created the loop's tasks and callbacks |
//! | `ticks.rs` | the ticks of the loop that runs the server |
//! | `editor.rs` | opens the reader's editor at an exercise |
//! | `idle.rs` | makes a separate process open connections that do nothing |

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

/// The parts that the class's server shares with this server.
pub mod web {
    pub use crate::listeners::{Listeners, event};
    pub use crate::origins::{Given, Origins, has_already};
    pub use crate::pages::kind_of;
    pub use crate::patient::{Patient, patient};
    pub use crate::program::{Ended, Program, Programs};
    pub use crate::replies::{
        Body, Refusal, Reply, body_of, complete, json, parsed, stream, whole,
    };
    pub use crate::signals::Ignored;
    pub use crate::tickets::Tickets;
}

/// The default port. A browser stores data under a page's origin, which includes the port, so the
/// port should be the same each time.
pub const PORT: u16 = 7007;

/// The default [`CockpitOptions::time_limit`].
pub const TIME_LIMIT: Duration = Duration::from_mins(3);

/// The environment variable with the token, for a cockpit that a supervisor starts.
pub const TOKEN: &str = "WORKBOOK_COCKPIT_TOKEN";

/// The settings for a cockpit.
#[derive(Debug, Clone)]
pub struct CockpitOptions {
    /// The workbook's root, where its commands are run.
    pub root: PathBuf,
    /// The directory of the built book.
    pub pages: PathBuf,
    /// The port on 127.0.0.1. With port 0, the kernel chooses a free port.
    pub port: u16,
    /// The token that a page has to send with each request that has an effect.
    pub token: String,
    /// The address at which a browser reaches a forwarded port, such as
    /// `https://abc-7007.example.dev`.
    pub public_origin: Option<String>,
    /// A link that opens the editor, such as `vscode://file{path}:{line}`, or a command such as
    /// `code -g {path}:{line}`.
    pub editor: Option<String>,
    /// The maximum time for a command that a page requests, such as playing a scene, including the
    /// time to compile its program. A `watch` has no limit.
    pub time_limit: Duration,
    /// A message that each page shows immediately, such as the reason why the server runs on the
    /// reference instead of the reader's layers.
    pub notice: Option<String>,
}
