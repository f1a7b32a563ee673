//! A server for static files over HTTP/1.1, on step 07's loop.
//!
//! The server shows that your loop can do more than echo. It serves all connections on one thread,
//! with a task for each of them. Other threads only open and read files for which the kernel may
//! have to wait, usually because they aren't in its memory.
//!
//! | file | contents |
//! | --- | --- |
//! | `head_end.rs` | finds the end of a request's head and refuses line ends that are ambiguous |
//! | `request.rs`, `fields.rs` | turn bytes into a request |
//! | `framing.rs` | determines whether there's a body and whether the connection stays open |
//! | `target.rs` | turns a request's target into a path |
//! | `root.rs` | opens files in the directory and nowhere else |
//! | `file.rs` | reads a file without blocking the loop |
//! | `conditions.rs`, `range.rs` | determine which part of a file the client needs |
//! | `status.rs`, `content_type.rs`, `response.rs` | compose an answer |
//! | `site.rs` | answers a request |
//! | `shared.rs` | holds the state that all connections share |
//! | `sending.rs` | sends an answer in pieces |
//! | `connection.rs` | receives requests and answers them in order |
//! | `server.rs`, `limits.rs` | run the server and limit what a client can cost |
//!
//! ```no_run
//! use std::path::Path;
//! let server = serve_files::FileServer::bind(Path::new("target/book"), "127.0.0.1:8000")?;
//! println!("http://{}/", server.local_addr()?);
//! server.run()?;
//! # Ok::<(), std::io::Error>(())
//! ```

#![forbid(unsafe_code)]

mod conditions;
mod connection;
mod content_type;
mod fields;
mod file;
mod framing;
mod head_end;
mod limits;
mod range;
mod request;
mod response;
mod root;
mod sending;
mod server;
mod shared;
mod site;
mod status;
mod target;

pub use limits::Limits;
pub use server::FileServer;
