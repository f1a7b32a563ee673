//! Every scene of the step, played in a process of its own, against its answer key.

workbook::scene_tests! {
    env!("CARGO_BIN_EXE_step01_fd");
    lowest_free_number,
    more_than_files,
    dup_shares_the_offset,
    flags_from_birth,
    end_or_would_block,
    interrupted_read,
    full_pipe,
    broken_pipe,
}
