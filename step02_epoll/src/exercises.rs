//! The exercises of step 02, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "2.1",
        name: "milliseconds",
        task: "Convert a timeout to whole milliseconds, so that no wait ends early.",
        minutes: 10,
        only_here: None,
        scenes: &["whole_milliseconds"],
        trials: &["milliseconds_of_any_timeout"],
        nudges: &[],
        hints: &[
            "A loop wants to sleep for 200 µs, until its next timer, and gets 0 ms. What does it do \
             next, and how often?",
            "Round up: one nanosecond more than 1 ms is 2 ms. None is −1. And a Duration can be far \
             longer than a c_int of milliseconds.",
            "timeout.as_nanos().div_ceil(1_000_000), then c_int::try_from(…), and c_int::MAX if \
             that fails.",
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
        nudges: &[],
        hints: &[
            "`man 2 epoll_ctl` lists the bits. Which two are for reading, and which ones does the \
             kernel report without being asked?",
            "READABLE is EPOLLIN and EPOLLRDHUP, WRITABLE is EPOLLOUT. Level needs no bit, edge is \
             EPOLLET, one-shot is EPOLLONESHOT.",
            "let mut bits = 0; if interest.contains(Interest::READABLE) { bits |= libc::EPOLLIN | \
             libc::EPOLLRDHUP; } … ; bits |= match trigger { … }; then bits.cast_unsigned().",
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
            "sleeps_for_the_whole_timeout",
            "events_do_not_outlive_their_wait",
            "waits_cost_one_call",
        ],
        nudges: &[],
        hints: &[
            "epoll_wait(2) can return a positive count, 0 or −1. After −1, is every errno an error \
             for the caller?",
            "The kernel writes into events.room(), and events.set_count(count) records how many \
             events it wrote. milliseconds(timeout) is exercise 2.1. EINTR means that a signal has \
             arrived: leave events empty and return Ok, so that the caller looks again at what it \
             waits for.",
            "let room = events.room(); let count = libc::epoll_wait(self.fd.as_raw_fd(), \
             room.as_mut_ptr(), room.len() as c_int, milliseconds(timeout)); count >= 0: \
             set_count, Ok; else last_os_error(): Interrupted is Ok(()), the rest \
             CallError::wrap(\"epoll_wait\", error).",
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
        nudges: &[],
        hints: &[
            "Bytes are one reason why a read doesn't block. What else can a read return at once, \
             and which bits announce it?",
            "At the end, or after an error, a read returns at once too. A pipe whose writing end \
             is closed reports EPOLLHUP and not EPOLLIN, and a waiting reader has to wake up for \
             it.",
            "self.has(…) takes several bits: EPOLLIN, EPOLLPRI and EPOLLRDHUP, and the two of \
             BROKEN.",
        ],
    },
    Exercise {
        number: "2.5",
        name: "echo",
        task: "Give a connection one turn: write what's unsent, or else read once and write that.",
        minutes: 20,
        only_here: None,
        scenes: &["backpressure"],
        trials: &["a_connection_in_any_order", "a_client_that_is_gone"],
        nudges: &[],
        hints: &[
            "A client sends and never reads. Which of your calls makes that client's memory use \
             grow, and when do you stop making it?",
            "If wants_to_write(), the turn is self.outbox.flush(). Otherwise use step01_fd::read: \
             End is Finished, WouldBlock is Waiting, and what it read goes to self.outbox.send(). \
             after_writing() says which Progress a write has made.",
            "if self.wants_to_write() { self.outbox.flush(&self.stream)?; return \
             Ok(self.after_writing()); } match read(&self.stream, scratch)? { …, \
             Read::Bytes(count) => { self.outbox.send(&self.stream, &scratch[..count])?; \
             Ok(self.after_writing()) } }",
        ],
    },
    Exercise {
        number: "2.6",
        name: "turn",
        task: "Take one turn of the loop: sleep until something is ready, then give each a turn.",
        minutes: 10,
        only_here: Some(
            "Each later server has a loop of its own, with the same three lines in it.",
        ),
        scenes: &["first_loop"],
        trials: &["clients_in_any_order", "accepting_goes_on_after_a_pause", "a_broken_loop_fails"],
        nudges: &[],
        hints: &[
            "One system call knows what's ready. What does each event carry, and how do you get from \
             there to the listener or a client?",
            "self.wait(events) sleeps. Then Source::of(event.token()) says what each event belongs \
             to: the listener, which has clients to accept, or a client to echo.",
            "self.wait(events)?; for event in &*events { match Source::of(event.token()) { \
             Source::Listener => self.accept()?, Source::Client(fd) => self.echo(fd)? } } Ok(()).",
        ],
    },
];
