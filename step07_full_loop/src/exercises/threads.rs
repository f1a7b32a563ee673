//! What other threads do for the loop: an outcome that they bring, and work that would block it.

use scene::{Exercise, Nudge};

use super::LAST_STEP;

pub(super) const COMPLETE: Exercise = Exercise {
    number: "7.6",
    name: "complete",
    task: "Bring a future's outcome from another thread into its loop.",
    minutes: 10,
    only_here: LAST_STEP,
    scenes: &["a_thread_finishes_a_future"],
    trials: &["outcomes_from_threads", "an_outcome_is_taken_while_it_is_sent"],
    hints: &[
        "Only the loop's thread can touch the future. What can this thread leave where the loop \
         finds it, and how does the loop learn that it's there?",
        "First put the outcome into the cell, and let go of its lock. Then send a callback by \
         self.handle.call_soon_threadsafe(...), which says itself that a loop is closed. The \
         callback can only take the number along: on its thread, get_running_loop() is the \
         future's loop, and finish_remote_future(number) does the rest.",
        "\
        let Completer { number, outcome: cell, handle } = self;
        cell.lock().unwrap_or_else(PoisonError::into_inner).replace(outcome);
        handle.call_soon_threadsafe(move || {
            let event_loop = get_running_loop();
            if let Ok(event_loop) = event_loop {
                event_loop.finish_remote_future(number);
            }
        })",
    ],
    nudges: &[
        Nudge {
            at: "a_thread_finishes_a_future",
            sees: "the future is pending",
            hint: "The outcome was sent in tick 2, so the future has to be done in tick 3. Your callback \
                   should find the outcome in the cell, look for the number in the table of its own \
                   loop, and finish the future then and there.",
        },
        Nudge {
            at: "a_thread_finishes_a_future",
            sees: "asleep",
            hint: "The thread waits for the loop, or the loop for the thread. Nothing has to wait here: \
                   the outcome stays in the cell until the callback runs.",
        },
        Nudge {
            at: "a_thread_finishes_a_future",
            sees: "",
            hint: "The loop was closed before the second thread came. call_soon_threadsafe says so, and \
                   its answer is yours.",
        },
        Nudge {
            at: "an_outcome_is_taken_while_it_is_sent",
            sees: "",
            hint: "The thread was stopped in the middle, and the loop looked. The outcome has to be \
                   in its cell before the callback is sent, and the cell's lock has to be free: the \
                   callback can run at once.",
        },
        Nudge {
            at: "outcomes_from_threads",
            sees: "the other loop's futures",
            hint: "The loop that runs on this thread needn't be the future's, and its table has the \
                   same numbers. Only the callback can ask for the running loop.",
        },
        Nudge {
            at: "outcomes_from_threads",
            sees: "Event loop is closed",
            hint: "The loop was closed, and call_soon_threadsafe says so. Hand its answer on, and \
                   don't make one up.",
        },
        Nudge {
            at: "outcomes_from_threads",
            sees: "",
            hint: "Each outcome, whether it's a result or an error, takes the same way: into the \
                   cell, and then a callback, even if this is the loop's own thread.",
        },
    ],
};

pub(super) const RUN_IN_EXECUTOR: Exercise = Exercise {
    number: "7.7",
    name: "run_in_executor",
    task: "Hand work to the loop's threads, and return a future for its outcome.",
    minutes: 20,
    only_here: LAST_STEP,
    scenes: &["a_panic_in_a_thread", "work_is_cancelled", "a_threads_result_keeps_its_place"],
    trials: &["work_on_a_thread", "what_is_left_of_work"],
    hints: &[
        "Three things can go wrong: the work panics, the pool refuses it, or the future is \
         cancelled while the work waits for a thread. Who notices each of them, and on which thread?",
        "create_remote_future() makes the future and the end for the thread. Work::new(...) takes \
         what the thread does: catch_unwind around the work, Error::panicked(&*payload) for its \
         panic, and complete. Keep a clone of the Work, for a done callback that cancels it if the \
         future was cancelled. self.submit(...) tells you at once whether the pool has taken it. And \
         what nothing will finish has to leave the table: forget_remote_future(number) removes it at \
         once, and dropping the completer a tick later.",
        "\
        self.assert_open_to(\"run_in_executor\");
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let on_the_thread = move || {
            // Kept until the future has its outcome: it can panic when it's dropped.
            let (outcome, _payload) = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(outcome) => (outcome, None),
                Err(payload) => (Err(Error::panicked(&*payload)), Some(payload)),
            };
            let _ = completer.complete(outcome);
        };
        let work = Work::new(on_the_thread);
        match self.submit(work.clone()) {
            Ok(()) => {
                future.add_done_callback(move |future| {
                    if !future.cancelled() {
                        return;
                    }
                    if let Ok(event_loop) = get_running_loop() {
                        event_loop.forget_remote_future(number);
                    }
                    work.cancel();
                });
            }
            Err(error) => {
                self.forget_remote_future(number);
                let _ = future.set_exception(error);
            }
        }
        future",
    ],
    nudges: &[
        Nudge {
            at: "a_panic_in_a_thread",
            sees: "asleep",
            hint: "Nothing finished the future. Work can end by a panic, which the pool's thread \
                   survives: but only your code has the completer, so catch the panic around the work. \
                   And as long as the work isn't done, the future's entry stays in the table.",
        },
        Nudge {
            at: "a_panic_in_a_thread",
            sees: "panics:",
            hint: "What catch_unwind returns is a box. Error::panicked wants what's in it, &*payload, to \
                   find the message there.",
        },
        Nudge {
            at: "a_panic_in_a_thread",
            sees: "fails:",
            hint: "The work's own error is the future's, as it is.",
        },
        Nudge {
            at: "a_panic_in_a_thread",
            sees: "succeeds:",
            hint: "The work ran on a thread that isn't the pool's. self.submit(...) hands it to the pool.",
        },
        Nudge {
            at: "work_is_cancelled",
            sees: "done 2",
            hint: "The second work was cancelled before a thread had begun it, and ran all the same. \
                   Keep a clone of the Work, and cancel it when the future says that it's cancelled.",
        },
        Nudge {
            at: "work_on_a_thread",
            sees: "held",
            hint: "Work that's cancelled while it waits should be dropped by the next tick, with all \
                   that it holds, though its thread is busy. work.cancel() does that.",
        },
        Nudge {
            at: "work_on_a_thread",
            sees: "pending",
            hint: "The future's outcome is known, and the future is still pending. Every way out has \
                   to finish it: a result, an error, a panic, and a pool that refuses the work.",
        },
        Nudge {
            at: "work_on_a_thread",
            sees: "closed; more work",
            hint: "A closed loop takes no work. self.assert_open_to(\"run_in_executor\") says so in asyncio's words.",
        },
        Nudge {
            at: "work_on_a_thread",
            sees: "",
            hint: "Work that the pool refuses runs nowhere, and panics nowhere: its future has failed with \
                   the pool's error when you return it. And all of this has to work before the loop runs.",
        },
        Nudge {
            at: "what_is_left_of_work",
            sees: "PayloadPanics",
            hint: "What catch_unwind returns is a payload, and a payload can panic when it's dropped. \
                   Complete the future first, while you still have the payload.",
        },
        Nudge {
            at: "what_is_left_of_work",
            sees: "GuardPanics",
            hint: "work.cancel() drops what the work holds, and that can panic: what you'd have done \
                   behind it isn't done. So it comes last.",
        },
        Nudge {
            at: "what_is_left_of_work",
            sees: "Ignored",
            hint: "Nobody has asked for the work's error, and so it's reported when the future is \
                   dropped. Your callback needs to know only whether the future was cancelled.",
        },
        Nudge {
            at: "what_is_left_of_work",
            sees: "",
            hint: "The table keeps an entry for each future until its outcome comes or its completer is \
                   dropped. If none will come, because the work was cancelled or refused, drop the \
                   work, or forget the entry.",
        },
    ],
};
