//! Determines whether a request has a body, and whether another request can follow on the same
//! connection.
//!
//! This server has no use for bodies, so it doesn't read them: it answers a request with a body and
//! then closes the connection. So a client's lengths and chunks never determine where we expect the
//! next request. We also refuse any length or coding that two programs could interpret differently:
//! RFC 9112, 6.1 and 6.3.

use httparse::Header;

use crate::fields::{all, tokens};
use crate::status::Status;

/// The way a request is delimited on its connection, and what may follow the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Framing {
    /// True if a body follows the head, whether or not it has arrived yet. If so, the connection is
    /// closed after the answer.
    pub(crate) has_body: bool,
    /// True if the client may send another request: RFC 9112, 9.3.
    pub(crate) keep_alive: bool,
    /// True if the client uses HTTP/1.0. Then the connection stays open only if the answer
    /// announces that.
    pub(crate) is_http_1_0: bool,
}

impl Framing {
    /// Returns a request's framing. Fails with a status if Host is missing or malformed, or if the
    /// fields contradict each other or could be understood in more than one way.
    pub(crate) fn of(minor_version: u8, fields: &[Header<'_>]) -> Result<Self, Status> {
        let is_http_1_0 = minor_version == 0;
        check_host(is_http_1_0, fields)?;
        let is_chunked = is_chunked(is_http_1_0, fields)?;
        let has_length = has_length(fields)?;
        if is_chunked && has_length.is_some() {
            return Err(Status::BadRequest);
        }
        let connection = |option: &str| {
            tokens(fields, "connection").any(|token| token.eq_ignore_ascii_case(option))
        };
        let keep_alive = !connection("close") && (!is_http_1_0 || connection("keep-alive"));
        Ok(Framing { has_body: is_chunked || has_length == Some(true), keep_alive, is_http_1_0 })
    }
}

/// Checks that an HTTP/1.1 request has exactly one Host field, that an HTTP/1.0 request has at most
/// one, and that a host could consist of the field's characters: RFC 9112, 3.2.
fn check_host(is_http_1_0: bool, fields: &[Header<'_>]) -> Result<(), Status> {
    let mut hosts = all(fields, "host");
    let host = hosts.next();
    let is_fine = match host {
        None => is_http_1_0,
        Some(host) => host.iter().all(|&byte| may_be_in_a_host(byte)),
    };
    if is_fine && hosts.next().is_none() { Ok(()) } else { Err(Status::BadRequest) }
}

fn may_be_in_a_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:[]%".contains(&byte)
}

/// Returns true if the body is chunked. Any other coding, and any list of several codings, is
/// refused: for "xchunked" or "chunked, identity", another program might determine a different
/// length. So is a coding in an HTTP/1.0 request, since HTTP/1.0 has none.
fn is_chunked(is_http_1_0: bool, fields: &[Header<'_>]) -> Result<bool, Status> {
    let mut codings = all(fields, "transfer-encoding");
    let Some(coding) = codings.next() else { return Ok(false) };
    let is_fine = coding.eq_ignore_ascii_case(b"chunked") && codings.next().is_none();
    if is_fine && !is_http_1_0 { Ok(true) } else { Err(Status::BadRequest) }
}

/// Returns true if the Content-Length field announces a body that isn't empty, or `None` if there's
/// no such field. Several fields, and a value that isn't a number, are refused.
fn has_length(fields: &[Header<'_>]) -> Result<Option<bool>, Status> {
    let mut lengths = all(fields, "content-length");
    let Some(length) = lengths.next() else { return Ok(None) };
    let is_fine = !length.is_empty() && length.iter().all(u8::is_ascii_digit);
    if !is_fine || lengths.next().is_some() {
        return Err(Status::BadRequest);
    }
    Ok(Some(length.iter().any(|&digit| digit != b'0')))
}
