//! The exercises of step 02, in the order they are solved.

mod nudges;

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
        nudges: nudges::MILLISECONDS,
        hints: &[
            "A loop wants to sleep for 200 µs, until its next timer, and gets 0 ms. What does it do \
             next, and how often?",
            "Round up: one nanosecond more than 1 ms is 2 ms. None is −1. And a Duration can be far \
             longer than a c_int of milliseconds.",
            "
    let Some(timeout) = timeout else {
        return -1;
    };
    let rounded_up = timeout.as_nanos().div_ceil(1_000_000);
    libc::c_int::try_from(rounded_up).unwrap_or(libc::c_int::MAX)
",
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
        nudges: nudges::EVENT_BITS,
        hints: &[
            "`man 2 epoll_ctl` lists the bits. Which two are for reading, and which ones does the \
             kernel report without being asked?",
            "READABLE is EPOLLIN and EPOLLRDHUP, WRITABLE is EPOLLOUT. Level needs no bit, edge is \
             EPOLLET, one-shot is EPOLLONESHOT.",
            "
    let mut bits = 0;
    if interest.contains(Interest::READABLE) {
        bits |= libc::EPOLLIN | libc::EPOLLRDHUP;
    }
    if interest.contains(Interest::WRITABLE) {
        bits |= libc::EPOLLOUT;
    }
    bits |= match trigger {
        Trigger::Level => 0,
        Trigger::Edge => libc::EPOLLET,
        Trigger::OneShot => libc::EPOLLONESHOT,
    };
    bits.cast_unsigned()
",
        ],
    },
    Exercise {
        number: "2.3",
        name: "wait",
        task: "Sleep until something is ready, time is up or a signal arrives, and record the count.",
        minutes: 15,
        only_here: None,
        scenes: &["what_ends_a_wait", "one_wait_for_all", "more_ready_than_room"],
        trials: &[
            "ready_descriptors_in_any_order",
            "many_are_ready",
            "sleeps_for_the_whole_timeout",
            "events_do_not_outlive_their_wait",
            "waits_cost_one_call",
        ],
        nudges: nudges::WAIT,
        hints: &[
            "epoll_wait(2) can return a positive count, 0 or −1. After −1, is every errno an error \
             for the caller?",
            "The kernel writes into events.room(), and events.set_count(count) records how many \
             events it wrote. milliseconds(timeout) is exercise 2.1. EINTR means that a signal has \
             arrived: leave events empty and return Ok, so that the caller looks again at what it \
             waits for.",
            "
        let room = events.room();
        let capacity = libc::c_int::try_from(room.len()).unwrap_or(libc::c_int::MAX);
        let timeout = milliseconds(timeout);
        let epoll = self.fd.as_raw_fd();
        // SAFETY: the kernel writes at most `capacity` events, and `room` holds that many.
        let count = unsafe { libc::epoll_wait(epoll, room.as_mut_ptr(), capacity, timeout) };
        if let Ok(count) = usize::try_from(count) {
            events.set_count(count);
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() == io::ErrorKind::Interrupted {
            return Ok(());
        }
        Err(CallError::wrap(\"epoll_wait\", error))
",
        ],
    },
    Exercise {
        number: "2.4",
        name: "is_readable",
        task: "Decide whether a read would return at once, whatever it returns.",
        minutes: 5,
        only_here: None,
        scenes: &["level_or_edge", "one_shot", "hangup_needs_no_interest", "pollable_descriptors"],
        trials: &["readable_or_not"],
        nudges: nudges::IS_READABLE,
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
        minutes: 15,
        only_here: None,
        scenes: &["backpressure"],
        trials: &["a_connection_in_any_order", "a_client_that_is_gone", "an_answer_in_parts"],
        nudges: nudges::ECHO,
        hints: &[
            "A client sends and never reads. Which of your calls makes that client's memory use \
             grow, and when do you stop making it?",
            "If wants_to_write(), the turn is self.outbox.flush(). Otherwise use step01_fd::read: \
             End is Finished, WouldBlock is Waiting, and what it read goes to self.outbox.send(). \
             after_writing() says which Progress a write has made.",
            "
        if self.wants_to_write() {
            self.outbox.flush(&self.stream)?;
            return Ok(self.after_writing());
        }
        match read(&self.stream, scratch)? {
            Read::End => Ok(Progress::Finished),
            Read::WouldBlock => Ok(Progress::Waiting),
            Read::Bytes(count) => {
                self.outbox.send(&self.stream, &scratch[..count])?;
                Ok(self.after_writing())
            }
        }
",
        ],
    },
    Exercise {
        number: "2.6",
        name: "turn",
        task: "Take one turn of the loop: sleep in the server's wait, then give the owner of each \
               event its turn, in any order. Return their errors.",
        minutes: 10,
        only_here: Some("Each later server has a loop of its own, with the same three lines."),
        scenes: &["first_loop"],
        trials: &[
            "clients_in_any_order",
            "accepting_goes_on_after_a_pause",
            "a_crowd_is_served_in_one_turn",
            "a_broken_loop_fails",
        ],
        nudges: nudges::TURN,
        hints: &[
            "One system call knows what's ready. What does each event carry, and how do you get from \
             there to the listener or a client?",
            "self.wait(events) sleeps. Then Source::of(event.token()) says what each event belongs \
             to: the listener, which has clients to accept, or a client to echo.",
            "
        self.wait(events)?;
        for event in &*events {
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd) => self.echo(fd)?,
            }
        }
        Ok(())
",
        ],
    },
    Exercise {
        number: "2.7",
        name: "connect",
        task: "Start a connection, and tell an attempt that goes on from one that has failed.",
        minutes: 15,
        only_here: Some("The book's servers accept connections, and make none."),
        scenes: &["connecting_takes_no_time"],
        trials: &["connects_to_any_address", "every_answer_of_connect"],
        nudges: nudges::CONNECT,
        hints: &[
            "connect(2) returns −1 and has started a connection. What does errno say then?",
            "The address and the length are from raw_address. `check` names the call, and \
             `errno(&error)` is its number: after EINPROGRESS and EINTR, return Ok as after 0.",
            "
    let socket = tcp_socket()?;
    let fd = socket.as_raw_fd();
    let (raw, length) = raw_address(address);
    // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
    let returned = unsafe { libc::connect(fd, (&raw const raw).cast(), length) };
    match check(returned, || format!(\"connect fd {fd} to {address}\")) {
        Err(error) if !matches!(errno(&error), Some(libc::EINPROGRESS | libc::EINTR)) => Err(error),
        _ => Ok(Connecting { stream: socket.into() }),
    }
",
        ],
    },
    Exercise {
        number: "2.8",
        name: "finish",
        task: "Find out whether a connection is made, is still being made, or has failed.",
        minutes: 10,
        only_here: Some("No server in this book connects to another one."),
        scenes: &["connected_or_not"],
        trials: &["every_outcome_of_a_connection", "questions_that_fail"],
        nudges: nudges::FINISH,
        hints: &[
            "A refused connection is writable, and so is a connected one. What tells them apart?",
            "take_error() is SO_ERROR: an error in it is yours to return. Without one, \
             peer_addr() fails with NotConnected for as long as the connection isn't made.",
            "
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        match self.stream.peer_addr() {
            Ok(_) => Ok(Connected::Yes(self.stream)),
            Err(error) if error.kind() == io::ErrorKind::NotConnected => {
                Ok(Connected::NotYet(self))
            }
            Err(error) => Err(error),
        }
",
        ],
    },
];
