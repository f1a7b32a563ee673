//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step01_fd");
    lowest_free_descriptor,
    flags_set_at_creation,
    impossible_pipe_capacity,
    blocking_is_shared,
    what_descriptors_name,
    dup_shares_the_offset,
    end_or_would_block,
    interrupted_read,
    inherited_by_a_child,
    full_pipe,
    broken_pipe,
    interrupted_write,
    reused_descriptor,
    readiness_changes,
    slow_reader,
    files_are_always_ready,
    sigpipe,
    reading_opens_no_descriptor,
    out_of_descriptors,
}
