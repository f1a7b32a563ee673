//! The exercises of step 04, in the order they are solved.

use workbook::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[
    Exercise {
        number: "4.1",
        name: "cmp",
        task: "Order the entries so that Rust's heap has the timer on top that fires first.",
        minutes: 10,
        scenes: &["nearest_first", "equal_deadlines"],
        hints: &[
            "std's BinaryHeap keeps the greatest on top. Which of two timers must be the greater? \
             And what if their deadlines are equal?",
            "Compare the other with self, not self with the other, so that the earlier is greater: \
             first by when, then by sequence.",
            "other.when.cmp(&self.when).then(other.sequence.cmp(&self.sequence))",
        ],
    },
    Exercise {
        number: "4.2",
        name: "cancel",
        task: "Cancel a timer by its id without a search, and hand back what it was for.",
        minutes: 15,
        scenes: &["cancel_is_lazy"],
        hints: &[
            "A heap cannot find an entry in its middle. But what makes an entry worth firing stands \
             in a slot, and the id knows which. Is it still the same timer's slot?",
            "slots.get_mut(id.slot), compare the sequences, and take the value: an entry without a \
             value is a cancelled one. Somebody counts them.",
            "let slot = self.slots.get_mut(id.slot)?; if slot.sequence != id.sequence { return None; \
             } let value = slot.value.take()?; self.cancelled += 1; Some(value)",
        ],
    },
    Exercise {
        number: "4.3",
        name: "next_timeout",
        task: "Say how long the loop may sleep: until the nearest timer that will really fire.",
        minutes: 10,
        scenes: &[
            "how_long_may_i_sleep",
            "early_event",
            "periodic_without_drift",
            "never_early",
            "a_million_cancelled",
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
