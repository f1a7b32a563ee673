//! The exercises of step 03, in the order they are solved.

use workbook::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "3.1",
        name: "add",
        task: "Register a descriptor with epoll, and file its key if epoll takes it.",
        minutes: 15,
        scenes: &["a_key_and_its_data", "where_backends_differ"],
        hints: &[
            "Three things can be wrong: no interest, a number that is registered, a descriptor that \
             the kernel refuses. After each of them nothing may be left behind.",
            "An empty interest is ErrorKind::InvalidInput. registry.next_token finds the number \
             taken, and gives the token for epoll. registry.insert comes last.",
            "if key.interest.is_empty() { return Err(…) } let token = \
             self.registry.next_token(&fd)?; self.epoll.add(&fd, token, key.interest, \
             key.trigger)?; self.registry.insert(&fd, key); Ok(())",
        ],
    },
    Exercise {
        number: "3.2",
        name: "select",
        task: "Wait, and turn each event into what its key's owner wants to know.",
        minutes: 15,
        scenes: &["one_select", "hangup_wakes_all", "reused_number"],
        hints: &[
            "The list is handed in, perhaps with the answers of the last time in it. And an event \
             may be for a registration that no longer stands.",
            "Clear the list; wait into self.events; for each event ask registry.by_token, and if \
             there is a key, Ready::new makes an Option of it.",
            "ready.clear(); self.epoll.wait(&mut self.events, timeout)?; for event in &self.events { \
             if let Some(key) = self.registry.by_token(event.token()) { \
             ready.extend(Ready::new(key, event)); } } Ok(())",
        ],
    },
    Exercise {
        number: "3.3",
        name: "modify",
        task: "Change interest and data of a key, and ask the kernel only if it has to know.",
        minutes: 15,
        scenes: &["change_of_mind", "unchanged_asks_nobody"],
        hints: &[
            "The kernel knows the interest and not the data. Which changes does it have to hear of?",
            "registry.find gives the token and a &mut to the key, or NotFound. If the kernel refuses \
             the change, the key must stay as it was.",
            "let (token, key) = self.registry.find(&fd)?; if interest != key.interest { \
             self.epoll.modify(&fd, token, interest, key.trigger)?; } Then std::mem::replace(key, \
             SelectorKey { interest, trigger: key.trigger, data }).",
        ],
    },
];
