//! Answers: a head in bytes, and the body that follows it.

use std::io::Write;
use std::ops::Range;
use std::rc::Rc;
use std::time::SystemTime;

use crate::file::File;
use crate::framing::Framing;
use crate::status::Status;

/// The name of the loop that served the request. Every answer has it in the field `Server`: RFC
/// 9110, 10.2.4.
pub(crate) const SERVER: &str = match env!("CARGO_PKG_VERSION_PRE").as_bytes() {
    // The notebook builds this version on the reader's layers.
    b"on-yours" => "step07_full_loop (yours)",
    _ => "step07_full_loop",
};

/// The initial capacity for a head. A longer head, such as that of a redirect to a long name, makes
/// the buffer grow.
const HEAD_SIZE: usize = 384;

/// An answer that's being sent.
#[derive(Debug)]
pub(crate) struct Response {
    /// The bytes to send before the rest of the file: the head with any text that follows it, or a
    /// piece that a thread has read.
    pub(crate) unsent: Vec<u8>,
    /// The file, if the answer has one, and the part of it to send after `unsent`.
    pub(crate) file: Option<(Rc<File>, Range<u64>)>,
    /// True if the connection has to be closed after this answer.
    pub(crate) closes: bool,
}

/// The form in which a client wants an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    /// True if only the head is sent. It has the same fields as the head of a complete answer.
    pub(crate) is_head_only: bool,
    /// True if the connection has to be closed after the answer.
    pub(crate) closes: bool,
    /// True if the answer has to announce that the connection stays open, which only HTTP/1.0
    /// requires.
    pub(crate) says_keep_alive: bool,
}

impl Form {
    /// The form of the answer to a client that hasn't sent a request we can parse.
    pub(crate) const LAST: Form =
        Form { is_head_only: false, closes: true, says_keep_alive: false };

    pub(crate) fn new(is_head_only: bool, framing: Framing) -> Self {
        // We can't tell where a body ends, because we don't read bodies.
        let closes = framing.has_body || !framing.keep_alive;
        Form { is_head_only, closes, says_keep_alive: framing.is_http_1_0 && !closes }
    }
}

impl Response {
    /// Makes an answer whose body only names the status.
    pub(crate) fn refusal(status: Status, form: Form, fields: &[(&str, &str)]) -> Self {
        let text = format!("{}\n", status.line());
        let mut response = Response::begin(status, form);
        for (name, value) in fields {
            response.field(name, value);
        }
        response.field("Content-Type", "text/plain; charset=utf-8");
        response.field("Content-Length", &text.len().to_string());
        response.end_head();
        if !form.is_head_only {
            response.unsent.extend(text.as_bytes());
        }
        response
    }

    /// Records that `count` more bytes have been sent.
    pub(crate) fn advance(&mut self, count: usize) {
        let of_unsent = count.min(self.unsent.len());
        self.unsent.drain(..of_unsent);
        if self.unsent.is_empty() {
            // The memory for `unsent` isn't needed while the client takes the rest.
            self.unsent = Vec::new();
        }
        if let Some((_, part)) = &mut self.file {
            part.start += (count - of_unsent) as u64;
        }
    }

    /// Makes an answer that redirects a client to another location.
    pub(crate) fn redirect(form: Form, location: &str) -> Self {
        Response::refusal(Status::MovedPermanently, form, &[("Location", location)])
    }

    /// Makes an answer that says the client's copy of the file is current.
    pub(crate) fn not_modified(form: Form, file: &File) -> Self {
        let mut response = Response::begin(Status::NotModified, form);
        response.validators(file);
        response.end_head();
        response
    }

    /// Makes an answer that contains a file, or a part of it.
    pub(crate) fn file(
        form: Form,
        file: Rc<File>,
        part: Option<Range<u64>>,
        content_type: &str,
    ) -> Self {
        let status = if part.is_some() { Status::PartialContent } else { Status::Ok };
        let mut response = Response::begin(status, form);
        response.field("Content-Type", content_type);
        response.validators(&file);
        response.field("Accept-Ranges", "bytes");
        if let Some(Range { start, end }) = &part {
            let range = format!("bytes {start}-{}/{}", end - 1, file.size);
            response.field("Content-Range", &range);
        }
        let part = part.unwrap_or(0..file.size);
        response.with_body(form, file, part)
    }

    /// Makes an answer with a page that says the requested page doesn't exist. The page sent isn't
    /// a version of the requested file, so the answer includes no validators for the next request.
    pub(crate) fn missing(form: Form, page: Rc<File>, content_type: &str) -> Self {
        let mut response = Response::begin(Status::NotFound, form);
        response.field("Content-Type", content_type);
        let all = 0..page.size;
        response.with_body(form, page, all)
    }

    fn with_body(mut self, form: Form, file: Rc<File>, part: Range<u64>) -> Self {
        self.field("Content-Length", &(part.end - part.start).to_string());
        self.end_head();
        if !form.is_head_only && !part.is_empty() {
            self.file = Some((file, part));
        }
        self
    }

    fn begin(status: Status, form: Form) -> Self {
        let mut unsent = Vec::with_capacity(HEAD_SIZE);
        // Writing to memory can't fail.
        let _ = write!(unsent, "HTTP/1.1 {}\r\n", status.line());
        let mut response = Response { unsent, file: None, closes: form.closes };
        response.field("Server", SERVER);
        response.date("Date", SystemTime::now());
        if form.closes {
            response.field("Connection", "close");
        } else if form.says_keep_alive {
            response.field("Connection", "keep-alive");
        }
        response
    }

    fn field(&mut self, name: &str, value: &str) {
        for part in [name, ": ", value, "\r\n"] {
            self.unsent.extend(part.as_bytes());
        }
    }

    fn date(&mut self, name: &str, time: SystemTime) {
        let _ = write!(self.unsent, "{name}: {}\r\n", httpdate::HttpDate::from(time));
    }

    /// Adds the validators that the client can send with its next request. Also tells the client to
    /// ask the server each time before it shows its copy: a page can change at any moment, and the
    /// answer that it hasn't changed is small.
    fn validators(&mut self, file: &File) {
        self.field("ETag", &file.validators.etag);
        if let Some(modified) = file.validators.last_modified {
            self.date("Last-Modified", modified);
        }
        self.field("Cache-Control", "no-cache");
    }

    fn end_head(&mut self) {
        self.unsent.extend(b"\r\n");
    }
}
