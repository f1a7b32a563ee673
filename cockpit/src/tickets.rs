//! Tickets: an `EventSource` can send no fields, so a POST fetches a ticket, which opens one stream, once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use hyper::StatusCode;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::replies::Refusal;

/// How long a ticket is good for, and how many there can be.
const GOOD_FOR: Duration = Duration::from_secs(30);
const TICKETS: usize = 1000;

/// The tickets that are good, each with the stream that it opens.
#[derive(Debug)]
pub struct Tickets<S> {
    made: RefCell<HashMap<String, (S, Instant)>>,
}

impl<S> Default for Tickets<S> {
    fn default() -> Self {
        Tickets { made: RefCell::default() }
    }
}

impl<S> Tickets<S> {
    /// Makes a ticket.
    pub fn ticket(&self, stream: S) -> Result<String, Refusal> {
        let mut tickets = self.made.borrow_mut();
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
    pub fn redeem(&self, ticket: &str) -> Result<S, Refusal> {
        let taken = self.made.borrow_mut().remove(ticket);
        let good = taken.filter(|(_, made)| made.elapsed() < GOOD_FOR);
        good.map(|(stream, _)| stream)
            .ok_or(Refusal(StatusCode::FORBIDDEN, "a ticket opens one stream, once"))
    }
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
