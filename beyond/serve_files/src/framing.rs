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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the framing of an HTTP/1.1 request with these fields.
    fn framing(fields: &[(&str, &str)]) -> Result<Framing, Status> {
        let host = [("Host", "here")];
        let fields: Vec<_> = host.iter().chain(fields).map(field).collect();
        Framing::of(1, &fields)
    }

    fn field<'a>(&(name, value): &(&'a str, &'a str)) -> Header<'a> {
        Header { name, value: value.as_bytes() }
    }

    #[test]
    fn a_body_is_announced_by_either_field() {
        let has_body = |name, value| framing(&[(name, value)]).map(|framing| framing.has_body);
        assert_eq!(has_body("Accept", "*/*"), Ok(false));
        assert_eq!(has_body("Content-Length", "0"), Ok(false));
        assert_eq!(has_body("Content-Length", "000"), Ok(false));
        assert_eq!(has_body("content-length", "10"), Ok(true));
        assert_eq!(has_body("Content-Length", "99999999999999999999999"), Ok(true));
        assert_eq!(has_body("TRANSFER-ENCODING", "Chunked"), Ok(true));
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        let chunked = ("Transfer-Encoding", "chunked");
        let length = |value| ("Content-Length", value);
        for fields in [
            &[chunked, length("5")][..],
            &[chunked, length("0")],
            &[length("5"), length("5")],
            &[chunked, chunked],
            &[length("5, 5")],
            &[length("+5")],
            &[length("-1")],
            &[length("0x5")],
            &[length("")],
            &[("Transfer-Encoding", "xchunked")],
            &[("Transfer-Encoding", "chunked, identity")],
            &[("Transfer-Encoding", "")],
            &[("Host", "here")],
        ] {
            assert_eq!(framing(fields), Err(Status::BadRequest), "{fields:?}");
        }
        let old = [field(&chunked)];
        assert_eq!(Framing::of(0, &old), Err(Status::BadRequest), "HTTP/1.0 has no chunks");
    }

    #[test]
    fn a_connection_stays_open_unless_someone_says_otherwise() {
        let stays = |version, value| {
            let fields = [field(&("Host", "here")), field(&("Connection", value))];
            Framing::of(version, &fields).map(|framing| framing.keep_alive)
        };
        assert_eq!(stays(1, ""), Ok(true));
        assert_eq!(stays(1, "Upgrade, Close"), Ok(false));
        assert_eq!(stays(1, "closed"), Ok(true));
        assert_eq!(stays(0, ""), Ok(false));
        assert_eq!(stays(0, "Keep-Alive"), Ok(true));
        assert_eq!(stays(0, "keep-alive, close"), Ok(false));
    }
}
