//! Static files over HTTP/1.1, on the loop of step 07.
//!
//! A server on your loop that does more than echo: one thread, one task per
//! connection, and a file for each request.
//!
//! | file | contents |
//! | --- | --- |
//! | `head_end.rs` | the end of a request, and the only way in which it can end |
//! | `request.rs`, `fields.rs` | from bytes to a request |
//! | `framing.rs` | bodies, and whether the connection stays open |
//! | `target.rs` | from the target to a path |
//! | `root.rs` | opening a file, and nothing outside the directory |
//! | `file.rs` | reading a file without blocking the loop |
//! | `conditions.rs`, `range.rs` | the part that the client already has, and the part that it wants |
//! | `status.rs`, `content_type.rs`, `response.rs` | the answer |
//! | `site.rs` | from a request to its answer |
//! | `shared.rs` | the state that all connections share |
//! | `sending.rs` | the answer, in pieces |
//! | `connection.rs` | requests in, answers out, in order |
//! | `server.rs`, `limits.rs` | the server, and the limits on a client's costs |
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
