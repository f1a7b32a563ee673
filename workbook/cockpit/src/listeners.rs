//! Streams that send the same events to any number of pages.

use std::cell::RefCell;
use std::time::Duration;

use async_channel::{Receiver, Sender, TrySendError, bounded};
use bytes::Bytes;
use ecosystem::LoopTimer;
use futures_util::Stream;
use futures_util::future::{Either, select};
use futures_util::stream::unfold;

/// The maximum number of events that can wait for a page. A page that falls further behind is
/// disconnected. It then reconnects and receives the current state.
const BEHIND: usize = 256;

/// The time after which a silent stream sends a keep-alive message. Sending the message reveals
/// whether the page is still connected.
const SILENCE: Duration = Duration::from_secs(15);

/// The pages that receive the same events.
#[derive(Debug, Default)]
pub struct Listeners {
    senders: RefCell<Vec<Sender<Bytes>>>,
}

impl Listeners {
    /// Adds a page and returns its stream, which begins with these events.
    pub fn add(&self, first: Vec<Bytes>) -> impl Stream<Item = Bytes> + use<> {
        let (sender, receiver) = bounded(BEHIND + first.len());
        for event in first {
            // The queue is new and has room for these events.
            let _ = sender.try_send(event);
        }
        self.senders.borrow_mut().push(sender);
        kept_alive(receiver)
    }

    /// Sends an event to all pages.
    pub fn tell(&self, event: &Bytes) {
        let heard = |sender: &Sender<Bytes>| match sender.try_send(event.clone()) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                sender.close();
                false
            }
            Err(TrySendError::Closed(_)) => false,
        };
        self.senders.borrow_mut().retain(heard);
    }

    /// Returns the number of pages.
    pub fn count(&self) -> usize {
        let mut senders = self.senders.borrow_mut();
        senders.retain(|sender| !sender.is_closed());
        senders.len()
    }

    /// Ends all streams.
    pub fn end(&self) {
        self.senders.borrow_mut().clear();
    }
}

/// Returns a line as a server-sent event.
pub fn event(line: &str) -> Bytes {
    Bytes::from(format!("data: {line}\n\n"))
}

fn kept_alive(events: Receiver<Bytes>) -> impl Stream<Item = Bytes> {
    unfold(events, async |events| {
        let event = match select(Box::pin(events.recv()), LoopTimer.sleep(SILENCE)).await {
            Either::Left((Ok(event), _)) => event,
            Either::Left((Err(_), _)) => return None,
            Either::Right(_) => Bytes::from_static(b":\n\n"),
        };
        Some((event, events))
    })
}
