//! What the book says about CPython where a scene has no twin.

/// Returns what a program in `tests/python/facts` prints; `None` without Python 3.11 or later.
fn asked(program: &str) -> Option<String> {
    let program = format!("python/facts/{program}.py");
    runner::twins::ask_cpython(env!("CARGO_MANIFEST_DIR"), env!("CARGO_PKG_NAME"), &program)
}

#[test]
fn in_cpython_a_task_that_nobody_holds_is_collected_while_it_waits() {
    if let Some(said) = asked("task_without_a_handle") {
        assert_eq!(said, "collected while it waits: True\n");
    }
}

#[test]
fn a_step_of_cpython_sends_none_and_a_bare_yield_comes_out_of_sleep_0() {
    let expected = "sent None, yielded nothing\nsent None, yielded a future\n\
                    sent None, returned 42\n";
    if let Some(said) = asked("what_a_coroutine_is_sent") {
        assert_eq!(said, expected);
    }
}

#[test]
fn cancelling_a_chain_of_10_000_tasks_is_a_recursion_error_up_to_cpython_3_13() {
    if let Some(said) = asked("cancel_a_chain") {
        assert!(["RecursionError\n", "not asked\n"].contains(&&*said), "{said}");
    }
}

#[test]
fn from_cpython_3_13_on_uncancel_takes_a_request_back_before_it_is_delivered() {
    if let Some(said) = asked("uncancel_before_delivery") {
        let expected = ["before 3.13: cancelled\n", "3.13 or later: returned\n"];
        assert!(expected.contains(&&*said), "{said}");
    }
}

#[test]
fn an_eager_task_of_cpython_3_12_begins_inside_create_task() {
    if let Some(said) = asked("eager_tasks") {
        let expected = ["begins, create_task has returned\n", "no eager tasks before 3.12\n"];
        assert!(expected.contains(&&*said), "{said}");
    }
}
