//! The exercises of step 03, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "3.1",
        name: "insert",
        task: "Put a value at its index, as a new entry that no older token finds.",
        minutes: 10,
        only_here: None,
        scenes: &["reregistering_gives_a_new_token"],
        trials: &[],
        nudges: &[],
        hints: &[
            "The list has a slot for each index, and indices don't come in order. And what tells \
             two entries at one index apart?",
            "Make the list long enough: resize_with(index + 1, || None). Count the entries in \
             self.generation, as next_token has promised: one more than before, wrapping.",
            "let index = index as usize; if index >= self.slots.len() { \
             self.slots.resize_with(index + 1, || None); } self.generation = \
             self.generation.wrapping_add(1); self.slots[index] = Some(Slot { generation: \
             self.generation, value });",
        ],
    },
    Exercise {
        number: "3.2",
        name: "by_token",
        task: "Find the value that a token was made for, unless that entry has ended.",
        minutes: 10,
        only_here: None,
        scenes: &["stale_token_finds_nothing"],
        trials: &[],
        nudges: &[],
        hints: &[
            "A token has two halves: token() at the end of the file shows which. Which of them \
             finds the slot, and what is the other one for?",
            "The lower 32 bits are the index. slots.get of it returns an Option of an Option, and \
             either can be None. The upper 32 are the generation, and must equal that of the entry \
             in the slot.",
            "let (generation, index) = ((token >> 32) as u32, token as u32); let slot = \
             self.slots.get(index as usize)?.as_ref()?; (slot.generation == \
             generation).then_some(&slot.value)",
        ],
    },
    Exercise {
        number: "3.3",
        name: "ready",
        task: "Translate an event for a key's owner, or to None if it isn't in the key's interest.",
        minutes: 15,
        only_here: None,
        scenes: &["what_an_event_means"],
        trials: &[],
        nudges: &[],
        hints: &[
            "Two questions: what's ready at all, and which part of that is in the key's interest? \
             The event's own methods already say that a hang-up makes both directions ready.",
            "Collect READABLE and WRITABLE from event.is_readable() and is_writable(), and keep \
             those that are in self.interest too (&). If none is left, return None.",
            "read_closed is is_read_hangup, is_hangup or is_error; write_closed is is_hangup or \
             is_error. (!interest.is_empty()).then(|| ReadyEvent { data: self.data.clone(), interest, \
             read_closed: …, write_closed: … })",
        ],
    },
    Exercise {
        number: "3.4",
        name: "add",
        task: "Register a descriptor with epoll, and file its key if epoll accepts it.",
        minutes: 15,
        only_here: None,
        scenes: &["register_and_get_key", "where_backends_differ", "selector_owns_epoll"],
        trials: &[],
        nudges: &[],
        hints: &[
            "Three things can be wrong: no interest, a descriptor that's registered already, or one \
             that the kernel refuses. None of them must leave anything behind.",
            "An empty interest is no_direction(), an InvalidInput. registry.next_token fails if the \
             descriptor is registered, and otherwise returns the token for epoll. registry.insert \
             comes last.",
            "if key.interest.is_empty() { return Err(…) } let token = \
             self.registry.next_token(&fd)?; self.epoll.add(&fd, token, key.interest, \
             key.trigger)?; self.registry.insert(&fd, key); Ok(())",
        ],
    },
    Exercise {
        number: "3.5",
        name: "unregister",
        task: "Unregister a descriptor, here and in the kernel, even if the kernel has dropped it.",
        minutes: 10,
        only_here: None,
        scenes: &["unregister_errors"],
        trials: &[],
        nudges: &[],
        hints: &[
            "The registry and the kernel both know the descriptor, and both should drop it. Which of \
             them can have dropped it already, and is that an error?",
            "registry.remove(&fd)? returns the key, or NotFound. Then epoll.delete(&fd) fails with \
             EBADF, ENOENT or EPERM if the descriptor was closed and is now free, another object's, \
             or a file's.",
            "let key = self.registry.remove(&fd)?; let _ = self.epoll.delete(&fd); Ok(key)",
        ],
    },
    Exercise {
        number: "3.6",
        name: "select",
        task: "Wait, and translate each event for the owner of its key.",
        minutes: 15,
        only_here: None,
        scenes: &[
            "select_reports_the_ready",
            "hangup_wakes_all",
            "signal_interrupts_select",
            "reused_descriptor",
            "closed_without_unregister",
        ],
        trials: &[],
        nudges: &[],
        hints: &[
            "The caller passes the list in, perhaps with the events of the last wait in it. And an \
             event can be stale: its registration has ended.",
            "Clear the list. Wait once, into self.events. Look up each event's token with \
             registry.by_token; if there's a key, key.ready(event) returns an Option. Finding \
             nothing at all is fine.",
            "ready.clear(); self.epoll.wait(&mut self.events, timeout)?; for event in &self.events \
             { if let Some(key) = self.registry.by_token(event.token()) { \
             ready.extend(key.ready(event)); } } Ok(())",
        ],
    },
    Exercise {
        number: "3.7",
        name: "modify",
        task: "Change a key's interest and data, with a system call only if the kernel has to know.",
        minutes: 15,
        only_here: None,
        scenes: &[
            "modify_changes_interest",
            "unchanged_modify_makes_no_call",
            "same_script_on_asyncio",
        ],
        trials: &[],
        nudges: &[],
        hints: &[
            "The kernel knows the interest but not the data. Which changes concern it?",
            "registry.find returns the token and a &mut to the key, or NotFound. If the kernel \
             refuses the change, the key must stay as it was.",
            "let (token, key) = self.registry.find(&fd)?; if interest != key.interest { \
             self.epoll.modify(&fd, token, interest, key.trigger)?; } Then std::mem::replace(key, \
             SelectorKey { interest, trigger: key.trigger, data }).",
        ],
    },
];
