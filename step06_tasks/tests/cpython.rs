//! Checks the book's claims about CPython: by a scene's twin, or by a program if it has no twin.

/// Runs a program in `tests/python/facts`, if CPython is installed, and checks that it prints one
/// of these texts. There can be several, because versions differ.
fn assert_says(program: &str, expected: &[&str]) {
    let program = format!("python/facts/{program}.py");
    let directory = env!("CARGO_MANIFEST_DIR");
    let said = author::twins::ask_cpython(directory, env!("CARGO_PKG_NAME"), &program);
    if let Some(said) = said {
        assert!(expected.contains(&&*said), "{program} says:\n{said}");
    }
}

#[test]
fn in_cpython_a_task_that_nobody_holds_is_collected_while_it_waits() {
    assert_says("task_without_a_handle", &["collected while it waits: True\n"]);
}

#[test]
fn in_cpython_the_message_of_a_cancelled_task_is_told_once() {
    assert_says(
        "cancelled_and_failed",
        &["a cancelled task: cancelled(shutdown) then cancelled()\n\
           a cancelled future: cancelled(shutdown) then cancelled(shutdown)\n\
           a task that awaits itself is told after 1 round\n\
           reported: ['asked by nothing']\n\
           a future with a CancelledError is cancelled: False\n"],
    );
}

#[test]
fn a_step_of_cpython_sends_none_and_a_bare_yield_comes_out_of_sleep_0() {
    assert_says(
        "what_a_coroutine_is_sent",
        &["sent None, yielded nothing\nsent None, yielded a future\nsent None, returned 42\n"],
    );
}

#[test]
fn cancelling_a_chain_of_100_000_tasks_is_a_recursion_error_in_cpython() {
    assert_says("cancel_a_chain", &["RecursionError\n"]);
}

#[test]
fn from_cpython_3_13_on_uncancel_takes_a_request_back_before_it_is_delivered() {
    assert_says(
        "uncancel_before_delivery",
        &["before 3.13: cancelled\n", "3.13 or later: returned\n"],
    );
}

#[test]
fn an_eager_task_of_cpython_3_12_begins_inside_create_task() {
    assert_says(
        "eager_tasks",
        &["begins, create_task has returned\n", "no eager tasks before 3.12\n"],
    );
}

/// CPython's asyncio prints the same transcripts as the scenes that speak for it.
#[test]
fn cpython_says_the_same_as_our_scenes() {
    author::twins::agree(env!("CARGO_MANIFEST_DIR"), env!("CARGO_PKG_NAME"));
}
