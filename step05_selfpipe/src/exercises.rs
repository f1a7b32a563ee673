//! The exercises of step 05, in the order they are solved.

use scene::{Exercise, Nudge};

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "5.1",
        name: "new",
        task: "Make the pair so that neither end ever blocks.",
        minutes: 5,
        only_here: None,
        scenes: &["neither_end_blocks"],
        trials: &["a_pair_from_the_start"],
        nudges: &[
            Nudge {
                at: "neither_end_blocks",
                sees: "asleep",
                hint: "An end blocks. std's UnixStream::pair() makes two that do, until \
                       set_nonblocking(true) is called on each.",
            },
            Nudge {
                at: "neither_end_blocks",
                sees: "inherited",
                hint: "`man 2 socketpair`: SOCK_CLOEXEC closes an end when a program is started.",
            },
        ],
        hints: &[
            "The loop reads from one end and any thread writes to the other, and neither should \
             sleep. And what happens to the descriptors when the process starts another program?",
            "std's UnixStream::pair() is close-on-exec, but both ends block. Step 01 has a function \
             whose pair is right from the start.",
            "        let (reader, writer) = step01_fd::socketpair()?;
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })",
        ],
    },
    Exercise {
        number: "5.2",
        name: "wake",
        task: "Make the loop's end of the pair readable, without ever blocking or failing.",
        minutes: 5,
        only_here: None,
        scenes: &["a_byte_wakes_the_loop", "wake_before_sleep", "full_pipe_still_wakes"],
        trials: &["each_wake_is_a_byte", "a_wake_needs_nothing"],
        nudges: &[
            Nudge {
                at: "full_pipe_still_wakes",
                sees: "panicked",
                hint: "The caller of wake can do nothing about a full pipe or a loop that's gone. \
                       `let _ =` ignores a result.",
            },
            Nudge {
                at: "full_pipe_still_wakes",
                sees: "busy",
                hint: "If there's no room, the pipe is full of bytes that will wake the loop. There's \
                       nothing to wait for.",
            },
        ],
        hints: &[
            "Writing one byte has three outcomes: it fits, there's no room, the loop is gone. In \
             which of them does the caller have something to do?",
            "step01_fd::write a single byte to self.writer, and ignore the result on purpose.",
            "        let _ = step01_fd::write(&*self.writer, &[0]);",
        ],
    },
    Exercise {
        number: "5.3",
        name: "drain",
        task: "Read all bytes from the loop's end, so that it can sleep again.",
        minutes: 10,
        only_here: None,
        scenes: &["undrained_loop_spins", "many_wakes_one_return"],
        trials: &["nothing_is_left", "a_drain_is_cheap", "a_failing_read", "a_later_read_fails"],
        nudges: &[
            Nudge {
                at: "undrained_loop_spins",
                sees: "busy",
                hint: "The pair's other end is open, so Read::End never comes. Which outcome says \
                       that there's nothing more for now?",
            },
            Nudge {
                at: "nothing_is_left",
                sees: "the pair is readable",
                hint: "One read returns as many bytes as the buffer has room for. There may be more.",
            },
            Nudge {
                at: "a_drain_is_cheap",
                sees: "are allowed",
                hint: "A larger buffer needs fewer reads. asyncio's has 4,096 bytes.",
            },
            Nudge {
                at: "a_later_read_fails",
                sees: "",
                hint: "Bytes that were read before are no reason to keep an error back.",
            },
            Nudge {
                at: "a_failing_read",
                sees: "",
                hint: "`while let Ok(Read::Bytes(..))` takes an error for the end. Where's the `?`?",
            },
        ],
        hints: &[
            "How do you know that the last byte has been read? The descriptor does not block.",
            "Read into a buffer, again and again, while the outcome is Read::Bytes. Add up the \
             counts.",
            "        let mut buffer = [0; 4096];
        let mut total = 0;
        while let Read::Bytes(count) = step01_fd::read(&self.reader, &mut buffer)? {
            total += count;
        }
        Ok(total)",
        ],
    },
    Exercise {
        number: "5.4",
        name: "send",
        task: "Queue a value, and wake the loop unless an earlier value has done so.",
        minutes: 15,
        only_here: None,
        scenes: &["push_comes_before_wake", "one_byte_for_a_thousand_values", "send_after_close"],
        trials: &["values_in_the_queue", "senders_take_turns"],
        nudges: &[
            Nudge {
                at: "push_comes_before_wake",
                sees: "0 in the queue",
                hint: "The loop woke up before the value was there. It sees an empty queue, and goes \
                       back to sleep.",
            },
            Nudge {
                at: "one_byte_for_a_thousand_values",
                sees: "bytes in the pipe",
                hint: "Only the value that finds the queue empty needs a byte.",
            },
            Nudge {
                at: "senders_take_turns",
                sees: "",
                hint: "Between two calls of lock() another thread can push, and so can the loop take. \
                       Push and ask under one lock.",
            },
        ],
        hints: &[
            "The loop can look at the queue as soon as the byte is in the pipe. What must be true \
             by then? And which of a thousand values needs a byte?",
            "self.queue.upgrade() is None if the loop is gone: return the value. Otherwise \
             lock(&queue), push, and find out under the same lock whether the queue was empty \
             before.",
            "        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let mut values = lock(&queue);
        values.push(value);
        let is_first = values.len() == 1;
        drop(values);
        if is_first {
            self.waker.wake();
        }
        Ok(())",
        ],
    },
    Exercise {
        number: "5.5",
        name: "take",
        task: "Drain the pipe and take all values, so that the loop misses none.",
        minutes: 15,
        only_here: None,
        scenes: &[
            "take_empties_the_queue",
            "send_during_drain",
            "destructor_that_sends",
            "no_value_lost_or_repeated",
        ],
        trials: &[
            "values_taken",
            "a_take_is_cheap",
            "a_failing_drain",
            "senders_and_the_loop_take_turns",
        ],
        nudges: &[
            Nudge {
                at: "send_during_drain",
                sees: "nothing woke it",
                hint: "The loop took the values, then a sender pushed and wrote its byte, then the \
                       loop drained that byte.",
            },
            Nudge {
                at: "destructor_that_sends",
                sees: "futex",
                hint: "The old values are dropped while the queue is locked, and one of them sends. In \
                       `*values = mem::take(&mut *lock(..))` the lock lives until the semicolon.",
            },
            Nudge {
                at: "a_take_is_cheap",
                sees: "are allowed",
                hint: "Copying the values into a shorter list makes it grow. Two lists can also change \
                       places.",
            },
            Nudge {
                at: "senders_and_the_loop_take_turns",
                sees: "",
                hint: "A sender that comes between your lock and your last drain writes a byte, and \
                       that drain reads it. Nothing is drained after the queue is emptied.",
            },
        ],
        hints: &[
            "A sender can push and wake between any two of your lines. Which order of drain and \
             take can remove its byte without seeing its value?",
            "Drain first. Then exchange the two lists under the lock; std::mem::swap does it. Drop \
             the old contents of `values` before you lock: a destructor may call `send`.",
            "        values.clear();
        self.pipe.drain()?;
        mem::swap(values, &mut *lock(&self.queue));
        Ok(())",
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
        trials: &[
            "signals_in_any_order",
            "a_signal_at_each_instruction",
            "a_drop_at_each_instruction",
            "a_drop_with_two_handlers",
            "a_handler_in_another_thread",
        ],
        nudges: &[
            Nudge {
                at: "flag_comes_before_byte",
                sees: "none",
                hint: "The byte woke the loop before the flag was set, so the loop found nothing and \
                       went back to sleep.",
            },
            Nudge {
                at: "errno_survives",
                sees: "errno:",
                hint: "The handler's own write failed and set errno. Keep it at the beginning, and \
                       put it back at the end.",
            },
            Nudge {
                at: "drop_waits_for_the_handler",
                sees: "returned",
                hint: "drop waits until HANDLERS_IN_FLIGHT is zero. Who counts the handlers?",
            },
            Nudge {
                at: "a_signal_at_each_instruction",
                sees: "lost: SIGUSR",
                hint: "Between a load and a store another signal can set its bit, and the store \
                       removes it. fetch_or does both in one step.",
            },
            Nudge {
                at: "a_signal_at_each_instruction",
                sees: "system calls of",
                hint: "A lock is held where the second signal arrives, and println! takes one, too. \
                       write_byte is the only call that the handler needs.",
            },
            Nudge {
                at: "a_drop_at_each_instruction",
                sees: "late writes: 1",
                hint: "drop saw no handler, and so didn't wait; but this one had the descriptor \
                       already. Which has to come first, the count or the load?",
            },
            Nudge {
                at: "a_drop_with_two_handlers",
                sees: "late writes",
                hint: "HANDLERS_IN_FLIGHT is a number because there can be two: the inner handler \
                       may take back only what it added itself.",
            },
            Nudge {
                at: "a_handler_in_another_thread",
                sees: "doesn't wait for it",
                hint: "Between a load and a store another thread can count its own handler, and the \
                       store forgets it.",
            },
        ],
        hints: &[
            "`man 7 signal-safety`: an atomic and write(2) are allowed, an allocation isn't. \
             Which comes first, the flag or the byte? And what does write do to errno?",
            "Save errno(), set bit(signal) in PENDING, write_byte to WAKE_FD, restore errno with \
             set_errno. HANDLERS_IN_FLIGHT counts the handlers that are between their first and \
             last line.",
            "    let errno = errno();
    HANDLERS_IN_FLIGHT.fetch_add(1, SeqCst);
    PENDING.fetch_or(bit(signal), SeqCst);
    write_byte(WAKE_FD.load(SeqCst));
    HANDLERS_IN_FLIGHT.fetch_sub(1, SeqCst);
    set_errno(errno);",
        ],
    },
];
