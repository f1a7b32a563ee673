//! The example `poll_everything`, as the chapter shows it: it prints eight lines and polls as often
//! as a core can.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[test]
fn it_polls_a_thousand_times_for_each_line_and_more() {
    let output = kit::example("step06_tasks", "poll_everything").output().unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    let (lines, last) = printed.trim_end().rsplit_once('\n').unwrap();
    let mut lines: Vec<&str> = lines.lines().collect();
    // A and B print in the same second, in either order.
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["A: 1 s", "A: 2 s", "A: 3 s", "B: 1 s", "B: 2 s", "B: 3 s", "B: 4 s", "B: 5 s"]
    );
    let polls = last.strip_prefix("8 lines were printed, and poll was called ").unwrap();
    let polls: u64 = polls.strip_suffix(" times.").unwrap().parse().unwrap();
    assert!(polls > 8_000, "{polls}");
}
