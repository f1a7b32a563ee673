//! What the book says of CPython where it does otherwise than we.

/// Runs a program on CPython, if it's installed, and compares what it prints.
fn assert_says(program: &str, expected: &str) {
    let directory = env!("CARGO_MANIFEST_DIR");
    let said = runner::twins::ask_cpython(directory, env!("CARGO_PKG_NAME"), program);
    if let Some(said) = said {
        assert_eq!(said, expected);
    }
}

#[test]
fn in_cpython_a_task_that_nobody_holds_is_collected_while_it_waits() {
    assert_says("python/facts/task_without_a_handle.py", "collected while it waits: True\n");
}

#[test]
fn in_cpython_the_message_of_a_cancelled_task_is_told_once() {
    assert_says(
        "python/facts/cancelled_and_failed.py",
        "a cancelled task: cancelled(shutdown) then cancelled()\n\
         a cancelled future: cancelled(shutdown) then cancelled(shutdown)\n\
         a task that awaits itself is told after 1 round\n\
         reported: ['asked by nothing']\n\
         a future with a CancelledError is cancelled: False\n",
    );
}
