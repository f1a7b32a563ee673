//! Every scene of the five stages, in a separate process, compared with its snapshot.

author::scene_tests!(env!("CARGO_BIN_EXE_from_scratch"));
