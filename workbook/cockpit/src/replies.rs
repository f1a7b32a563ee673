//! Answers and the header fields that all answers have.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use ecosystem::LoopTimer;
use futures_util::future::{Either, select};
use futures_util::stream::LocalBoxStream;
use futures_util::{Stream, StreamExt};
use http_body_util::Either as EitherBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    SERVER as SERVER_NAME, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Request, Response, StatusCode};
use serde::{Deserialize, Serialize};

use crate::SERVER;

/// The body of an answer, sent either as a whole or piece by piece.
pub type Body =
    EitherBody<Full<Bytes>, StreamBody<LocalBoxStream<'static, Result<Frame<Bytes>, Infallible>>>>;

/// An answer.
pub type Reply = Response<Body>;

/// The refusal of a request.
#[derive(Debug, Clone, Copy)]
pub struct Refusal(
    /// The status, for programs.
    pub StatusCode,
    /// A sentence that tells the user what's wrong.
    pub &'static str,
);

impl From<Refusal> for Reply {
    fn from(Refusal(status, why): Refusal) -> Reply {
        whole(status, "text/plain; charset=utf-8", format!("{why}\n"))
    }
}

/// Returns an answer with a complete body.
pub fn whole(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(EitherBody::Left(Full::new(body.into())));
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}

/// Returns an answer with JSON as its body.
pub fn json(value: &impl Serialize) -> Reply {
    // All keys in our answers are text, so this can't fail.
    whole(StatusCode::OK, "application/json", serde_json::to_vec(value).unwrap_or_default())
}

/// Returns an answer whose body is a stream of lines, each sent as soon as it's ready.
pub fn stream(kind: &'static str, lines: impl Stream<Item = Bytes> + 'static) -> Reply {
    let frames = lines.map(|line| Ok(Frame::data(line))).boxed_local();
    let mut reply = Response::new(EitherBody::Right(StreamBody::new(frames)));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}

/// Reads a request's body, up to a maximum length and within a time limit.
pub async fn body_of(
    request: Request<Incoming>,
    largest: usize,
    patience: Duration,
) -> Result<Bytes, Refusal> {
    let body = Limited::new(request.into_body(), largest).collect();
    match select(Box::pin(body), LoopTimer.sleep(patience)).await {
        Either::Left((Ok(body), _)) => Ok(body.to_bytes()),
        Either::Left((Err(error), _)) if error.is::<LengthLimitError>() => {
            Err(Refusal(StatusCode::PAYLOAD_TOO_LARGE, "the request's body is too large"))
        }
        Either::Left((Err(_), _)) => {
            Err(Refusal(StatusCode::BAD_REQUEST, "the request's body can't be read"))
        }
        Either::Right(_) => {
            Err(Refusal(StatusCode::REQUEST_TIMEOUT, "the request's body took too long to arrive"))
        }
    }
}

/// Parses a body as JSON. Fails with a [`Refusal`] if the body isn't JSON of the expected form.
pub fn parsed<'a, T: Deserialize<'a>>(body: &'a Bytes) -> Result<T, Refusal> {
    let failed = Refusal(StatusCode::BAD_REQUEST, "the request isn't JSON of the expected form");
    serde_json::from_slice(body).map_err(|_| failed)
}

/// Adds to an answer the header fields that all answers have. `policy` says what a page may load
/// and which scripts it may run.
pub fn complete(mut reply: Reply, policy: &HeaderValue) -> Reply {
    let headers = reply.headers_mut();
    let fixed = [
        (SERVER_NAME, SERVER),
        (HeaderName::from_static("workbook-cockpit"), "1"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
    // A page can be rebuilt at any moment, so a browser has to ask each time.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    reply
}
