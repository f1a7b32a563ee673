//! The exercises of step 05, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "5.1",
        name: "new",
        task: "Make the pair, so that neither side ever waits for the other.",
        minutes: 5,
        scenes: &["neither_end_blocks"],
        hints: &[
            "Two ends, and two who must not fall asleep at them. And what becomes of the numbers \
             when the process starts another program?",
            "std's UnixStream::pair() is close-on-exec, and both ends block. Step 01 has a \
             function whose pair is right from its birth.",
            "let (reader, writer) = step01_fd::socketpair()?; Ok(SelfPipe { reader, waker: \
             LoopWaker { writer: Arc::new(writer) } })",
        ],
    },
    Exercise {
        number: "5.2",
        name: "wake",
        task: "Make the loop's end of the pair readable, without ever blocking or failing.",
        minutes: 5,
        scenes: &["a_byte_wakes_the_loop", "wake_before_sleep", "full_pipe_still_wakes"],
        hints: &[
            "Three things can come of writing one byte: it fits, there is no room, the loop is \
             gone. In which of them has the caller something to do?",
            "step01_fd::write a single byte to self.writer, and forget the result on purpose.",
            "let _ = step01_fd::write(&*self.writer, &[0]);",
        ],
    },
    Exercise {
        number: "5.3",
        name: "drain",
        task: "Read all bytes out of the loop's end, so that it can sleep again.",
        minutes: 10,
        scenes: &["undrained_loop_spins", "many_wakes_one_return"],
        hints: &[
            "How do you know that the last byte has been read? The descriptor does not block.",
            "Read into a buffer, again and again, while the answer is Read::Bytes. Add up.",
            "while let Read::Bytes(count) = step01_fd::read(&self.reader, &mut buffer)? { total += \
             count; }",
        ],
    },
    Exercise {
        number: "5.4",
        name: "send",
        task: "Hand a value over, and wake the loop if it may not know that there is something.",
        minutes: 15,
        scenes: &["push_comes_before_wake", "one_byte_for_a_thousand_values", "send_after_close"],
        hints: &[
            "The loop may look at the queue the moment the byte is in the pipe. What must be true \
             by then? And which of a thousand values needs a byte?",
            "self.queue.upgrade() is None if the loop is gone: give the value back. Else \
             lock(&queue), push, and find out under the same lock whether the queue was empty \
             before.",
            "let mut values = lock(&queue); values.push(value); let is_first = values.len() == 1; \
             drop(values); if is_first { self.waker.wake(); } Ok(())",
        ],
    },
    Exercise {
        number: "5.5",
        name: "take",
        task: "Put the alarm back and take all that has come, so that nothing is left unseen.",
        minutes: 15,
        scenes: &[
            "take_empties_the_queue",
            "send_during_drain",
            "destructor_that_sends",
            "no_value_lost_or_repeated",
        ],
        hints: &[
            "A sender may push and wake between any two of your lines. In which order of drain and \
             take does its value stay unseen while its byte is gone?",
            "Drain first. Then exchange the two lists under the lock; std::mem::swap does it. What \
             was in `news` before must be gone by then, and not be dropped under the lock.",
            "news.clear(); self.pipe.drain()?; mem::swap(news, &mut *lock(&self.queue)); Ok(())",
        ],
    },
    Exercise {
        number: "5.6",
        name: "handler",
        task: "Note the signal, wake the loop, and leave no trace in the code you interrupted.",
        minutes: 20,
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
        hints: &[
            "`man 7 signal-safety`: an atomic and write(2) are allowed, an allocation is not. \
             Which comes first, the note or the byte? And what does write do to errno?",
            "Keep errno(), set bit(signal) in PENDING, write_byte to WAKE_FD, put errno back with \
             set_errno. RUNNING counts the handlers that are between their first and last line.",
            "let errno = errno(); RUNNING.fetch_add(1, SeqCst); PENDING.fetch_or(bit(signal), \
             SeqCst); write_byte(WAKE_FD.load(SeqCst)); RUNNING.fetch_sub(1, SeqCst); \
             set_errno(errno);",
        ],
    },
];
