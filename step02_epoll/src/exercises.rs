//! The exercises of step 02, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "2.1",
        name: "milliseconds",
        task: "Turn a timeout into whole milliseconds, so that no wait is over too early.",
        minutes: 10,
        scenes: &["whole_milliseconds"],
        hints: &[
            "A loop asks to sleep for 200 µs, until its next timer. It is given 0 ms. What does it \
             do next, and how often?",
            "Round up: one nanosecond more than 1 ms is 2 ms. None is −1. And a Duration may be far \
             longer than a c_int of milliseconds.",
            "timeout.as_nanos().div_ceil(1_000_000), then c_int::try_from(…), and c_int::MAX if \
             that fails.",
        ],
    },
    Exercise {
        number: "2.2",
        name: "event_bits",
        task: "Say in epoll's bits what to wait for, and how often to be told.",
        minutes: 10,
        scenes: &["interest_list_entries", "epoll_ctl_errors"],
        hints: &[
            "`man 2 epoll_ctl` lists the bits. Which two are for reading, and which are reported \
             whether or not one asks?",
            "READABLE is EPOLLIN and EPOLLRDHUP, WRITABLE is EPOLLOUT. Level needs no bit, edge is \
             EPOLLET, one-shot is EPOLLONESHOT.",
            "let mut bits = 0; if interest.contains(Interest::READABLE) { bits |= libc::EPOLLIN | \
             libc::EPOLLRDHUP; } … ; match trigger { … }; at last bits.cast_unsigned().",
        ],
    },
    Exercise {
        number: "2.3",
        name: "wait",
        task: "Sleep until something is ready, the time is up or a signal comes, and say how many.",
        minutes: 20,
        scenes: &["what_ends_a_wait", "one_wait_for_all", "more_ready_than_room"],
        hints: &[
            "epoll_wait(2) has three ways to come back: a count, perhaps 0, and −1. After −1, is \
             every errno an error of the caller?",
            "events.room() is where the kernel writes, and events.set_count(count) says how many it \
             wrote. milliseconds(timeout) is exercise 2.1. EINTR means that a signal came: leave \
             events empty and return Ok, so that the caller looks again at what it waits for.",
            "let room = events.room(); let count = libc::epoll_wait(self.fd.as_raw_fd(), \
             room.as_mut_ptr(), room.len() as a c_int, milliseconds(timeout)); count >= 0: \
             set_count, Ok; else last_os_error(): Interrupted is Ok(()), the rest \
             CallError::wrap(\"epoll_wait\", error).",
        ],
    },
    Exercise {
        number: "2.4",
        name: "is_readable",
        task: "Say of an event whether a read would come back at once, whatever it brings.",
        minutes: 10,
        scenes: &["level_or_edge", "one_shot", "hangup_needs_no_interest", "pollable_descriptors"],
        hints: &[
            "Bytes are one reason why a read does not block. Which other answers of a read are \
             there, and with which bits are they announced?",
            "The end and an error are answers, too. A pipe whose writer has left reports EPOLLHUP \
             and not EPOLLIN. Whoever waits to read has to be woken by it.",
            "self.has(…) takes several bits: EPOLLIN, EPOLLPRI and EPOLLRDHUP, and the two of \
             BROKEN.",
        ],
    },
    Exercise {
        number: "2.5",
        name: "echo",
        task: "Give a connection one turn: write what is unsent, or else read once and write that.",
        minutes: 20,
        scenes: &["backpressure"],
        hints: &[
            "A client that never reads: after which of your calls does the memory it costs you stop \
             growing?",
            "If wants_to_write(), send_rest() is the whole turn. Otherwise read: 0 is Finished, \
             WouldBlock is Waiting. What send() does not take goes to self.unsent.",
            "After retry(|| self.stream.read(scratch)) gave count > 0: let sent = \
             self.send(&scratch[..count])?; self.unsent.extend_from_slice(&scratch[sent..count]); \
             Ok(self.after_writing()).",
        ],
    },
    Exercise {
        number: "2.6",
        name: "turn",
        task: "Turn the loop once: sleep until somebody is ready, then give each of those a turn.",
        minutes: 10,
        scenes: &["first_loop"],
        hints: &[
            "One system call knows who is ready. What is the only thing an event brings along, and \
             whom does it stand for?",
            "self.wait(events) sleeps. Then look at each event's token: LISTENER means that clients \
             have come, and any other is a connection's.",
            "self.wait(events)?; for event in &*events { match event.token() { LISTENER => \
             self.accept()?, token => self.echo(token)? } } Ok(()).",
        ],
    },
];
