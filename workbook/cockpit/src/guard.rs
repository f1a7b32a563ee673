//! Decides which requests are answered.
//!
//! The cockpit runs programs on behalf of a page, but any page in the reader's browser can send
//! requests to 127.0.0.1. So these rules keep other pages out:
//!
//! - `Host` must be ours: if another site's host name was made to resolve to 127.0.0.1 (DNS
//!   rebinding), the browser still sends that name;
//! - every request that has an effect is a POST with this server's token. A page gets the token
//!   from the address that the terminal prints. In that address, the token is after the `#`, and
//!   browsers don't send that part to any server. The page sends the token in a separate header
//!   field. If another site's page tries to send that field, the browser first asks us for
//!   permission (CORS), which we refuse;
//! - such a request's `Origin` must be ours, and its `Sec-Fetch-Site`, if the browser sends that
//!   field, must be `same-origin`;
//! - a page can't add header fields to an `EventSource`'s request. So the page uses a POST to fetch
//!   a ticket, which can be used once, to open one stream.

use hyper::header::HeaderName;
use hyper::{Request, StatusCode};

use crate::origins::{Origins, only};
use crate::replies::Refusal;
use crate::tickets::Tickets;

/// The header field with the token.
const TOKEN: HeaderName = HeaderName::from_static("workbook-token");

/// The stream that a ticket opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stream {
    /// The judgements of a step's page.
    Watch(String),
    /// The ticks of the loop that runs the server.
    Loop,
}

/// Checks requests and keeps the tickets.
#[derive(Debug)]
pub(crate) struct Guard {
    token: String,
    pub(crate) origins: Origins,
    pub(crate) tickets: Tickets<Stream>,
}

impl Guard {
    pub(crate) fn new(port: u16, token: &str, public_origin: Option<&str>) -> Self {
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        Guard {
            token: token.to_owned(),
            origins: Origins::new(hosts, public_origin),
            tickets: Tickets::default(),
        }
    }

    /// Checks a request that has an effect.
    pub(crate) fn check_acts<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        self.origins.check_page(request)?;
        if only(request.headers(), &TOKEN) != Some(&self.token) {
            let why = "the token is missing or isn't this server's: open the address that the \
                       terminal shows";
            return Err(Refusal(StatusCode::UNAUTHORIZED, why));
        }
        Ok(())
    }
}
