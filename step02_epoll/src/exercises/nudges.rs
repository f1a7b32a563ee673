//! The hints for particular mistakes in step 02's exercises. A reader who has made one sees its hint
//! first.

use scene::Nudge;

pub(super) const MILLISECONDS: &[Nudge] = &[
    Nudge {
        at: "milliseconds_of_any_timeout",
        sees: "overflow",
        hint: "Duration::MAX is more than 64 bits of nanoseconds: adding to it panics.",
    },
    Nudge {
        at: "milliseconds_of_any_timeout",
        sees: "milliseconds(None)",
        hint: "None means that the wait never times out: epoll_wait(2) has a number for that.",
    },
    Nudge {
        at: "milliseconds_of_any_timeout",
        sees: "Some(1ns)",
        hint: "What becomes of a single nanosecond in the unit that you count in?",
    },
    Nudge {
        at: "whole_milliseconds",
        sees: "waits until a 200 µs timer is due",
        hint: "as_millis() cuts off what is less than a millisecond, and then the wait is \
               over too early.",
    },
];

pub(super) const EVENT_BITS: &[Nudge] = &[
    Nudge {
        at: "interest_list_entries",
        sees: "RDHUP",
        hint: "A reader asks for two bits: for bytes, and for the end of what the other \
               side sends.",
    },
    Nudge {
        at: "bits_of_every_interest",
        sees: "READABLE | WRITABLE",
        hint: "An Interest is a set, so check for each direction with contains. \
               Comparing it with one direction misses both.",
    },
    Nudge {
        at: "bits_of_every_interest",
        sees: "PRI",
        hint: "EPOLLPRI announces urgent data, which a read doesn't return.",
    },
];

pub(super) const WAIT: &[Nudge] = &[
    Nudge {
        at: "what_ends_a_wait",
        sees: "Interrupted",
        hint: "Look at the kind of the error before you return it: EINTR only means that \
               a signal has arrived.",
    },
    Nudge {
        at: "what_ends_a_wait",
        sees: "returned 0 events",
        hint: "The kernel has written events into the room, but events doesn't know how \
               many: call set_count.",
    },
    Nudge {
        at: "waits_cost_one_call",
        sees: "allocations",
        hint: "events.room() is memory for the kernel to write to: you need no other.",
    },
    Nudge {
        at: "waits_cost_one_call",
        sees: "fails",
        hint: "You look with a timeout of zero before you sleep. epoll_wait(2) looks by \
               itself, and only then sleeps.",
    },
];

pub(super) const IS_READABLE: &[Nudge] = &[
    Nudge {
        at: "hangup_needs_no_interest",
        sees: "closes:     HUP",
        hint: "A hang-up makes a read return at once, too: what does it return?",
    },
    Nudge {
        at: "readable_or_not",
        sees: "OUT }",
        hint: "Room for a write says nothing about a read.",
    },
    Nudge {
        at: "readable_or_not",
        sees: "",
        hint: "An event can have several bits: check whether one of yours is among them.",
    },
];

const ONLY_WRITE: &str = "While something is unsent, a turn only writes. If it reads on, the client \
                          decides how much memory you need.";

const WAITING: &str = "Echoed means that something was read or written, and that nothing is unsent. \
                       Otherwise return Waiting. After a write, after_writing() knows which.";

pub(super) const ECHO: &[Nudge] = &[
    Nudge { at: "a_connection_in_any_order", sees: "takes nothing", hint: ONLY_WRITE },
    Nudge { at: "a_connection_in_any_order", sees: "to write what's unsent", hint: ONLY_WRITE },
    Nudge { at: "a_connection_in_any_order", sees: "returns Ok(Echoed)", hint: WAITING },
    Nudge { at: "an_answer_in_parts", sees: "Ok(Echoed)", hint: WAITING },
    Nudge {
        at: "a_connection_in_any_order",
        sees: "returns Ok(Waiting)",
        hint: "The socket has taken everything, or would have taken it: that's Echoed, and \
               after_writing() says so. Read once, and write that in the same turn.",
    },
    Nudge {
        at: "a_connection_in_any_order",
        sees: "memory",
        hint: "after_writing() also frees the memory of an outbox that has become empty.",
    },
    Nudge {
        at: "a_client_that_is_gone",
        sees: "Ok(",
        hint: "A broken connection isn't an end: return the errors of read and of the \
               outbox.",
    },
    Nudge {
        at: "a_connection_in_any_order",
        sees: "echo, scratch",
        hint: "One turn is one read, into all of scratch.",
    },
];

pub(super) const TURN: &[Nudge] = &[
    Nudge {
        at: "accepting_goes_on_after_a_pause",
        sees: "",
        hint: "The server has a wait of its own, which also ends a pause in accepting: \
               self.wait(events), and not self.epoll.wait.",
    },
    Nudge {
        at: "a_broken_loop_fails",
        sees: "",
        hint: "If wait, accept or echo fails, the loop itself is broken: use `?`.",
    },
    Nudge {
        at: "clients_in_any_order",
        sees: "turn",
        hint: "Each event of a wait gets its turn, whatever it says and whoever is before \
               it: echo finds out what there is to do.",
    },
];

pub(super) const CONNECT: &[Nudge] = &[
    Nudge {
        at: "every_answer_of_connect",
        sees: "Interrupted",
        hint: "The signal has ended your call, and not the kernel's work.",
    },
    Nudge {
        at: "connecting_takes_no_time",
        sees: "Operation now in progress",
        hint: "EINPROGRESS isn't an error here. (`check` wraps it: compare errno(&error).)",
    },
];

pub(super) const FINISH: &[Nudge] = &[
    Nudge {
        at: "connected_or_not",
        sees: "without a listener",
        hint: "Writable can mean failed. SO_ERROR says so, once: reading it clears it.",
    },
    Nudge {
        at: "connected_or_not",
        sees: "queue is full",
        hint: "There's no error and no connection yet: does the socket have a peer?",
    },
    Nudge {
        at: "questions_that_fail",
        sees: "finish asks, and returns",
        hint: "The question itself can fail. Return its error, whatever it is: only NotConnected, \
               from the question for the peer, means that the connection isn't made yet.",
    },
];
