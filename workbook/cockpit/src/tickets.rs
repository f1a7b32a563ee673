//! Tickets. A page can't add header fields to an `EventSource`'s request, so the page uses a POST
//! to fetch a ticket, which can be used once, to open one stream.

use std::cell::RefCell;
use std::fmt::Write;
use std::time::{Duration, Instant};

use hyper::StatusCode;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::replies::Refusal;

/// The time for which a ticket is valid.
const GOOD_FOR: Duration = Duration::from_secs(30);

/// The maximum number of unused tickets for the same stream. A page uses its ticket immediately, so
/// if a stream already has this many, most of their pages have probably been closed, and we discard
/// the oldest ticket. That way, requests for one stream can't use up another stream's tickets.
const FOR_A_STREAM: usize = 16;

/// The unused tickets, with the oldest first, each with the stream that it opens. If each person
/// has their own stream, `S` says whose stream it is.
#[derive(Debug)]
pub struct Tickets<S> {
    made: RefCell<Vec<Made<S>>>,
}

#[derive(Debug)]
struct Made<S> {
    ticket: String,
    stream: S,
    at: Instant,
}

impl<S> Default for Tickets<S> {
    fn default() -> Self {
        Tickets { made: RefCell::default() }
    }
}

impl<S: PartialEq> Tickets<S> {
    /// Creates a ticket.
    pub fn ticket(&self, stream: S) -> Result<String, Refusal> {
        let ticket = new_token().map_err(|_| {
            Refusal(StatusCode::SERVICE_UNAVAILABLE, "the kernel can't provide random bytes")
        })?;
        let mut all = self.made.borrow_mut();
        all.retain(|made| made.at.elapsed() < GOOD_FOR);
        if all.iter().filter(|made| made.stream == stream).count() >= FOR_A_STREAM
            && let Some(oldest) = all.iter().position(|made| made.stream == stream)
        {
            all.remove(oldest);
        }
        all.push(Made { ticket: ticket.clone(), stream, at: Instant::now() });
        Ok(ticket)
    }

    /// Uses up a ticket and returns the stream that it opens.
    pub fn redeem(&self, ticket: &str) -> Result<S, Refusal> {
        let mut all = self.made.borrow_mut();
        let found = all.iter().position(|made| made.ticket == ticket);
        let good = found.map(|at| all.remove(at)).filter(|made| made.at.elapsed() < GOOD_FOR);
        good.map(|made| made.stream)
            .ok_or(Refusal(StatusCode::FORBIDDEN, "the ticket is unknown, used or expired"))
    }
}

/// Returns a token that nobody can guess.
pub fn new_token() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    // One call is enough, since it returns up to 256 bytes at once or fails.
    getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    Ok(bytes.iter().fold(String::new(), |mut token, byte| {
        // Writing to a String never fails.
        let _ = write!(token, "{byte:02x}");
        token
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_for_many_tickets_uses_up_their_own() {
        let tickets = Tickets::default();
        let ticket = |whose: &'static str| tickets.ticket(whose).unwrap();
        let (anns, bobs_first) = (ticket("Ann"), ticket("Bob"));
        let bobs: Vec<String> = (0..3000).map(|_| ticket("Bob")).collect();
        assert_eq!(tickets.redeem(&anns).unwrap(), "Ann");
        assert!(tickets.redeem(&bobs_first).is_err(), "the oldest has made room");
        for newest in bobs.iter().rev().take(FOR_A_STREAM) {
            assert_eq!(tickets.redeem(newest).unwrap(), "Bob");
            assert!(tickets.redeem(newest).is_err(), "once");
        }
        assert!(tickets.made.borrow().is_empty());
    }
}
