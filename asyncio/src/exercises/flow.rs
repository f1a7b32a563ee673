//! Writing no faster than the other side reads, and what comes after the last byte.

use scene::{Exercise, Nudge};

use super::LAST;

pub(super) const DRAIN: Exercise = Exercise {
    number: "8.10",
    name: "drain",
    task: "Hold a writer until its peer has caught up.",
    minutes: 10,
    only_here: LAST,
    scenes: &["drain_holds_a_writer"],
    trials: &["writers_that_drain"],
    hints: &[
        "Two water marks decide when writing is paused and when it goes on. What does a writer wait for, \
         and what if the connection ends meanwhile, or has ended already?",
        "self.error() is the error with which the connection was lost: it comes first, at once. If \
         self.is_closing(), which is also true of a lost one, give up the turn once, with yield_now(). \
         If it's lost after that, whatever the reason, that's an io::Error of the kind \
         ConnectionReset. If self.flow.is_paused, await self.waiting.for_room(&self.event_loop), \
         which the task that sends releases.",
        "\
        if let Some(error) = self.error() {
            return Err(error);
        }
        if self.is_closing() {
            yield_now().await?;
        }
        if self.is_lost() {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, \"Connection lost\").into());
        }
        if self.flow.is_paused.get() {
            self.waiting.for_room(&self.event_loop).await?;
        }
        Ok(())",
    ],
    nudges: &[
        Nudge {
            at: "drain_holds_a_writer",
            sees: "drain is over = true",
            hint: "drain is over although the peer hasn't read anything. While writing is paused, wait.",
        },
        Nudge {
            at: "writers_that_drain",
            sees: "still waiting",
            hint: "A task still waits though there's room, or the connection is gone; or it doesn't wait \
                   any more. flow.is_paused says whether to wait, and for_room is released once: wait \
                   for it a single time.",
        },
        Nudge {
            at: "writers_that_drain",
            sees: "has drained",
            hint: "A drain is over too early, too late, or should have failed. Between the two marks \
                   it depends on the past: writing was paused above the high one, and goes on at the \
                   low one. flow.is_paused knows. Ask it after the turn, because that can change it.",
        },
        Nudge {
            at: "writers_that_drain",
            sees: "errno",
            hint: "It's the wrong error, or it comes at the wrong time. An error with which the \
                   connection was lost before comes at once. Otherwise, if it's closing or lost, give \
                   up one turn, and then look whether it's lost.",
        },
    ],
};

pub(super) const WRITE_READY: Exercise = Exercise {
    number: "8.11",
    name: "write_ready",
    task: "Send the rest, resume the protocol, and end what was to end.",
    minutes: 20,
    only_here: LAST,
    scenes: &["pause_and_resume_at_the_water_marks"],
    trials: &[
        "last_bytes_of_a_transport",
        "last_calls_of_a_transport",
        "transports_that_have_sent_all",
    ],
    hints: &[
        "close and write_eof return at once, though bytes are unsent. Who does their work when the last \
         byte is out? And what can the protocol do when you tell it to go on?",
        "self.on_socket(|socket| self.connection.outbox.borrow_mut().flush(socket)) sends. An error \
         ends the connection, after forget_unsent(), with fatal_error. If get_write_buffer_size() is \
         smaller than before, call resume_protocol_if_below(), and look again: the protocol can have \
         written more. If nothing is unsent, call forget_unsent(). Then a closing connection is lost, by \
         connection_lost(None), or after wrote_eof the other side is told the end, by \
         self.on_socket(StreamSocket::shutdown_writing).",
        "\
        if self.connection.lost.get() > 0 {
            return;
        }
        let before = self.get_write_buffer_size();
        let sent = self.on_socket(|socket| self.connection.outbox.borrow_mut().flush(socket));
        if let Err(error) = sent {
            self.forget_unsent();
            return self.fatal_error(error, \"Fatal write error on socket transport\");
        }
        if self.get_write_buffer_size() == before {
            return;
        }
        self.resume_protocol_if_below();
        if self.get_write_buffer_size() > 0 {
            return;
        }
        self.forget_unsent();
        if self.is_closing() {
            self.connection_lost(None);
        } else if self.connection.wrote_eof.get()
            && let Err(error) = self.on_socket(StreamSocket::shutdown_writing)
        {
            self.report(\"Exception in callback\", error);
        }",
    ],
    nudges: &[
        Nudge {
            at: "pause_and_resume_at_the_water_marks",
            sees: "",
            hint: "The protocol was told to pause and has to be told to go on, once, when no more is unsent \
                   than the lower mark: resume_protocol_if_below() does that.",
        },
        Nudge {
            at: "last_bytes_of_a_transport",
            sees: "resume_writing",
            hint: "The protocol is resumed too early, too late or not at all. After each send that has \
                   sent something, call resume_protocol_if_below(), and before anything else.",
        },
        Nudge {
            at: "last_bytes_of_a_transport",
            sees: "connection_lost",
            hint: "A connection that's closing is lost when its last byte is sent, in the same tick, and \
                   without an error. One that can't send is lost with its error, by fatal_error.",
        },
        Nudge {
            at: "last_bytes_of_a_transport",
            sees: "and the end",
            hint: "The peer sees the end too early, or not at all. It's due when all is sent, and only \
                   after write_eof, or if the connection is closed.",
        },
        Nudge {
            at: "last_calls_of_a_transport",
            sees: "resume_writing",
            hint: "A write that would block has sent nothing. The event proved nothing, so nothing is due: \
                   compare get_write_buffer_size() with what it was before.",
        },
        Nudge {
            at: "last_calls_of_a_transport",
            sees: "",
            hint: "A failed write ends the connection with its error. A failed shutdown is only reported, \
                   as an Exception in callback.",
        },
        Nudge {
            at: "transports_that_have_sent_all",
            sees: "KiB kept",
            hint: "All is sent, and the outbox still has the memory of what it sent. A server has thousands \
                   of such clients: forget_unsent() gives it back.",
        },
        Nudge {
            at: "last_bytes_of_a_transport",
            sees: "would find something",
            hint: "The socket is writable, and the loop is told so in every tick, though nothing is unsent: \
                   forget_unsent() removes the writer.",
        },
    ],
};
