//! The example `never_back`, as the chapter shows it: its alarm waits for the last callback.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

#[test]
fn the_alarm_waits_until_no_callback_is_left() {
    let output = kit::example("step06_tasks", "never_back").output().unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    let (counted, alarm) = printed.trim_end().split_once('\n').unwrap();
    let counted: u64 = counted.strip_prefix("counted to ").unwrap().parse().unwrap();
    assert!(counted > 1000, "{counted}");
    let after = alarm.strip_prefix("The alarm for 100 ms goes off after ").unwrap();
    let after: u64 = after.strip_suffix(" ms.").unwrap().parse().unwrap();
    assert!(after >= 1000, "{after}");
}
