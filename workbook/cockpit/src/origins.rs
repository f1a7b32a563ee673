//! Checks that a request is meant for this server and comes from one of its own pages.

use hyper::header::{HOST, HeaderName, HeaderValue, IF_NONE_MATCH, ORIGIN};
use hyper::{HeaderMap, Request, StatusCode};

use crate::replies::Refusal;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The names under which a server can be reached.
#[derive(Debug)]
pub struct Origins {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Origins {
    /// Creates the origins from the names with their ports, such as `127.0.0.1:7007`, and the
    /// origin of a forwarded port.
    pub fn new(hosts: impl IntoIterator<Item = String>, public_origin: Option<&str>) -> Self {
        let mut hosts: Vec<String> = hosts.into_iter().collect();
        let mut origins: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
        if let Some(origin) = public_origin {
            let origin = origin.trim_end_matches('/');
            hosts.extend(origin.split_once("://").map(|(_, host)| host.to_ascii_lowercase()));
            origins.push(origin.to_ascii_lowercase());
        }
        Origins { hosts, origins }
    }

    /// Checks a request of any kind. Refuses a request that names a foreign host, because that
    /// host's name may have been made to resolve to our address.
    pub fn check<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let named = request.uri().authority().map(ToString::to_string);
        let host = only(request.headers(), &HOST);
        let is_ours = |host: &str| self.hosts.contains(&host.to_ascii_lowercase());
        if host.is_some_and(is_ours) && named.is_none_or(|named| is_ours(&named)) {
            Ok(())
        } else {
            let why = "this address isn't the server's; a forwarded port needs --public-origin";
            Err(Refusal(StatusCode::MISDIRECTED_REQUEST, why))
        }
    }

    /// Checks that a request that has an effect comes from one of our own pages.
    pub fn check_page<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let headers = request.headers();
        let site = Given::of(headers, &FETCH_SITE);
        if !matches!(site, Given::Not | Given::Once("same-origin")) {
            return Err(Refusal(
                StatusCode::FORBIDDEN,
                "none of the server's own pages sent this request",
            ));
        }
        let origin = only(headers, &ORIGIN).map(str::to_ascii_lowercase);
        if !origin.is_some_and(|origin| self.origins.contains(&origin)) {
            return Err(Refusal(StatusCode::FORBIDDEN, "the request's Origin isn't the server's"));
        }
        Ok(())
    }
}

/// A header field on which the decision about a request depends. If the field occurs twice, the
/// field is ambiguous, and a proxy on the way may have used the other value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given<'a> {
    /// The field is missing.
    Not,
    /// The field occurs once, with this value.
    Once(&'a str),
    /// The field occurs more than once, or its value isn't text.
    Unclear,
}

impl<'a> Given<'a> {
    /// Looks up a field by its name.
    pub fn of(headers: &'a HeaderMap, name: &HeaderName) -> Self {
        let mut values = headers.get_all(name).iter();
        match (values.next().map(|value| value.to_str()), values.next()) {
            (None, _) => Given::Not,
            (Some(Ok(value)), None) => Given::Once(value),
            _ => Given::Unclear,
        }
    }
}

/// Returns a field's value, if the field occurs exactly once.
pub(crate) fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    match Given::of(headers, name) {
        Given::Once(value) => Some(value),
        _ => None,
    }
}

/// Returns true if a browser already has the content with this tag. In the field `If-None-Match`, a
/// browser lists the tags of the content that it has.
pub fn has_already(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let listed = headers.get_all(IF_NONE_MATCH).iter().filter_map(|field| field.to_str().ok());
    let mut tags = listed.flat_map(|field| field.split(',')).map(str::trim);
    // A proxy that compresses an answer marks its tag as weak.
    tags.any(|it| it == "*" || it.strip_prefix("W/").unwrap_or(it).as_bytes() == tag.as_bytes())
}
