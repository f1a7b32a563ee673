//! What the book says of CPython where it does otherwise than we.

#[test]
fn in_cpython_a_task_that_nobody_holds_is_collected_while_it_waits() {
    let package = env!("CARGO_PKG_NAME");
    let program = "python/facts/task_without_a_handle.py";
    let Some(said) = runner::twins::ask_cpython(env!("CARGO_MANIFEST_DIR"), package, program)
    else {
        return;
    };
    assert_eq!(said, "collected while it waits: True\n");
}
