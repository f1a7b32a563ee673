//! The exercises of step 03, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "3.1",
        name: "insert",
        task: "File a key under its number, as a registration that no other one is taken for.",
        minutes: 10,
        scenes: &["reregistering_gives_a_new_token"],
        hints: &[
            "The list has a place for each number, and numbers do not come in order. And what \
             tells two registrations of one number apart?",
            "Make the list long enough: resize_with(place + 1, || None). Count the registrations \
             in self.generation, as next_token has promised: one more than before, wrapping.",
            "let place = number_of(&fd) as usize; if place >= self.places.len() { \
             self.places.resize_with(place + 1, || None); } self.generation = \
             self.generation.wrapping_add(1); self.places[place] = Some(Registered { generation: \
             self.generation, key });",
        ],
    },
    Exercise {
        number: "3.2",
        name: "by_token",
        task: "Find the key that a token was given for, unless that registration has ended.",
        minutes: 10,
        scenes: &["stale_token_finds_nothing"],
        hints: &[
            "A token has two halves: token() at the end of the file shows which. Which of them \
             finds the place, and what is the other one for?",
            "The lower 32 bits are the number: places.get of it, which may be None twice over. The \
             upper 32 are the generation, and must be that of whoever is there.",
            "let (generation, number) = ((token >> 32) as u32, token as u32); let registered = \
             self.places.get(number as usize)?.as_ref()?; (registered.generation == \
             generation).then_some(&registered.key)",
        ],
    },
    Exercise {
        number: "3.3",
        name: "ready",
        task: "Say what an event means to whoever registered the key: perhaps nothing.",
        minutes: 15,
        scenes: &["what_an_event_means"],
        hints: &[
            "Two questions: what is ready at all, and which part of that was asked for? The \
             event's own methods count a hang-up for both directions already.",
            "Collect READABLE and WRITABLE from event.is_readable() and is_writable(), and keep \
             what is in self.interest, too (&). If nothing is left, nothing happened for this key.",
            "read_closed is is_read_hangup, is_hangup or is_error; write_closed is is_hangup or \
             is_error. (!interest.is_empty()).then(|| ReadyEvent { data: self.data.clone(), interest, \
             read_closed: …, write_closed: … })",
        ],
    },
    Exercise {
        number: "3.4",
        name: "add",
        task: "Register a descriptor with epoll, and file its key if epoll takes it.",
        minutes: 15,
        scenes: &["register_and_get_key", "where_backends_differ", "selector_owns_epoll"],
        hints: &[
            "Three things can be wrong: no interest, a number that is registered, a descriptor \
             that the kernel refuses. After each of them nothing may be left behind.",
            "An empty interest is ErrorKind::InvalidInput. registry.next_token finds the number \
             taken, and gives the token for epoll. registry.insert comes last.",
            "if key.interest.is_empty() { return Err(…) } let token = \
             self.registry.next_token(&fd)?; self.epoll.add(&fd, token, key.interest, \
             key.trigger)?; self.registry.insert(&fd, key); Ok(())",
        ],
    },
    Exercise {
        number: "3.5",
        name: "unregister",
        task: "Forget a descriptor, here and in the kernel, even if the kernel was quicker.",
        minutes: 10,
        scenes: &["unregister_errors"],
        hints: &[
            "Two parties know the descriptor, and both shall forget it. Which of the two may have \
             forgotten it without you, and is that an error?",
            "registry.remove(&fd)? gives the key, or NotFound for a stranger. Then \
             epoll.delete(&fd), which fails with EBADF, ENOENT or EPERM if the number was closed \
             and is free, another object's, or a file's by now.",
            "let key = self.registry.remove(&fd)?; let _ = self.epoll.delete(&fd); Ok(key)",
        ],
    },
    Exercise {
        number: "3.6",
        name: "select",
        task: "Wait, and turn each event into what its key's owner wants to know.",
        minutes: 15,
        scenes: &[
            "select_reports_the_ready",
            "hangup_wakes_all",
            "signal_interrupts_select",
            "reused_descriptor",
            "closed_without_unregister",
        ],
        hints: &[
            "The list is handed in, perhaps with the answers of the last time in it. And an event \
             may be for a registration that no longer stands.",
            "Clear the list; wait once into self.events; for each event ask registry.by_token, and \
             if there is a key, key.ready(event) makes an Option of it. No events at all is an \
             answer, too.",
            "ready.clear(); self.epoll.wait(&mut self.events, timeout)?; for event in &self.events \
             { if let Some(key) = self.registry.by_token(event.token()) { \
             ready.extend(key.ready(event)); } } Ok(())",
        ],
    },
    Exercise {
        number: "3.7",
        name: "modify",
        task: "Change interest and data of a key, and ask the kernel only if it has to know.",
        minutes: 15,
        scenes: &[
            "modify_changes_interest",
            "unchanged_modify_makes_no_call",
            "same_script_on_asyncio",
        ],
        hints: &[
            "The kernel knows the interest and not the data. Which changes does it have to hear \
             of?",
            "registry.find gives the token and a &mut to the key, or NotFound. If the kernel \
             refuses the change, the key must stay as it was.",
            "let (token, key) = self.registry.find(&fd)?; if interest != key.interest { \
             self.epoll.modify(&fd, token, interest, key.trigger)?; } Then std::mem::replace(key, \
             SelectorKey { interest, trigger: key.trigger, data }).",
        ],
    },
];
