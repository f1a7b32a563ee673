//! Names that changed from one edition of the workbook to the next.
//!
//! To rename something that a notebook contains, or that a reader's code can mention: start a new
//! edition below, unless the last one hasn't been published yet, and add the old and the new name.

/// The names that an edition changed.
#[derive(Debug)]
pub(crate) struct Edition {
    /// Its number. A notebook that doesn't say which edition made it is from the first.
    pub(crate) number: u32,
    /// Crates, each with its old and its new name.
    pub(crate) crates: &'static [(&'static str, &'static str)],
    /// The names that changed in each step.
    pub(crate) steps: &'static [StepRenames],
}

/// The names that changed in a step. Each pair is the old name and the new one.
#[derive(Debug)]
pub(crate) struct StepRenames {
    /// The step's package.
    pub(crate) package: &'static str,
    /// Files, relative to `src/`.
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// Exercises, by name. Twice the same name is an exercise that came with this edition.
    pub(crate) exercises: &'static [(&'static str, &'static str)],
    /// Types, functions and fields that a body can mention. A name that begins with a dot is a
    /// field, unless it ends with a parenthesis: then it's a method.
    pub(crate) code: &'static [(&'static str, &'static str)],
}

/// The editions after the first, in order.
pub(crate) const EDITIONS: &[Edition] =
    &[EDITION_2, EDITION_3, EDITION_4, EDITION_5, EDITION_6, EDITION_7];

/// A sender of step 05 can wake its loop through an eventfd, and step 06 asks for it. No name changed,
/// but the pages need the new files.
const EDITION_7: Edition = Edition { number: 7, crates: &[], steps: &[] };

/// The files of step 07 are in folders. Fourteen of its exercises are new.
const EDITION_6: Edition = Edition {
    number: 6,
    crates: &[],
    steps: &[StepRenames {
        package: "step07_full_loop",
        files: &[
            ("event_loop.rs", "event_loop/mod.rs"),
            ("handle.rs", "event_loop/handle.rs"),
            ("listener.rs", "net/listener.rs"),
            ("readers.rs", "event_loop/readers.rs"),
            ("readiness.rs", "event_loop/readiness.rs"),
            ("running.rs", "event_loop/running.rs"),
            ("sending.rs", "net/sending.rs"),
            ("signals.rs", "event_loop/signals.rs"),
            ("source.rs", "event_loop/source.rs"),
            ("stream.rs", "net/stream.rs"),
            ("tick.rs", "event_loop/tick.rs"),
            ("timer.rs", "event_loop/timer.rs"),
        ],
        exercises: &[
            ("complete", "complete"),
            ("run_in_executor", "run_in_executor"),
            ("serve_until_stopped", "serve_until_stopped"),
            ("child_is_done", "child_is_done"),
            ("exit", "exit"),
            ("end_block", "end_block"),
            ("pass_on", "pass_on"),
            ("acquire", "acquire"),
            ("wait_until", "wait_until"),
            ("accept", "accept"),
            ("connect_in_turn", "connect_in_turn"),
            ("receive", "receive"),
            ("drain", "drain"),
            ("write_ready", "write_ready"),
        ],
        code: &[],
    }],
};

/// A task of step 06 is one allocation, and its control and its waker are new. Five of its exercises
/// are new.
const EDITION_5: Edition = Edition {
    number: 5,
    crates: &[],
    steps: &[StepRenames {
        package: "step06_tasks",
        files: &[
            ("delivery.rs", "cancelling.rs"),
            ("local.rs", "current_queue.rs"),
            ("queued.rs", "task_waker.rs"),
        ],
        exercises: &[
            ("poll", "poll"),
            ("wake_by_ref", "wake_by_ref"),
            ("poll_result", "poll_result"),
            ("queue_messages", "queue_messages"),
            ("join_all", "join_all"),
        ],
        code: &[
            ("Error::Cancelled", "Error::cancelled()"),
            (
                ".is_cancelled_before_its_first_step()",
                ".cancelled_before_its_first_step().is_some()",
            ),
            (".outcome", ".state().outcome"),
            (".callbacks", ".state().callbacks"),
            (".done", ".ended"),
        ],
    }],
};

/// Step 02 can connect out, and a `lib.rs` of an earlier edition doesn't have the module. A page no
/// longer has `precise.rs`, which wasn't the reader's either.
const EDITION_4: Edition = Edition {
    number: 4,
    crates: &[],
    steps: &[StepRenames {
        package: "step02_epoll",
        files: &[("precise.rs", "precise.rs")],
        exercises: &[],
        code: &[],
    }],
};

/// The trials came: a page's program runs them.
const EDITION_3: Edition = Edition { number: 3, crates: &[], steps: &[] };

const EDITION_2: Edition = Edition {
    number: 2,
    crates: &[("workbook", "scene, runner and kit")],
    steps: &[
        StepRenames {
            package: "step01_fd",
            files: &[("kind.rs", "proc_fd.rs"), ("transfer.rs", "io.rs")],
            exercises: &[],
            code: &[],
        },
        StepRenames {
            package: "step02_epoll",
            files: &[
                ("echo_server.rs", "echo_server/mod.rs"),
                ("connection.rs", "echo_server/connection.rs"),
            ],
            exercises: &[],
            code: &[],
        },
        StepRenames {
            package: "step03_selector",
            files: &[
                ("echo_server.rs", "echo_server/mod.rs"),
                ("poll_selector.rs", "poll_like.rs"),
                ("select_selector.rs", "poll_like.rs"),
            ],
            exercises: &[],
            code: &[("Ready", "ReadyEvent"), ("Registered", "Slot"), (".places", ".slots")],
        },
        StepRenames {
            package: "step04_timers",
            files: &[("echo_server.rs", "echo_server/mod.rs"), ("values.rs", "payloads.rs")],
            exercises: &[],
            code: &[
                ("Values", "Payloads"),
                (".values.sweep(", ".payloads.compact("),
                (".values", ".payloads"),
                (".places(", ".slots("),
            ],
        },
        StepRenames {
            package: "step05_selfpipe",
            files: &[
                ("echo_server.rs", "echo_server/mod.rs"),
                ("farewell.rs", "echo_server/shutdown.rs"),
                ("remote.rs", "echo_server/handle.rs"),
                ("serve.rs", "echo_server/mod.rs"),
            ],
            exercises: &[],
            code: &[
                ("Waker", "LoopWaker"),
                ("Remote", "ServerHandle"),
                ("news", "values"),
                ("RUNNING", "HANDLERS_IN_FLIGHT"),
                ("NOBODY", "NO_FD"),
            ],
        },
        StepRenames {
            package: "step06_tasks",
            files: &[
                ("echo_server.rs", "echo_server/mod.rs"),
                ("handlers.rs", "echo_server/connection.rs"),
                ("inbox.rs", "queue_handle.rs"),
                ("reactor.rs", "echo_server/reactor.rs"),
                ("task_table.rs", "tasks.rs"),
            ],
            exercises: &[("run_once", "run_ready")],
            code: &[
                ("Remote", "QueueHandle"),
                ("Running", "TaskBody"),
                ("take_cancel", "take_cancellation"),
                ("tell_at_next_resume", "cancel_at_next_step"),
            ],
        },
        StepRenames {
            package: "step07_full_loop",
            files: &[
                ("echo_server.rs", "echo_server/mod.rs"),
                ("idle.rs", "echo_server/idle.rs"),
                ("remote.rs", "handle.rs"),
            ],
            exercises: &[],
            code: &[
                ("Remote", "LoopHandle"),
                ("is_exhausted", "clear_ready"),
                ("queue.run_once", "queue.run_ready"),
                ("readers::queue_event(self, event)", "self.process_event(event)"),
            ],
        },
    ],
};

/// Returns all renames in a step since an edition, oldest first.
pub(crate) fn since(edition: u32, package: &str) -> impl Iterator<Item = &'static StepRenames> {
    let later = EDITIONS.iter().filter(move |later| later.number > edition);
    later.flat_map(|later| later.steps).filter(move |step| step.package == package)
}

/// Replaces a name in code wherever it's a whole word. Returns the new code and the number of
/// replacements.
pub(crate) fn rename(code: &str, old: &str, new: &str) -> (String, usize) {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let begins_with_a_word = old.starts_with(is_word);
    let ends_with_a_word = old.ends_with(is_word);
    let is_field = old.starts_with('.') && ends_with_a_word;
    let (mut renamed, mut rest, mut count) = (String::new(), code, 0);
    while let Some(at) = rest.find(old) {
        let (before, from) = rest.split_at(at);
        let after = &from[old.len()..];
        renamed.push_str(before);
        let continues_before = begins_with_a_word && renamed.ends_with(is_word);
        let continues_after = ends_with_a_word && after.starts_with(is_word);
        if continues_before || continues_after || (is_field && after.starts_with('(')) {
            renamed.push_str(old);
        } else {
            renamed.push_str(new);
            count += 1;
        }
        rest = after;
    }
    (renamed + rest, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_renamed() {
        let code = "Ready { fd } ReadyEvent IsReady is_Ready(Ready)";
        let (renamed, count) = rename(code, "Ready", "Event");
        assert_eq!(renamed, "Event { fd } ReadyEvent IsReady is_Ready(Event)");
        assert_eq!(count, 2);
    }

    #[test]
    fn a_field_is_not_a_method() {
        let code = "self.values.len() + map.values() + self.values";
        let (renamed, _) = rename(code, ".values", ".payloads");
        assert_eq!(renamed, "self.payloads.len() + map.values() + self.payloads");
        assert_eq!(rename("self.places(x)", ".places(", ".slots(").0, "self.slots(x)");
    }

    #[test]
    fn editions_are_numbered_in_order() {
        for (edition, number) in EDITIONS.iter().zip(2..) {
            assert_eq!(edition.number, number);
        }
    }
}
