//! `run-mine python`: a reader's programs on a reader's notebook, with what's wrong in it.
//! `.ci/run` has a stage for it, because it compiles pyo3 and layers.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic")]

mod reader;

use reader::Reader;

#[test]
fn with_three_layers_of_their_own_a_reader_has_the_selector_and_is_told_what_the_loop_needs() {
    let reader = Reader::with_their_own(3);
    let ran = reader.python("import workbook\nworkbook.Selector().close()\nworkbook.EventLoop()\n");
    let whose =
        "python's selector on your 01, 02 and 03; the loop needs your 04, 05, 06 and 07, too\n";
    assert!(ran.err.starts_with(whose), "{ran:?}");
    assert!(ran.err.contains("04, 05, 06 and 07"), "{ran:?}");
    assert_eq!(ran.code, Some(1), "{ran:?}");
}
