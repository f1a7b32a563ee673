//! The example `gives_up`, as the chapter shows it: a hundred is lost.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[test]
fn a_coroutine_that_is_dropped_in_its_middle_gives_nothing_back() {
    let output = kit::example("step06_tasks", "gives_up").output().unwrap();
    assert!(output.status.success());
    let expected = "The bank doesn't answer. Giving up.\nAda has 0, and Grace has 100.\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}
