//! The exercises of step 04, in the order they are solved.

use scene::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "4.1",
        name: "now",
        task: "Tell the time since the clock's start, by a clock that nobody can set.",
        minutes: 5,
        scenes: &["clock_starts_at_zero"],
        hints: &[
            "There are two kinds of clock: one tells the date and can be set, the other one only \
             goes forward. Which of them does a timeout need?",
            "std::time::Instant reads CLOCK_MONOTONIC, and self.start is one. How much has elapsed \
             since then? A Time is Time::ZERO and a Duration.",
            "Time::ZERO + self.start.elapsed()",
        ],
    },
    Exercise {
        number: "4.2",
        name: "cmp",
        task: "Order the entries so that Rust's heap has the timer on top that fires first.",
        minutes: 10,
        scenes: &["earliest_deadline_on_top"],
        hints: &[
            "std's BinaryHeap keeps the greatest on top. Which of two timers must be the greater? \
             And what if their deadlines are equal?",
            "Compare the other with self, not self with the other, so that the earlier is greater: \
             first by when, then by sequence.",
            "other.when.cmp(&self.when).then(other.sequence.cmp(&self.sequence))",
        ],
    },
    Exercise {
        number: "4.3",
        name: "cancel",
        task: "Cancel a timer by its id without a search, and hand back what it was for.",
        minutes: 10,
        scenes: &["cancel_is_lazy", "cancel_needs_no_search"],
        hints: &[
            "A heap cannot find an entry in its middle, and need not. What makes an entry worth \
             firing stands elsewhere. What is an entry without it?",
            "The heap stays as it is. self.payloads knows what each timer is for, by its sequence, \
             and what was taken out once is not there again.",
            "self.payloads.take(id.sequence)",
        ],
    },
    Exercise {
        number: "4.4",
        name: "pop_due",
        task: "Take out the nearest timer if its time has come, and hand over what it was for.",
        minutes: 15,
        scenes: &[
            "due_to_the_nanosecond",
            "timers_fire_in_order",
            "equal_deadlines",
            "cancel_works_until_popped",
            "a_timer_sets_a_timer",
        ],
        hints: &[
            "Look before you take. The one on top may have been cancelled, and there may be a live \
             one below it. When is a timer due: from its deadline on, or after it?",
            "drop_cancelled_heads() leaves a live timer on top. heap.peek() shows it; if its when \
             is later than now, nothing is due. Else pop it and take its value.",
            "self.drop_cancelled_heads(); if self.heap.peek()?.when > now { return None; } let \
             entry = self.heap.pop()?; self.payloads.take(entry.sequence)",
        ],
    },
    Exercise {
        number: "4.5",
        name: "sweep",
        task: "Throw all cancelled timers away at once, if they are the greater part of many.",
        minutes: 15,
        scenes: &["what_a_sweep_leaves"],
        hints: &[
            "A sweep looks at all entries, so it has to be worth it: more than SWEEP_ABOVE of them, \
             and more than half of them empty. Two lists are to be swept.",
            "heap.retain keeps the entries whose value is still there (values.contains), and puts \
             the heap in order again. values.slots() counts as heap.len() does, for its list; \
             values.sweep(SWEEP_ABOVE) sweeps it. heap.shrink_to gives memory back.",
            "if self.heap.len() > SWEEP_ABOVE && self.heap.len() > 2 * self.len() { \
             self.heap.retain(|entry| self.payloads.contains(entry.sequence)); \
             self.heap.shrink_to(SWEEP_ABOVE); } and the same question with values.slots() for \
             self.payloads.compact(SWEEP_ABOVE).",
        ],
    },
    Exercise {
        number: "4.6",
        name: "next_timeout",
        task: "Say how long the loop may sleep: until the nearest timer that will really fire.",
        minutes: 10,
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
        hints: &[
            "Three answers: for ever, until the nearest, not at all. And may a cancelled timer wake \
             the loop?",
            "sweep() throws the cancelled ones away if they are many, drop_cancelled_heads() those \
             on top. Then heap.peek(). Time − Time is never below zero.",
            "self.sweep(); self.drop_cancelled_heads(); let nearest = self.heap.peek()?; \
             Some(nearest.when - now)",
        ],
    },
];
