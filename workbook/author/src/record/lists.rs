//! The interest lists of epoll objects and the events that each wait reported.

use serde_json::{Value, json};

use super::names::Names;
use super::noted::Noted;

/// The lists of all epoll objects in a run.
pub(super) struct EpollLists {
    registered: Vec<Registered>,
    has_several_epolls: bool,
}

/// A registration on an epoll object's interest list.
struct Registered {
    epoll: String,
    /// The descriptor, or an empty string once the descriptor is closed.
    descriptor: String,
    name: String,
    description: usize,
    token: String,
    interest: String,
    ready: String,
}

impl EpollLists {
    /// Creates empty lists for a run.
    pub(super) fn new(noted: &[Noted<'_>]) -> Self {
        let mut epolls: Vec<&str> =
            noted.iter().filter_map(|it| it.words("registers").first().copied()).collect();
        epolls.sort_unstable();
        epolls.dedup();
        EpollLists { registered: Vec::new(), has_several_epolls: epolls.len() > 1 }
    }

    /// Applies an `epoll_ctl` call to a list.
    pub(super) fn change(&mut self, noted: &Noted<'_>, names: &Names) {
        if let [epoll, descriptor, token, interest] = noted.words("registers")[..] {
            let registered = Registered {
                epoll: epoll.to_owned(),
                descriptor: descriptor.to_owned(),
                name: names.of(descriptor),
                description: names.description(descriptor),
                token: token.to_owned(),
                interest: interest.to_owned(),
                ready: String::new(),
            };
            match self.position(epoll, descriptor) {
                Some(place) => self.registered[place] = registered,
                None => self.registered.push(registered),
            }
        }
        if let [epoll, descriptor] = noted.words("unregisters")[..]
            && let Some(place) = self.position(epoll, descriptor)
        {
            self.registered.remove(place);
        }
    }

    fn position(&self, epoll: &str, descriptor: &str) -> Option<usize> {
        self.registered.iter().position(|it| it.epoll == epoll && it.descriptor == descriptor)
    }

    /// Records the events from a wait and returns a description of them, or `None` if the moment
    /// isn't a wait's return.
    pub(super) fn report(&mut self, noted: &Noted<'_>) -> Option<String> {
        let words = noted.words("reports");
        let (epoll, events) = words.split_first()?;
        let mut reported = Vec::new();
        let mut registered: Vec<&mut Registered> =
            self.registered.iter_mut().filter(|it| it.epoll == *epoll).collect();
        for registered in &mut registered {
            registered.ready.clear();
        }
        for event in events {
            let (token, ready) = event.split_once(':')?;
            let name = match registered.iter_mut().find(|it| it.token == token) {
                Some(registered) => {
                    ready.clone_into(&mut registered.ready);
                    registered.name.clone()
                }
                None => format!("token {token}"),
            };
            reported.push(format!("{name} {ready}"));
        }
        Some(reported.join(", "))
    }

    /// Forgets a closed descriptor. The kernel removes a registration when the open file
    /// description has no descriptors left, so the registration remains on the list, as a ghost,
    /// while a duplicate of the descriptor is open.
    pub(super) fn close(&mut self, closed: &str, names: &Names) {
        self.registered.retain(|it| it.epoll != closed && names.is_open(it.description));
        for ghost in self.registered.iter_mut().filter(|it| it.descriptor == closed) {
            ghost.descriptor.clear();
            ghost.name += " (closed)";
        }
    }

    /// Returns the current lists as JSON, for a moment.
    pub(super) fn described(&self, names: &Names) -> Value {
        let described = self.registered.iter().map(|it| {
            let name = if self.has_several_epolls {
                format!("{} in {}", it.name, names.of(&it.epoll))
            } else {
                it.name.clone()
            };
            json!({ "name": name, "interest": it.interest, "ready": it.ready })
        });
        described.collect()
    }
}
