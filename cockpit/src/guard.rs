//! Which requests are answered.
//!
//! The cockpit runs programs on behalf of a page, and any page that the reader's browser shows can send
//! requests to 127.0.0.1. So:
//!
//! - `Host` must be ours: a page whose own name was made to lead here (DNS rebinding) still sends its
//!   own name;
//! - whatever does something is a POST with the token of this start. A page gets the token from the
//!   address that the terminal prints, after the `#`, which no browser sends anywhere. It travels in a
//!   field of its own, so another site's page has to ask first (CORS), and gets no answer that allows it;
//! - its `Origin` must be ours, and so must `Sec-Fetch-Site`, where a browser sends it;
//! - an `EventSource` can send no fields. So a POST fetches a ticket, which opens one stream, once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use hyper::header::{HOST, HeaderName, ORIGIN};
use hyper::{HeaderMap, Request, StatusCode};
use rustix::rand::{GetRandomFlags, getrandom};

use crate::replies::Refusal;

/// The field with the token.
const TOKEN: HeaderName = HeaderName::from_static("workbook-token");
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// How long a ticket is good for, and how many there can be.
const GOOD_FOR: Duration = Duration::from_secs(30);
const TICKETS: usize = 1000;

/// The stream that a ticket opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stream {
    /// The judgements of a step's page.
    Watch(String),
    /// The ticks of the loop that serves.
    Loop,
}

/// Checks requests, and keeps the tickets.
#[derive(Debug)]
pub(crate) struct Guard {
    token: String,
    hosts: Vec<String>,
    origins: Vec<String>,
    tickets: RefCell<HashMap<String, (Stream, Instant)>>,
}

impl Guard {
    pub(crate) fn new(port: u16, token: &str, public_origin: Option<&str>) -> Self {
        let mut hosts = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let mut origins: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
        if let Some(origin) = public_origin {
            let origin = origin.trim_end_matches('/');
            hosts.extend(origin.split_once("://").map(|(_, host)| host.to_ascii_lowercase()));
            origins.push(origin.to_ascii_lowercase());
        }
        Guard { token: token.to_owned(), hosts, origins, tickets: RefCell::default() }
    }

    /// Checks a request of any kind.
    pub(crate) fn check<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let named = request.uri().authority().map(ToString::to_string);
        let host = only(request.headers(), &HOST);
        let is_ours = |host: &str| self.hosts.contains(&host.to_ascii_lowercase());
        if host.is_some_and(is_ours) && named.is_none_or(|named| is_ours(&named)) {
            Ok(())
        } else {
            let why = "this address isn't the cockpit's; a forwarded port needs --public-origin";
            Err(Refusal(StatusCode::MISDIRECTED_REQUEST, why))
        }
    }

    /// Checks a request that does something.
    pub(crate) fn check_acts<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let headers = request.headers();
        let site = headers.get(FETCH_SITE);
        if site.is_some_and(|site| site.as_bytes() != b"same-origin") {
            return Err(Refusal(StatusCode::FORBIDDEN, "another site's page has sent this"));
        }
        let origin = only(headers, &ORIGIN).map(str::to_ascii_lowercase);
        if !origin.is_some_and(|origin| self.origins.contains(&origin)) {
            return Err(Refusal(StatusCode::FORBIDDEN, "Origin isn't the cockpit's"));
        }
        if only(headers, &TOKEN) != Some(&self.token) {
            let why =
                "the token isn't that of this start: open the address that the terminal shows";
            return Err(Refusal(StatusCode::UNAUTHORIZED, why));
        }
        Ok(())
    }

    /// Makes a ticket.
    pub(crate) fn ticket(&self, stream: Stream) -> Result<String, Refusal> {
        let mut tickets = self.tickets.borrow_mut();
        tickets.retain(|_, (_, made)| made.elapsed() < GOOD_FOR);
        if tickets.len() == TICKETS {
            let why = "too many tickets that nothing uses";
            return Err(Refusal(StatusCode::TOO_MANY_REQUESTS, why));
        }
        let ticket = new_token().map_err(|_| {
            Refusal(StatusCode::SERVICE_UNAVAILABLE, "the kernel has no random bytes")
        })?;
        tickets.insert(ticket.clone(), (stream, Instant::now()));
        Ok(ticket)
    }

    /// Takes a ticket, and returns the stream that it opens.
    pub(crate) fn redeem(&self, ticket: &str) -> Result<Stream, Refusal> {
        let taken = self.tickets.borrow_mut().remove(ticket);
        let good = taken.filter(|(_, made)| made.elapsed() < GOOD_FOR);
        good.map(|(stream, _)| stream)
            .ok_or(Refusal(StatusCode::FORBIDDEN, "a ticket opens one stream, once"))
    }
}

/// Returns a field's value, if the field is there exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none());
    value.and_then(|value| value.to_str().ok())
}

/// Returns a token that can't be guessed.
pub fn new_token() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    // Up to 256 bytes come at once, or not at all.
    getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    Ok(bytes.iter().fold(String::new(), |mut token, byte| {
        // Writing to a String never fails.
        let _ = write!(token, "{byte:02x}");
        token
    }))
}
