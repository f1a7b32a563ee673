//! Turns bytes into a request. httparse does the parsing; this module decides which bytes httparse
//! sees and how its verdict is handled.

use httparse::{Error, Header};

use crate::conditions::Conditions;
use crate::fields::only;
use crate::framing::Framing;
use crate::head_end::HeadEnd;
use crate::limits::{FIELDS, HEAD, REQUEST_LINE};
use crate::status::Status;
use crate::target::Target;

/// A request, with everything needed to answer it.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The target. The request is complete even if its target is refused, so we keep the error here
    /// and answer with it.
    pub(crate) target: Result<Target, Status>,
    pub(crate) framing: Framing,
    pub(crate) conditions: Conditions,
    pub(crate) range: Option<String>,
}

/// A request's method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Head,
    /// Any other method. We refuse it, since clients can only read files here.
    Other,
}

/// The meaning of the bytes received so far.
#[derive(Debug)]
pub(crate) enum Parsed {
    /// The bytes are the beginning of a request.
    Partial,
    /// The bytes begin with a request, whose head takes up this many bytes.
    Complete(Box<Request>, usize),
    /// The bytes aren't a request that we accept. We can't be sure where the next request would
    /// begin, so the connection has to be closed.
    Refused(Status),
}

/// Parses the request at the beginning of `received`.
///
/// The verdict depends only on the bytes, not on the pieces in which they arrive: a head is parsed
/// up to the first byte that can't be part of it, and the parser doesn't see the bytes after that.
pub(crate) fn parse(received: &[u8]) -> Parsed {
    let line_is_too_long =
        received.len() > REQUEST_LINE && !received[..REQUEST_LINE].contains(&b'\n');
    let (head, if_unfinished) = match HeadEnd::find(&received[..received.len().min(HEAD)]) {
        _ if line_is_too_long => (&received[..REQUEST_LINE], Parsed::Refused(Status::UriTooLong)),
        HeadEnd::BareLineFeed(place) => (&received[..place], Parsed::Refused(Status::BadRequest)),
        HeadEnd::At(length) => (&received[..length], Parsed::Refused(Status::BadRequest)),
        HeadEnd::Missing if received.len() >= HEAD => {
            (&received[..HEAD], Parsed::Refused(Status::HeaderFieldsTooLarge))
        }
        HeadEnd::Missing => (received, Parsed::Partial),
    };
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut parsed = httparse::Request::new(&mut fields);
    match parsed.parse(head) {
        Ok(httparse::Status::Complete(length)) => match Request::of(&parsed) {
            Ok(request) => Parsed::Complete(Box::new(request), length),
            Err(status) => Parsed::Refused(status),
        },
        Ok(httparse::Status::Partial) => if_unfinished,
        Err(Error::TooManyHeaders) => Parsed::Refused(Status::HeaderFieldsTooLarge),
        Err(Error::Version) => Parsed::Refused(Status::VersionNotSupported),
        Err(_) => Parsed::Refused(Status::BadRequest),
    }
}

impl Request {
    fn of(parsed: &httparse::Request<'_, '_>) -> Result<Self, Status> {
        let fields: &[Header<'_>] = parsed.headers;
        Ok(Request {
            method: match parsed.method {
                Some("GET") => Method::Get,
                Some("HEAD") => Method::Head,
                _ => Method::Other,
            },
            target: Target::parse(parsed.path.unwrap_or_default()),
            framing: Framing::of(parsed.version.unwrap_or_default(), fields)?,
            conditions: Conditions::of(fields),
            range: only(fields, "range").map(str::to_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the status of a refusal, the length of a request, or `None` for an incomplete
    /// request.
    fn verdict(bytes: &[u8]) -> Option<Result<usize, Status>> {
        match parse(bytes) {
            Parsed::Partial => None,
            Parsed::Complete(_, length) => Some(Ok(length)),
            Parsed::Refused(status) => Some(Err(status)),
        }
    }

    #[test]
    fn every_beginning_of_a_request_is_a_part_and_what_follows_it_is_left_alone() {
        let two = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\n";
        let length = 28;
        for received in 0..length {
            assert_eq!(verdict(&two[..received]), None, "{received} bytes");
        }
        for received in length..=two.len() {
            assert_eq!(verdict(&two[..received]), Some(Ok(length)), "{received} bytes");
        }
    }

    #[test]
    fn the_limits_are_exact() {
        let line = |length: usize| format!("GET /{} HTTP/1.1\r\n", "a".repeat(length - 16));
        assert_eq!(line(REQUEST_LINE).len(), REQUEST_LINE);
        assert_eq!(verdict(line(REQUEST_LINE).as_bytes()), None);
        assert_eq!(verdict(line(REQUEST_LINE + 1).as_bytes()), Some(Err(Status::UriTooLong)));

        let head = |length: usize| {
            let begin = "GET / HTTP/1.1\r\nHost: x\r\nA: ";
            format!("{begin}{}\r\n\r\n", "a".repeat(length - begin.len() - 4))
        };
        assert_eq!(verdict(head(HEAD).as_bytes()), Some(Ok(HEAD)));
        let too_large = Some(Err(Status::HeaderFieldsTooLarge));
        assert_eq!(verdict(head(HEAD + 1).as_bytes()), too_large);

        let many = |count: usize| {
            format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", "a: b\r\n".repeat(count - 1))
        };
        assert!(verdict(many(FIELDS).as_bytes()).is_some_and(|verdict| verdict.is_ok()));
        assert_eq!(verdict(many(FIELDS + 1).as_bytes()), too_large);
    }

    #[test]
    fn a_verdict_does_not_depend_on_the_pieces() {
        let long = format!("GET /{} \x01", "a".repeat(REQUEST_LINE));
        let many = format!("GET / HTTP/1.1\n{}", "a: b\r\n".repeat(FIELDS + 1));
        for bytes in [long.as_bytes(), many.as_bytes(), b"GET / HTTP/1.1\r\nHost : x\r\n\r\n"] {
            let first = (0..=bytes.len()).find_map(|length| verdict(&bytes[..length]));
            assert_eq!(first, verdict(bytes));
            assert!(first.is_some_and(|verdict| verdict.is_err()));
        }
    }
}
