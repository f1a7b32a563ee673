//! A server with hyper, on tokio's single-threaded runtime.
//!
//! Possible unfairness, in hyper's favour: the server opens and reads files on the runtime's
//! thread, as if that could never block. tokio's own interface, `tokio::fs`, hands each call to
//! another thread, which makes a small file several times as expensive. Against hyper: every piece
//! of a file needs a new buffer, because hyper's bodies own their bytes. Like our server, this one
//! has a time limit for each head, and it sends the same number of header fields with a file.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read};
use std::pin::Pin;
use std::sync::mpsc::Sender;
use std::task::{Context, Poll};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Result;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{ACCEPT_RANGES, CACHE_CONTROL, CONTENT_TYPE, ETAG, LAST_MODIFIED, SERVER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};

use crate::files::directory;
use crate::on_tokio;
use crate::serving::Started;

/// The maximum size of a piece. Our server reads a file of up to this size at once.
const PIECE: usize = 64 << 10;

const HEAD_TIME: Duration = Duration::from_secs(10);

pub(crate) fn serve(started: Sender<Started>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    on_tokio::serve(&runtime, &started, |stream| {
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
        tokio::spawn(builder.serve_connection(TokioIo::new(stream), service_fn(answer)));
    })
}

async fn answer(request: Request<Incoming>) -> Result<Response<Pieces>, Infallible> {
    Ok(serve_file(request.uri().path()).unwrap_or_else(|_| {
        let mut response = Response::new(Pieces { file: None, left: 0 });
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    }))
}

fn serve_file(path: &str) -> Result<Response<Pieces>> {
    let file = File::open(directory().join(path.trim_start_matches('/')))?;
    let status = file.metadata()?;
    let modified = status.modified()?;
    let nanos = modified.duration_since(UNIX_EPOCH)?.as_nanos();
    let response = Response::builder()
        .header(SERVER, "hyper")
        .header(CONTENT_TYPE, "application/octet-stream")
        .header(ETAG, format!("\"{:x}-{nanos:x}\"", status.len()))
        .header(LAST_MODIFIED, httpdate::fmt_http_date(modified))
        .header(CACHE_CONTROL, "no-cache")
        .header(ACCEPT_RANGES, "bytes");
    Ok(response.body(Pieces { file: Some(file), left: status.len() })?)
}

/// A response body that reads a file piece by piece, whenever hyper asks for more.
struct Pieces {
    file: Option<File>,
    left: u64,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let count = usize::try_from(self.left).unwrap_or(PIECE).min(PIECE);
        let Some(file) = self.file.as_mut().filter(|_| count > 0) else {
            return Poll::Ready(None);
        };
        let mut piece = vec![0; count];
        if let Err(error) = file.read_exact(&mut piece) {
            return Poll::Ready(Some(Err(error)));
        }
        self.left -= count as u64;
        Poll::Ready(Some(Ok(Frame::data(piece.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
