//! Runs every scene of the five stages in a separate process and compares it with its snapshot.

author::scene_tests!(env!("CARGO_BIN_EXE_from_scratch"));
