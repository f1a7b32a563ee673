//! The exercises of step 03, in the order they are solved.

use scene::{Exercise, Nudge};

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "3.1",
        name: "insert",
        task: "Put a value at its index, as a new entry that no older token finds.",
        minutes: 10,
        only_here: None,
        scenes: &["reregistering_gives_a_new_token"],
        trials: &["inserts_in_any_order", "inserting_into_a_long_table"],
        nudges: &[
            Nudge {
                at: "reregistering_gives_a_new_token",
                sees: "not as next_token said",
                hint: "next_token looks ahead: it's what the generation will be after the entry is \
                       counted. So count first.",
            },
            Nudge {
                at: "reregistering_gives_a_new_token",
                sees: "is not registered",
                hint: "An index can be below the highest one. Then the list must keep its length, \
                       with all that's in it.",
            },
        ],
        hints: &[
            "The list has a slot for each index, and indices don't come in order. And what tells \
             two entries at one index apart?",
            "Make the list long enough: resize_with(index + 1, || None). Count the entries in \
             self.generation, as next_token has promised: one more than before, wrapping.",
            "
        let index = index as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        self.generation = self.generation.wrapping_add(1);
        self.slots[index] = Some(Slot { generation: self.generation, value });
",
        ],
    },
    Exercise {
        number: "3.2",
        name: "by_token",
        task: "Find the value that a token was made for, unless that entry has ended.",
        minutes: 5,
        only_here: None,
        scenes: &["stale_token_finds_nothing"],
        trials: &["tokens_of_all_kinds", "looking_up_in_a_long_table"],
        nudges: &[
            Nudge {
                at: "stale_token_finds_nothing",
                sees: "new registered: new (READABLE)",
                hint: "The old token found the new entry, which is at the same index. What do the \
                       two tokens differ in?",
            },
            Nudge {
                at: "stale_token_finds_nothing",
                sees: "index out of bounds",
                hint: "A token can be about an index that the list doesn't reach. slots.get returns \
                       None then.",
            },
            Nudge {
                at: "tokens_of_all_kinds",
                sees: "by_token of",
                hint: "Only one generation is the right one. An older one is stale, and a newer one \
                       hasn't been made yet.",
            },
        ],
        hints: &[
            "A token has two halves: token() at the end of the file shows which. Which of them \
             finds the slot, and what is the other one for?",
            "The lower 32 bits are the index. slots.get of it returns an Option of an Option, and \
             either can be None. The upper 32 are the generation, and must equal that of the entry \
             in the slot.",
            "
        let (generation, index) = ((token >> 32) as u32, token as u32);
        let slot = self.slots.get(index as usize)?.as_ref()?;
        (slot.generation == generation).then_some(&slot.value)
",
        ],
    },
    Exercise {
        number: "3.3",
        name: "ready",
        task: "Translate an event for a key's owner, or return None if it isn't in the key's interest.",
        minutes: 15,
        only_here: None,
        scenes: &["what_an_event_means"],
        trials: &["events_of_all_kinds"],
        nudges: &[
            Nudge {
                at: "what_an_event_means",
                sees: "READABLE: NONE",
                hint: "If no direction is left, there's nothing to tell: return None.",
            },
            Nudge {
                at: "what_an_event_means",
                sees: "closed",
                hint: "See the docs of ReadyEvent's fields: which of the event's three, \
                       is_read_hangup, is_hangup and is_error, closes which side?",
            },
        ],
        hints: &[
            "Two questions: what's ready at all, and which part of that is in the key's interest? \
             The event's own methods already say that a hang-up makes both directions ready.",
            "Collect READABLE and WRITABLE from event.is_readable() and is_writable(), and keep \
             those that are in self.interest too (&). If none is left, return None. A hang-up or an \
             error closes both sides, and a read hang-up only the reading side.",
            "
        let mut found = Interest::NONE;
        if event.is_readable() {
            found |= Interest::READABLE;
        }
        if event.is_writable() {
            found |= Interest::WRITABLE;
        }
        let interest = found & self.interest;
        (!interest.is_empty()).then(|| ReadyEvent {
            data: self.data.clone(),
            interest,
            read_closed: event.is_read_hangup() || event.is_hangup() || event.is_error(),
            write_closed: event.is_hangup() || event.is_error(),
        })
",
        ],
    },
    Exercise {
        number: "3.4",
        name: "add",
        task: "Register a descriptor with epoll, and file its key if epoll accepts it.",
        minutes: 15,
        only_here: None,
        scenes: &["register_and_get_key", "where_backends_differ", "selector_owns_epoll"],
        trials: &["first_registrations", "registers_in_any_order"],
        nudges: &[
            Nudge {
                at: "register_and_get_key",
                sees: "NONE:",
                hint: "epoll takes an interest without a direction, but the selector doesn't: see \
                       what register's docs in selector.rs promise.",
            },
            Nudge {
                at: "where_backends_differ",
                sees: "its key",
                hint: "epoll has refused the file, and still there's a key for it. In which order do \
                       you tell the two?",
            },
        ],
        hints: &[
            "Three things can be wrong: no interest, a descriptor that's registered already, or one \
             that the kernel refuses. None of them must leave anything behind.",
            "An empty interest is no_direction(), an InvalidInput. registry.next_token fails if the \
             descriptor is registered, and otherwise returns the token for epoll. registry.insert \
             comes last.",
            "
        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        self.epoll.add(&fd, token, key.interest, key.trigger)?;
        self.registry.insert(&fd, key);
        Ok(())
",
        ],
    },
    Exercise {
        number: "3.5",
        name: "unregister",
        task: "Unregister a descriptor, here and in the kernel, even if the kernel has dropped it.",
        minutes: 10,
        only_here: None,
        scenes: &["unregister_errors"],
        trials: &["unregisters_what_is_gone", "unregisters_reused", "unregisters_in_any_order"],
        nudges: &[
            Nudge {
                at: "unregister_errors",
                sees: "NotFound",
                hint: "epoll finds nothing under the number, because its descriptor was closed. For \
                       the caller that's no error: what was to go is gone.",
            },
            Nudge {
                at: "unregister_errors",
                sees: "PermissionDenied",
                hint: "The number belongs to a file now, which epoll can't have on its list. What \
                       does that say about the descriptor that was registered?",
            },
        ],
        hints: &[
            "The registry and the kernel both know the descriptor, and both should drop it. Which of \
             them can have dropped it already, and is that an error?",
            "registry.remove(&fd)? returns the key, or NotFound. Then epoll.delete(&fd) fails with \
             EBADF, ENOENT or EPERM if the descriptor was closed and is now free, another object's, \
             or a file's.",
            "
        let key = self.registry.remove(&fd)?;
        let _ = self.epoll.delete(&fd);
        Ok(key)
",
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
        trials: &[
            "selects_in_any_order",
            "many_at_once",
            "sleeps_as_long_as_asked",
            "waits_that_fail",
        ],
        nudges: &[
            Nudge {
                at: "select_reports_the_ready",
                sees: "WRITABLE], [near",
                hint: "The list still has the events of the wait before.",
            },
            Nudge {
                at: "reused_descriptor",
                sees: "busy",
                hint: "A stale event is reported again in every wait, so waiting on for a better one \
                       never ends.",
            },
            Nudge {
                at: "signal_interrupts_select",
                sees: "asleep",
                hint: "A wait that finds nothing isn't a reason to wait again. The caller decides \
                       that: it may have a timer that's due.",
            },
        ],
        hints: &[
            "The caller passes the list in, perhaps with the events of the last wait in it. And an \
             event can be stale: its registration has ended.",
            "Clear the list. Wait once, into self.events. Look up each event's token with \
             registry.by_token; if there's a key, key.ready(event) returns an Option. Finding \
             nothing at all is fine.",
            "
        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
",
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
        trials: &["modifies_that_fail", "modifies_reused", "modifies_in_any_order"],
        nudges: &[
            Nudge {
                at: "unchanged_modify_makes_no_call",
                sees: "same interest",
                hint: "Every EPOLL_CTL_MOD arms an edge again. The kernel doesn't know the data, so \
                       what does it have to be told?",
            },
            Nudge {
                at: "modifies_that_fail",
                sees: "keys:",
                hint: "The key and the kernel's entry differ now. Either the kernel wasn't told of a \
                       change, or it has refused one that the key has got all the same.",
            },
        ],
        hints: &[
            "The kernel knows the interest but not the data. Which changes concern it?",
            "registry.find returns the token and a &mut to the key, or NotFound. If the kernel \
             refuses the change, the key must stay as it was.",
            "
        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest {
            self.epoll.modify(&fd, token, interest, key.trigger)?;
        }
        let changed = SelectorKey { interest, trigger: key.trigger, data };
        Ok(std::mem::replace(key, changed))
",
        ],
    },
];
