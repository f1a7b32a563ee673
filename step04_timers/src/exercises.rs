//! The exercises of step 04, in the order they are solved.

use scene::{Exercise, Nudge};

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "4.1",
        name: "now",
        task: "Return the time since the clock's start, by a clock that can't be set.",
        minutes: 5,
        only_here: None,
        scenes: &["clock_starts_at_zero"],
        trials: &["clocks_of_all_ages"],
        nudges: &[
            Nudge {
                at: "clock_starts_at_zero",
                sees: "1970",
                hint: "SystemTime shows the date, and your computer's owner can set it. A clock \
                       that was started knows when: what has the time been doing since?",
            },
            Nudge {
                at: "clock_starts_at_zero",
                sees: "1 ms or more",
                hint: "A Duration knows its nanoseconds. as_millis() throws most of them away.",
            },
            Nudge {
                at: "clocks_of_all_ages",
                sees: "started 1s ago",
                hint: "subsec_nanos() is only what's left beside the whole seconds.",
            },
        ],
        hints: &[
            "There are two kinds of clock: one shows the date and can be set, the other only goes \
             forward. Which of them does a timeout need?",
            "std::time::Instant reads CLOCK_MONOTONIC, and self.start is one. How much has elapsed \
             since then? A Time is Time::ZERO plus a Duration.",
            "
        Time::ZERO + self.start.elapsed()
",
        ],
    },
    Exercise {
        number: "4.2",
        name: "cmp",
        task: "Order the entries so that the timer that fires first is on top of Rust's heap.",
        minutes: 10,
        only_here: None,
        scenes: &["earliest_deadline_on_top"],
        trials: &["every_two_entries"],
        nudges: &[
            Nudge {
                at: "earliest_deadline_on_top",
                sees: "900ms 500ms",
                hint: "The latest deadline came out first, because std's heap pops the greatest. So \
                       the earlier of two deadlines has to be the greater entry.",
            },
            Nudge {
                at: "earliest_deadline_on_top",
                sees: "all at 10 ms",
                hint: "If the deadlines are equal, something else has to decide, and a heap doesn't \
                       keep the order in which you push. Which field does?",
            },
            Nudge {
                at: "every_two_entries",
                sees: "",
                hint: "Compare the two numbers themselves. A difference, a rounding or a cast loses \
                       something when one of them is large.",
            },
        ],
        hints: &[
            "std's BinaryHeap keeps the greatest on top. Which of two timers must be the greater? \
             And what if their deadlines are equal?",
            "Compare other with self, not self with other, so that the earlier is the greater: \
             first by when, then by sequence.",
            "
        let by_deadline = other.when.cmp(&self.when);
        by_deadline.then(other.sequence.cmp(&self.sequence))
",
        ],
    },
    Exercise {
        number: "4.3",
        name: "cancel",
        task: "Cancel a timer by its id without a search, and return its payload.",
        minutes: 10,
        only_here: None,
        scenes: &["cancel_is_lazy", "cancel_needs_no_search"],
        trials: &["timers_are_cancelled", "all_are_cancelled", "cancelling_among_many"],
        nudges: &[
            Nudge {
                at: "cancel_is_lazy",
                sees: "panicked",
                hint: "An id can be tried after its timer is gone. That isn't a mistake of the \
                       caller's, and the docs say what it returns.",
            },
            Nudge {
                at: "cancel_is_lazy",
                sees: "in the heap",
                hint: "The entry stays where it is. Without its payload it won't fire, and it's \
                       dropped later.",
            },
            Nudge {
                at: "cancel_needs_no_search",
                sees: "busy",
                hint: "Each cancel looks at too many timers. The id already says where the payload \
                       is: see what Payloads can do.",
            },
        ],
        hints: &[
            "A heap can't find an entry in its middle, and doesn't have to. The payload is kept \
             elsewhere, see payloads.rs. What's an entry without its payload?",
            "The heap stays as it is. self.payloads has each timer's payload by its sequence \
             number, and a payload can be taken only once.",
            "
        self.payloads.take(id.sequence)
",
        ],
    },
    Exercise {
        number: "4.4",
        name: "pop_due",
        task: "Remove the nearest timer if it's due, and return its payload.",
        minutes: 15,
        only_here: None,
        scenes: &[
            "due_to_the_nanosecond",
            "timers_fire_in_order",
            "equal_deadlines",
            "cancel_works_until_popped",
            "a_timer_sets_a_timer",
        ],
        trials: &["timers_in_any_order", "popping_among_many", "popping_behind_many_cancelled"],
        nudges: &[
            Nudge {
                at: "due_to_the_nanosecond",
                sees: "a nanosecond before",
                hint: "A timer must not fire early, not even by a nanosecond.",
            },
            Nudge {
                at: "due_to_the_nanosecond",
                sees: "at 1 s:                  None",
                hint: "At its deadline, a timer is due: look at your comparison. And if you take an \
                       entry before you know that it's due, it's gone.",
            },
            Nudge {
                at: "cancel_works_until_popped",
                sees: "two are cancelled",
                hint: "A cancelled timer at the top hides the ones below it. The caller stops at \
                       None, so None has to mean that nothing is due.",
            },
        ],
        hints: &[
            "Look before you take. The timer on top can be a cancelled one, with a live one below \
             it. When is a timer due: from its deadline on, or after it?",
            "drop_cancelled_heads() leaves a live timer on top. heap.peek() shows it; if its when \
             is later than now, nothing is due. Otherwise pop it and take its payload.",
            "
        self.drop_cancelled_heads();
        if self.heap.peek()?.when > now {
            return None;
        }
        let entry = self.heap.pop()?;
        self.payloads.take(entry.sequence)
",
        ],
    },
    Exercise {
        number: "4.5",
        name: "sweep",
        task: "Sweep the heap and the payloads, each if it's long and more than half of it is dead.",
        minutes: 15,
        only_here: None,
        scenes: &["fired_timers_leave_slots", "what_a_sweep_leaves"],
        trials: &["what_is_worth_a_sweep", "sweeps_in_any_order", "sweeping_seldom"],
        nudges: &[
            Nudge {
                at: "what_a_sweep_leaves",
                sees: "",
                hint: "Count again: more than SWEEP_ABOVE, and more than half. A hundred, or \
                       exactly a half, isn't enough yet.",
            },
            Nudge {
                at: "fired_timers_leave_slots",
                sees: "heap 1, slots 1001",
                hint: "A timer that fires leaves an empty slot and no entry. So the slots can need \
                       a sweep when the heap doesn't: ask the question for each list.",
            },
        ],
        hints: &[
            "A sweep looks at a whole list, so it has to be worth it: more than SWEEP_ABOVE in it, \
             and more than half of no use. There are two lists. Can one need a sweep when the \
             other doesn't?",
            "heap.retain keeps the entries whose payload is still there (payloads.contains), and \
             restores the heap's order. For the other list, payloads.slots() is what heap.len() is \
             for the heap, and payloads.compact(SWEEP_ABOVE) sweeps it. heap.shrink_to gives memory \
             back.",
            "
        if self.heap.len() > SWEEP_ABOVE && self.heap.len() > 2 * self.len() {
            self.heap.retain(|entry| self.payloads.contains(entry.sequence));
            self.heap.shrink_to(SWEEP_ABOVE);
        }
        if self.payloads.slots() > SWEEP_ABOVE && self.payloads.slots() > 2 * self.len() {
            self.payloads.compact(SWEEP_ABOVE);
        }
",
        ],
    },
    Exercise {
        number: "4.6",
        name: "next_timeout",
        task: "Return how long the loop can sleep: until the nearest timer that will really fire.",
        minutes: 10,
        only_here: None,
        scenes: &[
            "how_long_to_sleep",
            "early_event",
            "never_wakes_early",
            "sweeps_bound_the_heap",
            "wall_clock_set_back",
            "rounding_down_spins",
            "fifty_day_timeout",
            "polling_or_sleeping",
            "sleep_is_a_heap_entry",
            "timeout_or_deadline",
            "periodic_without_drift",
            "idle_client_is_closed",
        ],
        trials: &[
            "timeouts_in_any_order",
            "timeouts_of_many",
            "asking_among_many",
            "asking_behind_many_cancelled",
        ],
        nudges: &[
            Nudge {
                at: "how_long_to_sleep",
                sees: "overflow",
                hint: "A timer can be overdue, and then the difference would be negative. The \
                       difference of two Times is never below zero.",
            },
            Nudge {
                at: "how_long_to_sleep",
                sees: "cancelled",
                hint: "The nearest timer is cancelled, and there may be more of those below it. The \
                       loop would wake up for nothing.",
            },
            Nudge {
                at: "how_long_to_sleep",
                sees: "300 µs",
                hint: "Return what's left, to the nanosecond. The wait itself rounds it.",
            },
            Nudge {
                at: "sweeps_bound_the_heap",
                sees: "",
                hint: "Cancelled timers below the top pile up, unless this function calls sweep.",
            },
        ],
        hints: &[
            "Three answers are possible: forever, until the nearest deadline, and not at all. And \
             should a cancelled timer wake the loop?",
            "sweep() drops the cancelled timers if there are many of them, drop_cancelled_heads() \
             those on top. Then heap.peek(). Time − Time is never below zero.",
            "
        self.sweep();
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?;
        Some(nearest.when - now)
",
        ],
    },
];
