//! Every scene of the step, played in a process of its own, against its answer key.

runner::scene_tests! {
    env!("CARGO_BIN_EXE_step01_fd");
    lowest_free_number,
    flags_from_birth,
    no_such_pipe,
    blocking_is_shared,
    more_than_files,
    dup_shares_the_offset,
    end_or_would_block,
    interrupted_read,
    inherited,
    full_pipe,
    broken_pipe,
    interrupted_write,
    reused_number,
    ready_or_not,
    slow_reader,
    always_ready,
    sigpipe,
    reading_takes_no_number,
    out_of_numbers,
}
