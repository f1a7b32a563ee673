//! The exercises of step 05, in the order they are solved.

use workbook::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "5.1",
        name: "wake",
        task: "Make the loop's end of the pair readable, without ever blocking or failing.",
        minutes: 5,
        scenes: &["deaf_loop", "wake_before_sleep", "full_pipe_is_awake_enough"],
        hints: &[
            "Three things can come of writing one byte: it fits, there is no room, the loop is gone. \
             In which of them has the caller something to do?",
            "step01_fd::write a single byte to self.writer, and forget the result on purpose.",
            "let _ = step01_fd::write(&*self.writer, &[0]);",
        ],
    },
    Exercise {
        number: "5.2",
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
        number: "5.3",
        name: "handler",
        task: "Note the signal, wake the loop, and leave no trace in the code you interrupted.",
        minutes: 20,
        scenes: &["signal_as_data", "not_lost_in_a_full_pipe", "errno_survives"],
        hints: &[
            "`man 7 signal-safety`: an atomic and write(2) are allowed, an allocation is not. Which \
             comes first, the note or the byte? And what does write do to errno?",
            "Keep errno(), set bit(signal) in PENDING, write_byte to WAKE_FD, put errno back with \
             set_errno. RUNNING counts the handlers that are between their first and last line.",
            "let errno = errno(); RUNNING.fetch_add(1, SeqCst); PENDING.fetch_or(bit(signal), \
             SeqCst); write_byte(WAKE_FD.load(SeqCst)); RUNNING.fetch_sub(1, SeqCst); \
             set_errno(errno);",
        ],
    },
];
