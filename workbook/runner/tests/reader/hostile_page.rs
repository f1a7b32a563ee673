//! The report after a page has killed the runner, and the keys by which a page is judged.

use std::fs;
use std::process::{Command, Stdio};

use crate::copy::{STEP, Workbook, ran};

fn workbook() -> Workbook {
    let workbook = Workbook::fresh();
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
fn a_page_is_judged_by_the_snapshots_that_its_steps_program_was_built_with() {
    let workbook = workbook();
    workbook.write_body(
        "src/numbers/mod.rs",
        "if number == u32::MAX { 7 } else { number.wrapping_mul(2) }",
    );
    workbook.run(&[]);
    let snapshot = workbook.root.join(STEP).join("tests/snapshots/the_largest_number.snap");
    let key = fs::read_to_string(&snapshot).expect("read");
    fs::write(&snapshot, key.replace("4294967294", "7")).expect("write");
    // Cargo would build the program again.
    let program = Command::new(workbook.root.join("target/debug").join(STEP))
        .current_dir(&workbook.root)
        .env("CARGO_MANIFEST_DIR", workbook.root.join(STEP))
        .stdin(Stdio::null())
        .output();
    fs::write(&snapshot, &key).expect("put it back");
    let ran = ran(program.expect("run the step's program"));
    assert!(ran.out.contains("✗ 90.1 double                  red"), "{ran:?}");
}
