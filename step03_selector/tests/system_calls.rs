//! The number of system calls, counted by strace where it's installed.

use kit::strace;

/// Returns the `epoll_ctl` calls of a scene, one per line.
fn epoll_ctl_calls(scene: &str) -> Option<Vec<String>> {
    let options = ["-f", "-e", "trace=epoll_ctl"];
    let dir = env!("CARGO_TARGET_TMPDIR");
    strace::scene(env!("CARGO_BIN_EXE_step03_selector"), scene, &options, dir)
}

fn count(calls: &[String], operation: &str) -> usize {
    calls.iter().filter(|call| call.contains(operation)).count()
}

#[test]
fn modify_to_the_same_interest_makes_no_call() {
    let Some(calls) = epoll_ctl_calls("modify_to_the_same") else { return };
    // Registered once, then modified to the same interest and to another.
    assert_eq!(count(&calls, "EPOLL_CTL_ADD"), 1, "{calls:#?}");
    assert_eq!(count(&calls, "EPOLL_CTL_MOD"), 1, "{calls:#?}");
}

#[test]
fn what_the_selector_refuses_by_itself_makes_no_call() {
    let Some(calls) = epoll_ctl_calls("register_and_get_key") else { return };
    // Only Ann is registered with epoll: Bob is registered already, and Cid waits for nothing.
    assert_eq!(count(&calls, "epoll_ctl("), 1, "{calls:#?}");
}
