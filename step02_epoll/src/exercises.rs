//! The exercises of step 02, in the order they are solved.

use scene::{Exercise, Nudge};

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "2.1",
        name: "milliseconds",
        task: "Convert a timeout to whole milliseconds, so that no wait ends early.",
        minutes: 10,
        only_here: None,
        scenes: &["whole_milliseconds"],
        trials: &["milliseconds_of_any_timeout"],
        nudges: &[
            Nudge {
                at: "milliseconds_of_any_timeout",
                sees: "overflow",
                hint: "Duration::MAX is more than 64 bits of nanoseconds: adding to it panics.",
            },
            Nudge {
                at: "milliseconds_of_any_timeout",
                sees: "milliseconds(None)",
                hint: "None means that no time ends the wait: epoll_wait(2) has a number for that.",
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
        ],
        hints: &[
            "A loop wants to sleep for 200 µs, until its next timer, and gets 0 ms. What does it do \
             next, and how often?",
            "Round up: one nanosecond more than 1 ms is 2 ms. None is −1. And a Duration can be far \
             longer than a c_int of milliseconds.",
            include_str!("../tests/answers/milliseconds/right_in_the_hint.rs"),
        ],
    },
    Exercise {
        number: "2.2",
        name: "event_bits",
        task: "Return the bits that tell epoll what to wait for, and how often to report it.",
        minutes: 10,
        only_here: None,
        scenes: &["interest_list_entries", "epoll_ctl_errors"],
        trials: &["bits_of_every_interest"],
        nudges: &[
            Nudge {
                at: "interest_list_entries",
                sees: "RDHUP",
                hint: "A reader asks for two bits: for bytes, and for the end of what the other \
                       side sends.",
            },
            Nudge {
                at: "bits_of_every_interest",
                sees: "READABLE | WRITABLE",
                hint: "An Interest is a set, so ask it for each direction with contains. \
                       Comparing it with one direction misses both.",
            },
            Nudge {
                at: "bits_of_every_interest",
                sees: "PRI",
                hint: "EPOLLPRI announces urgent data, which a read doesn't return.",
            },
        ],
        hints: &[
            "`man 2 epoll_ctl` lists the bits. Which two are for reading, and which ones does the \
             kernel report without being asked?",
            "READABLE is EPOLLIN and EPOLLRDHUP, WRITABLE is EPOLLOUT. Level needs no bit, edge is \
             EPOLLET, one-shot is EPOLLONESHOT.",
            include_str!("../tests/answers/event_bits/right_in_the_hint.rs"),
        ],
    },
    Exercise {
        number: "2.3",
        name: "wait",
        task: "Sleep until something is ready, time is up or a signal arrives; keep the count.",
        minutes: 20,
        only_here: None,
        scenes: &["what_ends_a_wait", "one_wait_for_all", "more_ready_than_room"],
        trials: &[
            "ready_descriptors_in_any_order",
            "many_are_ready",
            "sleeps_for_the_whole_timeout",
            "events_do_not_outlive_their_wait",
            "waits_cost_one_call",
        ],
        nudges: &[
            Nudge {
                at: "what_ends_a_wait",
                sees: "Interrupted",
                hint: "Look at the kind of the error before you hand it up: EINTR only means that \
                       a signal has arrived.",
            },
            Nudge {
                at: "what_ends_a_wait",
                sees: "returned 0 events",
                hint: "The kernel has written events into the room, but nobody has told events \
                       how many: set_count does.",
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
        ],
        hints: &[
            "epoll_wait(2) can return a positive count, 0 or −1. After −1, is every errno an error \
             for the caller?",
            "The kernel writes into events.room(), and events.set_count(count) records how many \
             events it wrote. milliseconds(timeout) is exercise 2.1. EINTR means that a signal has \
             arrived: leave events empty and return Ok, so that the caller looks again at what it \
             waits for.",
            include_str!("../tests/answers/wait/right_in_the_hint.rs"),
        ],
    },
    Exercise {
        number: "2.4",
        name: "is_readable",
        task: "Decide whether a read would return at once, whatever it returns.",
        minutes: 10,
        only_here: None,
        scenes: &["level_or_edge", "one_shot", "hangup_needs_no_interest", "pollable_descriptors"],
        trials: &["readable_or_not"],
        nudges: &[
            Nudge {
                at: "hangup_needs_no_interest",
                sees: "hang-up",
                hint: "A hang-up makes a read return at once, too: what does it return?",
            },
            Nudge {
                at: "readable_or_not",
                sees: "OUT }",
                hint: "Room for a write says nothing of a read.",
            },
            Nudge {
                at: "readable_or_not",
                sees: "",
                hint: "An event can have several bits: ask whether one of yours is among them.",
            },
        ],
        hints: &[
            "Bytes are one reason why a read doesn't block. What else can a read return at once, \
             and which bits announce it?",
            "At the end, or after an error, a read returns at once too. A pipe whose writing end \
             is closed reports EPOLLHUP and not EPOLLIN, and a waiting reader has to wake up for \
             it.",
            "        self.has(libc::EPOLLIN | libc::EPOLLRDHUP | BROKEN)",
        ],
    },
    Exercise {
        number: "2.5",
        name: "echo",
        task: "Give a connection one turn: write what's unsent, or else read once and write that.",
        minutes: 20,
        only_here: None,
        scenes: &["backpressure"],
        trials: &["a_connection_in_any_order", "a_client_that_is_gone", "an_answer_in_parts"],
        nudges: &[
            Nudge {
                at: "a_connection_in_any_order",
                sees: "takes nothing",
                hint: "While something is unsent, a turn only writes. If it reads on, the client \
                       decides how much memory you need.",
            },
            Nudge {
                at: "a_connection_in_any_order",
                sees: "memory",
                hint: "after_writing() also frees the memory of an outbox that has become empty.",
            },
            Nudge {
                at: "a_client_that_is_gone",
                sees: "Ok(",
                hint: "A broken connection isn't an end: hand up the errors of read and of the \
                       outbox.",
            },
            Nudge {
                at: "a_connection_in_any_order",
                sees: "bytes read",
                hint: "One turn is one read, into all of scratch.",
            },
        ],
        hints: &[
            "A client sends and never reads. Which of your calls makes that client's memory use \
             grow, and when do you stop making it?",
            "If wants_to_write(), the turn is self.outbox.flush(). Otherwise use step01_fd::read: \
             End is Finished, WouldBlock is Waiting, and what it read goes to self.outbox.send(). \
             after_writing() says which Progress a write has made.",
            include_str!("../tests/answers/echo/right_in_the_hint.rs"),
        ],
    },
    Exercise {
        number: "2.6",
        name: "turn",
        task: "Take one turn of the loop: sleep in the server's wait, then give the owner of each \
               event its turn, in any order. Hand up their errors.",
        minutes: 10,
        only_here: Some("Each later server has a loop of its own, with the same three lines."),
        scenes: &["first_loop"],
        trials: &[
            "clients_in_any_order",
            "accepting_goes_on_after_a_pause",
            "a_crowd_is_served_in_one_turn",
            "a_broken_loop_fails",
        ],
        nudges: &[
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
        ],
        hints: &[
            "One system call knows what's ready. What does each event carry, and how do you get from \
             there to the listener or a client?",
            "self.wait(events) sleeps. Then Source::of(event.token()) says what each event belongs \
             to: the listener, which has clients to accept, or a client to echo.",
            include_str!("../tests/answers/turn/right_in_the_hint.rs"),
        ],
    },
    Exercise {
        number: "2.7",
        name: "connect",
        task: "Start a connection, and tell an attempt that goes on from one that has failed.",
        minutes: 10,
        only_here: Some("The book's servers are connected to, and connect to nothing."),
        scenes: &["connecting_takes_no_time"],
        trials: &["connects_to_any_address", "every_answer_of_connect"],
        nudges: &[
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
        ],
        hints: &[
            "connect(2) returns −1 and has started a connection. What does errno say then?",
            "The address and the length are from raw_address. `check` names the call, and \
             `errno(&error)` is its number: after EINPROGRESS and EINTR, return Ok as after 0.",
            include_str!("../tests/answers/connect/right_in_the_hint.rs"),
        ],
    },
    Exercise {
        number: "2.8",
        name: "finish",
        task: "Find out what has become of a connection: it's made, it isn't yet, or it failed.",
        minutes: 10,
        only_here: Some("No server of this book has a connection to finish."),
        scenes: &["connected_or_not"],
        trials: &["every_outcome_of_a_connection", "questions_that_fail"],
        nudges: &[
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
        ],
        hints: &[
            "A refused connection is writable, and so is a connected one. What tells them apart?",
            "take_error() is SO_ERROR: an error in it is yours to return. Without one, \
             peer_addr() fails with NotConnected for as long as the connection isn't made.",
            include_str!("../tests/answers/finish/right_in_the_hint.rs"),
        ],
    },
];
