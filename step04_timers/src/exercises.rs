//! The exercises of step 04, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "4.1",
        name: "now",
        task: "Return the time since the clock's start, by a clock that can't be set.",
        minutes: 5,
        only_here: None,
        scenes: &["clock_starts_at_zero"],
        trials: &[],
        nudges: &[],
        hints: &[
            "There are two kinds of clock: one shows the date and can be set, the other only goes \
             forward. Which of them does a timeout need?",
            "std::time::Instant reads CLOCK_MONOTONIC, and self.start is one. How much has elapsed \
             since then? A Time is Time::ZERO plus a Duration.",
            "Time::ZERO + self.start.elapsed()",
        ],
    },
    Exercise {
        number: "4.2",
        name: "cmp",
        task: "Order the entries so that the timer that fires first is on top of Rust's heap.",
        minutes: 10,
        only_here: None,
        scenes: &["earliest_deadline_on_top"],
        trials: &[],
        nudges: &[],
        hints: &[
            "std's BinaryHeap keeps the greatest on top. Which of two timers must be the greater? \
             And what if their deadlines are equal?",
            "Compare other with self, not self with other, so that the earlier is the greater: \
             first by when, then by sequence.",
            "other.when.cmp(&self.when).then(other.sequence.cmp(&self.sequence))",
        ],
    },
    Exercise {
        number: "4.3",
        name: "cancel",
        task: "Cancel a timer by its id without a search, and return its payload.",
        minutes: 10,
        only_here: None,
        scenes: &["cancel_is_lazy", "cancel_needs_no_search"],
        trials: &[],
        nudges: &[],
        hints: &[
            "A heap can't find an entry in its middle, and doesn't have to. The payload is kept \
             elsewhere. What's an entry without its payload?",
            "The heap stays as it is. self.payloads has each timer's payload by its sequence \
             number, and a payload can be taken only once.",
            "self.payloads.take(id.sequence)",
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
        trials: &["timers_in_any_order"],
        nudges: &[],
        hints: &[
            "Look before you take. The timer on top can be a cancelled one, with a live one below \
             it. When is a timer due: from its deadline on, or after it?",
            "drop_cancelled_heads() leaves a live timer on top. heap.peek() shows it; if its when \
             is later than now, nothing is due. Otherwise pop it and take its payload.",
            "self.drop_cancelled_heads(); if self.heap.peek()?.when > now { return None; } let \
             entry = self.heap.pop()?; self.payloads.take(entry.sequence)",
        ],
    },
    Exercise {
        number: "4.5",
        name: "sweep",
        task: "Drop all cancelled timers at once, if there are many timers and most are cancelled.",
        minutes: 15,
        only_here: None,
        scenes: &["what_a_sweep_leaves"],
        trials: &[],
        nudges: &[],
        hints: &[
            "A sweep looks at all entries, so it has to be worth it: more than SWEEP_ABOVE of them, \
             and more than half of them cancelled. There are two lists to sweep.",
            "heap.retain keeps the entries whose payload is still there (payloads.contains), and \
             restores the heap's order. For the other list, payloads.slots() is what heap.len() is \
             for the heap, and payloads.compact(SWEEP_ABOVE) sweeps it. heap.shrink_to gives memory \
             back.",
            "if self.heap.len() > SWEEP_ABOVE && self.heap.len() > 2 * self.len() { \
             self.heap.retain(|entry| self.payloads.contains(entry.sequence)); \
             self.heap.shrink_to(SWEEP_ABOVE); } and the same condition on self.payloads.slots() \
             for self.payloads.compact(SWEEP_ABOVE).",
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
            "periodic_without_drift",
            "idle_client_is_closed",
        ],
        trials: &[],
        nudges: &[],
        hints: &[
            "Three answers are possible: forever, until the nearest deadline, and not at all. And \
             should a cancelled timer wake the loop?",
            "sweep() drops the cancelled timers if there are many of them, drop_cancelled_heads() \
             those on top. Then heap.peek(). Time − Time is never below zero.",
            "self.sweep(); self.drop_cancelled_heads(); let nearest = self.heap.peek()?; \
             Some(nearest.when - now)",
        ],
    },
];
