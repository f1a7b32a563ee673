//! The files of the class's pages. They're kept in memory, so no request accesses the disk.

use std::hash::{DefaultHasher, Hash, Hasher};

use bytes::Bytes;
use cockpit::web::{Refusal, Reply, has_already, whole};
use hyper::header::{ETAG, HeaderValue};
use hyper::{Request, StatusCode};

/// A file that a browser can request.
#[derive(Debug)]
pub struct File {
    /// The file's path: `/`, `/class/class.js`.
    pub path: String,
    /// The file's type: `text/html; charset=utf-8`.
    pub kind: &'static str,
    /// The file's content.
    pub content: Bytes,
}

/// The content security policy for the pages. Everything that a page loads has to come from this
/// server, except inline styles and images in `data:` addresses.
pub(crate) const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
);

/// Answers a GET or HEAD request.
pub(crate) fn get<B>(files: &[File], request: &Request<B>) -> Result<Reply, Refusal> {
    let path = request.uri().path();
    let file = files.iter().find(|file| file.path == path);
    let file = file.ok_or(Refusal(StatusCode::NOT_FOUND, "the server has no such page"))?;
    let mut hasher = DefaultHasher::new();
    file.content.hash(&mut hasher);
    let tag = HeaderValue::from_str(&format!("\"{:x}\"", hasher.finish()));
    let tag = tag.unwrap_or(HeaderValue::from_static("\"\""));
    let mut reply = if has_already(request.headers(), &tag) {
        whole(StatusCode::NOT_MODIFIED, file.kind, "")
    } else {
        whole(StatusCode::OK, file.kind, file.content.clone())
    };
    reply.headers_mut().insert(ETAG, tag);
    Ok(reply)
}
