//! The example `books_a_trip`, as the chapter shows it: payments after the trip is given up.

use crate::support::Program;

/// Returns the lines that the example prints, sorted, because a slow machine could change their
/// order.
fn lines_of(arguments: &[&str]) -> Vec<String> {
    let end = Program::start("books_a_trip", arguments).end();
    assert_eq!(end.code, Some(0), "{end:?}");
    let mut lines: Vec<String> = end.rest.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn what_runs_on_after_the_first_error_is_paid_for() {
    let expected = [
        "  a flight: paid 320",
        "  a hotel: paid 480",
        "No trip: there's no car left. Nothing is booked.",
    ];
    assert_eq!(lines_of(&[]), expected);
}

#[test]
fn a_group_cancels_what_is_left() {
    let error = "No trip: unhandled errors in a TaskGroup (1 sub-exception). Nothing is booked.";
    assert_eq!(lines_of(&["group"]), [error]);
}
