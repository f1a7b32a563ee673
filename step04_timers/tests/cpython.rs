//! The book's statements about CPython's asyncio, checked with CPython.

/// Checks the output of a program in `tests/python/facts/`, if Python is installed.
fn cpython_says(program: &str, expected: &str) {
    let package = env!("CARGO_PKG_NAME");
    let program = format!("python/facts/{program}.py");
    if let Some(said) = author::twins::ask_cpython(env!("CARGO_MANIFEST_DIR"), package, &program) {
        assert_eq!(said, expected);
    }
}

#[test]
fn equal_deadlines_fire_in_a_surprising_order() {
    cpython_says("equal_deadlines", "0 2 6 5 7 1 3 4\n");
}

#[test]
fn its_clock_is_monotonic_and_a_timer_is_due_a_nanosecond_early() {
    cpython_says(
        "clocks",
        "the loop's clock: clock_gettime(CLOCK_MONOTONIC)\n\
         can be set: False\n\
         what counts as due now: 1e-09\n\
         the same clock: True\n\
         the suspended time is counted elsewhere: True\n\
         after 195 days, a nanosecond later is: now\n\
         the next float is 3.7 ns away\n",
    );
}

#[test]
fn cancelling_counts_once_and_the_next_tick_sweeps() {
    cpython_says(
        "cancelled",
        "cancelled, in the heap: 2 counted: 1\n\
         its callback: None\n\
         once more, counted: 1\n\
         a tick later: 2\n\
         the head is cancelled, a tick later: 0\n\
         100,000 in one tick: 100000\n\
         a tick later: 0\n",
    );
}

#[test]
fn a_timer_that_sets_a_timer_does_not_starve_the_pipe() {
    cpython_says(
        "a_timer_sets_a_timer",
        "pipe timer pipe timer pipe timer\n\
         both are due, the first cancels the second: first\n",
    );
}

#[test]
fn a_sleep_is_an_entry_and_a_suspended_coroutine() {
    cpython_says(
        "three_sleepers",
        "before its first step: 0 CORO_CREATED\n\
         asleep: 1 CORO_SUSPENDED\n\
         threads: 1\n\
         waits in a sleep of 0.2 s: a handful\n",
    );
}

#[test]
fn fifty_days_are_slept_a_day_at_a_time() {
    cpython_says("fifty_day_timeout", "asks for 86400 s\n");
}
