//! Six servers on step 07's loop. Each server has one fault, which a story about the server's
//! clients reveals.
//!
//! Read a server's code, play its story, study the loop's ticks, and name the fault:
//!
//! ```text
//! cargo run -p broken_servers -- library
//! cargo run -p broken_servers -- library --ticks
//! ```
//!
//! | file | contents |
//! | --- | --- |
//! | `servers/` | the six servers |
//! | `stories.rs` | the clients' moves, the symptom, and what has to happen in a correct server |
//! | `story.rs` | the parts of a story |
//! | `clients.rs` | the clients, which drive the clock of the server's loop |
//! | `client.rs` | a single client and its socket |
//! | `for_servers.rs` | functions that simulate work, name a server's tasks and set up its connections |
//! | `play.rs` | plays a server's story from beginning to end |
//! | `seen.rs` | the events recorded during a story, and the story's outcome |
//! | `watchdog.rs` | stops the program if a server never returns control to the loop |
//! | `ticks.rs` | the loop's trace as text |
//!
//! Server and clients share a thread, and time is virtual. So a minute passes in no time, and every
//! run is the same.

#![forbid(unsafe_code)]

mod client;
mod clients;
mod for_servers;
mod play;
mod seen;
pub mod servers;
pub mod stories;
mod story;
mod ticks;
mod watchdog;

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use asyncio::Result;

pub use for_servers::{name_this_task, use_the_usual_settings, work};
pub use play::{Traced, play};
pub use seen::{Outcome, Played};
pub use story::{Act, Check, Move, Story};

/// A function that returns a server's coroutine, given the path of the server's Unix socket.
pub type Serve = fn(PathBuf) -> Pin<Box<dyn Future<Output = Result<()>>>>;

/// A server with a fault, and the story that reveals the fault.
#[derive(Debug, Clone, Copy)]
pub struct BrokenServer {
    /// The name of the server's file in `src/servers/`, without the extension.
    pub name: &'static str,
    /// The service that the server offers its clients.
    pub about: &'static str,
    /// The function that starts the server.
    pub serve: Serve,
    /// The function that makes the story of the server's clients.
    pub story: fn() -> Story,
}

/// The six servers, in the book's order.
pub const SERVERS: &[BrokenServer] = &[
    BrokenServer {
        name: "library",
        about: "sends each client a long book, part by part",
        serve: |path| Box::pin(servers::library::serve(path)),
        story: stories::library,
    },
    BrokenServer {
        name: "archive",
        about: "searches 800 old letters for a word",
        serve: |path| Box::pin(servers::archive::serve(path)),
        story: stories::archive,
    },
    BrokenServer {
        name: "bank",
        about: "looks up balances, which takes two seconds",
        serve: |path| Box::pin(servers::bank::serve(path)),
        story: stories::bank,
    },
    BrokenServer {
        name: "reception",
        about: "asks quiet guests whether they're still there",
        serve: |path| Box::pin(servers::reception::serve(path)),
        story: stories::reception,
    },
    BrokenServer {
        name: "parrot",
        about: "repeats what it's told, three lines per second and client",
        serve: |path| Box::pin(servers::parrot::serve(path)),
        story: stories::parrot,
    },
    BrokenServer {
        name: "kitchen",
        about: "has one cook, and a bell for new orders",
        serve: |path| Box::pin(servers::kitchen::serve(path)),
        story: stories::kitchen,
    },
];

/// Finds a server by its name or by its number in the book. The first server's number is 1.
pub fn find(name: &str) -> Option<&'static BrokenServer> {
    let numbered = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    numbered
        .and_then(|index| SERVERS.get(index))
        .or_else(|| SERVERS.iter().find(|server| server.name == name))
}
