//! The book's statements about CPython where CPython differs from this step, checked with it.

#[test]
fn in_cpython_a_full_pipe_loses_a_signal() {
    let package = env!("CARGO_PKG_NAME");
    let program = "python/facts/full_pipe.py";
    let Some(said) = author::twins::ask_cpython(env!("CARGO_MANIFEST_DIR"), package, program)
    else {
        return;
    };
    assert_eq!(said, "after a full pipe: []\nafter an empty one: ['SIGUSR1']\n");
}

#[test]
fn in_cpython_each_call_and_each_signal_writes_a_byte() {
    let package = env!("CARGO_PKG_NAME");
    let program = "python/facts/one_byte_each.py";
    let Some(said) = author::twins::ask_cpython(env!("CARGO_MANIFEST_DIR"), package, program)
    else {
        return;
    };
    assert_eq!(
        said,
        "100 hand-overs:   100 bytes\n\
         SIGUSR1 arrives:  its number: True\n\
         100 of one kind:  100 callbacks\n\
         a child wakes:    1 byte in the parent's pipe\n"
    );
}

#[test]
fn in_cpython_ctrl_c_wakes_the_loop_from_a_python_handler() {
    let package = env!("CARGO_PKG_NAME");
    let program = "python/facts/ctrl_c.py";
    let Some(said) = author::twins::ask_cpython(env!("CARGO_MANIFEST_DIR"), package, program)
    else {
        return;
    };
    assert_eq!(
        said,
        "the handler:        Runner._on_sigint\n\
         wake-up descriptor: -1\n\
         bytes in the pipe:  1\n\
         the main task is cancelled\n\
         run raises KeyboardInterrupt\n"
    );
}
