//! The exercises of step 01, in the order they are solved.

use workbook::Exercise;

pub(crate) const EXERCISES: &[Exercise] = &[Exercise {
    number: "1.1",
    name: "pipe",
    task: "Make a pipe whose both ends are non-blocking and close-on-exec from the start.",
    minutes: 10,
    scenes: &["lowest_free_number"],
    hints: &["", "", ""],
}];
