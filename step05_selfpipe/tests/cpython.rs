//! What the book says of CPython where it does otherwise than we.

#[test]
fn in_cpython_a_signal_that_meets_a_full_pipe_is_lost() {
    let package = env!("CARGO_PKG_NAME");
    let program = "cpython/full_pipe.py";
    let Some(said) = workbook::twins::ask_cpython(env!("CARGO_MANIFEST_DIR"), package, program)
    else {
        return;
    };
    assert_eq!(said, "after a full pipe: []\nafter an empty one: ['SIGUSR1']\n");
}
