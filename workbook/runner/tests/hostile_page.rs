//! What a reader is told after their page has killed the runner, or changed what it's judged by.

#[path = "common/copy.rs"]
mod copy;

use std::fs;

use copy::{STEP, Workbook};

fn workbook() -> Workbook {
    let workbook = Workbook::fresh("hostile_page");
    workbook.run(&[]);
    workbook
}

const KILLED: &str = "The last run was killed while it judged your page of step90_fixture";

#[test]
fn after_a_runner_was_killed_the_next_one_says_so_once() {
    let workbook = workbook();
    workbook.write_body(
        "src/numbers/mod.rs",
        "unsafe extern \"C\" { fn getppid() -> i32; fn kill(process: i32, signal: i32) -> i32; }
    unsafe { kill(getppid(), 9) };
    number.wrapping_mul(2)",
    );
    let killed = workbook.run(&[]);
    assert_eq!(killed.code, None, "{killed:?}");
    fs::remove_dir_all(workbook.page("src")).expect("start over");
    assert!(workbook.run(&[]).out.replace('\n', " ").contains(KILLED));
    assert!(!workbook.run(&[]).out.replace('\n', " ").contains(KILLED));
}

#[test]
fn a_page_that_changes_a_snapshot_is_judged_by_the_old_one_which_is_put_back() {
    let workbook = workbook();
    let snapshot = workbook.root.join(STEP).join("tests/snapshots/small_numbers.snap");
    let key = fs::read_to_string(&snapshot).expect("read");
    let forged = key.replace("twice one is 2", "twice one is 7");
    assert_ne!(forged, key);
    let body = format!(
        "let _ = std::fs::write({:?}, {forged:?});
    if number == 1 {{ 7 }} else {{ number.wrapping_mul(2) }}",
        snapshot.display()
    );
    workbook.write_body("src/numbers/mod.rs", &body);
    for _ in 0..2 {
        let ran = workbook.run(&[]);
        assert!(ran.out.contains("✗ 90.1 double                  red"), "{}", ran.out);
        assert!(ran.err.contains("small_numbers.snap was changed"), "{}", ran.err);
        assert_eq!(fs::read_to_string(&snapshot).expect("read"), key);
    }
}
