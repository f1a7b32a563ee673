//! The exercises of step 05, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "5.1",
        name: "new",
        task: "Make the pair so that neither end ever blocks.",
        minutes: 5,
        only_here: None,
        scenes: &["neither_end_blocks"],
        trials: &[],
        nudges: &[],
        hints: &[
            "The loop reads from one end and any thread writes to the other, and neither should \
             sleep. And what happens to the descriptors when the process starts another program?",
            "std's UnixStream::pair() is close-on-exec, but both ends block. Step 01 has a function \
             whose pair is right from the start.",
            "let (reader, writer) = step01_fd::socketpair()?; Ok(SelfPipe { reader, waker: \
             LoopWaker { writer: Arc::new(writer) } })",
        ],
    },
    Exercise {
        number: "5.2",
        name: "wake",
        task: "Make the loop's end of the pair readable, without ever blocking or failing.",
        minutes: 5,
        only_here: None,
        scenes: &["a_byte_wakes_the_loop", "wake_before_sleep", "full_pipe_still_wakes"],
        trials: &[],
        nudges: &[],
        hints: &[
            "Writing one byte has three outcomes: it fits, there's no room, the loop is gone. In \
             which of them does the caller have something to do?",
            "step01_fd::write a single byte to self.writer, and ignore the result on purpose.",
            "let _ = step01_fd::write(&*self.writer, &[0]);",
        ],
    },
    Exercise {
        number: "5.3",
        name: "drain",
        task: "Read all bytes from the loop's end, so that it can sleep again.",
        minutes: 10,
        only_here: None,
        scenes: &["undrained_loop_spins", "many_wakes_one_return"],
        trials: &[],
        nudges: &[],
        hints: &[
            "How do you know that the last byte has been read? The descriptor does not block.",
            "Read into a buffer, again and again, while the outcome is Read::Bytes. Add up the \
             counts.",
            "while let Read::Bytes(count) = step01_fd::read(&self.reader, &mut buffer)? { total += \
             count; }",
        ],
    },
    Exercise {
        number: "5.4",
        name: "send",
        task: "Queue a value, and wake the loop unless an earlier value has done so.",
        minutes: 15,
        only_here: None,
        scenes: &["push_comes_before_wake", "one_byte_for_a_thousand_values", "send_after_close"],
        trials: &[],
        nudges: &[],
        hints: &[
            "The loop can look at the queue as soon as the byte is in the pipe. What must be true \
             by then? And which of a thousand values needs a byte?",
            "self.queue.upgrade() is None if the loop is gone: return the value. Otherwise \
             lock(&queue), push, and find out under the same lock whether the queue was empty \
             before.",
            "let mut values = lock(&queue); values.push(value); let is_first = values.len() == 1; \
             drop(values); if is_first { self.waker.wake(); } Ok(())",
        ],
    },
    Exercise {
        number: "5.5",
        name: "take",
        task: "Drain the pipe and take all values, so that none is left unseen.",
        minutes: 15,
        only_here: None,
        scenes: &[
            "take_empties_the_queue",
            "send_during_drain",
            "destructor_that_sends",
            "no_value_lost_or_repeated",
        ],
        trials: &[],
        nudges: &[],
        hints: &[
            "A sender can push and wake between any two of your lines. Which order of drain and \
             take can remove its byte without seeing its value?",
            "Drain first. Then exchange the two lists under the lock; std::mem::swap does it. Drop \
             the old contents of `values` before you lock: a destructor may call `send`.",
            "values.clear(); self.pipe.drain()?; mem::swap(values, &mut *lock(&self.queue)); Ok(())",
        ],
    },
    Exercise {
        number: "5.6",
        name: "handler",
        task: "Flag the signal, wake the loop, and leave the interrupted code undisturbed.",
        minutes: 20,
        only_here: None,
        scenes: &[
            "signal_as_data",
            "signals_while_awake",
            "signal_survives_a_full_pipe",
            "flag_comes_before_byte",
            "errno_survives",
            "handler_allocates_nothing",
            "signal_inside_the_handler",
            "drop_waits_for_the_handler",
        ],
        trials: &[],
        nudges: &[],
        hints: &[
            "`man 7 signal-safety`: an atomic and write(2) are allowed, an allocation isn't. \
             Which comes first, the flag or the byte? And what does write do to errno?",
            "Save errno(), set bit(signal) in PENDING, write_byte to WAKE_FD, restore errno with \
             set_errno. HANDLERS_IN_FLIGHT counts the handlers that are between their first and \
             last line.",
            "let errno = errno(); HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst); \
             PENDING.fetch_or(bit(signal), SeqCst); write_byte(WAKE_FD.load(SeqCst)); \
             HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst); set_errno(errno);",
        ],
    },
];
