//! Getting a connection, and reading from it.

use scene::{Exercise, Nudge};

use super::LAST;

pub(super) const ACCEPT: Exercise = Exercise {
    number: "8.7",
    name: "accept",
    task: "Accept the connections that are waiting, up to the first error, and do what it asks for.",
    minutes: 15,
    only_here: LAST,
    scenes: &["a_server_without_descriptors"],
    trials: &["clients_of_a_server", "errors_of_accept"],
    hints: &[
        "How do you find out that nothing is waiting any more? And which errors would you get again, \
         in every tick?",
        "Try up to self.backlog.max(1) times. accept_with(socket, flags) returns a client for \
         self.serve(client), or an error that ends the loop. AcceptFailure::of(&error) says what the error \
         means, and report(&self.event_loop, message, named(\"accept\", socket, error)) reports it. \
         self.pause(socket) stops accepting for a second, self.stop_watching(socket) for good.",
        "\
        for _ in 0..self.backlog.max(1) {
            let error = match accept_with(socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(client) => {
                    self.serve(client);
                    continue;
                }
                Err(error) => io::Error::from(error),
            };
            let failure = AcceptFailure::of(&error);
            let error = named(\"accept\", socket, error);
            match failure {
                AcceptFailure::NothingThere | AcceptFailure::PeerLeft => {}
                AcceptFailure::OneConnection => report(&self.event_loop, \"socket.accept() failed\", error),
                AcceptFailure::OutOfResources => {
                    report(&self.event_loop, \"socket.accept() out of system resource\", error);
                    self.pause(socket);
                }
                AcceptFailure::Lasting => {
                    report(&self.event_loop, \"socket.accept() failed for good\", error);
                    self.stop_watching(socket);
                }
            }
            return;
        }",
    ],
    nudges: &[
        Nudge {
            at: "a_server_without_descriptors",
            sees: "reported",
            hint: "EMFILE is reported again and again. The connection stays in the queue, so the \
                   listener is still readable, and the loop calls you in every tick: pause.",
        },
        Nudge {
            at: "a_server_without_descriptors",
            sees: "could sleep",
            hint: "After EMFILE, a timer should be set, and nothing else to do until it fires. That's \
                   what self.pause(socket) does.",
        },
        Nudge {
            at: "clients_of_a_server",
            sees: "accepted in this tick",
            hint: "More clients are accepted in one tick, or fewer, than should be. In one call, accept as many as the \
                   backlog, but at least one, and stop at the first error.",
        },
        Nudge {
            at: "clients_of_a_server",
            sees: "is served",
            hint: "A client that was accepted is served in another tick, or not at all. Hand each to \
                   self.serve(client), at once.",
        },
        Nudge {
            at: "clients_of_a_server",
            sees: "could sleep",
            hint: "The timer isn't what it should be. Only a lack of descriptors or memory is a reason to \
                   pause. When nothing is waiting, the next connection makes the listener readable.",
        },
        Nudge {
            at: "errors_of_accept",
            sees: "non-blocking",
            hint: "The client's socket has to be non-blocking, and close-on-exec: ask accept_with for \
                   both, with SocketFlags.",
        },
        Nudge {
            at: "errors_of_accept",
            sees: "SOCK_CLOEXEC",
            hint: "Ask accept4 itself for a socket that's non-blocking and close-on-exec: give accept_with \
                   both flags. Between two calls, another thread could start a program.",
        },
        Nudge {
            at: "errors_of_accept",
            sees: "reported",
            hint: "An error is reported in other words, or shouldn't be reported. The docs have a message \
                   for each Failure, and named(\"accept\", socket, error) adds the call.",
        },
        Nudge {
            at: "errors_of_accept",
            sees: "",
            hint: "After an error, a client is served too early, too late or never. Each try that fails \
                   ends the call. Only OutOfResources pauses, and only Lasting stops for good.",
        },
    ],
};

pub(super) const CONNECT_IN_TURN: Exercise = Exercise {
    number: "8.8",
    name: "connect_in_turn",
    task: "Try one address after the other, until one of them answers.",
    minutes: 10,
    only_here: LAST,
    scenes: &["connect_takes_the_next_address"],
    trials: &["attempts_in_turn", "ends_of_an_attempt"],
    hints: &[
        "Which errors are the next address's chance, and which end it all? When may the next attempt \
         begin?",
        "TcpStream::connect(address).await makes an attempt, for one address after the other. \
         Err(Error::Io(failure)) is a failure of this attempt, to be kept; any other outcome is the \
         answer. If none is, it's Err(all_of(failures)).",
        "\
    let mut failures = Vec::new();
    for &address in addresses {
        match TcpStream::connect(address).await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))",
    ],
    nudges: &[
        Nudge {
            at: "ends_of_an_attempt",
            sees: "where no loop runs",
            hint: "It can't wait where no loop runs, and that's no error of the system: it's returned at \
                   once, and no other address is tried.",
        },
        Nudge {
            at: "ends_of_an_attempt",
            sees: "the loop could sleep",
            hint: "The first address is silent. Either the loop can't sleep meanwhile, because your task \
                   comes back in every tick, or a cancellation isn't returned at once.",
        },
        Nudge {
            at: "ends_of_an_attempt",
            sees: "fails once",
            hint: "A call has failed in the first attempt, and the second address listens. Each error of \
                   the system is a failure of one attempt: of its beginning, its wait, or its end.",
        },
        Nudge {
            at: "attempts_in_turn",
            sees: "has a client",
            hint: "An address was tried although an earlier one answers. Begin an attempt when the one \
                   before it has failed.",
        },
        Nudge {
            at: "attempts_in_turn",
            sees: "connect: ",
            hint: "It's the wrong connection, or the wrong error. The first address that answers is \
                   taken. If none does, all failures together are the error, in their order.",
        },
    ],
};

pub(super) const RECEIVE: Exercise = Exercise {
    number: "8.9",
    name: "receive",
    task: "Receive what has arrived, and keep in mind whether there's more.",
    minutes: 15,
    only_here: LAST,
    scenes: &["read_exactly_with_an_early_end", "readline_with_a_limit"],
    trials: &["bytes_that_arrive", "calls_of_read"],
    hints: &[
        "The socket is registered once, edge-triggered. What happens to a task that waits for an event, \
         though bytes are left in the kernel? And to one that doesn't, though there are none?",
        "self.socket.borrow() has the socket, unless the connection is lost. Borrow \
         self.event_loop.scratch(RECEIVE_SIZE), and call recv(socket, &mut scratch) once. \
         self.received.append(bytes) keeps the bytes. socket.clear_readable() says that \
         nothing is left: after WouldBlock, and after a read that has brought less than scratch.len(). \
         An error goes to self.fail(error.into()).",
        "\
        let socket = self.socket.borrow();
        let Some(socket) = &*socket else { return };
        let mut scratch = self.event_loop.scratch(RECEIVE_SIZE);
        match recv(socket, &mut scratch) {
            Ok(Read::Bytes(count)) => {
                self.received.append(&scratch[..count]);
                if count < scratch.len() {
                    socket.clear_readable();
                }
            }
            Ok(Read::WouldBlock) => socket.clear_readable(),
            Ok(Read::End) => self.received.end(),
            Err(error) => self.fail(error.into()),
        }",
    ],
    nudges: &[
        Nudge {
            at: "bytes_that_arrive",
            sees: "could sleep",
            hint: "Nothing is left to read, and still the loop can't sleep: the socket is said to be \
                   ready. Clear that when a read would block.",
        },
        Nudge {
            at: "bytes_that_arrive",
            sees: "still waiting",
            hint: "A task waits for bytes that are in the kernel, or for an end that has arrived. The \
                   kernel reports each arrival once, so clear the readiness only if nothing is left: \
                   not after a read that has filled the buffer.",
        },
        Nudge {
            at: "bytes_that_arrive",
            sees: "not in order",
            hint: "A reader gets bytes that the peer hasn't sent. Only the first `count` bytes of the \
                   scratch buffer have just arrived.",
        },
        Nudge {
            at: "calls_of_read",
            sees: "calls of recv(2)",
            hint: "The number of calls differs. It's one each time; and if it has brought less than \
                   there was room for, the kernel has nothing more, so the next one should wait.",
        },
        Nudge {
            at: "calls_of_read",
            sees: "errno",
            hint: "An error of recv(2) isn't the end, and isn't nothing. self.fail(error.into()) ends the \
                   connection with it, and then the reader and wait_closed say so.",
        },
    ],
};
