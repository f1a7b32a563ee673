//! The exercises of step 02, in the order they are solved.

use workbook::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "2.1",
        name: "milliseconds",
        task: "Turn a timeout into whole milliseconds, so that no wait is over too early.",
        minutes: 10,
        scenes: &["how_long_is_a_wait"],
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
        scenes: &["level_or_edge", "one_shot", "hangup_unasked", "refused"],
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
];
