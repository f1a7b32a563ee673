//! The book's files, and the cockpit's own files, which the book's pages load only from this
//! server.
//!
//! The book's files are on the reader's disk and mostly in the kernel's cache, so we read them on
//! the loop's own thread. `serve_files` shows how a server for many clients reads files.

use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use hyper::header::{ETAG, HeaderValue, LOCATION};
use hyper::{HeaderMap, Request, StatusCode};

use crate::origins::has_already;
use crate::replies::{Refusal, Reply, whole};

/// The file in which the builder lists the hashes of the scripts that mdBook puts into pages.
const SCRIPTS: &str = "inline_scripts.txt";

/// The book's page for unknown addresses.
const MISSING: &str = "404.html";

/// The cockpit's own files, under `/cockpit/`.
const OURS: [(&str, &str, &str); 17] = [
    ("cockpit.css", "text/css; charset=utf-8", include_str!("../../theme/cockpit.css")),
    ("connection.js", JAVASCRIPT, include_str!("../../theme/connection.js")),
    ("cockpit.js", JAVASCRIPT, include_str!("../../theme/cockpit.js")),
    ("cockpit_boxes.js", JAVASCRIPT, include_str!("../../theme/cockpit_boxes.js")),
    ("cockpit_verdict.js", JAVASCRIPT, include_str!("../../theme/cockpit_verdict.js")),
    ("cockpit_play.js", JAVASCRIPT, include_str!("../../theme/cockpit_play.js")),
    ("cockpit_predictions.js", JAVASCRIPT, include_str!("../../theme/cockpit_predictions.js")),
    ("cockpit_hunt.js", JAVASCRIPT, include_str!("../../theme/cockpit_hunt.js")),
    ("cockpit_class.js", JAVASCRIPT, include_str!("../../theme/cockpit_class.js")),
    ("cockpit_progress.js", JAVASCRIPT, include_str!("../../theme/cockpit_progress.js")),
    ("cockpit_loop.js", JAVASCRIPT, include_str!("../../theme/cockpit_loop.js")),
    ("loop_picture.js", JAVASCRIPT, include_str!("../../theme/loop_picture.js")),
    ("loop_trace.js", JAVASCRIPT, include_str!("../../theme/loop_trace.js")),
    ("loop.css", "text/css; charset=utf-8", include_str!("../../theme/loop.css")),
    // The book's pages already contain these two files, but the page /loop doesn't.
    ("controls.css", "text/css; charset=utf-8", include_str!("../../theme/controls.css")),
    ("elements.js", JAVASCRIPT, include_str!("../../theme/elements.js")),
    ("loop.html", "text/html; charset=utf-8", include_str!("loop.html")),
];
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// The built book.
#[derive(Debug)]
pub(crate) struct Pages {
    directory: PathBuf,
}

impl Pages {
    pub(crate) fn new(directory: &Path) -> Self {
        Pages { directory: directory.to_owned() }
    }

    /// Answers a GET or HEAD request.
    pub(crate) fn get<B>(&self, request: &Request<B>) -> Reply {
        let path = request.uri().path();
        let own = path.strip_prefix("/cockpit/").or((path == "/loop").then_some("loop.html"));
        if let Some(name) = own {
            let found = OURS.iter().find(|(it, ..)| *it == name);
            return match found {
                Some((_, kind, text)) => whole(StatusCode::OK, kind, *text),
                None => Refusal(StatusCode::NOT_FOUND, "the cockpit has no such page").into(),
            };
        }
        self.file(path, request.headers()).unwrap_or_else(|refusal| {
            match fs::read(self.directory.join(MISSING)) {
                Ok(page) if refusal.0 == StatusCode::NOT_FOUND => {
                    whole(refusal.0, "text/html; charset=utf-8", page)
                }
                _ => refusal.into(),
            }
        })
    }

    fn file(&self, path: &str, fields: &HeaderMap) -> Result<Reply, Refusal> {
        let not_found = Refusal(StatusCode::NOT_FOUND, "the book has no such page");
        // mdBook's names need no encoding. We only accept plain names inside the directory.
        let relative = Path::new(path.strip_prefix('/').ok_or(not_found)?);
        if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(not_found);
        }
        let mut file = self.directory.join(relative);
        if file.is_dir() {
            if !path.ends_with('/') {
                let mut reply = whole(StatusCode::MOVED_PERMANENTLY, "text/plain", "");
                let to = HeaderValue::from_str(&format!("{path}/")).map_err(|_| not_found)?;
                reply.headers_mut().insert(LOCATION, to);
                return Ok(reply);
            }
            file.push("index.html");
        }
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => not_found,
            _ => Refusal(StatusCode::INTERNAL_SERVER_ERROR, "the page can't be read"),
        };
        let status = fs::metadata(&file).map_err(failed)?;
        let changed = status.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let tag = format!("\"{:x}-{:x}\"", changed.unwrap_or_default().as_nanos(), status.len());
        let tag = HeaderValue::from_str(&tag).map_err(|_| not_found)?;
        let mut reply = if has_already(fields, &tag) {
            whole(StatusCode::NOT_MODIFIED, kind_of(&file), "")
        } else {
            whole(StatusCode::OK, kind_of(&file), fs::read(&file).map_err(failed)?)
        };
        reply.headers_mut().insert(ETAG, tag);
        Ok(reply)
    }

    /// Returns the policy for pages. The pages may load files from this server and may run only
    /// those inline scripts that the builder has listed.
    pub(crate) fn policy(&self) -> HeaderValue {
        let listed = fs::read_to_string(self.directory.join(SCRIPTS)).unwrap_or_default();
        let mut policy = "default-src 'none'; script-src 'self'".to_owned();
        for hash in listed.lines() {
            let _ = write!(policy, " '{hash}'");
        }
        policy += "; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; \
                   connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; \
                   frame-ancestors 'none'";
        HeaderValue::from_str(&policy)
            .unwrap_or(HeaderValue::from_static("default-src 'none'; script-src 'self'"))
    }
}

/// Returns the type of a file, judging by the end of its name. mdBook writes only these types.
pub fn kind_of(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => JAVASCRIPT,
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}
